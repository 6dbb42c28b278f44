// The form of a study: a question shows the fields that its kind of answer needs. Without this
// script all fields show, and the form works as well.

function shown(select) {
  for (const part of select.closest("fieldset").querySelectorAll("[data-for]")) {
    part.hidden = part.dataset.for !== select.value;
  }
}

for (const select of document.querySelectorAll("[data-question-kind]")) {
  select.addEventListener("change", () => shown(select));
  shown(select);
}

// Somebody who wrote much is asked before the page is left; sending it is no leaving.
const form = document.querySelector(".study-form");
let changed = false;
form?.addEventListener("input", () => { changed = true; });
form?.addEventListener("submit", () => { changed = false; });
addEventListener("beforeunload", (event) => { if (changed) event.preventDefault(); });

// A transcript: everything private opens and closes at once; keys lead to the neighbours.

const button = document.querySelector("[data-private]");
button?.addEventListener("click", () => {
  const open = button.getAttribute("aria-expanded") !== "true";
  for (const part of document.querySelectorAll("details.private")) part.open = open;
  button.setAttribute("aria-expanded", String(open));
  button.textContent = open ? "Hide profiles and secrets" : "Profiles and secrets";
});

// What was opened in the course stays open when the course renews itself.
let opened = [];
const folds = () => [...document.querySelectorAll("#course details")];
document.addEventListener("htmx:beforeSwap", () => { opened = folds().map((part) => part.open); });
document.addEventListener("htmx:afterSettle", () => {
  folds().forEach((part, place) => { if (opened[place]) part.open = true; });
});

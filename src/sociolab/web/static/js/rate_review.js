// What is only needed for an edit or a rejection is out of the way until it is.

const form = document.getElementById("review");

function arrange() {
  const chosen = form.querySelector('input[name="decision"]:checked')?.value;
  document.getElementById("changes").hidden = chosen !== "edit";
  document.getElementById("reasons").hidden = chosen !== "edit" && chosen !== "reject";
}

form.addEventListener("change", arrange);
arrange();

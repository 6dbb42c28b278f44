// A reviewer's form: saved as one goes; what is only needed for an edit or a rejection is out of the
// way until it is.

import { send } from "./app.js";

const form = document.getElementById("review");
const saved = document.getElementById("saved");

function arrange() {
  const chosen = form.querySelector('input[name="decision"]:checked')?.value;
  document.getElementById("changes").hidden = chosen !== "edit";
  document.getElementById("reasons").hidden = chosen !== "edit" && chosen !== "reject";
}

form.addEventListener("change", arrange);
arrange();

// ---------------------------------------------------------------- saving

let changed = false, sending = false, timer = 0;
const address = `${form.action}/draft`;

function standing() {
  const fields = new FormData(form);
  const texts = fields.getAll("texts").map((text) => text.toWellFormed?.() ?? text);
  fields.delete("texts");
  fields.delete("csrf");
  return { ...Object.fromEntries(fields), texts };
}

/** One request at a time, so that no older text can come in behind a newer one. */
async function save() {
  clearTimeout(timer);
  if (sending || !changed) return;
  changed = false;
  sending = true;
  try {
    await send(address, standing());
    saved.textContent = "Saved";
  } catch (error) {
    changed = true;
    const again = error.status === undefined || error.status >= 429;
    saved.textContent = again ? "Not saved yet; trying again" : `Not saved: ${error.message}`;
    if (again) timer = setTimeout(save, 3000);
    return;
  } finally {
    sending = false;
  }
  if (changed) timer = setTimeout(save, 700);
}

form.addEventListener("input", (event) => {
  changed = true;
  saved.textContent = "";
  clearTimeout(timer);
  timer = setTimeout(save, event.target.type === "radio" ? 0 : 700);
});
form.addEventListener("submit", () => { clearTimeout(timer); changed = false; });

// A page that goes away sends what it still has.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "hidden" || !changed) return;
  send(address, standing(), true).then(() => { changed = false; }, () => { /* tried again by its timer */ });
});

// What the seat was told, and what has happened since.

import { by, el } from "./dom.js";

const WIDE = matchMedia("(min-width: 56rem)");

/** On a phone the turn and the clock stand on top, beside the goal, and what was told comes last:
 * what is said and the field to answer in are there at once. */
function arrange() {
  if (WIDE.matches) { by("talk").prepend(by("state")); by("part").append(by("told-parts")); }
  else { by("pinned").prepend(by("state")); by("talk").append(by("told-parts")); }
}
WIDE.addEventListener("change", arrange);
arrange();

let shownTrial = null, shownLines = 0, picking = null;

/** Show a scene; what is there already stays as it is, so that reading is not disturbed. */
export function showScene(scene) {
  if (scene.trial !== shownTrial) {
    picking?.("");
    shownTrial = scene.trial;
    shownLines = 0;
    by("log").replaceChildren();
    showTold(scene);
  }
  addLines(scene.history);
}

function showTold(scene) {
  // On a phone it is open until one's first turn, so that it is read, and folded away after it.
  const open = WIDE.matches || !scene.history.some((line) => line.you);
  by("kept").replaceChildren(...scene.sections.filter((part) => part.kept).map((part) =>
    el("section", { className: "kept" }, el("h2", {}, part.title), el("p", { className: "said" }, part.text))));
  const rest = scene.sections.filter((part) => !part.kept);
  by("told-parts").replaceChildren(
    ...rest.map((part) => folded(part.title, part.text, open)),
    folded("How to play", scene.intro, false),
  );
}

function fold() {
  for (const part of by("told-parts").querySelectorAll("details")) part.open = false;
}

const folded = (title, text, open) => el("details", { open },
  el("summary", {}, title), el("p", { className: "said" }, text));

function addLines(history) {
  if (history.length === shownLines) return;
  const lines = history.slice(shownLines);
  if (!WIDE.matches && lines.some((line) => line.you) && !history.slice(0, shownLines).some((line) => line.you)) fold();
  for (const line of lines) by("log").append(lineOf(line));
  shownLines = history.length;
  by("log-box").scrollTop = by("log-box").scrollHeight;
}

/** A turn: who, and what they did. Words stand for themselves, deeds say what they are. */
export function lineOf(line) {
  const parts = line.actions.map((action) => el("p", { className: "deed" },
    action.tag ? el("span", { className: "tag" }, action.tag) : null, " ",
    action.to.length ? el("span", { className: "tag" }, `only to ${action.to.join(", ")}`) : null,
    el("span", { className: "said" }, action.text),
  ));
  return el("li", { className: line.you ? "you" : "" },
    el("span", { className: "who" }, line.you ? "You" : line.who), ...parts);
}

/** How the episode before ended, with what was said in it folded away. */
export function showLast(box, last) {
  box.hidden = !last;
  if (!last || box.dataset.trial === last.trial) return;
  box.dataset.trial = last.trial;
  box.replaceChildren(
    last.why ? el("p", { className: "fine" }, last.why) : "",
    el("details", { open: true }, el("summary", {}, "Transcript"),
      el("ol", { className: "log all" }, ...last.history.map(lineOf))),
  );
}

/** Let somebody pick a line: by a click on it, or by its button. `picked` is called with its words,
 * "" for Escape. Returns a function that ends it. */
export function pickLine(picked) {
  picking?.("");
  picking = picked;
  const box = by("log-box");
  const deeds = [...box.querySelectorAll(".deed")].filter((deed) => wordsOf(deed));
  const buttons = deeds.map((deed) => el("button", {
    type: "button", className: "pick-line", "aria-label": `Choose this line: ${wordsOf(deed)}`,
  }, "Choose"));
  const clicked = (event) => {
    const deed = event.target.closest(".deed") ?? event.target.closest("li")?.querySelector(".deed");
    if (deed && wordsOf(deed)) picked(wordsOf(deed));
  };
  const pressed = (event) => { if (event.key === "Escape") picked(""); };
  box.setAttribute("aria-live", "off"); // or every button would be read aloud
  deeds.forEach((deed, index) => deed.append(buttons[index]));
  box.classList.add("picking");
  box.addEventListener("click", clicked);
  document.addEventListener("keydown", pressed);
  box.scrollTop = box.scrollHeight;
  buttons.at(-1)?.focus({ preventScroll: true });
  box.scrollIntoView({ block: WIDE.matches ? "nearest" : "start" });
  return () => {
    picking = null;
    box.classList.remove("picking");
    box.removeEventListener("click", clicked);
    document.removeEventListener("keydown", pressed);
    for (const button of buttons) button.remove();
    box.removeAttribute("aria-live");
  };
}

const wordsOf = (deed) => deed.querySelector(".said").textContent;

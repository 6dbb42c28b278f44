// The panel of the resident who is followed: what it does, thinks, plans, remembers and says.

import { element, put } from "./dom.js";
import { doingAt, placeAt, standing } from "./list.js";
import { lastBy, MEMORY } from "./moments.js";
import * as parts from "./parts.js";

const FIRST_MEMORIES = 30, MORE_MEMORIES = 100;

export class Panel {
  constructor(box, replay, words) {
    Object.assign(this, { box, replay, words, one: null, turn: 0, spot: { x: 0, y: 0, dx: 0, dy: 0, there: false } });
    this.name = box.querySelector("h2");
    this.now = nowLines(box.querySelector(".now"));
    this.view = { seen: false, most: FIRST_MEMORIES, more: () => this.more() };
    this.parts = [...box.querySelectorAll("[data-part]")].map((details) => {
      const made = { details, part: parts[details.dataset.part], target: details.lastElementChild, key: null };
      details.addEventListener("toggle", () => { if (details.open) this.write(made); });
      return made;
    });
    const seen = box.querySelector("[data-seen]");
    seen.addEventListener("change", () => { this.view.seen = seen.checked; this.all(); });
  }

  more() {
    this.view.most += MORE_MEMORIES;
    this.all();
  }

  follow(one, moment) {
    this.one = one;
    this.moment = moment;
    this.box.hidden = one === null;
    if (one === null) return;
    put(this.name, one.name);
    this.view.most = FIRST_MEMORIES;
    for (const made of this.parts) made.key = null;
    for (const made of this.parts) {
      const { part } = made.details.dataset;
      made.details.hidden = (part === "reminders" && !one.reminders.length) || (part === "without" && !one.without.length);
    }
    this.all();
  }

  /** Everything for this moment, at once. */
  all(moment = this.moment) {
    this.moment = moment;
    if (this.one === null) return;
    this.writeNow();
    for (const made of this.parts) this.write(made);
  }

  /** A share of it: what is now, and one of the parts after the other. */
  some(moment) {
    this.moment = moment;
    if (this.one === null) return;
    this.writeNow();
    this.turn = (this.turn + 1) % this.parts.length;
    this.write(this.parts[this.turn]);
  }

  write(made) {
    if (this.one === null || !made.details.open || made.details.hidden) return;
    const key = made.part.key(this.replay, this.one, this.moment, this.view);
    if (key === made.key) return;
    made.key = key;
    made.target.replaceChildren(...made.part.write(this.replay, this.one, this.moment, this.words, this.view));
  }

  writeNow() {
    const { replay, one, moment } = this;
    const did = doingAt(replay, one, moment);
    put(this.now.does, did ? sentence(did) : "nothing yet");
    put(this.now.where, placeAt(replay, one, moment, this.spot));
    const entry = did && did.block && did.block !== did.doing ? did.block : "";
    this.now.entryRow.forEach((cell) => { cell.hidden = !entry; });
    put(this.now.entry, entry);
    const thought = this.thought();
    this.now.thinksRow.forEach((cell) => { cell.hidden = !thought; });
    put(this.now.thinks, thought);
    const performer = one.number === replay.task.performer;
    const [mark, words] = standing(replay, one, moment, this.words.short);
    this.now.scoreRow.forEach((cell) => { cell.hidden = !performer && !words; });
    put(this.now.score, performer ? "performs the task" : words);
    this.now.score.dataset.mark = mark;
  }

  /** The latest thought; "" where there is none yet. */
  thought() {
    const { memories } = this.one;
    for (let at = lastBy(memories, this.moment, MEMORY); at >= 0; at -= 1) {
      if (this.replay.texts[memories[at * MEMORY + 1]] === "thought") return this.replay.texts[memories[at * MEMORY + 2]];
    }
    return "";
  }
}

function nowLines(box) {
  const list = element("dl");
  const line = (title, extra = "") => {
    const cells = [element("dt", {}, title), element("dd", {}, element("span", { className: `said ${extra}` }))];
    list.append(...cells);
    return [cells[1].firstElementChild, cells];
  };
  const [does] = line("Doing"), [where] = line("Location");
  const [entry, entryRow] = line("Planned"), [thinks, thinksRow] = line("Last thought");
  const [score, scoreRow] = line("Role", "mark");
  box.replaceChildren(list);
  return { does, where, entry, entryRow, thinks, thinksRow, score, scoreRow };
}

function sentence({ state, doing, intended, object }) {
  if (state === "asleep") return "is asleep";
  if (state === "walking") return `heading to ${intended || "the next place"}: ${doing}`;
  return `${doing}${object && state !== "talking" ? ` (${object})` : ""}`;
}

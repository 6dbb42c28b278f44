// Everybody now, as a list: who does what where, and whether they count. It says what the map shows.

import { element, put } from "./dom.js";
import { DID, lastBy, positionAt, STATES, within } from "./moments.js";

const STATE_WORDS = { asleep: "asleep:", walking: "heading to:", talking: "talking:", "at it": "" };
const MARKS = { "": "", counted: "✓ attended", taking: "taking part", will: "will attend", not: "will not attend" };

/** What somebody does at a moment: { state, doing, intended, block, object }; null before the first. */
export function doingAt(replay, one, moment) {
  const at = lastBy(one.did, moment, DID) * DID;
  if (at < 0) return null;
  const text = (field) => replay.texts[one.did[at + field]];
  return { state: STATES[one.did[at + 5]], doing: text(1), block: text(2), intended: text(3), object: text(4) };
}

/** The place of the tile on which somebody stands: "Sector: arena", or "outdoors". */
export function placeAt(replay, one, moment, spot) {
  positionAt(one.track, Math.floor(moment), spot);
  if (!spot.there) return "nowhere yet";
  return arenaAt(replay.town, spot.x, spot.y) || "outdoors";
}

/** "Sector: arena" of a tile; "" where there is none. */
export function arenaAt(town, x, y) {
  const place = x >= 0 && x < town.width ? town.places[town.arena[y * town.width + x]] : undefined;
  return place ? `${town.sectors[place[0]][0]}: ${place[1]}` : "";
}

/** What is so of the score at a moment: a key of MARKS, and words. */
export function standing(replay, one, moment, short) {
  const outcome = one.outcome;
  if (one.number === replay.task.performer) return ["", ""];
  if (!outcome) return ["", ""];
  if (outcome.counts && moment >= outcome.since) return ["counted", `attended since ${short(outcome.since)}`];
  if (within(outcome.when, moment)) return ["taking", "taking part now"];
  if (outcome.counts) return ["will", `will attend from ${short(outcome.since)}`];
  return ["not", `does not attend: ${outcome.words}`];
}

export class List {
  constructor(box, replay, people, short, choose) {
    Object.assign(this, { replay, short, spot: { x: 0, y: 0, dx: 0, dy: 0, there: false } });
    this.rows = replay.residents.map((one) => row(one, people.all[one.number].initials, replay, choose));
    box.append(...this.rows.map((made) => made.item));
  }

  dress(people) {
    this.rows.forEach((made, number) => {
      made.badge.style.backgroundColor = people.colours[number];
      made.badge.style.color = people.palette.personInk;
    });
  }

  follow(number) {
    this.rows.forEach((made, one) => made.button.setAttribute("aria-pressed", String(one === number)));
  }

  show(moment) {
    for (const made of this.rows) {
      const did = doingAt(this.replay, made.one, moment);
      const place = placeAt(this.replay, made.one, moment, this.spot);
      const told = !did || did.doing.startsWith(did.state); // "talking with Ann" says it itself
      const state = told ? "" : STATE_WORDS[did.state];
      put(made.state, state);
      put(made.doing, did ? did.doing : "");
      put(made.place, place);
      const [mark] = standing(this.replay, made.one, moment, this.short);
      if (made.mark.dataset.mark !== mark) made.mark.dataset.mark = mark;
      put(made.mark, MARKS[mark]);
    }
  }
}

function row(one, initials, replay, choose) {
  const badge = element("span", { className: "badge" }, initials);
  badge.setAttribute("aria-hidden", "true");
  const state = element("span", { className: "state" }), doing = element("span", { className: "doing said" });
  const place = element("span", { className: "place said" }), mark = element("span", { className: "mark" });
  const name = element("span", { className: "name said" }, one.name);
  const performer = one.number === replay.task.performer ? element("span", {}, "★ performer") : "";
  const words = element("span", { className: "words" },
    element("span", { className: "top-line" }, name, performer, mark),
    element("span", { className: "line" }, state, " ", doing), element("span", { className: "line faint" }, place));
  const button = element("button", { type: "button" }, badge, words);
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => choose(one.number));
  return { one, item: element("li", {}, button), button, badge, state, doing, place, mark };
}

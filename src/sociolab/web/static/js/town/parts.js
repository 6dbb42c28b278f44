// The parts of a resident's panel. Each has a key that changes when it must be written anew, and
// writes itself for a moment; nothing of what comes later is told.

import { element, said } from "./dom.js";
import { lastBy, MEMORY, planAt, REMINDER, saidBy, WITHOUT } from "./moments.js";

const none = (words) => element("p", { className: "faint small" }, words);
const time = (words) => element("span", { className: "when" }, words);
const tag = (words) => element("span", { className: "tag" }, words);

export const plan = {
  key(replay, one, moment) {
    const at = planAt(one, moment);
    return at < 0 ? "" : `${at} ${Math.floor(moment / replay.clock.aDay)} ${blockAt(one.planParts[at], moment)}`;
  },
  write(replay, one, moment, words) {
    const at = planAt(one, moment);
    if (at < 0) return [none("No plan yet.")];
    const parts = one.planParts[at], why = replay.texts[one.planWhy[at]], { aDay } = replay.clock;
    const midnight = Math.floor(moment / aDay) * aDay, current = blockAt(parts, moment);
    const list = element("ol", { className: "plan" });
    for (let i = 0; i < parts.length; i += 4) {
      if (parts[i + 1] <= midnight || parts[i] >= midnight + aDay) continue;
      const place = replay.texts[parts[i + 3]];
      const entry = element("li", { className: parts[i + 1] <= moment ? "past" : "" },
        time(words.clock(parts[i])), said(replay.texts[parts[i + 2]]), i === current ? tag("now") : "",
        place ? element("span", { className: "faint" }, " · ", said(place)) : "");
      if (i === current) entry.setAttribute("aria-current", "time");
      list.append(entry);
    }
    const made = words.short(one.planSteps[at]);
    const changed = why ? [element("p", { className: "small" }, `Changed ${made}: `, said(why))] : [];
    return [...changed, list.children.length ? list : none("Nothing planned for this day.")];
  },
};

function blockAt(parts, moment) {
  for (let i = 0; i < parts.length; i += 4) if (parts[i] <= moment && moment < parts[i + 1]) return i;
  return -1;
}

export const talks = {
  key(replay, one, moment) {
    const at = lastBy(one.talkSteps, moment);
    return at < 0 ? "" : `${at} ${saidBy(one.talks[at], moment)} ${moment >= one.talks[at].end}`;
  },
  write(replay, one, moment, words) {
    const at = lastBy(one.talkSteps, moment);
    if (at < 0) return [none("No conversation yet.")];
    return one.talks.slice(0, at + 1).reverse().map((talk, nth) => told(replay, one, talk, moment, words, nth));
  },
};

function told(replay, one, talk, moment, words, nth) {
  const other = replay.residents[talk.who === one.number ? talk.other : talk.who];
  const over = moment >= talk.end;
  const heading = element("summary", {}, time(words.short(talk.step)), " with ", said(other ? other.name : "somebody"),
    talk.about ? tag("about the task") : "", over ? "" : tag("now"));
  const lines = element("div", { className: "lines" });
  for (let i = 0; i < saidBy(talk, moment); i += 1) {
    lines.append(element("p", {}, element("strong", { className: "said" }, replay.texts[talk.said[i * 2]]), ": ",
      said(replay.texts[talk.said[i * 2 + 1]])));
  }
  if (over) lines.append(none(`Ended: ${replay.texts[talk.how]}.`));
  return element("details", { open: nth === 0 }, heading, lines);
}

/** Memories, newest first; `most` at once, and those merely seen only on demand. */
export const memories = {
  key: (replay, one, moment, view) => `${lastBy(one.memories, moment, MEMORY)} ${view.seen} ${view.most}`,
  write(replay, one, moment, words, view) {
    const list = element("ul", { className: "memories" });
    let left = 0;
    for (let at = lastBy(one.memories, moment, MEMORY); at >= 0; at -= 1) {
      const [step, kind, text, importance] = one.memories.subarray(at * MEMORY, at * MEMORY + MEMORY);
      if (!view.seen && replay.texts[kind] === "seen") continue;
      if (list.children.length >= view.most) { left += 1; continue; }
      list.append(element("li", {}, time(words.short(step)), tag(replay.texts[kind]),
        importance ? element("span", { className: "tag", title: "importance, 1 to 10" }, `importance ${importance}`) : "",
        " ", said(replay.texts[text])));
    }
    if (!list.children.length) return [none(view.seen ? "No memory yet." : "Nothing but observations yet.")];
    if (!left) return [list];
    const more = element("button", { type: "button" }, `${left} earlier`);
    more.addEventListener("click", view.more);
    return [list, more];
  },
};

/** A part that lists entries of `stride` numbers, newest first, each written by `entry`. */
const listed = (field, stride, nothing, entry) => ({
  key: (replay, one, moment) => String(lastBy(one[field], moment, stride)),
  write(replay, one, moment, words) {
    const list = element("ul", { className: "memories" });
    for (let at = lastBy(one[field], moment, stride); at >= 0; at -= 1) {
      const values = one[field].subarray(at * stride, (at + 1) * stride);
      list.append(element("li", {}, time(words.short(values[0])), ...entry(replay, values)));
    }
    return list.children.length ? [list] : [none(nothing)];
  },
});

export const reminders = listed("reminders", REMINDER, "None yet.", (replay, [, kind, text]) => (
  [tag(replay.texts[kind]), " ", said(replay.texts[text])]));

export const without = listed("without", WITHOUT, "None so far.", (replay, [, question, cause, problem]) => (
  [said(replay.texts[question]), tag(replay.texts[cause]), " ", said(replay.texts[problem])]));

export const about = {
  key: () => "",
  write: (replay, one) => [
    element("p", {}, said(one.about)), element("p", {}, said(one.currently)),
    element("p", { className: "faint small" }, `${one.age} years old`)],
};

// What is so at a moment, read off lists of integers that are decoded once. Nothing here draws, or
// knows of the page; a moment is a step, whole or in between. Looking makes no garbage.

export const STATES = ["asleep", "walking", "at it", "talking"];
export const ASLEEP = 0, WALKING = 1, TALKING = 3;
export const DID = 6, MEMORY = 4, REMINDER = 3, WITHOUT = 4;

const MOVES = { N: [0, -1], E: [1, 0], S: [0, 1], W: [-1, 0] };

/** The number of the last entry that begins at or before a moment; -1 if none does. Entries are
 * `stride` numbers each, the first of which is when they begin. */
export function lastBy(list, moment, stride = 1) {
  let low = 0, high = list.length / stride;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle * stride] <= moment) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The tiles of a resident: from `steps[i]` until `steps[i + 1]` it stands on (x[i], y[i]). */
export function trackOf(stood, walks, path) {
  const length = stood.length ? path.length + 1 : 0;
  const track = { steps: new Int32Array(length), x: new Int16Array(length), y: new Int16Array(length), at: 0 };
  if (!length) return track;
  [track.steps[0], track.x[0], track.y[0]] = stood;
  let at = 0;
  for (let walk = 0; walk < walks.length; walk += 2) {
    for (let i = 0; i < walks[walk + 1]; i += 1, at += 1) {
      const move = MOVES[path[at]];
      track.steps[at + 1] = walks[walk] + i + 1;
      track.x[at + 1] = track.x[at] + move[0];
      track.y[at + 1] = track.y[at] + move[1];
    }
  }
  return track;
}

/** Where somebody is at a moment, into `out`: x, y (between tiles on the way), the heading dx, dy,
 * and whether they are anywhere. Moments that follow each other are found by a cursor. */
export function positionAt(track, moment, out) {
  const { steps, x, y } = track;
  out.there = steps.length > 0;
  if (!out.there) return out;
  let at = track.at;
  if (!(steps[at] <= moment)) at = Math.max(0, lastBy(steps, moment));
  else {
    const near = Math.min(steps.length, at + 9);
    while (at + 1 < near && steps[at + 1] <= moment) at += 1;
    if (at + 1 === near && near < steps.length && steps[near] <= moment) at = lastBy(steps, moment);
  }
  track.at = at;
  const next = at + 1;
  out.x = x[at];
  out.y = y[at];
  out.dx = 0;
  out.dy = 0;
  if (next < steps.length && steps[next] - 1 <= moment) {
    const part = moment - (steps[next] - 1);
    out.dx = x[next] - x[at];
    out.dy = y[next] - y[at];
    out.x += out.dx * part;
    out.y += out.dy * part;
  }
  return out;
}

/** The numbers of values and how many tiles in a row have each, as one number a tile. */
export function unrun(runs, length) {
  const tiles = new Int16Array(length);
  let at = 0;
  for (let i = 0; i < runs.length; i += 2) {
    tiles.fill(runs[i], at, at + runs[i + 1]);
    at += runs[i + 1];
  }
  return tiles;
}

/** Whether a moment is in half-open stretches, given as [start, end, start, end, ...]. */
export function within(stretches, moment) {
  for (let i = 0; i < stretches.length; i += 2) {
    if (stretches[i] <= moment && moment < stretches[i + 1]) return true;
  }
  return false;
}

/** How many lines of a talk have been said at a moment; they are spread evenly over it. */
export function saidBy(talk, moment) {
  const lines = talk.said.length / 2;
  if (moment < talk.step || !lines) return 0;
  const each = (talk.end - talk.step) / lines;
  if (!(each > 0)) return lines;
  return Math.min(lines, Math.floor((moment - talk.step) / each) + 1);
}

/** The plan that holds at a moment: its number; -1 before the first. */
export const planAt = (one, moment) => lastBy(one.planSteps, moment);

/** town.json as the page uses it. */
export function decode(json) {
  const { town, clock } = json;
  const tiles = town.width * town.height;
  const residents = json.residents.map((one, number) => resident(one, number));
  const talks = json.talks.map(([step, end, who, other, how, about, said], number) => (
    { number, step, end, who, other, how, about: about === 1, said: Int32Array.from(said) }));
  for (const one of residents) {
    one.talks = talks.filter((talk) => talk.who === one.number || talk.other === one.number);
    one.talkSteps = Int32Array.from(one.talks, (talk) => talk.step);
  }
  for (const outcome of json.outcomes) residents[outcome.who].outcome = outcome;
  return {
    ...json,
    clock: { ...clock, aDay: 86400 / clock.seconds },
    town: { ...town, ground: unrun(town.ground, tiles), arena: unrun(town.arena, tiles) },
    residents,
    talks,
    talkSteps: Int32Array.from(talks, (talk) => talk.step),
    longestTalk: talks.reduce((most, talk) => Math.max(most, talk.end - talk.step), 0),
  };
}

function resident(one, number) {
  const { stood, walks, path, plans, ...rest } = one;
  const planSteps = [], planWhy = [], planParts = [];
  for (let i = 0; i < plans.length; i += 3) {
    planSteps.push(plans[i]);
    planWhy.push(plans[i + 1]);
    planParts.push(Int32Array.from(plans[i + 2]));
  }
  return {
    ...rest,
    number,
    track: trackOf(stood, walks, path),
    did: Int32Array.from(one.did),
    memories: Int32Array.from(one.memories),
    reminders: Int32Array.from(one.reminders),
    without: Int32Array.from(one.without),
    planSteps: Int32Array.from(planSteps),
    planWhy,
    planParts,
    outcome: null,
  };
}

/** Two letters, or a number, by which each resident is told from all others. */
export function initialsOf(names) {
  const given = names.map((name) => name.split(/\s+/).filter(Boolean).map((word) => Array.from(word)));
  const ways = [
    (words) => (words[0]?.[0] ?? "?") + (words.length > 1 ? words.at(-1)[0] : ""),
    (words) => (words[0] ?? ["?"]).slice(0, 2).join(""),
  ];
  const taken = new Set();
  return given.map((words, number) => {
    const found = [...ways.map((way) => way(words)), String(number + 1)].find((one) => !taken.has(one));
    taken.add(found);
    return found;
  });
}

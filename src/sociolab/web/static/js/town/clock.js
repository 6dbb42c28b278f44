// Steps as words, and as they stand in a link.

const MS = 1000;

/** The moment of a step in milliseconds, as if the town lay in UTC. */
const ms = (clock, step) => Date.parse(`${clock.first}T00:00:00Z`) + Math.floor(step) * clock.seconds * MS;

/** "17:05", or "17:05:10" with the seconds. */
export function timeOfDay(clock, step, seconds = false) {
  return new Date(ms(clock, step)).toISOString().slice(11, seconds ? 19 : 16);
}

/** "Tuesday 14 May 2024, 17:05". */
export function spoken(clock, step, seconds = false) {
  const day = Math.min(clock.days.length - 1, Math.max(0, Math.floor(step / clock.aDay)));
  return `${clock.days[day]}, ${timeOfDay(clock, step, seconds)}`;
}

/** "Tue 17:05". */
export function short(clock, step) {
  const day = Math.min(clock.days.length - 1, Math.max(0, Math.floor(step / clock.aDay)));
  return `${clock.days[day].slice(0, 3)} ${timeOfDay(clock, step)}`;
}

/** "2024-05-14T17:05:10", for links. */
export const stamp = (clock, step) => new Date(ms(clock, step)).toISOString().slice(0, 19);

/** The step of such a moment, kept inside what was lived; null where it is none. */
export function stepOf(clock, text) {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return null;
  const gone = Date.parse(`${text}Z`) - ms(clock, 0);
  if (Number.isNaN(gone)) return null;
  return Math.min(clock.steps - 1, Math.max(0, Math.round(gone / MS / clock.seconds)));
}

/** "#t=...&who=..." of a moment and the resident who is followed (null: nobody). */
export function address(clock, step, who) {
  const found = new URLSearchParams({ t: stamp(clock, step), ...(who === null ? {} : { who }) });
  return `#${found.toString().replaceAll("%3A", ":")}`;
}

/** What such a hash says: { step, who }, each null where it does not say it. */
export function read(clock, hash) {
  const found = new URLSearchParams(hash.replace(/^#/, ""));
  return { step: stepOf(clock, found.get("t") ?? ""), who: found.get("who") };
}

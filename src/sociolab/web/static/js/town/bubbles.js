// What is being said, in bubbles over whoever says it.

import { lastBy, saidBy } from "./moments.js";

const WIDE = 270, NARROW = 210, HIGH = 18, MOST = 2, PAD = 10;
const FONT = "14px system-ui, sans-serif";

export class Bubbles {
  constructor(replay, palette) {
    Object.assign(this, { replay, palette, followed: -1, shown: [], laid: new Map(), boxes: [], before: { key: -1, n: -1 } });
    this.byWeight = (one, other) => this.weight(other) - this.weight(one);
  }

  /** The talks that go on at a moment, or were over less than `after` steps ago; at most a few,
   * first of whoever is followed, then those about the task. */
  find(moment, after, followed) {
    const { talks, talkSteps, longestTalk } = this.replay;
    this.followed = followed;
    this.shown.length = 0;
    for (let at = lastBy(talkSteps, moment); at >= 0; at -= 1) {
      const talk = talks[at];
      if (moment - talk.step >= longestTalk + after) break;
      if (moment < talk.end + after && talk.said.length) this.shown.push(talk);
    }
    if (this.shown.length > 1) this.shown.sort(this.byWeight);
    this.shown.length = Math.min(MOST, this.shown.length);
    return this.shown;
  }

  weight(talk) {
    return (talk.who === this.followed || talk.other === this.followed ? 2 : 0) + (talk.about ? 1 : 0);
  }

  draw(pen, moment, people, camera, plates) {
    const taken = this.boxes; // also for the names of the next frame
    taken.length = 0;
    for (const talk of this.shown) this.drawOne(pen, talk, moment, people, camera, plates, taken);
  }

  drawOne(pen, talk, moment, people, camera, plates, taken) {
    const line = Math.max(0, saidBy(talk, moment) - 1);
    const speaker = people.all[line % 2 === 0 ? talk.who : talk.other] ?? people.all[talk.who] ?? people.all[talk.other];
    if (!speaker || !people.seen(speaker, camera)) return;
    const bubble = this.laidOut(pen, talk, line, Math.min(WIDE, camera.width - 24));
    const most = Math.max(2, Math.floor((camera.height - 2 * PAD - 16) / HIGH));
    const lines = bubble.lines.length > most ? [...bubble.lines.slice(0, most - 1), "…"] : bubble.lines;
    const box = this.placed(talk, line, speaker, bubble.wide, lines.length * HIGH + PAD, people, camera, plates, taken);
    taken.push(box);
    const { palette } = this, colour = people.colours[speaker.number];
    pen.strokeStyle = colour;
    pen.lineWidth = talk.about ? 2.5 : 1.5;
    pen.fillStyle = palette.paper;
    pen.beginPath();
    pen.roundRect(box.left, box.top, box.wide, box.high, 10);
    pen.fill();
    pen.stroke();
    this.drawTip(pen, box, speaker, people.radius);
    pen.font = FONT;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillStyle = palette.ink;
    for (let i = 0; i < lines.length; i += 1) pen.fillText(lines[i], box.left + PAD, box.top + PAD / 2 + HIGH * (i + 0.5));
  }

  /** From the bubble's edge towards whoever speaks. */
  drawTip(pen, box, speaker, radius) {
    const x = Math.min(Math.max(speaker.left, box.left + 14), box.left + box.wide - 14);
    const y = speaker.top > box.top + box.high ? box.top + box.high : speaker.top < box.top ? box.top : null;
    if (y === null) return;
    const off = Math.hypot(speaker.left - x, speaker.top - y) || 1, far = Math.max(4, Math.min(14, off - radius - 3)) / off;
    pen.beginPath();
    pen.moveTo(x - 7, y);
    pen.lineTo(x + (speaker.left - x) * far, y + (speaker.top - y) * far);
    pen.lineTo(x + 7, y);
    pen.fill();
    pen.stroke();
    pen.fillRect(x - 7, y - 2, 14, 4);
  }

  /** Where a bubble stands: where it hides least, and where it was before if that is as good. */
  placed(talk, line, speaker, wide, high, people, camera, plates, taken) {
    const off = people.radius + 16, { left, top } = speaker, { before } = this;
    const spots = [
      [left - wide / 2, top - off - high], [left - wide * 0.2, top - off - high], [left - wide * 0.8, top - off - high],
      [left - wide / 2, top + off + 14], [left - wide * 0.2, top + off + 14], [left - wide * 0.8, top + off + 14],
      [left - wide / 2, top - off - high - 36], [left - wide / 2, top + off + 50],
    ];
    const key = talk.number * 1000 + line;
    let best = null, least = Infinity;
    for (let n = 0; n < spots.length; n += 1) {
      const x = Math.min(Math.max(6, spots[n][0]), Math.max(6, camera.width - wide - 6));
      const y = Math.min(Math.max(6, spots[n][1]), Math.max(6, camera.height - high - 6));
      let cost = n * 8 - (before.key === key && before.n === n ? 60 : 0);
      for (const plate of plates) if (meet(x, y, wide, high, plate.x, plate.y, plate.half, plate.high)) cost += 300;
      for (const other of taken) if (meet(x, y, wide, high, other.left + other.wide / 2, other.top + other.high / 2, other.wide / 2, other.high / 2)) cost += 2000;
      for (const one of people.all) {
        if (one.there && meet(x, y, wide, high, one.left, one.top + 8, people.radius + 2, people.radius + 10)) { // and the name
          cost += one.number === talk.who || one.number === talk.other ? 1000 : 80;
        }
      }
      if (cost < least) { least = cost; best = { left: x, top: y, wide, high, n }; }
    }
    if (!taken.length) this.before = { key, n: best.n };
    return best;
  }

  /** The words of a line, all of them, broken into short ones; kept. */
  laidOut(pen, talk, line, most) {
    const key = talk.number * 1000 + line;
    let found = this.laid.get(key);
    if (!found || found.most !== most) {
      pen.font = FONT;
      const text = this.replay.texts[talk.said[line * 2 + 1]];
      const lines = broken(pen, text, Math.min(most, text.length > 70 ? WIDE : NARROW) - 2 * PAD);
      const wide = Math.max(40, ...lines.map((one) => pen.measureText(one).width)) + 2 * PAD;
      found = { lines, wide, most };
      this.laid.set(key, found);
    }
    return found;
  }
}

/** Whether a box (its corner and size) meets another (its middle and half of its size). */
export const meet = (left, top, wide, high, x, y, half, tall) => (
  x + half > left && x - half < left + wide && y + tall > top && y - tall < top + high);

const LONGEST = 2000; // letters

/** A text in lines of at most so many pixels; words that are wider are broken. */
export function broken(pen, text, wide) {
  const lines = [];
  let line = "";
  for (const word of text.slice(0, LONGEST).split(/\s+/).filter(Boolean)) {
    const longer = line ? `${line} ${word}` : word;
    if (pen.measureText(longer).width <= wide) { line = longer; continue; }
    if (line) lines.push(line);
    line = "";
    for (const letter of word.length > 24 ? Array.from(word) : [word]) {
      if (line && pen.measureText(line + letter).width > wide) { lines.push(line); line = ""; }
      line += letter;
    }
  }
  if (line) lines.push(line);
  return lines.length ? lines : ["…"];
}

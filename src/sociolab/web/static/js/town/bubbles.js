// What is being said, in bubbles over whoever says it.

import { lastBy, saidBy } from "./moments.js";

const WIDE = 170, LINES = 3, HIGH = 15, MOST = 4;
const FONT = "12px system-ui, sans-serif";

export class Bubbles {
  constructor(replay, palette) {
    Object.assign(this, { replay, palette, followed: -1, shown: [], laid: new Map() });
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

  draw(pen, moment, people, camera) {
    for (let i = this.shown.length - 1; i >= 0; i -= 1) this.drawOne(pen, this.shown[i], moment, people, camera);
  }

  drawOne(pen, talk, moment, people, camera) {
    const line = saidBy(talk, moment) - 1;
    const bubble = this.laidOut(pen, talk, Math.max(0, line));
    const speaker = people.all[line % 2 === 0 ? talk.who : talk.other] ?? people.all[talk.who] ?? people.all[talk.other];
    if (!speaker || !people.seen(speaker, camera)) return;
    const high = bubble.lines.length * HIGH + 10, palette = this.palette;
    const left = Math.min(Math.max(4, speaker.left - bubble.wide / 2), Math.max(4, camera.width - bubble.wide - 4));
    const above = speaker.top - people.radius - high - 12;
    const below = above < 4, top = below ? speaker.top + people.radius + 12 : above;
    pen.beginPath();
    pen.roundRect(left, top, bubble.wide, high, 7);
    pen.fillStyle = palette.paper;
    pen.fill();
    pen.strokeStyle = talk.about ? palette.mark : palette.line;
    pen.lineWidth = talk.about ? 2.5 : 1;
    pen.stroke();
    const edge = below ? top : top + high, tip = below ? top - 8 : top + high + 8;
    pen.beginPath();
    pen.moveTo(speaker.left - 6, edge);
    pen.lineTo(speaker.left, tip);
    pen.lineTo(speaker.left + 6, edge);
    pen.fillStyle = palette.paper;
    pen.fill();
    pen.stroke();
    pen.font = FONT;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillStyle = palette.ink;
    for (let i = 0; i < bubble.lines.length; i += 1) pen.fillText(bubble.lines[i], left + 8, top + 5 + HIGH * (i + 0.5));
  }

  /** The words of a line, broken into a few short ones; kept. */
  laidOut(pen, talk, line) {
    const key = talk.number * 1000 + line;
    let found = this.laid.get(key);
    if (!found) {
      pen.font = FONT;
      const lines = broken(pen, this.replay.texts[talk.said[line * 2 + 1]]);
      const wide = Math.max(40, ...lines.map((text) => pen.measureText(text).width)) + 16;
      found = { lines, wide };
      this.laid.set(key, found);
    }
    return found;
  }
}

/** A text in at most LINES lines of WIDE pixels; what is left over is cut with an ellipsis. */
export function broken(pen, text) {
  const words = text.slice(0, 400).split(/\s+/).filter(Boolean);
  const lines = [];
  let line = "";
  for (const word of words) {
    const longer = line ? `${line} ${word}` : word;
    if (pen.measureText(longer).width <= WIDE) { line = longer; continue; }
    if (line) lines.push(line);
    line = cut(pen, word);
    if (lines.length === LINES) break;
  }
  if (line && lines.length < LINES) lines.push(line);
  const rest = lines.join(" ").length < text.trim().replace(/\s+/g, " ").length;
  if (rest && lines.length) lines[lines.length - 1] = cut(pen, `${lines.at(-1)} …`, " …");
  return lines.length ? lines : ["…"];
}

function cut(pen, text, end = "…") {
  if (pen.measureText(text).width <= WIDE) return text;
  const letters = Array.from(text.endsWith(end) ? text.slice(0, -end.length) : text);
  while (letters.length && pen.measureText(letters.join("") + end).width > WIDE) letters.pop();
  return letters.join("") + end;
}

// Residents on the map: where they stand at a moment, and marks for what they do and whether they
// count. All that is needed for a frame is made beforehand.

import { clashes } from "./labels.js";
import { ASLEEP, DID, initialsOf, lastBy, positionAt, TALKING, WALKING, within } from "./moments.js";
import { drawSign } from "./signs.js";

const DASHED = [3, 3], SOLID = [];
const ASIDE = 0.25; // of a radius
const ROUNDS = 12; // of making room, enough for a party in a small room
const NAMED = 9; // pixels a tile from which names are written
const NAME = "600 12px system-ui, sans-serif";

export class People {
  constructor(replay, palette) {
    const names = replay.residents.map((one) => one.name);
    const initials = initialsOf(names);
    this.performer = replay.task.performer;
    this.kinds = replay.texts.map((text) => (Object.hasOwn(replay.kinds, text) ? replay.kinds[text] : ""));
    this.all = replay.residents.map((one, number) => ({
      one, number, initials: initials[number], first: names[number].split(/\s+/)[0].slice(0, 14),
      x: 0, y: 0, left: 0, top: 0, there: false, dx: 0, dy: 0, state: -1, sign: "", wide: 0,
      asideX: ASIDE * Math.cos(number * 2.4), asideY: ASIDE * Math.sin(number * 2.4),
    }));
    this.named = [...this.all]; // whose names are written in this frame, as far as they are
    this.spot = { x: 0, y: 0, dx: 0, dy: 0, there: false };
    this.dress(palette);
  }

  dress(palette) {
    this.palette = palette;
    this.colours = this.all.map((_, number) => palette.person(number));
  }

  /** Everybody as they are at this moment, those on one spot side by side. */
  place(moment, camera) {
    this.radius = Math.min(18, Math.max(9, camera.scale * 0.72));
    for (const person of this.all) {
      const spot = positionAt(person.one.track, moment, this.spot);
      person.there = spot.there;
      person.x = spot.x + 0.5;
      person.y = spot.y + 0.5;
      person.dx = spot.dx;
      person.dy = spot.dy;
      // A little aside, each in a direction of their own, so that a queue gives way sideways too.
      person.left = camera.left(person.x) + person.asideX * this.radius;
      person.top = camera.top(person.y) + person.asideY * this.radius;
      this.doing(person, moment);
    }
    for (let round = 0; round < ROUNDS; round += 1) this.makeRoom();
  }

  /** The state of somebody at a moment, and the sign for it: of the thing that is used, if it has one. */
  doing(person, moment) {
    const { did } = person.one, at = lastBy(did, moment, DID) * DID;
    person.state = at < 0 ? -1 : did[at + 5];
    if (person.state === ASLEEP) person.sign = "sleep";
    else if (person.state === TALKING) person.sign = "talk";
    else person.sign = at < 0 || person.state === WALKING ? "" : this.kinds[did[at + 4]];
  }

  /** Push apart those who would hide each other. */
  makeRoom() {
    const apart = this.radius * 2.3;
    for (let i = 0; i < this.all.length; i += 1) {
      const one = this.all[i];
      for (let j = i + 1; j < this.all.length; j += 1) {
        const other = this.all[j];
        let x = other.left - one.left, y = other.top - one.top;
        if (Math.abs(x) >= apart || Math.abs(y) >= apart) continue;
        const off = Math.hypot(x, y);
        if (off >= apart) continue;
        if (off < 0.01) continue;
        x /= off;
        y /= off;
        const push = (apart - off) / 2;
        one.left -= x * push;
        one.top -= y * push;
        other.left += x * push;
        other.top += y * push;
      }
    }
  }

  /** The number of whoever is drawn at this pixel; -1 if nobody is. */
  at(left, top) {
    let found = -1, best = (this.radius + 6) ** 2;
    for (const person of this.all) {
      const off = (person.left - left) ** 2 + (person.top - top) ** 2;
      if (person.there && off < best) { best = off; found = person.number; }
    }
    return found;
  }

  draw(pen, moment, camera, followed) {
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const person of this.all) {
      if (this.seen(person, camera) && person.number !== followed) this.drawOne(pen, person, moment, false);
    }
    const last = this.all[followed];
    if (last && this.seen(last, camera)) this.drawOne(pen, last, moment, true);
  }

  /** First names under those who are near enough to be told apart; none over another. */
  drawNames(pen, camera, number, plates) {
    const followed = this.all[number];
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = NAME;
    this.plates = plates;
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = this.palette.halo;
    pen.fillStyle = this.palette.ink;
    let taken = 0;
    this.sure = followed ? followed.number : -1; // whose name is written in any case
    if (followed && this.seen(followed, camera)) taken = this.drawName(pen, followed, taken);
    if (camera.scale < NAMED) return;
    for (const person of this.all) {
      if (person !== followed && this.seen(person, camera)) taken = this.drawName(pen, person, taken);
    }
  }

  seen(person, camera) {
    return person.there && person.left > -30 && person.top > -30
      && person.left < camera.width + 30 && person.top < camera.height + 30;
  }

  drawOne(pen, person, moment, followed) {
    const { left, top, state } = person, radius = this.radius;
    const colour = this.colours[person.number], palette = this.palette;
    if (followed) {
      disc(pen, left, top, radius + 8);
      pen.globalAlpha = 0.25;
      pen.fillStyle = palette.mark;
      pen.fill();
      pen.globalAlpha = 1;
      ring(pen, left, top, radius + 8, palette.mark, 2.5, SOLID);
    }
    if (person.dx || person.dy) this.drawPoint(pen, person, radius, colour);
    disc(pen, left, top, radius);
    pen.fillStyle = state === ASLEEP ? palette.halo : colour;
    pen.fill();
    ring(pen, left, top, radius, state === ASLEEP ? colour : palette.halo, 2, SOLID);
    if (person.number === this.performer) ring(pen, left, top, radius + 2.5, palette.star, 2.5, SOLID);
    pen.font = radius > 15 ? "700 13px system-ui, sans-serif" : radius > 11 ? "700 11px system-ui, sans-serif" : "700 9px system-ui, sans-serif";
    pen.fillStyle = state === ASLEEP ? colour : palette.personInk;
    pen.fillText(person.initials, left, top + 0.5);
    this.drawOutcome(pen, person, moment, radius);
    this.drawBadges(pen, person, radius);
  }

  drawPoint(pen, person, radius, colour) {
    const { left, top, dx, dy } = person, tip = radius + 6, side = radius * 0.55, root = radius * 0.75;
    pen.beginPath();
    pen.moveTo(left + dx * tip, top + dy * tip);
    pen.lineTo(left + dx * root - dy * side, top + dy * root + dx * side);
    pen.lineTo(left + dx * root + dy * side, top + dy * root - dx * side);
    pen.closePath();
    pen.fillStyle = colour;
    pen.fill();
    pen.strokeStyle = this.palette.halo;
    pen.lineWidth = 1;
    pen.stroke();
  }

  /** A dashed ring while somebody takes part, a full one with a tick once they count. */
  drawOutcome(pen, person, moment, radius) {
    const outcome = person.one.outcome;
    if (!outcome) return;
    const { left, top } = person;
    if (outcome.counts && outcome.since !== null && moment >= outcome.since) {
      ring(pen, left, top, radius + 3, this.palette.good, 3, SOLID);
      badge(pen, left + radius * 0.85, top + radius * 0.85, "✓", this.palette.good, this.palette.halo);
    } else if (within(outcome.when, moment)) {
      ring(pen, left, top, radius + 3, this.palette.good, 2, DASHED);
    }
  }

  drawBadges(pen, person, radius) {
    const { left, top, sign } = person, palette = this.palette, size = Math.max(7, radius * 0.55);
    if (sign) {
      const x = left + radius * 0.9, y = top - radius * 0.9;
      disc(pen, x, y, size);
      pen.fillStyle = sign === "talk" ? palette.mark : palette.paper;
      pen.fill();
      ring(pen, x, y, size, sign === "talk" ? palette.paper : palette.line, 1, SOLID);
      drawSign(pen, sign, x, y, size * 1.35, sign === "talk" ? palette.paper : palette.ink);
    }
    if (person.number === this.performer) badge(pen, left - radius * 0.85, top - radius * 0.85, "★", palette.star, "#4a3500");
  }

  /** Whether a name would be written over somebody else. */
  hides(person, wide, top) {
    for (const other of this.all) {
      if (other !== person && Math.abs(other.left - person.left) < wide + this.radius + 4
        && Math.abs(other.top - top) < this.radius + 4) return true;
    }
    return clashes(this.plates, person.left, top, wide, 7);
  }

  /** Write a name if its place is free; how many places are taken then. */
  drawName(pen, person, taken) {
    person.wide ||= pen.measureText(person.first).width / 2 + 2;
    const { left, wide } = person, top = person.top + this.radius + 10;
    for (let i = 0; i < taken; i += 1) {
      const other = this.named[i];
      if (Math.abs(other.left - left) < other.wide + wide && Math.abs(other.top - person.top) < 13) return taken;
    }
    if (person.number !== this.sure && this.hides(person, wide, top)) return taken;
    this.named[taken] = person;
    pen.strokeText(person.first, left, top);
    pen.fillText(person.first, left, top);
    return taken + 1;
  }
}

function disc(pen, left, top, radius) {
  pen.beginPath();
  pen.arc(left, top, radius, 0, 2 * Math.PI);
}

function ring(pen, left, top, radius, colour, width, dash) {
  disc(pen, left, top, radius);
  pen.setLineDash(dash);
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.stroke();
  pen.setLineDash(SOLID);
}

function badge(pen, left, top, sign, colour, halo) {
  disc(pen, left, top, 6.5);
  pen.fillStyle = halo;
  pen.fill();
  disc(pen, left, top, 5.5);
  pen.fillStyle = colour;
  pen.fill();
  pen.font = "700 8px system-ui, sans-serif";
  pen.fillStyle = halo;
  pen.fillText(sign, left, top + 0.5);
}

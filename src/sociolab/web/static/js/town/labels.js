// Names of rooms where they fit and hide nothing, and of houses on plates; nobody hides one.

import { meet } from "./bubbles.js";

const PAD = 5;
const EDGE = 0.2; // of a tile, around the things on it
const ASIDE = [0, -1.2, 1.2, -2.4, 2.4]; // halves of its width that a plate gives way

export class Labels {
  constructor(town, palette) {
    Object.assign(this, { town, palette, scale: 0, rooms: [], plates: [], taken: [], corners: [], laidOut: new Map() });
    this.things = new Set(town.things.flatMap(([, , ...tiles]) => tiles.flatMap((x, i) => (i % 2 ? [] : [tiles[i + 1] * town.width + x]))));
  }

  /** Names of the rooms in which nobody stands where they are written. */
  drawRooms(pen, camera, people, bubbles) {
    this.layOut(pen, camera.scale);
    this.placePlates(camera, people, bubbles);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = this.palette.ink;
    pen.strokeStyle = this.palette.floor;
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.font = this.font;
    for (const room of this.rooms) {
      const x = camera.left(room.x), y = camera.top(room.y), high = (room.lines.length * this.high) / 2;
      if (x < -80 || y < -40 || x > camera.width + 80 || y > camera.height + 40) continue;
      if (clashes(this.taken, x, y, room.half, high) || under(bubbles, x, y, room.half, high)
        || stood(people, x, y, room.half, high, true)) continue;
      for (let i = 0; i < room.lines.length; i += 1) {
        const line = y + (i - (room.lines.length - 1) / 2) * this.high;
        pen.strokeText(room.lines[i], x, line);
        pen.fillText(room.lines[i], x, line);
      }
    }
  }

  /** Names of houses, above or below their house: where nobody stays, and no button is. */
  placePlates(camera, people, bubbles) {
    this.taken.length = 0;
    this.taken.push(...this.corners);
    for (const plate of this.plates) this.place(plate, camera, people, bubbles);
  }

  place(plate, camera, people, bubbles) {
    const middle = camera.left(plate.x), high = this.high / 2 + 3;
    for (const row of plate.rows) {
      const y = camera.top(row);
      if (y < high || y > camera.height - high) continue;
      for (const aside of ASIDE) {
        const x = Math.min(Math.max(middle + aside * plate.half, plate.half), camera.width - plate.half);
        if (Math.abs(x - middle) > plate.reach || clashes(this.taken, x, y, plate.half + 1, high)) continue;
        if (stood(people, x, y, plate.half, high - 1, false) || under(bubbles, x, y, plate.half, high)) continue;
        this.taken.push({ x, y, half: plate.half + 1, high, plate });
        return;
      }
    }
  }

  /** The plates, over everybody. */
  drawPlates(pen) {
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = this.plateFont;
    for (const { x, y, plate } of this.taken) {
      if (!plate) continue;
      pen.fillStyle = plate.fill;
      pen.beginPath();
      pen.roundRect(x - plate.half, y - this.high / 2 - 2, plate.half * 2, this.high + 4, 4);
      pen.fill();
      pen.fillStyle = this.palette.plateInk;
      pen.fillText(plate.name, x, y + 0.5);
    }
  }

  /** Where names stand, in steps of half a pixel a tile: each is found once. */
  layOut(pen, exact) {
    const scale = Math.floor(exact * 2) / 2;
    if (scale === this.scale) return;
    this.scale = scale;
    if (!this.laidOut.has(scale)) this.laidOut.set(scale, this.found(pen, scale));
    Object.assign(this, this.laidOut.get(scale));
  }

  found(pen, scale) {
    const size = Math.min(14, Math.max(10, Math.round(scale * 0.85)));
    const high = size + 2;
    const font = `${size}px system-ui, sans-serif`;
    const plateFont = `600 ${size}px system-ui, sans-serif`;
    pen.font = font;
    const rooms = this.town.places.map((place, number) => this.room(pen, place, number, scale, high)).filter(Boolean);
    pen.font = plateFont;
    const plates = this.town.sectors.flatMap(([name, left, right, top, bottom], number) => (right <= left ? [] : [{
      name,
      x: (left + right) / 2,
      rows: [top - 0.5, bottom + 0.5, top - 0.5 - (high + 6) / scale, top + high / scale],
      half: pen.measureText(name).width / 2 + PAD,
      reach: ((right - left) * scale) / 2,
      fill: this.palette.plate(number),
    }]));
    return { high, font, plateFont, rooms, plates };
  }

  /** A room's name in as few lines as fit into it where it hides nothing, as near to the middle as
   * that is; else where it hides least. Null where it does not fit. */
  room(pen, [, name, left, top, width, height], number, scale, high) {
    let best = null;
    for (const lines of ways(name)) {
      const wide = Math.max(...lines.map((line) => pen.measureText(line).width));
      const dx = wide / 2 / scale, dy = (lines.length * high) / 2 / scale;
      if (wide > width * scale - 2 || lines.length * high > height * scale) continue;
      for (const [x, y] of around(left, top, width, height, dx, dy)) {
        const hidden = this.hidden(number, x - dx, y - dy, x + dx, y + dy);
        if (!best || hidden < best.hidden) best = { lines, half: wide / 2, x, y, hidden };
        if (!hidden) return best;
      }
    }
    return best;
  }

  /** How much a name in this box of tiles would hide: things, and walls all the more. */
  hidden(number, left, top, right, bottom) {
    let count = 0;
    for (let y = Math.floor(top + EDGE); y < bottom - EDGE; y += 1) {
      for (let x = Math.floor(left + EDGE); x < right - EDGE; x += 1) {
        const at = y * this.town.width + x;
        if (this.things.has(at)) count += 1;
        else if (this.town.arena[at] !== number) count += 5;
      }
    }
    return count;
  }
}

/** Middles of boxes in a room, the nearest to its own middle first. */
function around(left, top, width, height, dx, dy) {
  const x = left + width / 2, y = top + height / 2, found = [];
  for (const up of steps(height / 2 - dy)) {
    for (const aside of steps(width / 2 - dx)) {
      for (const [a, b] of [[aside, up], [-aside, up], [aside, -up], [-aside, -up]]) found.push([x + a, y + b, up + aside]);
    }
  }
  return found.sort((a, b) => a[2] - b[2]);
}

/** Whether a box around x, y hides one of those taken. */
export function clashes(taken, x, y, half, high) {
  for (const one of taken) {
    if (Math.abs(one.x - x) < one.half + half && Math.abs(one.y - y) < one.high + high) return true;
  }
  return false;
}

/** Whether a bubble hides a box around x, y. */
function under(bubbles, x, y, half, high) {
  for (const one of bubbles) {
    if (meet(one.left, one.top, one.wide, one.high, x, y, half, high)) return true;
  }
  return false;
}

/** Whether somebody is in such a box; those on their way count only where `all` do. */
function stood(people, x, y, half, high, all) {
  for (const one of people.all) {
    if (!one.there || (!all && (one.dx || one.dy)) || Math.abs(one.left - x) >= half + people.radius + 4) continue;
    const off = y - one.top;
    if (off > -high - people.radius - 4 && off < high + people.radius + 16) return true; // with the name below
  }
  return false;
}

/** Half tiles up to a distance, and the distance itself. */
function steps(most) {
  const found = [];
  for (let one = 0; one < most; one += 0.5) found.push(one);
  return [...found, Math.max(0, most)];
}

function ways(name) {
  const words = name.split(" ");
  const found = [[name]];
  for (let cut = 1; cut < words.length; cut += 1) {
    found.push([words.slice(0, cut).join(" "), words.slice(cut).join(" ")]);
  }
  if (words.length > 2) found.push(words);
  return found;
}

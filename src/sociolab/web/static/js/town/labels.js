// Names of rooms where they fit and hide nothing, and of houses on plates; nobody hides one.

const PAD = 5;

export class Labels {
  constructor(town, palette) {
    Object.assign(this, { town, palette, scale: 0, rooms: [], plates: [], taken: [], laidOut: new Map() });
    this.things = new Set(town.things.flatMap(([, , ...tiles]) => tiles.flatMap((x, i) => (i % 2 ? [] : [tiles[i + 1] * town.width + x]))));
  }

  /** Names of the rooms in which nobody stands where they are written. */
  drawRooms(pen, camera, people, bubbles) {
    this.layOut(pen, camera.scale);
    this.placePlates(camera, people);
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
      if (clashes(this.taken, x, y, room.half, high) || stood(people, x, y, room.half, high, true)) continue;
      if (bubbles.some((one) => one.left < x + room.half && one.left + one.wide > x - room.half
        && one.top < y + high && one.top + one.high > y - high)) continue;
      for (let i = 0; i < room.lines.length; i += 1) {
        const line = y + (i - (room.lines.length - 1) / 2) * this.high;
        pen.strokeText(room.lines[i], x, line);
        pen.fillText(room.lines[i], x, line);
      }
    }
  }

  /** Names of houses, above or below their house: where nobody stays, if there is such a place. */
  placePlates(camera, people) {
    this.taken.length = 0;
    for (const plate of this.plates) {
      const x = Math.min(Math.max(camera.left(plate.x), plate.half), camera.width - plate.half);
      if (Math.abs(x - camera.left(plate.x)) > plate.reach) continue;
      let found = null;
      for (const row of plate.rows) {
        const y = camera.top(row);
        if (y < -20 || y > camera.height + 20 || clashes(this.taken, x, y, plate.half + 1, this.high / 2 + 3)) continue;
        found ??= y;
        if (stood(people, x, y, plate.half, this.high / 2 + 2, false)) continue;
        found = y;
        break;
      }
      if (found !== null) this.taken.push({ x, y: found, half: plate.half + 1, high: this.high / 2 + 3, plate });
    }
  }

  /** The plates, over everybody. */
  drawPlates(pen) {
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = this.plateFont;
    for (const { x, y, plate } of this.taken) {
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
    for (let y = Math.floor(top + 0.1); y < bottom - 0.1; y += 1) {
      for (let x = Math.floor(left); x < right; x += 1) {
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
  for (let up = 0; up <= height / 2 - dy + 0.01; up += 0.5) {
    for (let aside = 0; aside <= width / 2 - dx + 0.01; aside += 0.5) {
      for (const [a, b] of [[aside, up], [-aside, up], [aside, -up], [-aside, -up]]) found.push([x + a, y + b, up + aside]);
    }
  }
  return found.sort((a, b) => a[2] - b[2]);
}

/** Whether a box around x, y hides one of those taken. */
function clashes(taken, x, y, half, high) {
  for (const one of taken) {
    if (Math.abs(one.x - x) < one.half + half && Math.abs(one.y - y) < one.high + high) return true;
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

function ways(name) {
  const words = name.split(" ");
  const found = [[name]];
  for (let cut = 1; cut < words.length; cut += 1) {
    found.push([words.slice(0, cut).join(" "), words.slice(cut).join(" ")]);
  }
  if (words.length > 2) found.push(words);
  return found;
}

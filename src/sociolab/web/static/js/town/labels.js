// Names of rooms where they fit, and of houses on plates; none hides another, and nobody hides one.

const PAD = 5;

export class Labels {
  constructor(town, palette) {
    Object.assign(this, { town, palette, scale: 0, rooms: [], plates: [], taken: [] });
  }

  /** Names of the rooms in which nobody stands where they are written. */
  drawRooms(pen, camera, people, bubbles) {
    if (camera.scale !== this.scale) this.layOut(pen, camera.scale);
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

  layOut(pen, scale) {
    this.scale = scale;
    const size = Math.min(14, Math.max(10, Math.round(scale * 0.85)));
    this.high = size + 2;
    this.font = `${size}px system-ui, sans-serif`;
    this.plateFont = `600 ${size}px system-ui, sans-serif`;
    pen.font = this.font;
    this.rooms = this.town.places.map((place) => room(pen, place, scale, this.high)).filter(Boolean);
    pen.font = this.plateFont;
    this.plates = this.town.sectors.flatMap(([name, left, right, top, bottom], number) => (right <= left ? [] : [{
      name,
      x: (left + right) / 2,
      rows: [top - 0.5, bottom + 0.5, top - 0.5 - (this.high + 6) / scale, top + this.high / scale],
      half: pen.measureText(name).width / 2 + PAD,
      reach: ((right - left) * scale) / 2,
      fill: this.palette.plate(number),
    }]));
  }
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

/** A room's name in as few lines as fit into it; null where it does not fit. */
function room(pen, [, name, x, y, width, height], scale, high) {
  for (const lines of ways(name)) {
    const wide = Math.max(...lines.map((line) => pen.measureText(line).width));
    if (wide <= width * scale - 2 && lines.length * high <= height * scale) {
      return { lines, half: wide / 2, x: x + width / 2, y: y + height / 2 };
    }
  }
  return null;
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

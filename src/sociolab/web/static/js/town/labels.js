// Names of rooms where they fit, and of houses on plates above them; none hides another.

const PAD = 5;

export class Labels {
  constructor(town, palette) {
    Object.assign(this, { town, palette, scale: 0, rooms: [], plates: [] });
  }

  /** Plates first, each above its house or else below it, then the rooms that none of them hides;
   * what finds no free place is left out, and told where the pointer is (`theatre.js`). */
  draw(pen, camera) {
    if (camera.scale !== this.scale) this.layOut(pen, camera.scale);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = this.plateFont;
    const taken = [];
    for (const plate of this.plates) {
      const x = Math.min(Math.max(camera.left(plate.x), plate.half), camera.width - plate.half);
      if (Math.abs(x - camera.left(plate.x)) > plate.reach) continue;
      const y = plate.rows.map((row) => camera.top(row)).find((at) => at >= -20 && at <= camera.height + 20
        && isFree(taken, x, at, plate.half + 1, this.high / 2 + 3));
      if (y === undefined) continue;
      pen.fillStyle = plate.fill;
      pen.beginPath();
      pen.roundRect(x - plate.half, y - this.high / 2 - 2, plate.half * 2, this.high + 4, 4);
      pen.fill();
      pen.fillStyle = this.palette.plateInk;
      pen.fillText(plate.name, x, y + 0.5);
    }
    pen.fillStyle = this.palette.ink;
    pen.font = this.font;
    for (const room of this.rooms) {
      const x = camera.left(room.x), y = camera.top(room.y);
      if (x < -80 || y < -40 || x > camera.width + 80 || y > camera.height + 40) continue;
      if (!isFree(taken, x, y, room.half, (room.lines.length * this.high) / 2)) continue;
      for (let i = 0; i < room.lines.length; i += 1) {
        pen.fillText(room.lines[i], x, y + (i - (room.lines.length - 1) / 2) * this.high);
      }
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
      rows: [top - 0.5, bottom + 0.5, top + this.high / scale],
      half: pen.measureText(name).width / 2 + PAD,
      reach: ((right - left) * scale) / 2,
      fill: this.palette.plate(number),
    }]));
  }
}

/** Whether a box around x, y hides none of those taken; if so it is taken from now on. */
function isFree(taken, x, y, half, high) {
  const clashes = taken.some((one) => Math.abs(one.x - x) < one.half + half && Math.abs(one.y - y) < one.high + high);
  if (!clashes) taken.push({ x, y, half, high });
  return !clashes;
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

// Names of rooms where they fit, and of houses on plates above them; laid out anew for each scale.

const PAD = 5;

export class Labels {
  constructor(town, palette) {
    Object.assign(this, { town, palette, scale: 0, rooms: [], plates: [] });
  }

  draw(pen, camera) {
    if (camera.scale !== this.scale) this.layOut(pen, camera.scale);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = this.palette.ink;
    pen.font = this.font;
    for (const room of this.rooms) {
      const x = camera.left(room.x), y = camera.top(room.y);
      if (x < -80 || y < -40 || x > camera.width + 80 || y > camera.height + 40) continue;
      for (let i = 0; i < room.lines.length; i += 1) {
        pen.fillText(room.lines[i], x, y + (i - (room.lines.length - 1) / 2) * this.high);
      }
    }
    pen.font = this.plateFont;
    for (const plate of this.plates) {
      const x = Math.min(Math.max(camera.left(plate.x), plate.half), camera.width - plate.half);
      const y = camera.top(plate.y);
      if (Math.abs(x - camera.left(plate.x)) > plate.reach || y < -20 || y > camera.height + 20) continue;
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
    this.plates = [];
    this.town.sectors.forEach(([name, left, right, top], number) => {
      if (right <= left) return;
      const half = pen.measureText(name).width / 2 + PAD;
      const plate = { name, x: (left + right) / 2, y: top - 0.5, half, reach: ((right - left) * scale) / 2, fill: this.palette.plate(number) };
      const clashes = this.plates.some((one) => Math.abs(one.x - plate.x) * scale < one.half + half + 2
        && Math.abs(one.y - plate.y) * scale < this.high + 4);
      if (!clashes) this.plates.push(plate);
    });
  }
}

/** A room's name in as few lines as fit into it; null where it does not fit. */
function room(pen, [, name, x, y, width, height], scale, high) {
  for (const lines of ways(name)) {
    const wide = Math.max(...lines.map((line) => pen.measureText(line).width));
    if (wide <= width * scale - 2 && lines.length * high <= height * scale) {
      return { lines, x: x + width / 2, y: y + height / 2 };
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

// The land and the rooms, drawn once to a picture that is only copied afterwards.

import { drawSign } from "./signs.js";

const GRASS = 0, TREES = 3, HEDGE = 6;
const SIGNED = 16; // pixels a tile from which things have their sign
const MOST = 14_000_000; // pixels of the picture; small devices take no more

/** Pictures of the town for one palette, each drawn when nothing else is to do, or when needed. */
export class Land {
  constructor(town, kinds, palette) {
    this.town = town;
    this.kinds = kinds;
    this.palette = palette;
    this.pictures = new Map();
    this.most = Math.max(2, Math.min(32, Math.floor(Math.sqrt(MOST / (town.width * town.height)))));
  }

  /** Draw one picture that is missing, in a pause, and so on; so no frame has to wait for one. */
  prepare() {
    let size = 8;
    while (size <= this.most && this.pictures.has(size)) size *= 2;
    if (size > this.most) return;
    const idle = window.requestIdleCallback ?? ((work) => setTimeout(work, 300));
    idle(() => { painted(this.picture(size)); this.prepare(); });
  }

  /** The picture for so many device pixels a tile; never much coarser, never much larger. */
  picture(needed) {
    let size = 8;
    while (size < needed) size *= 2;
    size = Math.min(size, this.most);
    let found = this.pictures.get(size);
    if (!found) {
      found = drawn(this.town, this.kinds, this.palette, size);
      this.pictures.set(size, found);
    }
    return found;
  }
}

/** Have a picture painted now: browsers put that off until it is first seen. */
function painted(picture) {
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  pen.drawImage(picture, 0, 0, 1, 1);
  pen.getImageData(0, 0, 1, 1);
}

function drawn(town, kinds, palette, size) {
  const canvas = document.createElement("canvas");
  canvas.width = town.width * size;
  canvas.height = town.height * size;
  const pen = canvas.getContext("2d", { alpha: false });
  drawTiles(pen, town, palette, size);
  drawTrees(pen, town, palette, size);
  drawHedges(pen, town, palette, size);
  drawThings(pen, town, kinds, palette, size);
  return canvas;
}

/** Tiles side by side in one colour are one rectangle. */
function drawTiles(pen, town, palette, size) {
  const seen = new Map();
  const rooms = town.places.map(([sector]) => {
    const nth = seen.get(sector) ?? 0;
    seen.set(sector, nth + 1);
    return palette.room(sector, nth);
  });
  for (let y = 0; y < town.height; y += 1) {
    let from = 0;
    for (let x = 1; x <= town.width; x += 1) {
      const at = y * town.width;
      if (x < town.width && same(town, at + x, at + from)) continue;
      const arena = town.arena[at + from];
      pen.fillStyle = arena >= 0 ? rooms[arena] : palette.ground[town.ground[at + from]] ?? palette.ground[GRASS];
      pen.fillRect(from * size, y * size, (x - from) * size, size);
      from = x;
    }
  }
}

const same = (town, one, other) => town.arena[one] === town.arena[other] && town.ground[one] === town.ground[other];

function drawTrees(pen, town, palette, size) {
  for (const [colour, middle, radius] of [[palette.tree, 0.5, 0.75], [palette.trunk, 0.62, 0.4]]) {
    pen.fillStyle = colour;
    pen.beginPath();
    for (let at = 0; at < town.ground.length; at += 1) {
      if (town.ground[at] !== TREES) continue;
      const x = (at % town.width + middle) * size, y = (Math.floor(at / town.width) + middle) * size;
      pen.moveTo(x + size * radius, y);
      pen.arc(x, y, size * radius, 0, 2 * Math.PI);
    }
    pen.fill();
  }
}

/** A line through the tiles of hedges and fences, from each to the next in the east and south. */
function drawHedges(pen, town, palette, size) {
  const isHedge = (x, y) => x < town.width && town.ground[y * town.width + x] === HEDGE;
  const near = Math.floor(size / 4), thick = size - 2 * near;
  pen.fillStyle = palette.hedge;
  for (let y = 0; y < town.height; y += 1) {
    for (let x = 0; x < town.width; x += 1) {
      if (!isHedge(x, y)) continue;
      const left = x * size + near, top = y * size + near;
      pen.fillRect(left, top, thick + (isHedge(x + 1, y) ? size : 0), thick);
      pen.fillRect(left, top, thick, thick + (isHedge(x, y + 1) ? size : 0));
    }
  }
}

function drawThings(pen, town, kinds, palette, size) {
  const edge = Math.max(1, Math.floor(size / 6));
  for (const [place, name, ...tiles] of town.things) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : "";
    pen.fillStyle = palette.thing(town.places[place][0]);
    for (let i = 0; i < tiles.length; i += 2) {
      pen.fillRect(tiles[i] * size + edge, tiles[i + 1] * size + edge, size - 2 * edge, size - 2 * edge);
      if (kind && size >= SIGNED) {
        drawSign(pen, kind, (tiles[i] + 0.5) * size, (tiles[i + 1] + 0.5) * size, size * 0.55, palette.thingInk(town.places[place][0]));
      }
    }
  }
}

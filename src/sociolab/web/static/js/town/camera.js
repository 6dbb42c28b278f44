// Which part of the town is seen: a centre in tiles, and pixels a tile.

export const NEAREST = 40;

export class Camera {
  constructor(width, height) {
    Object.assign(this, { town: { width, height }, x: width / 2, y: height / 2, scale: 1, width: 1, height: 1, whole: true });
  }

  /** The scale at which all of the town is seen. */
  get fitting() {
    return Math.max(0.5, Math.min(this.width / this.town.width, this.height / this.town.height));
  }

  /** The view is so many pixels wide and high now. */
  resize(width, height) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    if (this.whole) this.showAll();
    this.hold();
  }

  showAll() {
    this.scale = this.fitting;
    this.x = this.town.width / 2;
    this.y = this.town.height / 2;
    this.whole = true;
  }

  /** Zoom by a factor; what is at this pixel of the view stays there. */
  zoom(factor, left = this.width / 2, top = this.height / 2) {
    const x = this.tileX(left), y = this.tileY(top);
    this.scale = Math.min(NEAREST, Math.max(this.fitting, this.scale * factor));
    this.x = x - (left - this.width / 2) / this.scale;
    this.y = y - (top - this.height / 2) / this.scale;
    this.whole = this.scale <= this.fitting;
    this.hold();
  }

  /** Move by so many pixels. */
  pan(right, down) {
    this.x += right / this.scale;
    this.y += down / this.scale;
    this.hold();
  }

  /** Come nearer to a centre and a scale by a share of the way (scale 0: all of the town); whether
   * anything moved. */
  ease({ x, y, scale }, share) {
    const wanted = scale || this.fitting, [toX, toY] = scale ? [x, y] : [this.town.width / 2, this.town.height / 2];
    const off = Math.log(wanted / this.scale), fromX = this.x, fromY = this.y;
    this.scale = Math.abs(off) < 0.004 ? wanted : this.scale * Math.exp(off * share);
    this.x += (toX - this.x) * share;
    this.y += (toY - this.y) * share;
    this.whole = this.scale <= this.fitting;
    this.hold();
    return Math.abs(off) >= 0.004 || Math.abs(this.x - fromX) + Math.abs(this.y - fromY) > 0.002;
  }

  /** Come nearer to a tile that has left the middle of the view, by a share of the way; whether
   * anything moved. */
  approach(x, y, share) {
    const wide = (this.width / this.scale) * 0.22, high = (this.height / this.scale) * 0.22;
    const fromX = this.x, fromY = this.y;
    this.x += beyond(x - this.x, wide) * share;
    this.y += beyond(y - this.y, high) * share;
    this.hold();
    return Math.abs(this.x - fromX) + Math.abs(this.y - fromY) > 0.002;
  }

  /** The town never leaves the view. */
  hold() {
    this.x = held(this.x, this.town.width, this.width / this.scale);
    this.y = held(this.y, this.town.height, this.height / this.scale);
  }

  left(x) { return (x - this.x) * this.scale + this.width / 2; }
  top(y) { return (y - this.y) * this.scale + this.height / 2; }
  tileX(left) { return (left - this.width / 2) / this.scale + this.x; }
  tileY(top) { return (top - this.height / 2) / this.scale + this.y; }
}

function beyond(off, room) {
  if (off > room) return off - room;
  return off < -room ? off + room : 0;
}

function held(centre, size, seen) {
  if (seen >= size) return size / 2;
  return Math.min(size - seen / 2, Math.max(seen / 2, centre));
}

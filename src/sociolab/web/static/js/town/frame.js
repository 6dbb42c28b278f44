// One frame of the map: land, names, the place of the event, people, and what they say.

const GLIDE = 6; // how fast the map comes along, a second
const COME = 3.2; // how fast the map comes to a scene, a second
const LINGER = 1; // seconds for which a bubble stays, however fast the town goes
const SHARPEST = 3; // pixels of the screen for one of the page
const FRAME = [6, 4], NONE = [];

export class Frame {
  constructor(canvas, theatre) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d", { alpha: false });
    this.theatre = theatre;
    this.sharp = 1;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.places = theatre.replay.task.arenas.map((arena) => bounds(theatre.replay.town, arena));
  }

  /** Take all of its box, sharp on screens with many pixels. */
  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    this.pixels = devicePixelRatio;
    this.sharp = Math.min(SHARPEST, this.pixels || 1);
    this.canvas.width = Math.round(clientWidth * this.sharp);
    this.canvas.height = Math.round(clientHeight * this.sharp);
    this.theatre.camera.resize(clientWidth, clientHeight);
    this.measure();
  }

  /** Where buttons and the clock lie over the map: nothing is written there. */
  measure() {
    const { left, top } = this.canvas.getBoundingClientRect();
    const over = this.theatre.root.querySelectorAll(".zoom, .embed .clock, .embed .buttons");
    this.corners = Array.from(over, (one) => one.getBoundingClientRect()).filter((box) => box.width).map((box) => ({
      x: (box.left + box.right) / 2 - left, y: (box.top + box.bottom) / 2 - top, half: box.width / 2 + 4, high: box.height / 2 + 4,
    }));
  }

  /** Draw a moment; whether the map is still on its way to whoever is followed. */
  draw(moment, seconds) {
    const { pen, theatre } = this;
    const { camera, people, bubbles, labels, sky, colours, followed, player } = theatre;
    if (devicePixelRatio !== this.pixels) this.resize();
    const gliding = this.comeAlong(moment, seconds);
    pen.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
    people.place(moment, camera);
    this.drawLand(pen, camera);
    sky.draw(pen, moment, people, camera, colours.dark);
    labels.corners = this.corners;
    labels.drawRooms(pen, camera, people, bubbles.boxes);
    this.drawPlaces(pen, camera, moment);
    people.draw(pen, moment, camera, followed);
    labels.drawPlates(pen);
    people.drawNames(pen, camera, followed, labels.taken);
    const after = player.playing ? (LINGER * player.speed) / player.clock.seconds : 0;
    bubbles.find(moment, Math.min(after, 3600 / player.clock.seconds), followed);
    const hurrying = player.playing && !player.speed && theatre.director.at(moment).travelling;
    if (hurrying && followed < 0) bubbles.shown.length = 0; // nobody could read it
    bubbles.draw(pen, moment, people, camera, labels.taken);
    return gliding;
  }

  comeAlong(moment, seconds) {
    const { theatre } = this, { camera, people } = theatre;
    const person = theatre.keeping ? people.all[theatre.followed] : undefined;
    if (!person) return this.direct(moment, seconds);
    if (theatre.jump || this.still.matches) {
      people.place(moment, camera);
      if (person.there && theatre.jump) { camera.x = person.x; camera.y = person.y; }
      camera.hold();
      theatre.jump = false;
    }
    const share = this.still.matches ? 1 : 1 - Math.exp(-GLIDE * (seconds || 1 / 60));
    return person.there && camera.approach(person.x, person.y, share);
  }

  /** Come along to the scene, while the page plays by itself and nobody moved the map. */
  direct(moment, seconds) {
    const { theatre } = this, { camera, people } = theatre;
    if (!theatre.directing) return false;
    people.place(moment, camera);
    const still = this.still.matches || theatre.jump;
    theatre.jump = false;
    const wanted = theatre.director.look(moment, people, this.places, camera);
    return camera.ease(wanted, still ? 1 : 1 - Math.exp(-COME * Math.min(0.1, seconds || 1 / 60)));
  }

  drawLand(pen, camera) {
    const { town } = this.theatre.replay, { colours, land } = this.theatre;
    const picture = land.picture(camera.scale * this.sharp);
    pen.fillStyle = colours.ground[0];
    pen.fillRect(0, 0, camera.width, camera.height);
    pen.imageSmoothingQuality = "medium";
    pen.drawImage(picture, camera.left(0), camera.top(0), town.width * camera.scale, town.height * camera.scale);
  }

  /** A dashed frame around where the event is, bolder while it is on. */
  drawPlaces(pen, camera, moment) {
    const { colours, replay } = this.theatre, [start, end] = replay.task.window;
    const on = moment >= start && moment < end;
    pen.strokeStyle = colours.mark;
    pen.lineWidth = on ? 3 : 1.5;
    pen.setLineDash(FRAME);
    for (const { x, y, width, height } of this.places) {
      pen.strokeRect(camera.left(x) - 2, camera.top(y) - 2, width * camera.scale + 4, height * camera.scale + 4);
    }
    pen.setLineDash(NONE);
  }
}

/** The tiles around an arena. */
function bounds(town, arena) {
  let [left, top, right, bottom] = [town.width, town.height, 0, 0];
  for (let at = 0; at < town.arena.length; at += 1) {
    if (town.arena[at] !== arena) continue;
    const x = at % town.width, y = (at - x) / town.width;
    left = Math.min(left, x);
    right = Math.max(right, x + 1);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y + 1);
  }
  return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

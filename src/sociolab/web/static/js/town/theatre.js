// All of the page at work: the frame that is drawn, the controls, who is followed, the address.

import { Bubbles } from "./bubbles.js";
import { Camera } from "./camera.js";
import { address, read, short, timeOfDay } from "./clock.js";
import { controls } from "./controls.js";
import { Director } from "./director.js";
import { Frame } from "./frame.js";
import { gestures } from "./gestures.js";
import { Labels } from "./labels.js";
import { Land } from "./land.js";
import { List, arenaAt } from "./list.js";
import { isDark, palette } from "./palette.js";
import { Panel } from "./panel.js";
import { People } from "./people.js";
import { Player } from "./player.js";
import { Sky } from "./sky.js";
import { drawStrip } from "./strip.js";

const REFRESH = 200; // milliseconds between two looks at what is written beside the map
const QUIET = 150; // milliseconds without a change, after which the address tells the moment
const NEAR = 16; // pixels a tile from which somebody who is followed is seen

export class Theatre {
  constructor(root, replay) {
    Object.assign(this, { root, replay, followed: -1, keeping: true, directing: false, jump: false, asked: false, stale: true, before: 0, told: 0 });
    const { clock } = replay;
    this.frames = (now) => this.show(now);
    const find = (selector) => root.querySelector(selector);
    root.querySelector(".loading").remove();
    find(".stage").hidden = false;
    const words = { short: (step) => short(clock, step), clock: (step) => timeOfDay(clock, step) };
    this.colours = palette(isDark());
    this.camera = new Camera(replay.town.width, replay.town.height);
    this.people = new People(replay, this.colours);
    this.bubbles = new Bubbles(replay, this.colours);
    this.director = new Director(replay);
    this.sky = new Sky(replay);
    this.frame = new Frame(find("canvas"), this);
    this.list = new List(find(".people"), replay, this.people, words.short, (number) => this.choose(number));
    this.panel = new Panel(find(".one"), replay, words);
    this.player = new Player(clock, () => this.changed(), (moment) => this.director.at(moment));
    this.controls = controls(root, this);
    drawStrip(find(".strip"), find(".days"), replay);
    gestures(find("canvas"), this.camera, {
      moved: (elsewhere) => { this.directing = false; if (elsewhere) this.keep(false); else this.wake(); },
      chosen: (left, top) => this.choose(this.people.at(left, top)),
      named: (left, top) => arenaAt(replay.town, Math.floor(this.camera.tileX(left)), Math.floor(this.camera.tileY(top))),
    });
    this.dress();
    this.watch(find(".view"));
    this.begin();
  }

  /** What may change around the page: its size, its colours, its address. */
  watch(view) {
    new ResizeObserver(() => { this.frame.resize(); this.wake(); }).observe(view);
    this.frame.resize();
    const dress = () => this.dress();
    document.addEventListener("theme", dress);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dress);
    addEventListener("hashchange", () => this.arrive());
    document.addEventListener("click", (event) => this.goTo(event));
  }

  /** A link of the page to a moment or a resident leads there, however often it is used. */
  goTo(event) {
    const link = event.target instanceof Element ? event.target.closest("a[href^='#t='], a[href^='#who=']") : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    this.arrive(link.hash);
    this.root.scrollIntoView({ block: "start" });
    this.root.querySelector("input[type=range]").focus({ preventScroll: true });
  }

  dress() {
    this.colours = palette(isDark());
    this.land = new Land(this.replay.town, this.replay.kinds, this.colours);
    this.labels = new Labels(this.replay.town, this.colours);
    this.people.dress(this.colours);
    this.bubbles.palette = this.colours;
    this.list.dress(this.people);
    this.wake();
  }

  /** At the first scene, and playing, where the address names no moment; an embedded map plays for
   * ever. */
  begin() {
    this.player.moment = this.director.first;
    if (document.documentElement.classList.contains("embed")) this.player.again = this.director.first;
    this.arrive();
    if (read(this.replay.clock, location.hash).step !== null) { this.changed(); return; }
    this.direct();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.changed();
    else this.player.play(true);
  }

  /** The map goes to the scenes by itself again. */
  direct() {
    this.directing = true;
    this.jump = true;
  }

  /** To the next scene, and on at its pace. */
  nextScene() {
    this.player.moment = this.director.next(this.player.moment);
    this.controls.pace(0);
    this.direct();
    this.player.play(this.player.moment < this.player.last);
  }

  /** Go to what the address says. */
  arrive(hash = location.hash) {
    const { step, who } = read(this.replay.clock, hash);
    if (step !== null) {
      this.player.playing = false;
      this.player.go(step);
    }
    if (who !== null) this.follow(this.replay.residents.findIndex((one) => one.id === who));
  }

  /** Somebody was pointed at: follow them, or no longer; a place where nobody is changes nothing. */
  choose(number) {
    if (number >= 0) this.follow(number === this.followed ? -1 : number);
  }

  /** Follow the resident of this number; -1: nobody. */
  follow(number) {
    this.followed = number;
    const one = this.replay.residents[this.followed] ?? null;
    this.list.follow(this.followed);
    this.panel.follow(one, this.player.moment);
    if (one) this.keep(true);
    this.changed();
  }

  /** Whether the map goes along with whoever is followed. */
  keep(on) {
    this.keeping = on;
    this.controls.kept(on);
    if (on && this.followed >= 0 && this.camera.scale < NEAR) this.camera.zoom(NEAR / this.camera.scale);
    if (on && this.followed >= 0) this.jump = true;
    this.wake();
  }

  /** Somebody acted: the clock says so at once, all else with the next frame, and the address once
   * it is quiet, since browsers take it ill when that changes all the time. */
  changed() {
    this.controls.show(this.player.moment, this.player.playing);
    this.stale = true;
    clearTimeout(this.quiet);
    if (!this.player.playing) this.quiet = setTimeout(() => history.replaceState(null, "", this.here()), QUIET);
    this.wake();
  }

  /** The address of this moment and whoever is followed. */
  here() {
    const who = this.replay.residents[this.followed]?.id ?? null;
    return address(this.replay.clock, this.player.moment, who);
  }

  wake() {
    if (this.asked || !this.land) return;
    this.asked = true;
    requestAnimationFrame(this.frames);
  }

  /** One frame. */
  show(now) {
    this.asked = false;
    const seconds = this.before ? (now - this.before) / 1000 : 0;
    const { player } = this;
    this.before = player.playing ? now : 0;
    player.tick(seconds);
    if (this.stale) {
      this.stale = false;
      this.list.show(player.moment);
      this.panel.all(player.moment);
    }
    const gliding = this.frame.draw(player.moment, seconds);
    if (player.playing && now - this.told > REFRESH) this.write(now);
    if (player.playing || gliding) this.wake();
    if (this.root.ariaBusy !== "false") {
      this.root.ariaBusy = "false";
      this.frame.measure();
      this.land.prepare();
    }
  }

  /** What is written beside the map, while it plays: a little at a time. */
  write(now) {
    this.told = now;
    const { moment } = this.player;
    this.controls.show(moment, true);
    this.even = !this.even;
    if (this.even) this.list.show(moment);
    else this.panel.some(moment);
  }
}

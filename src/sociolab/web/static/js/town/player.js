// The moment that is shown, and whether it goes on.

export class Player {
  constructor(clock, changed) {
    Object.assign(this, { clock, changed, moment: 0, speed: 60, playing: false });
  }

  get last() { return Math.max(0, this.clock.steps - 1); }

  go(step) {
    this.moment = Math.min(this.last, Math.max(0, step));
    this.changed();
  }

  /** On by so many minutes of town time, to a whole step. */
  move(minutes) {
    this.go(Math.round(this.moment) + Math.round((minutes * 60) / this.clock.seconds));
  }

  play(on = !this.playing) {
    if (on && this.moment >= this.last) this.moment = 0;
    this.playing = on && this.last > 0;
    if (!this.playing) this.moment = Math.floor(this.moment);
    this.changed();
  }

  /** So many seconds have gone by. */
  tick(seconds) {
    if (!this.playing) return;
    this.moment += (Math.min(seconds, 0.25) * this.speed) / this.clock.seconds;
    if (this.moment >= this.last) {
      this.moment = this.last;
      this.playing = false;
      this.changed();
    }
  }
}

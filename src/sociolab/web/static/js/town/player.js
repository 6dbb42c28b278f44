// The moment that is shown, and whether it goes on.

export class Player {
  /** `pace` says how fast it goes where no `speed` was chosen: { speed, until }. */
  constructor(clock, changed, pace) {
    Object.assign(this, { clock, changed, pace, moment: 0, speed: 0, playing: false, again: null });
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
    const gone = Math.min(seconds, 0.25);
    if (this.speed) this.moment += (gone * this.speed) / this.clock.seconds;
    else this.paced(gone);
    if (this.moment >= this.last && this.again !== null) this.moment = this.again;
    else if (this.moment >= this.last) {
      this.moment = this.last;
      this.playing = false;
      this.changed();
    }
  }
  /** On at the town's own pace, past no moment at which that changes. */
  paced(seconds) {
    const { speed, until } = this.pace(this.moment);
    const to = this.moment + (seconds * speed) / this.clock.seconds;
    this.moment = until > this.moment ? Math.min(to, until) : to;
  }
}

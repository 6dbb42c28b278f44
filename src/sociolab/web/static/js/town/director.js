// Which scenes the days have, how fast time goes in and between them, and where to look.

import { lastBy } from "./moments.js";

const PACE = 90; // town seconds a second, while the event is on
const TOO_LONG = 4 * 3600; // seconds from which an event is no scene
const LEAST = 1.6, MOST = 7; // seconds for which a line is shown
const LEAD = 2; // steps before a scene at which it is entered
const NEAR = 24; // pixels a tile in a conversation

export class Director {
  constructor(replay) {
    this.replay = replay;
    const { talks, task, clock } = replay;
    const about = talks.filter((talk) => talk.about && talk.said.length);
    const own = talks.filter((talk) => talk.who === task.performer || talk.other === task.performer);
    this.talks = about.length ? about : own.length ? own : talks;
    this.starts = Int32Array.from(this.talks, (talk) => talk.step);
    const [start, end] = task.window;
    this.event = (end - start) * clock.seconds <= TOO_LONG && start < clock.steps - 1 ? task.window : null;
    const scenes = [...this.starts, ...(this.event ? [start] : [])].sort((one, other) => one - other);
    this.scenes = Int32Array.from(scenes.filter((step, i) => !i || step - scenes[i - 1] > LEAD));
    this.pace = { speed: 0, until: 0, travelling: false };
    this.gap = { until: -1, speed: 0 };
    this.focus = { x: 0, y: 0, scale: 0 };
  }

  /** Where the replay opens: at the first scene. */
  get first() { return this.scenes.length ? Math.max(0, this.scenes[0] - LEAD) : 0; }

  /** The start of the next scene after a moment; the last step if there is none. */
  next(moment) {
    const found = this.scenes.find((step) => step - LEAD > moment + 0.5);
    return found === undefined ? this.replay.clock.steps - 1 : Math.max(0, found - LEAD);
  }

  /** The conversation that is the scene at a moment, or null. */
  scene(moment) {
    for (let at = lastBy(this.starts, moment); at >= Math.max(0, lastBy(this.starts, moment) - 8); at -= 1) {
      if (moment < this.talks[at].end) return this.talks[at];
    }
    return null;
  }

  /** How fast the town goes at a moment (town seconds a second), and until when that holds. */
  at(moment) {
    const { clock, texts } = this.replay, { pace } = this;
    const next = this.scenes.find((step) => step > moment) ?? clock.steps;
    const talk = this.scene(moment);
    pace.travelling = false;
    if (talk && talk.said.length) {
      const lines = talk.said.length / 2, each = Math.max(1e-3, (talk.end - talk.step) / lines);
      const line = Math.min(lines - 1, Math.floor((moment - talk.step) / each));
      const letters = texts[talk.said[line * 2 + 1]].length;
      pace.speed = (each * clock.seconds) / Math.min(MOST, Math.max(LEAST, 1 + letters * 0.045));
      pace.until = Math.min(talk.end, talk.step + each * (line + 1));
    } else if (next - moment <= LEAD) {
      pace.speed = clock.seconds * 3;
      pace.until = next;
    } else if (this.event && moment >= this.event[0] && moment < this.event[1]) {
      pace.speed = PACE;
      pace.until = Math.min(next - LEAD, this.event[1]);
    } else {
      if (this.gap.until !== next - LEAD || moment < this.gap.from) {
        const hours = hoursOf(next - LEAD - moment, clock);
        this.gap = { from: moment, until: next - LEAD, speed: (hours * 3600) / Math.min(4, 0.9 + hours * 0.35) };
      }
      pace.speed = Math.max(60, this.gap.speed);
      pace.until = next - LEAD;
      pace.travelling = hoursOf(next - moment, clock) > 0.25;
    }
    return pace;
  }

  /** What the map should show at a moment: { x, y, scale }, scale 0 for all of the town. */
  look(moment, people, places, camera) {
    const { focus } = this, talk = this.scene(moment + LEAD) ?? this.scene(moment);
    focus.scale = 0;
    const pair = talk ? [people.all[talk.who], people.all[talk.other]].filter((one) => one?.there) : [];
    if (pair.length) {
      focus.x = pair.reduce((sum, one) => sum + one.x, 0) / pair.length;
      focus.y = pair.reduce((sum, one) => sum + one.y, 0) / pair.length - 2;
      focus.scale = Math.max(camera.fitting, Math.min(NEAR, camera.width / 24));
    } else if (this.event && places.length && moment >= this.event[0] && moment < this.event[1]) {
      const [place] = places;
      focus.x = place.x + place.width / 2;
      focus.y = place.y + place.height / 2;
      focus.scale = Math.max(camera.fitting, Math.min(NEAR, camera.width / (place.width + 16), camera.height / (place.height + 12)));
    }
    return focus;
  }
}

const hoursOf = (steps, clock) => (steps * clock.seconds) / 3600;

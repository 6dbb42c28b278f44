// Buttons, the slider and the keys.

import { put } from "./dom.js";
import { spoken } from "./clock.js";

export function controls(root, theatre) {
  const { replay, player, camera } = theatre;
  const slider = root.querySelector('input[type="range"]'), speed = root.querySelector("[data-speed]");
  const clock = root.querySelector("[data-clock]"), event = root.querySelector("[data-event]");
  const button = (name) => root.querySelector(`[data-do="${name}"]`);
  slider.max = String(player.last);
  button("event").disabled = replay.task.window[0] > player.last;

  const zoomed = (act) => () => { theatre.directing = false; act(); theatre.wake(); };
  const acts = {
    play: () => player.play(),
    back: () => player.move(-1),
    on: () => player.move(1),
    "back-hour": () => player.move(-60),
    "on-hour": () => player.move(60),
    next: () => theatre.nextScene(),
    event: () => player.go(replay.task.window[0]),
    link: () => copy(),
    keep: () => theatre.keep(!theatre.keeping),
    nobody: () => theatre.follow(-1),
    in: zoomed(() => camera.zoom(1.4)),
    out: zoomed(() => camera.zoom(1 / 1.4)),
    all: zoomed(() => { camera.showAll(); theatre.keep(false); }),
  };
  for (const [name, act] of Object.entries(acts)) button(name).addEventListener("click", act);
  slider.addEventListener("input", () => player.go(Number(slider.value)));
  const hurry = () => { player.speed = Number(speed.value); theatre.changed(); };
  speed.addEventListener("change", hurry);
  player.speed = Number(speed.value);
  document.addEventListener("keydown", (pressed) => keys(pressed));

  function keys(pressed) {
    if (pressed.ctrlKey || pressed.metaKey || pressed.altKey || pressed.defaultPrevented) return;
    const target = pressed.target instanceof Element ? pressed.target : document.body;
    if (target.closest("input:not([type=checkbox]), select, textarea")) return;
    if (pressed.key === " " && target.closest("button, a, summary, input")) return;
    const far = pressed.shiftKey ? 60 : 1;
    const act = {
      " ": () => player.play(),
      ArrowLeft: () => player.move(-far),
      ArrowRight: () => player.move(far),
      ",": () => player.go(Math.ceil(player.moment) - 1),
      ".": () => player.go(Math.floor(player.moment) + 1),
      "[": () => faster(-1),
      "]": () => faster(1),
      n: () => theatre.nextScene(),
      Escape: () => { if (theatre.followed >= 0) theatre.follow(-1); },
    }[pressed.key];
    if (!act) return;
    pressed.preventDefault();
    act();
  }

  function faster(by) {
    speed.selectedIndex = Math.min(speed.length - 1, Math.max(0, speed.selectedIndex + by));
    hurry();
  }

  function copy() {
    player.play(false);
    const tell = (words) => put(document.getElementById("told"), words);
    const copied = navigator.clipboard?.writeText(new URL(theatre.here(), location.href).href) ?? Promise.reject(new Error("no clipboard"));
    copied.then(() => tell("The link to this moment is copied."), () => tell("Copy the link from your browser's address bar."));
    setTimeout(() => tell(""), 5000);
  }

  const [start, end] = replay.task.window;
  return {
    /** The speed that is chosen; 0: that of the scenes. */
    pace(chosen) {
      speed.value = String(chosen);
      player.speed = chosen;
    },
    /** The moment, where it is seen. */
    show(moment, playing) {
      const words = spoken(replay.clock, moment, player.speed > 0 && player.speed < 60);
      put(clock, words);
      slider.value = String(Math.floor(moment));
      slider.setAttribute("aria-valuetext", words);
      const during = moment >= start && moment < end;
      event.hidden = false;
      put(event, during ? "the event is on" : moment < start ? "before the event" : "after the event");
      event.classList.toggle("live", during);
      put(button("play"), playing ? "Pause" : "Play");
    },
    kept(on) { button("keep").setAttribute("aria-pressed", String(on)); },
  };
}

// The time of day as light: night over the land, and lamps where somebody is awake.

import { ASLEEP } from "./moments.js";

const GLOW = 3.6; // tiles around a lamp

/** How dark it is at an hour, from 0 to 1. */
function darkness(hour) {
  if (hour < 5 || hour >= 22) return 1;
  if (hour < 7) return (7 - hour) / 2;
  return hour < 19.5 ? 0 : (hour - 19.5) / 2.5;
}

export class Sky {
  constructor(replay) {
    this.replay = replay;
    this.lamp = null;
  }

  draw(pen, moment, people, camera, dark) {
    const { clock } = this.replay;
    const hour = (((moment * clock.seconds) / 3600) % 24 + 24) % 24, night = darkness(hour);
    const warm = Math.max(0, 1 - Math.abs(hour - 6.4) / 1.2, 1 - Math.abs(hour - 20) / 1.4);
    if (warm) wash(pen, camera, `rgb(255 140 50 / ${(0.13 * warm).toFixed(3)})`);
    if (!night) return;
    wash(pen, camera, `rgb(14 22 66 / ${((dark ? 0.45 : 0.5) * night).toFixed(3)})`);
    this.lamp ??= lamp();
    const size = Math.max(26, GLOW * camera.scale);
    pen.globalCompositeOperation = dark ? "lighter" : "soft-light";
    pen.globalAlpha = (dark ? 0.5 : 1) * night;
    for (const person of people.all) {
      if (person.state === ASLEEP || !people.seen(person, camera)) continue;
      pen.drawImage(this.lamp, person.left - size, person.top - size, 2 * size, 2 * size);
    }
    pen.globalAlpha = 1;
    pen.globalCompositeOperation = "source-over";
  }
}

function wash(pen, camera, colour) {
  pen.fillStyle = colour;
  pen.fillRect(0, 0, camera.width, camera.height);
}

function lamp() {
  const canvas = document.createElement("canvas"), edge = 128;
  canvas.width = edge;
  canvas.height = edge;
  const pen = canvas.getContext("2d"), light = pen.createRadialGradient(64, 64, 4, 64, 64, 64);
  light.addColorStop(0, "rgb(255 226 140 / .95)");
  light.addColorStop(0.5, "rgb(255 206 110 / .5)");
  light.addColorStop(1, "rgb(255 190 90 / 0)");
  pen.fillStyle = light;
  pen.fillRect(0, 0, edge, edge);
  return canvas;
}

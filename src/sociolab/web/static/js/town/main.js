// The replay of an episode in town: loads it, and lets the page show it.

import { decode } from "./moments.js";
import { Theatre } from "./theatre.js";

const root = document.getElementById("town");

/** The days that the page holds, compressed; or null. */
async function held() {
  const box = document.getElementById("days");
  if (!box) return null;
  const packed = Uint8Array.from(atob(box.textContent.trim()), (letter) => letter.charCodeAt(0));
  const body = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return decode(await new Response(body).json());
}

async function load() {
  const days = await held();
  if (days) return days;
  const answer = await fetch(root.dataset.json, { headers: { Accept: "application/json" } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.detail ?? answer.statusText);
  return decode(body);
}

load().then((replay) => new Theatre(root, replay), (error) => {
  const box = root.querySelector(".loading");
  box.className = "problem";
  box.textContent = `The town cannot be shown: ${error.message}`;
});

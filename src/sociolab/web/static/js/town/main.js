// The replay of an episode in town: loads it, and lets the page show it.

import { decode } from "./moments.js";
import { Theatre } from "./theatre.js";

const root = document.getElementById("town");

async function load() {
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

// The screen of somebody who plays: shows what the server says, sends what they do, loses nothing.

import { Acts } from "./acts.js";
import { by, clock } from "./dom.js";
import { Question } from "./question.js";
import { showLast, showScene } from "./scene.js";
import { change, listen, look } from "./server.js";

const page = by("play");
const address = page.dataset.address;
const PHASES = { ready: "ready", waiting: "waiting", playing: "playing", "let go": "let-go", done: "done" };
const ANNOUNCED = [60, 30, 10];
const title = document.title;

let screen = null, form = null, formKey = "", ends = 0, since = 0, left = Infinity;
let looking = false, again = false, sending = false, socketUp = true, stop = () => {};

// -------------------------------------------------------------------- what the server says

async function refresh() {
  if (looking) { again = true; return; }
  looking = true;
  try {
    do { again = false; show(await look(address)); } while (again);
    if (!sending) lost("");
  } catch (error) {
    failed(error);
  } finally {
    looking = false;
  }
}

function failed(error) {
  if (error.status !== 429 && error.status < 500) {
    lost(error.message);
    stop();
    clearInterval(polling);
  } else {
    lost(`${outage(error)} What you typed is kept, and the page continues by itself when it is back.`);
  }
}

/** Why nothing comes: the server is there and cannot serve, or nobody answers. */
function outage(error) {
  return error.status === 503
    ? "The conversation is stopped for a moment." : "The connection is lost.";
}

function lost(sentence) {
  by("lost").hidden = !sentence;
  if (by("lost").textContent !== sentence) by("lost").textContent = sentence;
}

function show(next) {
  const before = screen;
  screen = next;
  for (const [phase, id] of Object.entries(PHASES)) by(id).hidden = phase !== next.phase;
  for (const box of document.querySelectorAll(".last")) showLast(box, next.last);
  const number = next.of > 1 ? ` ${next.number} of ${next.of}` : "";
  by("ready-title").textContent = next.last ? "This conversation has ended" : `Your conversation${number}`;
  by("done-title").textContent = next.last ? "This conversation has ended" : "Thank you";
  by("next-title").hidden = !next.last;
  by("next-title").textContent = `Next: conversation${number}`;
  by("done-words").textContent = next.note || (next.last ? "" : "There is nothing to play at the moment.");
  if (next.phase === "waiting") since = performance.now() - next.waited * 1000;
  if (next.phase === "playing") showPlaying(next);
  else { form = null; formKey = ""; document.title = title; announce(""); }
  if (before && before.phase !== next.phase) entered(next);
  goOn(next);
}

/** Whoever was waiting when the server was started again waits on. */
function goOn(next) {
  const key = `play-begun:${address}`;
  if (next.phase === "waiting") sessionStorage.setItem(key, String(next.number));
  if (next.phase === "playing") sessionStorage.removeItem(key);
  if (next.phase === "ready" && sessionStorage.getItem(key) === String(next.number)) begin();
}

function entered(next) {
  scrollTo({ top: 0 });
  const heading = by(PHASES[next.phase]).querySelector("h1");
  if (next.phase !== "playing") { heading.tabIndex = -1; heading.focus({ preventScroll: true }); }
  else announce("The conversation begins. Read who you are and what you want.");
}

function showPlaying(next) {
  const { scene, asking } = next;
  showScene(scene);
  by("turn").hidden = scene.turn === null || Boolean(asking?.over);
  by("turn").textContent = scene.turn === null ? "" : `Turn ${Math.min(scene.turn, scene.limit)} of ${scene.limit}`;
  by("whose").textContent = !asking ? "" : asking.act ? "It is your turn." : asking.over ? "One more question." : "A question for you.";
  by("busy").hidden = Boolean(asking);
  const others = scene.several ? "Somebody else" : "Your partner";
  by("busy-words").textContent = scene.others_busy ? `${others} is writing` : "One moment";
  by("answer").hidden = !asking;
  document.title = asking ? `● ${asking.act ? "Your turn" : "A question"} · ${title}` : title;
  if (asking) showForm(scene, asking);
  else { form = null; formKey = ""; }
}

// -------------------------------------------------------------------- one's turn

function showForm(scene, asking) {
  ends = performance.now() + asking.seconds_left * 1000;
  const key = `play:${scene.trial}:${asking.turn}:${asking.name}:${asking.attempt}`;
  if (key === formKey) return;
  formKey = key;
  left = asking.seconds_left + 1;
  form = asking.act ? new Acts(by("fields"), asking.act, keep) : new Question(by("fields"), asking.question, keep, announce);
  by("answer-title").textContent = asking.act ? "Your turn" : asking.over ? "The conversation is over" : "A question, aside";
  by("over").hidden = !asking.over;
  by("over").textContent = asking.over;
  by("skip").hidden = !asking.question?.optional;
  by("keys").hidden = !asking.act;
  refuse(asking.problem ? `That could not be used: ${asking.problem}` : "");
  recall();
  adjust();
  announce(asking.act ? "It is your turn." : asking.over ? "The conversation is over. There is one more question." : "You are asked a question.");
  // Not where that brings up a keyboard over what is to be read first.
  const idle = document.activeElement === document.body || document.activeElement === by("main");
  if (idle && matchMedia("(hover: hover)").matches) form.focus();
}

function keep() {
  sessionStorage.setItem(formKey, JSON.stringify(form.draft));
  adjust();
}

function recall() {
  const kept = sessionStorage.getItem(formKey);
  if (kept !== null) form.draft = JSON.parse(kept);
}

function adjust() {
  by("more").hidden = !form.open;
  by("send").textContent = form.deed;
}

function refuse(sentence) {
  by("refused").hidden = !sentence;
  by("refused").textContent = sentence;
}

function answered(skipped) {
  const { scene, asking } = screen;
  const what = { trial: scene.trial, turn: asking.turn, name: asking.name, attempt: asking.attempt };
  if (skipped) return { ...what, skipped };
  return asking.act ? { ...what, actions: form.value } : { ...what, answer: form.value };
}

async function submit(skipped = false) {
  if (sending || !form) return;
  const key = formKey;
  let value;
  try { value = answered(skipped); } catch { refuse("A field that takes JSON holds something else."); return; }
  sending = true;
  by("send").disabled = by("skip").disabled = true;
  refuse("");
  try {
    show(await delivered(value));
    lost("");
    sessionStorage.removeItem(key);
  } catch (error) {
    refuse(error.message);
    if (error.status === 409) refresh();
  } finally {
    sending = false;
    by("send").disabled = by("skip").disabled = false;
  }
}

/** Sent until it has arrived: the server takes the same answer once, however often it comes. */
async function delivered(value) {
  for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
    try {
      return await change(address, "act", value);
    } catch (error) {
      if (error.status !== 429 && error.status < 500) throw error;
      lost(`${outage(error)} Your answer is not stored yet: it is sent again by itself. Keep this page open.`);
      await new Promise((done) => { setTimeout(done, pause); });
    }
  }
}

// -------------------------------------------------------------------- clocks

function announce(sentence) { by("announced").textContent = sentence; }

function tick() {
  if (screen?.phase === "waiting") by("waited").textContent = clock((performance.now() - since) / 1000 - 1);
  by("clock").hidden = !form;
  if (!form) return;
  const now = (ends - performance.now()) / 1000;
  by("clock").textContent = clock(now);
  by("clock").classList.toggle("short", now <= 30);
  const passed = ANNOUNCED.find((mark) => left > mark && now <= mark);
  if (passed !== undefined) announce(`${passed} seconds left ${screen.asking?.act ? "for your turn" : "to answer"}.`);
  left = now;
  if (now < -2) refresh();
}

// -------------------------------------------------------------------- what one does

async function begin() {
  by("begin").disabled = true;
  try { show(await change(address, "begin")); } catch (error) { failed(error); } finally { by("begin").disabled = false; }
}

by("begin").addEventListener("click", begin);
by("more").addEventListener("click", () => { form.add().text.focus(); keep(); });
by("skip").addEventListener("click", () => submit(true));
by("answer").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
by("answer").addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLTextAreaElement && form instanceof Acts;
  if (event.key === "Enter" && typing && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    submit();
  }
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });

setInterval(tick, 500);
let rounds = 0;
const polling = setInterval(() => {
  rounds += 1;
  // Without the socket, look often; with it, now and then, so that the server knows we are here.
  if (!socketUp || rounds % 4 === 0) refresh();
}, 3000);
stop = listen(address, refresh, (up) => { socketUp = up; });
refresh();

// A rater's form: everything is saved as one goes, with the seconds that each rating took.

import { send } from "./app.js";

const sheet = document.getElementById("sheet");
const saved = document.getElementById("saved");
const lacking = document.getElementById("lacking");
const ratings = [...sheet.querySelectorAll("fieldset.rating")].map((box) => ({
  box,
  seconds: Number(box.dataset.seconds),
  state: box.querySelector(".state"),
  reason: box.querySelector("textarea"),
  changed: false,
  timer: 0,
  sending: null,
}));
const of = (element) => ratings.find((one) => one.box.contains(element));

// ---------------------------------------------------------------- saving

function standing(one) {
  const chosen = one.box.querySelector("input:checked");
  return {
    seat: one.box.dataset.seat,
    dimension: one.box.dataset.dimension,
    score: chosen ? (Number.isNaN(Number(chosen.value)) ? chosen.value : Number(chosen.value)) : null,
    reason: one.reason.value.toWellFormed?.() ?? one.reason.value,
    seconds: Math.min(86400, Math.round(one.seconds * 10) / 10),
  };
}

function changed(one, wait) {
  one.changed = true;
  one.box.classList.remove("lacks");
  clearTimeout(one.timer);
  one.timer = setTimeout(() => save(one), wait);
}

/** Save a rating; one request at a time, so that no older text can come in behind a newer one. */
async function save(one) {
  clearTimeout(one.timer);
  while (one.sending) await one.sending; // whoever else waited may have sent it on
  if (!one.changed) return;
  one.changed = false;
  one.sending = attempt(one).finally(() => { one.sending = null; });
  await one.sending;
}

async function attempt(one) {
  say(one, "Saving…");
  try {
    const { complete } = await send(`${sheet.dataset.address}/draft`, standing(one));
    document.getElementById("complete").textContent = complete;
    document.getElementById("progress").value = complete;
    say(one, "Saved");
    saved.textContent = "";
  } catch (error) {
    one.changed = true;
    const again = error.status === undefined || error.status >= 429;
    say(one, again ? "Not saved yet; trying again" : `Not saved: ${error.message}`, true);
    saved.textContent = "Not everything is saved.";
    if (again) one.timer = setTimeout(() => save(one), 3000);
  }
}

function say(one, text, bad = false) {
  one.state.textContent = text;
  one.state.classList.toggle("bad", bad);
}

// A page that goes away sends what it still has.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "hidden") return;
  for (const one of ratings.filter((each) => each.changed)) {
    send(`${sheet.dataset.address}/draft`, standing(one), true)
      .then(() => { one.changed = false; }, () => { /* tried again by its timer */ });
  }
});

sheet.addEventListener("input", (event) => {
  const one = of(event.target);
  if (one) changed(one, event.target.type === "radio" ? 0 : 700);
});

// ---------------------------------------------------------------- time: while somebody is at it

const AWAY = 60_000; // milliseconds without a sign of life
let at = null, since = 0, alive = 0;

function count() {
  const now = Math.min(performance.now(), alive + AWAY);
  if (at && now > since) at.seconds += (now - since) / 1000;
  since = performance.now();
}
function sign(event) {
  count();
  alive = performance.now();
  if (event.type === "focusin") at = of(event.target) ?? at;
}
for (const type of ["focusin", "keydown", "pointerdown", "pointermove", "scroll"]) {
  document.addEventListener(type, sign, { passive: true, capture: true });
}
document.addEventListener("visibilitychange", () => {
  count();
  if (document.visibilityState === "hidden") alive = since - AWAY;
});
sheet.addEventListener("focusout", (event) => {
  const one = of(event.target);
  count();
  if (one?.changed) save(one);
});

// ---------------------------------------------------------------- digits choose a point

let typed = "", typedAt = 0;
sheet.addEventListener("keydown", (event) => {
  if (event.target.type !== "radio" || event.ctrlKey || event.metaKey || event.altKey) return;
  const one = of(event.target);
  const [low, high] = [Number(one.box.dataset.low), Number(one.box.dataset.high)];
  const pick = (value) => {
    const point = one.box.querySelector(`input[value="${value}"]`);
    if (!point) return;
    event.preventDefault();
    point.focus();
    if (!point.checked) point.click();
  };
  const now = performance.now();
  if (/^[0-9]$/.test(event.key)) {
    typed = now - typedAt < 900 && typed === "1" && event.key === "0" ? "10" : event.key;
    typedAt = now;
    pick(high <= 0 ? -Number(typed) || 0 : Number(typed));
  } else if ((event.key === "-" || event.key === "−") && low < 0 && high > 0) {
    const chosen = one.box.querySelector("input:checked");
    if (chosen) pick(-Number(chosen.value) || 0);
  }
});

// ---------------------------------------------------------------- a click on a turn quotes it

let reason = null; // the one that was written in last, of a yes/no question
sheet.addEventListener("focusin", (event) => {
  const box = of(event.target)?.box;
  if (box) reason = box.querySelector(".word") ? box.querySelector("textarea") : null;
});
document.querySelector("ol.talk").addEventListener("click", (event) => {
  const turn = event.target.closest("li[value]");
  if (!reason || !turn) return;
  const marked = String(getSelection());
  const words = turn.textContent.includes(marked.trim()) && marked.trim() || turn.querySelector("span").textContent.split(/["“”«»]/).sort((a, b) => b.length - a.length)[0];
  const quote = `${turn.value}: "${words.trim().split(/\s+/).slice(0, 25).join(" ")}"`;
  reason.setRangeText(`${reason.value && !/\s$/.test(reason.value) ? " " : ""}${quote} `, reason.value.length, reason.value.length, "end");
  reason.dispatchEvent(new Event("input", { bubbles: true }));
  reason.focus();
});

// ---------------------------------------------------------------- handing in

sheet.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = sheet.querySelector(".hand-in button");
  button.disabled = true;
  try {
    count();
    await Promise.all(ratings.map((one) => { one.changed ||= one.seconds > Number(one.box.dataset.seconds); return save(one); }));
    if (ratings.some((one) => one.changed)) throw new Error("Not everything is saved yet. Your words are still here: try again in a moment.");
    const answer = await send(`${sheet.dataset.address}/submit`, {});
    if (answer.next) location.assign(answer.next);
    else tellMissing(answer.missing);
  } catch (error) {
    tellText(error.message);
  } finally {
    button.disabled = false;
  }
});

function tellText(sentence) {
  lacking.replaceChildren(document.createTextNode(sentence));
  lacking.hidden = false;
  lacking.focus();
}

function tellMissing(missing) {
  const list = document.createElement("ul");
  for (const { seat, dimension, what } of missing) {
    const { box } = ratings.find((one) => one.box.dataset.seat === seat && one.box.dataset.dimension === dimension);
    box.classList.add("lacks");
    const link = document.createElement("a");
    link.href = `#${box.id}`;
    link.textContent = `${box.querySelector("legend").textContent}: ${what}`;
    link.addEventListener("click", () => {
      const point = box.querySelector("input:checked") ?? box.querySelector("input");
      showStepOf(box);
      (what.startsWith("choose") ? point : box.querySelector("textarea")).focus();
    });
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  tellText("Before you submit:");
  lacking.append(list);
}

// ---------------------------------------------------------------- on a phone: a step at a time

const TURNS = 10; // of a step
const desk = document.querySelector(".rate-desk");
const narrow = matchMedia("(max-width: 36rem)");
const turns = [...document.querySelectorAll("ol.talk > li")];
const steps = [[...document.querySelectorAll(".read .step")]]; // each: the elements that it shows
for (let first = 0; first < turns.length; first += TURNS) steps.push(turns.slice(first, first + TURNS));
const reading = steps.length;
steps.push(...ratings.map((one) => [one.box]));
let step = ratings.some((one) => one.box.querySelector("input:checked") || one.reason.value) ? reading + ratings.findIndex((one) => !one.box.querySelector("input:checked")) : 0;
if (step < reading && step !== 0) step = steps.length - 1; // all are rated

function showStep(number) {
  step = Math.max(0, Math.min(steps.length - 1, number));
  const last = step === steps.length - 1;
  desk.classList.toggle("stepped", narrow.matches);
  for (const element of steps.flat()) element.classList.toggle("off", !steps[step].includes(element));
  document.querySelector(".read").classList.toggle("off", step >= reading);
  document.querySelector(".hand-in").classList.toggle("off", !last);
  document.querySelector(".steps").hidden = !narrow.matches;
  const count = document.getElementById("step-count");
  count.hidden = !narrow.matches;
  count.textContent = step < reading ? `Reading, page ${step + 1} of ${reading}` : `Rating ${step - reading + 1} of ${ratings.length}`;
  document.getElementById("step-back").disabled = step === 0;
  document.getElementById("step-read").hidden = step < reading;
  document.getElementById("step-on").hidden = last;
}
function showStepOf(box) {
  if (narrow.matches) showStep(steps.findIndex((shown) => shown.includes(box)));
}
function go(number) {
  count();
  showStep(number);
  scrollTo({ top: 0 });
  const first = steps[step][0];
  at = of(first) ?? at;
  (first?.querySelector("input:checked") ?? first?.querySelector("input") ?? document.getElementById("step-count")).focus?.({ preventScroll: true });
}
let left = reading; // where to come back to from reading again
document.getElementById("step-back").addEventListener("click", () => go(step - 1));
document.getElementById("step-on").addEventListener("click", () => {
  if (step !== reading - 1) return go(step + 1);
  go(left);
  left = reading;
});
document.getElementById("step-read").addEventListener("click", () => { left = step; go(reading > 1 ? 1 : 0); });
narrow.addEventListener("change", () => showStep(step));
showStep(step);

// What all pages share: changes carry the page's proof, times are shown in the reader's zone.

const csrf = () => document.querySelector('meta[name="csrf"]').content;

/** Send a change as JSON; resolves to the answer's JSON, rejects with an Error that is a sentence.
 * `keepalive`: it is sent also where the page goes away. */
export async function send(address, value, keepalive = false) {
  const answer = await fetch(address, {
    method: "POST",
    keepalive,
    headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRF-Token": csrf() },
    body: JSON.stringify(value),
  });
  return read(answer);
}

/** The JSON of an answer; an Error with `status` and the server's sentence where it refused. No
 * answer at all rejects with TypeError, which has no status. */
export async function read(answer) {
  const text = await answer.text();
  let body = null;
  try { body = JSON.parse(text); } catch { /* a proxy's page, or plain text: told below */ }
  if (answer.ok && body !== null) return body;
  const error = new Error(typeof body?.detail === "string" ? body.detail : text.slice(0, 300) || answer.statusText);
  error.status = answer.status;
  throw error;
}

/** Tell something in the corner of the page, and to screen readers. */
export function tell(sentence) {
  const box = document.getElementById("told");
  box.textContent = sentence;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => { box.textContent = ""; }, 6000);
}

function localTimes(root) {
  const shown = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  for (const element of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(element.dateTime);
    if (!Number.isNaN(moment.valueOf())) {
      element.title = element.dateTime;
      element.textContent = shown.format(moment);
    }
  }
}

function switchTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("theme", next);
  document.dispatchEvent(new CustomEvent("theme", { detail: next }));
}

document.addEventListener("click", (event) => {
  const target = event.target;
  if (!(target instanceof Element)) return;
  if (target.closest("[data-theme-toggle]")) switchTheme();
  const copied = target.closest("[data-copy]");
  if (copied) {
    const text = document.querySelector(copied.dataset.copy).textContent.trim();
    // Without HTTPS, and not on this machine, there is no clipboard.
    (navigator.clipboard?.writeText(text) ?? Promise.reject())
      .then(() => tell("Copied."), () => tell("Your browser does not let pages copy."));
  }
});
// A form with data-confirm asks before it is sent.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset?.confirm;
  if (question && !confirm(question)) event.preventDefault();
});
document.addEventListener("htmx:configRequest", (event) => {
  event.detail.headers["X-CSRF-Token"] = csrf();
});
document.addEventListener("htmx:afterSwap", (event) => localTimes(event.detail.target));
localTimes(document);

/** Tell which part of a page is shown: the one in the address, else the first. */
function markTab() {
  const target = document.getElementById(location.hash.slice(1));
  const shown = target?.closest(".tab") ?? document.querySelector(".tab");
  for (const link of document.querySelectorAll(".tabs a")) {
    if (shown && link.hash === `#${shown.id}`) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}
addEventListener("hashchange", markTab);
markTab();

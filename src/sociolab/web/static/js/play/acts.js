// The form of a turn: up to so many actions, each a kind, words where it takes some, and for whom.

import { el } from "./dom.js";

/** Rows of actions for `form` in `box`. `changed` is called at every change. */
export class Acts {
  constructor(box, form, changed) {
    this.box = box;
    this.form = form;
    this.changed = changed;
    this.rows = [];
    this.count = 0;
    box.replaceChildren();
    this.add();
  }

  /** Whether one more action may be added. */
  get open() {
    if (this.rows.length >= this.form.most) return false;
    return !this.form.distinct || this.#free().length > 0;
  }

  add(value = {}) {
    const row = this.#row(value);
    this.rows.push(row);
    this.box.append(row.element);
    this.#adjust();
    return row;
  }

  /** What the rows say, as it is sent. */
  get value() {
    return this.rows.map((row) => {
      const kind = this.#kind(row);
      return {
        kind: kind.name,
        text: kind.text ? row.text.value : "",
        to: kind.text ? row.to.filter((one) => one.checked).map((one) => one.value) : [],
      };
    });
  }

  set value(actions) {
    for (const row of this.rows) row.element.remove();
    this.rows = [];
    for (const action of actions.slice(0, this.form.most)) this.add(action);
    if (!this.rows.length) this.add();
  }

  /** What sending does, for the button. */
  get deed() {
    if (this.rows.length > 1) return "Send both";
    const kind = this.#kind(this.rows[0]);
    if (kind.leaves) return "Leave the scene";
    return kind.text ? "Send" : "Pass the turn";
  }

  focus() { this.rows[0]?.text.focus({ preventScroll: true }); }

  #kind(row) {
    const chosen = row.kinds.find((one) => one.checked);
    return this.form.kinds.find((kind) => kind.name === chosen.value);
  }

  #free() {
    const taken = new Set(this.rows.map((row) => this.#kind(row).name));
    return this.form.kinds.filter((kind) => kind.text && !taken.has(kind.name));
  }

  #row(value) {
    const number = ++this.count;
    const first = value.kind ?? (this.rows.length && this.form.distinct ? this.#free()[0] : this.form.kinds[0]).name;
    const kinds = this.form.kinds.map((kind) => el("input", {
      type: "radio", name: `kind-${number}`, value: kind.name, checked: kind.name === first,
      onchange: () => { this.#adjust(); this.changed(); },
    }));
    const text = el("textarea", {
      id: `text-${number}`, rows: 3, maxLength: 4000, value: value.text ?? "", oninput: this.changed,
    });
    const to = this.form.others.map((name) => el("input", {
      type: "checkbox", value: name, checked: (value.to ?? []).includes(name), onchange: this.changed,
    }));
    const words = el("label", { htmlFor: text.id });
    const aside = to.length ? el("fieldset", { className: "aside" },
      el("legend", {}, "For whom (nobody chosen: for all)"),
      ...to.map((one) => el("label", { className: "choice" }, one, one.value))) : null;
    const remove = el("button", { type: "button", className: "quiet", onclick: () => this.#remove(row) }, "Remove this");
    const element = el("div", { className: "act" },
      el("fieldset", { className: "kinds" }, el("legend", {}, "What do you do?"),
        ...kinds.map((one) => el("label", { className: "pick" }, one, el("span", {}, DEEDS[one.value] ?? capital(one.value))))),
      el("div", { className: "words" }, words, text, aside), remove);
    const row = { element, kinds, text, to, words, remove };
    return row;
  }

  #remove(row) {
    row.element.remove();
    this.rows = this.rows.filter((one) => one !== row);
    this.#adjust();
    this.changed();
    this.focus();
  }

  #adjust() {
    for (const row of this.rows) {
      const kind = this.#kind(row);
      row.text.parentElement.hidden = !kind.text;
      row.words.textContent = kind.name === "speak" ? "Your words" : "What you do";
      row.remove.hidden = this.rows.length < 2;
    }
  }
}

// As something that one can choose; other kinds are called what they are.
const DEEDS = { none: "Do nothing" };

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

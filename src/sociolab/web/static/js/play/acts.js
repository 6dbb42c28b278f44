// The form of a turn: up to so many actions, each a kind, its fields, words where it takes some, and
// for whom.

import { el } from "./dom.js";
import { fieldOf } from "./question.js";

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

  /** What the rows say, as it is sent; SyntaxError where a field that takes JSON holds none. */
  get value() {
    return this.rows.map((row) => {
      const kind = this.#kind(row);
      return {
        kind: kind.name,
        text: kind.text ? row.text.value : "",
        to: kind.aside ? row.to.filter((one) => one.checked).map((one) => one.value) : [],
        fields: Object.fromEntries(row.fields.filter((one) => one.kind === kind.name)
          .map((one) => [one.name, given(one)]).filter(([, value]) => value !== undefined)),
      };
    });
  }

  /** What was chosen and typed, as it is. */
  get draft() {
    return this.rows.map((row) => ({
      kind: this.#kind(row).name, text: row.text.value,
      to: row.to.filter((one) => one.checked).map((one) => one.value),
      drafts: row.fields.map((one) => one.draft()),
    }));
  }

  set draft(actions) {
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
    return kind.text || kind.fields.length ? "Send" : kind.label;
  }

  focus() {
    const row = this.rows[0];
    (row?.fields.find((one) => !one.element.hidden) ?? row?.text)?.focus({ preventScroll: true });
  }

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
    const fields = this.form.kinds.flatMap((kind) => kind.fields.map((field) => ({
      kind: kind.name, name: field.name, nullable: field.nullable,
      ...fieldOf({ ...field, name: `${number}-${kind.name}-${field.name}` }, this.changed),
    })));
    value.drafts?.forEach((draft, index) => fields[index]?.restore(draft ?? ""));
    const words = el("label", { htmlFor: text.id });
    const aside = to.length ? el("fieldset", { className: "aside" },
      el("legend"),
      ...to.map((one) => el("label", { className: "choice" }, one, one.value))) : null;
    const remove = el("button", { type: "button", className: "quiet", onclick: () => this.#remove(row) }, "Remove this");
    const element = el("div", { className: "act" },
      el("fieldset", { className: "kinds" }, el("legend", {}, "What do you do?"),
        ...kinds.map((one) => el("label", { className: "pick" }, one, el("span", {}, this.form.kinds.find((kind) => kind.name === one.value).label)))),
      ...fields.map((one) => one.element),
      el("div", { className: "words" }, words, text), aside, remove);
    const row = { element, kinds, fields, text, to, words, aside, remove };
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
      for (const one of row.fields) {
        one.element.hidden = one.kind !== kind.name;
        for (const input of one.element.querySelectorAll("input, select, textarea")) input.disabled = one.element.hidden;
      }
      if (row.aside) {
        row.aside.hidden = !kind.aside;
        row.aside.firstChild.textContent = kind.aside === "required" ? "For whom only (choose at least one)" : "For whom only (nobody chosen: for all)";
      }
      row.words.textContent = kind.spoken ? "Your words" : "What you do";
      row.remove.hidden = this.rows.length < 2;
    }
  }
}

/** The value of a field; what was left empty is null where it may be. */
function given(one) {
  const value = one.read();
  return value === undefined && one.nullable ? null : value;
}

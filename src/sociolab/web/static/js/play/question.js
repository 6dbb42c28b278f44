// The form of a question: a field for each part of its answer.

import { el } from "./dom.js";
import { pickLine } from "./scene.js";

export class Question {
  /** `changed` is called at every change, `tell` with what a screen reader should say. */
  constructor(box, form, changed, tell) {
    const touched = () => { this.#adjust(); changed(); };
    this.fields = form.fields.map((field) => fieldOf(field, touched, tell));
    box.replaceChildren(el("p", { className: "said" }, form.text), ...this.fields.map((one) => one.element));
    this.#adjust();
  }

  open = false;

  deed = "Send the answer";

  /** The answer; SyntaxError where a field that takes JSON holds none. */
  get value() {
    return Object.fromEntries(this.fields.map((one) => [one.field.name, this.#given(one)])
      .filter(([, value]) => value !== undefined));
  }

  /** What was typed, as it is. */
  get draft() { return this.fields.map((one) => one.draft()); }

  set draft(values) {
    this.fields.forEach((one, index) => one.restore(values[index] ?? ""));
    this.#adjust();
  }

  focus() { this.fields[0]?.focus(); }

  #given(one) {
    const value = this.#wanted(one.field) ? one.read() : one.empty;
    return value === undefined && one.field.nullable ? null : value;
  }

  /** Whether a field is asked for, with what the one that it hangs on says now. */
  #wanted(field) {
    if (!field.only_if) return true;
    const [name, values] = field.only_if;
    return values.includes(this.fields.find((one) => one.field.name === name).read());
  }

  /** What is not asked for is out of sight, and not missed. */
  #adjust() {
    for (const one of this.fields) {
      const wanted = this.#wanted(one.field);
      one.element.hidden = !wanted;
      for (const input of one.element.querySelectorAll("input, select, textarea")) input.disabled = !wanted;
    }
  }
}

/** A field: its element, and what it holds. */
export function fieldOf(field, changed, tell) {
  if (field.kind === "radio") return radiosOf(field, changed);
  if (field.kind === "line") return lineOf(field, changed, tell);
  const input = inputOf(field, changed);
  const check = input.type === "checkbox";
  const element = el("div", { className: "field" }, el("label", { htmlFor: input.id }, field.label), hintOf(field), input);
  return {
    field, element,
    empty: { text: "", lines: [] }[field.kind],
    read: () => read(field, input),
    draft: () => (check ? input.checked : input.value),
    restore: (value) => { if (check) input.checked = Boolean(value); else input.value = value; },
    focus: () => input.focus({ preventScroll: true }),
  };
}

function radiosOf(field, changed) {
  const inputs = field.choices.map((value) => el("input", {
    type: "radio", name: `field-${field.name}`, value, required: field.required, onchange: changed,
  }));
  const chosen = () => inputs.find((one) => one.checked)?.value;
  return {
    field,
    element: el("fieldset", { className: "field radios" }, el("legend", {}, field.label), hintOf(field),
      ...inputs.map((one, index) => el("label", { className: "choice" }, one, field.words[index]))),
    read: chosen,
    draft: chosen,
    restore: (value) => { for (const one of inputs) one.checked = one.value === value; },
    focus: () => inputs[0].focus({ preventScroll: true }),
  };
}

/** A line of the conversation, picked where it stands; its words as they stand there. */
function lineOf(field, changed, tell) {
  let words = "", stop = null;
  const said = el("span", { className: "said" });
  const choose = el("button", { type: "button", onclick: () => (stop ? end("") : begin()) });
  const clear = el("button", { type: "button", className: "quiet", onclick: () => { set(""); changed(); choose.focus(); } }, "Clear");
  const name = el("legend", { id: `line-${field.name}` }, field.label);
  choose.setAttribute("aria-describedby", name.id);
  clear.setAttribute("aria-describedby", name.id);

  function set(picked) {
    words = picked;
    said.textContent = words || "No line chosen.";
    clear.hidden = !words;
    choose.textContent = words ? "Choose another line" : "Choose a line";
  }
  function begin() {
    stop = pickLine(end);
    choose.textContent = "Cancel";
    clear.hidden = true;
    said.textContent = "Click a line of the conversation above.";
    tell(`${field.label} Choose a line of the conversation, or press Escape to cancel.`);
  }
  function end(picked) {
    stop();
    stop = null;
    set(picked || words);
    if (picked) { tell(`Chosen: ${picked}`); changed(); }
    choose.focus();
  }
  set("");
  return {
    field,
    element: el("fieldset", { className: "field line" }, name, hintOf(field),
      el("p", { className: "picked" }, said), el("p", { className: "row" }, choose, clear)),
    empty: "",
    read: () => words,
    draft: () => words,
    restore: set,
    focus: () => choose.focus({ preventScroll: true }),
  };
}

function inputOf(field, changed) {
  const shared = { id: `field-${field.name}`, required: field.required && field.kind !== "check", oninput: changed };
  switch (field.kind) {
    case "number":
      return el("input", {
        ...shared, type: "number", inputMode: field.whole ? "numeric" : "decimal",
        min: field.low ?? "", max: field.high ?? "", step: field.whole ? 1 : "any",
      });
    case "check":
      return el("input", { ...shared, type: "checkbox" });
    case "choice":
      return el("select", shared, ...(field.nullable ? [el("option", { value: "" }, "Choose…")] : []),
        ...field.choices.map((one) => el("option", { value: one }, one)));
    default:
      return el("textarea", { ...shared, rows: field.kind === "lines" ? 6 : 3 });
  }
}

function hintOf(field) {
  const how = { lines: "One on each line; leave it empty if there is nothing.", json: "As JSON." }[field.kind];
  const meaning = field.hint && field.hint.charAt(0).toUpperCase() + field.hint.slice(1) + (/[.?!]$/.test(field.hint) ? "" : ".");
  const hint = [meaning, how].filter(Boolean).join(" ");
  return hint ? el("p", { className: "hint" }, hint) : null;
}

function read(field, input) {
  switch (field.kind) {
    case "lines": return input.value.split("\n").map((line) => line.trim()).filter(Boolean);
    case "number": return input.value === "" ? undefined : Number(input.value);
    case "check": return input.checked;
    case "choice": return input.value === "" ? undefined : input.value;
    case "json": return input.value.trim() === "" ? undefined : JSON.parse(input.value);
    default: return input.value;
  }
}

// The form of a question aside: a field for each part of its answer.

import { el } from "./dom.js";

export class Question {
  constructor(box, form, changed) {
    this.fields = form.fields.map((field) => ({ field, input: inputOf(field, changed) }));
    box.replaceChildren(el("p", { className: "said" }, form.text), ...this.fields.flatMap(({ field, input }) => [
      el("label", { htmlFor: input.id }, field.label),
      hintOf(field) ? el("p", { className: "hint" }, hintOf(field)) : null,
      input,
    ].filter((one) => one !== null)));
  }

  open = false;

  deed = "Send the answer";

  /** The answer; SyntaxError where a field that takes JSON holds none. */
  get value() {
    return Object.fromEntries(this.fields.map(({ field, input }) => [field.name, read(field, input)])
      .filter(([, value]) => value !== undefined));
  }

  /** What was typed, as it is. */
  get draft() {
    return this.fields.map(({ input }) => (input.type === "checkbox" ? input.checked : input.value));
  }

  set draft(values) {
    this.fields.forEach(({ input }, index) => {
      if (input.type === "checkbox") input.checked = Boolean(values[index]);
      else input.value = values[index] ?? "";
    });
  }

  focus() { this.fields[0]?.input.focus({ preventScroll: true }); }
}

function inputOf(field, changed) {
  const shared = { id: `field-${field.name}`, required: field.required && field.kind !== "check", oninput: changed };
  switch (field.kind) {
    case "number":
      return el("input", { ...shared, type: "number", min: field.low ?? "", max: field.high ?? "", step: field.whole ? 1 : "any" });
    case "check":
      return el("input", { ...shared, type: "checkbox" });
    case "choice":
      return el("select", shared, ...field.choices.map((one) => el("option", { value: one }, one)));
    default:
      return el("textarea", { ...shared, rows: field.kind === "lines" ? 6 : 3 });
  }
}

function hintOf(field) {
  const how = { lines: "One on each line; leave it empty if there is nothing.", json: "As JSON." }[field.kind];
  return [field.hint, how].filter(Boolean).join(" ");
}

function read(field, input) {
  switch (field.kind) {
    case "lines": return input.value.split("\n").map((line) => line.trim()).filter(Boolean);
    case "number": return input.value === "" ? undefined : Number(input.value);
    case "check": return input.checked;
    case "json": return input.value.trim() === "" ? undefined : JSON.parse(input.value);
    default: return input.value;
  }
}

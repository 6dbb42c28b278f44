// Elements, made of names and texts alone: what others wrote never becomes markup.

/** An element with a class and children (elements, or texts, which stay texts). */
export function element(name, { className = "", ...properties } = {}, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  Object.assign(made, properties);
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

/** Words of others: isolated, so that they turn nothing around. */
export const said = (text, name = "span") => element(name, { className: "said" }, text);

/** Set a text where it differs, so that nothing is laid out for nothing. */
export function put(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/* Elements out of data: text is text, never markup. */
export function node(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made[name] = value;
    else if (typeof value === "boolean") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter(c => c !== "" && c !== null && c !== undefined));
  return made;
}
export function tellAge(seconds) {
  const minutes = Math.round((Date.now() / 1000 - seconds) / 60);
  return minutes < 1 ? "a moment ago" : minutes < 90 ? `${minutes} min ago` : new Date(1000 * seconds).toLocaleString();
}

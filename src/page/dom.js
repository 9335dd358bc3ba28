// Making nodes. A string only ever becomes text: nothing here can turn it into markup.

const SVG = document.querySelector("svg").namespaceURI;

export const byId = (id) => document.getElementById(id);

// A control of a form. A `select` has the value of an `input`, too.
/** @type {(id: string) => HTMLInputElement} */
export const controlById = (id) => /** @type {HTMLInputElement} */ (byId(id));

const present = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...present(children));
  return node;
}

// An element. A function among the attributes listens for the event of that name.
export const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);

export const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

// Replaces the content of the node.
export const put = (node, ...children) => node.replaceChildren(...present(children));

export const button = (text, click, attributes) => h("button", { type: "button", click, ...attributes }, text);

export const badge = (text, kind) => h("span", { class: `selo ${kind}` }, text);

// A list of names and values; a pair without a value is left out.
export const pairs = (entries) => h("dl", { class: "pares" }, entries
  .filter(([, value]) => value !== null && value !== undefined && value !== "")
  .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));

// A drawing made by `draw(width)` in the width that there is, so that its letters keep their size
// on a phone.
export function drawing(draw) {
  const place = h("div", { class: "desenho" });
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (width > 0 && place.firstChild?.getAttribute("width") !== String(width)) put(place, draw(width));
  }).observe(place);
  return place;
}

// Brings an answer into view by its title: beside the form it is there already, below the form it comes to the top.
// True where the form and its answer are not side by side.
export const isNarrow = () => matchMedia("(max-width: 60rem)").matches;

export function showTop(out) {
  const title = out.querySelector("h3");
  out.scrollTop = 0;
  title.focus({ preventScroll: true });
  title.scrollIntoView({ block: isNarrow() ? "start" : "nearest" });
}

// Says something to a screen reader without moving the focus.
export function announce(text) {
  byId("anuncio").textContent = text;
}

// Opens and closes the menu of the parts, which is a row of links but on a phone, and marks the current one.

import { byId } from "./dom.js";

// Makes `opener` show and hide the panel that it controls. Escape hides it and brings the focus back. Returns what opens and
// closes it.
export function disclosure(opener, show) {
  const panel = byId(opener.getAttribute("aria-controls"));
  const isOpen = () => opener.getAttribute("aria-expanded") === "true";
  const set = (open) => {
    opener.setAttribute("aria-expanded", String(open));
    show(open);
  };
  opener.addEventListener("click", () => set(!isOpen()));
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || opener.hidden || !isOpen() || ![opener, ...panel.querySelectorAll("*")].includes(document.activeElement)) return;
    set(false);
    opener.focus();
  });
  return set;
}

export function mountMenu() {
  const [menu, opener] = [byId("menu"), byId("menu-abrir")];
  const set = disclosure(opener, () => {});
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && !opener.contains(target) && (target.closest("a") || !menu.contains(target))) set(false);
  });
}

// Marks the links to the part of that name and to its group. Returns its title.
export function markCurrent(part) {
  let title = "";
  for (const group of byId("menu").querySelectorAll(":scope > ul > li")) {
    const mark = (link, value) => (value ? link.setAttribute("aria-current", value) : link.removeAttribute("aria-current"));
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const [head, ...parts] = group.querySelectorAll("a");
    // A link without a group is one of a part.
    const links = parts.length > 0 ? parts : [head];
    const current = links.find(({ hash }) => hash === `#${part}`);
    mark(head, current && "true");
    links.forEach((link) => mark(link, link === current && "page"));
    title ||= current?.textContent;
  }
  return title;
}

// A table of figures whose rows begin with what they are; on a phone each begins with a line of its own.

import { h } from "./dom.js";

export const figureTable = (caption, heads, rows) => h("table", { class: "comparacao" },
  h("caption", {}, caption),
  h("thead", {}, h("tr", {}, h("td", {}), heads.map((head) => h("th", { scope: "col" }, head)))),
  h("tbody", {}, rows.map(([label, ...cells]) => h("tr", {}, h("th", { scope: "row" }, label), cells.map((cell) => h("td", {}, cell))))));

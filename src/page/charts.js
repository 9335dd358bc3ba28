// Bars drawn by hand: each a label, a bar and its figure, with a table that says the same.

import { drawing, h, svg } from "./dom.js";

const ROW = 38;

// `bars` are {label, value, text, kind}; `mark` is an optional {value, text} to compare with.
function draw(title, bars, mark, width) {
  const height = bars.length * ROW + (mark ? 20 : 2);
  const most = Math.max(...bars.map((bar) => bar.value), mark?.value ?? 0, 1);
  const length = (value) => (value / most) * (width - 2);
  const rows = bars.map((bar, i) => {
    const y = i * ROW;
    return svg("g", {},
      svg("text", { class: "nome", x: 0, y: y + 13 }, bar.label),
      svg("text", { class: "figura", x: width, y: y + 13, "text-anchor": "end" }, bar.text),
      svg("rect", { class: "trilho", x: 0, y: y + 19, width, height: 8, rx: 4 }),
      bar.value > 0 ? svg("rect", { class: `barra ${bar.kind}`, x: 0, y: y + 19, width: Math.max(4, length(bar.value)), height: 8, rx: 4 }) : null);
  });
  const at = mark ? length(mark.value) : 0;
  const line = mark ? [
    bars.map((bar, i) => svg("line", { class: "hoje", x1: at, x2: at, y1: i * ROW + 16, y2: i * ROW + 30 })),
    svg("text", { class: "ano", x: at, y: height - 6, "text-anchor": at > width / 2 ? "end" : "start" }, mark.text),
  ] : [];
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}: ${bars.map((bar) => `${bar.label}, ${bar.text}`).join("; ")}` }, rows, line);
}

export function barChart(title, bars, mark) {
  const rows = bars.map((bar) => h("tr", {}, h("th", { scope: "row" }, bar.label), h("td", {}, bar.text)));
  return h("figure", { class: "cartao grafico" }, h("figcaption", {}, title),
    drawing((width) => draw(title, bars, mark, width)),
    h("div", { class: "oculto" }, h("table", {}, h("caption", {}, title), h("tbody", {}, rows))));
}

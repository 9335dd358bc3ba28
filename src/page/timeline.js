// The versions of a rule code on a line of years. The list below it says the same in words.

import { drawing, h, svg } from "./dom.js";
import { today, validity } from "./format.js";

const ROW = 30;
const TOP = 26;
const LEFT = 58;
const RIGHT = 28;
const MIN_TICK = 58;
const STEPS = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200];

const time = (iso) => new Date(`${iso}T00:00:00Z`).getTime();
const year = (iso) => Number(iso.slice(0, 4));

// From the year of the first version to the year after today, or after the last end.
function span(rules) {
  const ends = rules.flatMap((rule) => [rule.vigente_de, rule.vigente_ate ?? today(), today()]);
  return { first: Math.min(...rules.map((rule) => year(rule.vigente_de))), last: Math.max(...ends.map(year)) + 1 };
}

// The years of the rules in that width: the place of a day, the lines of the years, the place of the end and of today.
export function axis(rules, width, height) {
  const { first, last } = span(rules);
  const [from, until] = [time(`${String(first).padStart(4, "0")}-01-01`), time(`${last}-01-01`)];
  const inner = width - LEFT - RIGHT;
  const x = (day) => LEFT + Math.min(1, Math.max(0, (time(day) - from) / (until - from))) * inner;
  const months = (last - first) * 12;
  const step = STEPS.find((one) => (inner / months) * one >= MIN_TICK) ?? months;
  const ticks = [];
  for (let at = 0; at <= months; at += step) {
    const [years, month] = [first + Math.floor(at / 12), String((at % 12) + 1).padStart(2, "0")];
    const place = x(`${String(years).padStart(4, "0")}-${month}-01`);
    ticks.push(svg("line", { class: "grade", x1: place, x2: place, y1: TOP - 6, y2: height - 4 }),
      svg("text", { class: "ano", x: place, y: 13, "text-anchor": "middle" }, step < 12 ? `${month}/${years}` : String(years)));
  }
  return { x, ticks, end: LEFT + inner, now: x(today()) };
}

// By first day, and by version.
export const inOrder = (rules) => [...rules].sort((a, b) => a.vigente_de.localeCompare(b.vigente_de) || a.versao.localeCompare(b.versao, "en", { numeric: true }));

function draw(code, rules, width) {
  const height = TOP + rules.length * ROW + 8;
  const { x, ticks, end: last, now } = axis(rules, width, height);
  const rows = rules.map((rule, i) => {
    const y = TOP + i * ROW;
    const whole = rule.vigente_ate && rule.vigente_ate <= rule.vigente_de;
    const start = x(rule.vigente_de);
    const end = whole ? start : rule.vigente_ate ? x(rule.vigente_ate) : last;
    const shape = whole
      ? svg("circle", { class: "versao substituida", cx: start, cy: y + 10, r: 6 })
      : svg("rect", { class: `versao ${rule.situacao}`, x: start, y: y + 3, width: Math.max(4, end - start), height: 14, rx: 4 });
    const open = !rule.vigente_ate
      ? svg("path", { class: "aberta", d: `M${end - 1} ${y + 3} l9 7 l-9 7 z` }) : null;
    return svg("g", {}, svg("title", {}, `versão ${rule.versao}: ${validity(rule.vigente_de, rule.vigente_ate)}`),
      svg("text", { class: "nome", x: 0, y: y + 15 }, `v${rule.versao}`), shape, open);
  });
  return svg("svg", {
    class: "linha-do-tempo", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Linha do tempo de ${code}: ${rules.map((rule) => `versão ${rule.versao}, ${validity(rule.vigente_de, rule.vigente_ate)}`).join("; ")}`,
  }, ticks, rows, svg("line", { class: "hoje", x1: now, x2: now, y1: TOP - 6, y2: height - 4 }));
}

export function timeline(code, found) {
  const rules = inOrder(found);
  return h("figure", { class: "cartao" },
    h("figcaption", {}, "Versões no tempo ", h("small", {}, "A linha vertical é hoje; a seta, uma vigência sem término; o círculo vazado, uma versão substituída.")),
    drawing((width) => draw(code, rules, width)));
}

// How the rates of a rule developed: a line of steps for each rate, with its values written on it, and a table below
// that says the same.

import { drawing, h, svg } from "./dom.js";
import { ANSWERS, percent, validity } from "./format.js";
import { labelOf, taxOf } from "./taxes.js";
import { axis, inOrder } from "./timeline.js";

// Rates that are drawn; the table has all of them.
const DRAWN = 3;
const HEIGHT = 112;
const TOP = 40;
const BOTTOM = 96;
const LETTER = 7.5;

// The rates of a content by their names, without those within lists. A rate that is not established is null.
function ratesOf(declared, content, within = "") {
  return Object.entries(content ?? {}).flatMap(([name, value]) => {
    const member = declared?.[name];
    const label = `${within}${labelOf(member, name)}`;
    if (member?.[1] === "aliquota" && !Array.isArray(value)) return [[label, value]];
    const inner = value !== null && typeof value === "object" && !Array.isArray(value);
    return inner ? ratesOf(member?.[2], value, `${label}: `) : [];
  });
}

const written = (value) => (value === undefined ? "" : value === null ? "não estabelecida" : percent(value));

function draw(label, steps, rules, width) {
  const { x, ticks, end, now } = axis(rules, width, HEIGHT);
  const most = Math.max(...steps.map((step) => Number(step.value ?? 0)), 1e-9);
  const y = (value) => BOTTOM - (Number(value) / most) * (BOTTOM - TOP);
  let [path, before, reached, level] = ["", null, -Infinity, 0];
  const texts = steps.map(({ rule, value }) => {
    const [from, until] = [x(rule.vigente_de), rule.vigente_ate ? x(rule.vigente_ate) : end];
    const text = written(value);
    level = from < reached ? (level + 1) % 2 : 0;
    reached = Math.max(reached, from + text.length * LETTER);
    const at = value === null ? BOTTOM : y(value);
    if (value === null) before = null;
    else {
      path += before === null ? `M${from} ${at}` : `L${from} ${before} L${from} ${at}`;
      path += ` L${until} ${at}`;
      before = at;
    }
    const place = Math.max(0, Math.min(from + 3, width - text.length * LETTER));
    return svg("text", { class: "figura", x: place, y: at - 6 - level * 14 }, text, svg("title", {}, `${text}, ${validity(rule.vigente_de, rule.vigente_ate)}`));
  });
  const said = steps.map(({ rule, value }) => `${written(value)} ${validity(rule.vigente_de, rule.vigente_ate)}`).join("; ");
  return svg("svg", { class: "degraus", width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": `${label}: ${said}` },
    ticks, svg("path", { class: "degrau", d: path }), svg("line", { class: "hoje", x1: now, x2: now, y1: 20, y2: HEIGHT - 4 }), texts);
}

// The figure of a rule code; null for rules without a rate of their own.
export function rateHistory(found) {
  const rules = inOrder(found).filter((rule) => !rule.vigente_ate || rule.vigente_ate > rule.vigente_de);
  const rates = rules.map((rule) => new Map(ratesOf(taxOf(rule.tributo)?.conteudo, rule.conteudo)));
  const labels = [...new Set(rates.flatMap((one) => [...one.keys()]))].filter((label) => rates.some((one) => typeof one.get(label) === "string"));
  if (labels.length === 0) return null;
  const charts = labels.slice(0, DRAWN).map((label) => {
    const steps = rules.map((rule, i) => ({ rule, value: rates[i].get(label) })).filter(({ value }) => value !== undefined);
    return [h("h4", {}, label), drawing((width) => draw(label, steps, rules, width))];
  });
  const rows = rules.map((rule, i) => h("tr", {}, h("th", { scope: "row" }, `versão ${rule.versao}`), h("td", {}, validity(rule.vigente_de, rule.vigente_ate)),
    labels.map((label) => h("td", { class: "numero" }, written(rates[i].get(label))))));
  const title = "Alíquotas no tempo";
  return h("figure", { class: "cartao historico" }, h("figcaption", {}, title), charts,
    h("div", { class: "rolagem", tabindex: "0", role: "region", "aria-label": title }, h("table", { class: "grade-de-dados" },
      h("caption", { class: "oculto" }, title),
      h("thead", {}, h("tr", {}, ["Versão", ANSWERS, ...labels].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows))));
}

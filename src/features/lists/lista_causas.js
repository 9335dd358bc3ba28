// Why rows of a list have no value: what became of each in a word, one short line, and the causes of all with their counts.

import { badge, button, h } from "./dom.js";
import { integer } from "./format.js";

// The name of a situation, as its column has it, with the kind of its tag.
const KINDS = { calculado: "novo", respondido: "novo", "em parte": "alerta", "fora da ST nos CEST conhecidos": "neutro", "não sujeito": "neutro", "sem regra": "alerta", "falta CEST": "alerta", "falta dado": "alerta", incompleta: "alerta" };

export const tag = (situation) => badge(situation, KINDS[situation] ?? "erro");

// Letters of a refusal that is short enough to be shown whole.
const SHORT = 160;

// The first sentence of a long refusal, and what comes after it.
export function inShort(text) {
  const end = text.length > SHORT && /\.(?=\s+["“\p{Lu}])/u.exec(text);
  const first = end ? text.slice(0, end.index + 1) : text;
  if (text.length <= SHORT || (end && first.length <= 1.3 * SHORT)) return [first, text.slice(first.length).trim()];
  return [`${text.slice(0, text.lastIndexOf(" ", SHORT))} …`, text];
}

// What may differ from row to row in the same text: numbers and what is quoted.
const VARIABLE = /"[^"]*"|\d[\d.,/-]*/g;

// The causes of the refusals of a list, each with its rows.
export class Causes {
  found = new Map();

  add(place, situation, code, error) {
    const [first] = inShort(error);
    const key = `${situation} ${code} ${first.replace(VARIABLE, "…")}`;
    const values = first.match(VARIABLE) ?? [];
    if (!this.found.has(key)) this.found.set(key, { situation, error, values, places: [] });
    const cause = this.found.get(key);
    cause.places.push(place);
    // The number of a law is in all of them, and stays.
    cause.values = cause.values.map((value, at) => (value === values[at] ? value : "…"));
  }

  // The causes, the most frequent first. `only` shows the rows of one.
  node(only) {
    const sorted = [...this.found.values()].sort((one, other) => other.places.length - one.places.length);
    const item = ({ situation, error, values, places }) => {
      const [first, rest] = inShort(error);
      const left = [...values];
      const title = first.replace(VARIABLE, () => left.shift());
      return h("li", {}, h("p", {}, h("strong", {}, `${integer(places.length)} `), tag(situation), ` ${title}`),
        h("div", { class: "botoes so-tela" }, button("Mostrar só estas", () => only(places), { "aria-label": `Mostrar só estas: ${title}` }),
          rest ? h("details", {}, h("summary", {}, "O que fazer"), h("p", {}, rest)) : null));
    };
    return sorted.length === 0 ? null : h("section", { class: "causas", "aria-label": "Por que linhas não têm valor" },
      h("h4", {}, "Por que linhas não têm valor"), h("ul", {}, sorted.map(item)));
  }
}

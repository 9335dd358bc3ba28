// Why rows of a list have no value: what became of each in a word, one short line, and the causes of all with their counts.

import { badge, button, h } from "./dom.js";
import { integer } from "./format.js";

// The situation of a product that no rule of its State names, and what to know of it.
export const GENERAL = "pela alíquota geral";
const OF_GENERAL = "Nenhuma regra do produto foi encontrada na UF: pode haver alíquota, redução ou isenção próprias. Confira antes de usar.";

// The name of a situation, as its column has it, with the kind of its tag.
const KINDS = {
  calculado: "novo", respondido: "novo", retido: "novo", "não retido": "neutro", "em parte": "alerta", [GENERAL]: "alerta",
  "Fora da ST nos CEST conhecidos": "neutro", "não sujeito": "neutro", "sem regra": "alerta", "falta CEST": "alerta", "falta dado": "alerta", incompleta: "alerta",
};

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

// The causes of the refusals of a list, and what is to be checked, each with its rows.
export class Causes {
  found = new Map();

  // `line` is that of a row that lacks something.
  add(place, situation, code = "", error = OF_GENERAL, line = {}) {
    const [first] = inShort(error);
    const key = `${situation} ${code} ${line.faltam} ${first.replace(VARIABLE, "…")}`;
    const values = first.match(VARIABLE) ?? [];
    if (!this.found.has(key)) this.found.set(key, { situation, error, values, line, places: [] });
    const cause = this.found.get(key);
    cause.places.push(place);
    // The number of a law is in all of them, and stays.
    cause.values = cause.values.map((value, at) => (value === values[at] ? value : "…"));
  }

  // The causes, the most frequent first. `only` shows the rows of one, and `fill(places, line)` asks for what they lack.
  node(only, fill) {
    const sorted = [...this.found.values()].sort((one, other) => other.places.length - one.places.length);
    const item = ({ situation, error, values, places, line }) => {
      const [first, rest] = inShort(error);
      const left = [...values];
      const title = first.replace(VARIABLE, () => left.shift());
      return h("li", {}, h("p", {}, h("strong", {}, `${integer(places.length)} `), tag(situation), ` ${title}`),
        h("div", { class: "botoes so-tela" }, button("Mostrar só estas", () => only(places), { "aria-label": `Mostrar só estas: ${title}` }),
          line.faltam && line.pedido && !line.candidatos && places.length > 1 ? fill(places, line) : null,
          rest ? h("details", {}, h("summary", {}, "O que fazer"), h("p", {}, rest)) : null));
    };
    const part = (title, causes) => (causes.length === 0 ? null : h("section", { class: "causas", "aria-label": title }, h("h4", {}, title), h("ul", {}, causes.map(item))));
    const isGeneral = ({ situation }) => situation === GENERAL;
    return [part("Por que linhas não têm valor", sorted.filter((one) => !isGeneral(one))), part("O que conferir", sorted.filter(isGeneral))];
  }
}

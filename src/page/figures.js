// The figures of a rule in one line: its rates, its base reduction, its MVA, as one compares rules.

import { money, percent } from "./format.js";
import { labelOf, taxOf } from "./taxes.js";
import { words } from "./words.js";

const UNKNOWN = "não estabelecida";
// Members whose percentages are not rates of the tax.
const ASIDE = new Set(["descontos", "isencao", "excecoes_nao_avaliadas"]);

const rate = (value) => (value === null ? UNKNOWN : percent(value));
const perUnit = (value, unit) => (value === null ? UNKNOWN : `${money(value)}${unit ? ` por ${unit}` : ""}`);

// The rates within brackets or cases.
function ratesWithin(value, name = "") {
  if (value === null || typeof value !== "object") return name === "aliquota" ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => ratesWithin(item, name));
  return Object.entries(value).filter(([inner]) => !ASIDE.has(inner)).flatMap(([inner, item]) => ratesWithin(item, inner));
}

function range(rates) {
  const known = [...new Set(rates.filter((one) => one !== null))].sort((one, other) => Number(one) - Number(other));
  if (known.length === 0) return UNKNOWN;
  const text = known.length === 1 ? percent(known[0]) : `de ${percent(known[0])} a ${percent(known.at(-1))}`;
  return rates.includes(null) ? `${text}, nem todas estabelecidas` : text;
}

// What each member says of the figure that is not a rate of its own.
const SPECIAL = {
  isento: (value) => (value ? ["Isento"] : []),
  criterio: (value) => (value === "nao_sujeito" ? [words(value)] : []),
  tipo: (value) => [words(value)],
  situacao: (value) => [words(value)],
  pauta: (value, label, _, { unidade: unit }) => [`${label}: ${perUnit(value, unit)}`],
  por_unidade: (value) => (value ? [perUnit(value.valor, value.unidade)] : []),
  por_comprador: (value, _, member) => Object.entries(value).map(([of, one]) => `${labelOf(member?.[2]?.[of], of)}: ${rate(one)}`),
  classificacao: ({ reducao: reduction }, _, member) => (!reduction ? [] : Number(reduction) === 0 ? ["Sem redução"]
    : [`${labelOf(member?.[2]?.reducao, "reducao")}: ${rate(reduction)}`]),
  recusa: () => ["A alíquota depende da classificação tributária"],
};

function figure(name, value, member, content) {
  const label = labelOf(member, name);
  if (SPECIAL[name]) return SPECIAL[name](value, label, member, content);
  if (ASIDE.has(name)) return [];
  if (member?.[1] === "aliquota") return [`${label}: ${rate(value)}`];
  const rates = ratesWithin(value, name);
  return rates.length === 0 ? [] : [`${name === "faixas" || name === "aliquotas" ? "Alíquotas" : label}: ${range(rates)}`];
}

// Empty for a rule without figures.
export function figuresOf({ tributo, conteudo: content }) {
  const declared = taxOf(tributo)?.conteudo;
  return Object.entries(content ?? {}).flatMap(([name, value]) => figure(name, value, declared?.[name], content)).join(" · ");
}

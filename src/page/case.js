// A case as an address: `#calcular?tributo=icms&...`, so that it can be sent to a colleague or
// opened again. What may be a key never goes into it.

import { date, readWord, today } from "./format.js";
import { looksSecret } from "./key.js";
import { allTaxes, exampleOf, fieldOf, taxOf } from "./taxes.js";

// What an address has beside the members of the payload: of the calculation, and not of the tax.
const BESIDE = ["memoria", "prova", "conhecido_em", "supondo", "outra_data"];

// The address of a case in that part of the page. `beside` is added where it says something.
export function addressOf(part, members, beside = {}) {
  const said = Object.entries(beside).filter(([, value]) => value);
  const safe = [...Object.entries(members), ...said].filter(([name, value]) => !looksSecret(name) && !looksSecret(value) && typeof value !== "object");
  return `#${part}?${new URLSearchParams(safe.map(([name, value]) => [name, String(value)]))}`;
}

// The payload of an address; null if it names no tax.
export function payloadOf(parameters) {
  const tax = allTaxes().find(({ tributo }) => tributo === parameters.get("tributo"));
  return tax ? { ...USUAL[tax.tributo], ...membersOf(tax.tributo, parameters) } : null;
}

// The members of an address, in the kinds that are declared for that tax.
export const membersOf = (tributo, parameters) => Object.fromEntries([...parameters]
  .filter(([name]) => !BESIDE.includes(name))
  .map(([name, text]) => [name, typed(fieldOf(tributo, name), text)]));

function typed(field, text) {
  if (field?.tipo === "booleano" && (text === "true" || text === "false")) return text === "true";
  if (field?.tipo === "opcoes") return readWord(field.valores, text);
  if (field?.tipo === "inteiro" && /^\d{1,15}$/.test(text)) return Number(text);
  return text;
}

// What is so of most cases of a tax: filled in and folded, until it is said otherwise.
const OF_SALE = { valor_iss: "0", valor_ipi: "0", optante_simples: false };
export const USUAL = { cbs: OF_SALE, ibs: OF_SALE };

// A case of a tax with nothing but its day and what is usual: today, the first day of the year if the tax is of the year, as its example
// says, or the year.
export function freshCase(tax) {
  const year = today().slice(0, 4);
  const day = (nome) => (tax.exemplo[nome]?.endsWith("-01-01") ? `${year}-01-01` : today());
  const days = tax.campos.filter(({ tipo, obrigatorio }) => tipo === "data" && obrigatorio).map(({ nome }) => [nome, day(nome)]);
  const years = tax.campos.filter(({ nome }) => nome === "exercicio").map(({ nome }) => [nome, Number(year)]);
  return { ...Object.fromEntries([...days, ...years]), ...USUAL[tax.tributo] };
}

// A day on which the rule answers: the example's, else today, else the first day of the rule.
function dayWithin(rule, wished) {
  const answers = (iso) => iso >= rule.vigente_de && (!rule.vigente_ate || iso < rule.vigente_ate);
  return [wished, today()].find(answers) ?? rule.vigente_de;
}

const first = (value) => (Array.isArray(value) ? value[0] : value);

// The example of the rule's tax, changed to fit the rule's scope. `notes` lists the changes.
export function caseOfRule(rule) {
  const tax = taxOf(rule.tributo);
  const example = exampleOf(tax);
  const notes = [];
  const payload = { ...example };
  for (const field of tax.campos) {
    const named = field.nome === "uf" ? rule.uf_origem : first(rule[field.nome]);
    // The rule of a fiscal unit has a word in its scope that no case may name.
    const scope = field.tipo !== "opcoes" || field.valores.includes(named) ? named : null;
    if (field.tipo === "data") {
      payload[field.nome] = dayWithin(rule, example[field.nome]);
      if (payload[field.nome] !== example[field.nome]) notes.push(`data ${date(payload[field.nome])}, em que a regra responde`);
    } else if (field.nome === "exercicio") {
      payload[field.nome] = Number(dayWithin(rule, `${example.exercicio}-01-01`).slice(0, 4));
    } else if (field.nome === "ncm" && scope && scope.length < 8) {
      payload.ncm = scope.padEnd(8, "0");
      notes.push(`NCM ${payload.ncm}: a regra vale para os que começam por ${scope}; complete o código`);
    } else if (scope !== undefined && scope !== null) {
      payload[field.nome] = scope;
    } else if (["ncm", "cest", "ex", "item_lista_servico"].includes(field.nome) && !field.obrigatorio) {
      delete payload[field.nome];
    }
  }
  return { payload, notes };
}

// The taxes and their fields, as the service declares and validates them.

import { learn, words } from "./words.js";

let taxes = [];
let ufs = [];
// The facts of an operation, declared as those of a tax.
let operation = null;

async function declaration(name) {
  const response = await fetch(`/sandbox/${name}.json`);
  if (!response.ok) throw new Error(`${name}.json: ${response.status}`);
  return response.json();
}

const listUfs = (tax) => tax.campos.filter((field) => field.tipo === "uf").forEach((field) => Object.assign(field, { tipo: "opcoes", valores: ufs }));

export async function loadTaxes() {
  const declared = await declaration("dados");
  learn(declared);
  ufs = declared.ufs;
  taxes = declared.tributos.map((tax) => ({ ...declared.tributos.find((other) => other.tributo === tax.como), ...tax }));
  operation = { detalhes: {}, conteudo: {}, ...declared.operacao };
  [...taxes, operation].forEach(listUfs);
}

// The members of a rule of a tax, as the fields of a form.
export async function ruleForm(tributo) {
  const campos = await declaration(`regra_${tributo}`);
  listUfs({ campos });
  return campos;
}

export const allTaxes = () => taxes;

// A tax, or the operation.
export const taxOf = (tributo) => [...taxes, operation].find((tax) => tax?.tributo === tributo);

export const siglaOf = (tributo) => taxOf(tributo)?.sigla ?? tributo;

export const listed = (texts) => new Intl.ListFormat("pt-BR").format(texts);

export const fieldOf = (tributo, nome) => taxOf(tributo)?.campos.find((field) => field.nome === nome);

// What is declared of a member of an answer ("detalhes") or of a rule ("conteudo"), or of a payload: its label,
// its kind, and the members within it.
export function memberOf(tributo, part, name) {
  if (part !== "pedido") return taxOf(tributo)?.[part][name];
  const field = fieldOf(tributo, name);
  if (!field || field.tipo === "opcoes") return field && [field.rotulo, "palavra"];
  return [field.rotulo, field.tipo === "decimal" && name !== "quantidade" ? "valor" : field.tipo];
}

// What people call a member.
export const labelOf = (member, name) => member?.[0] || words(name);

// What is declared of a field of that name by the first tax that has it.
export const anyField = (nome) => taxes.flatMap((tax) => tax.campos).find((field) => field.nome === nome);

// True of a field that a tax declares as required, which an operation may do without.
export const isRequired = (nome) => taxes.some((tax) => tax.campos.some((field) => field.nome === nome && field.obrigatorio));

// What CBS and IBS ask of 2026 alone: PIS and COFINS end (ADCT, art. 126), and the test year does (LC 214/2025, art. 348).
const OF_TEST_YEAR = { valor_pis: "0", valor_cofins: "0", cumpre_obrigacoes_acessorias: true };

// The members that the law of the day does not ask for, with a value that says nothing.
export const notAsked = ({ lei_da_data: law }, day) => (law && (day ?? "") >= law.desde ? OF_TEST_YEAR : {});

// The payload of a tax with the flag that asks for the law of its day, by the day alone.
export function askedByDay(members) {
  const tax = taxOf(members.tributo);
  const law = tax?.lei_da_data;
  if (!law) return members;
  const day = members[law.data];
  const rest = Object.fromEntries(Object.entries(members).filter(([name]) => name !== law.campo));
  return (day ?? "") >= law.desde ? { ...notAsked(tax, day), ...rest, [law.campo]: true } : rest;
}

export const exampleOf = (tax) => tax.exemplo;

export const allUfs = () => ufs;

// The filters by tax, UF and NCM, which several lists have; of some a UF may be asked for with the whole country.
export const placeFilters = (withCountry = false) => [
  { name: "tributo", label: "Tributo", options: [["", "Todos"], ...taxes.map((tax) => [tax.tributo, tax.sigla])] },
  { name: "uf", label: "UF", options: [["", "Todas"], ...ufs.map((uf) => [uf, uf])] },
  ...withCountry ? [{ name: "pais", label: "Com a UF", options: [["", "Só as regras dela"], ["true", "Também as de todo o país"]] }] : [],
  { name: "ncm", label: "NCM", hint: "8 dígitos", code: anyField("ncm").exemplo },
];

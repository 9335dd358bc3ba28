// The taxes and their fields, as the service declares and validates them.

import { labelled } from "./field.js";
import { words } from "./words.js";

let taxes = [];
let ufs = [];

export async function loadTaxes() {
  const [declared, units] = await Promise.all(["tributos", "ufs"].map(async (name) => {
    const response = await fetch(`/sandbox/${name}.json`);
    if (!response.ok) throw new Error(`${name}.json: ${response.status}`);
    return response.json();
  }));
  taxes = declared;
  ufs = units;
  taxes.flatMap((tax) => tax.campos).filter((field) => field.tipo === "uf").forEach((field) => Object.assign(field, { tipo: "opcoes", valores: ufs }));
}

export const allTaxes = () => taxes;

export const taxOf = (tributo) => taxes.find((tax) => tax.tributo === tributo);

export const siglaOf = (tributo) => taxOf(tributo)?.sigla ?? tributo;

export const fieldOf = (tributo, nome) => taxOf(tributo)?.campos.find((field) => field.nome === nome);

// The kinds of the names of a part of a tax: of its payload ("pedido"), of the components of its answers
// ("detalhes"), of what its rules compute with ("conteudo").
export const kindIn = (tributo, part) => (name) => {
  const tax = taxOf(tributo);
  if (part !== "pedido") return Object.keys(tax?.[part] ?? {}).find((kind) => tax[part][kind].includes(name));
  const type = fieldOf(tributo, name)?.tipo;
  if (type === "opcoes") return "palavra";
  return type === "decimal" && name !== "quantidade" ? "valor" : type;
};

// What people call a field of a payload or scope.
export function nameOf(tributo, nome) {
  const field = fieldOf(tributo, nome);
  return field ? labelled(field).label : words(nome);
}

export const exampleOf = (tax) => JSON.parse(tax.exemplo);

export const allUfs = () => ufs;

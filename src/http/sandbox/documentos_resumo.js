// The sums of the report on documents: by company and month, by tax, by product, and what could not be checked.

import { h } from "./dom.js";
import { sayOfCompany } from "./documentos_empresas.js";
import { addressOf } from "./filters.js";
import { integer, money } from "./format.js";
import { siglaOf, taxOf } from "./taxes.js";
import { words } from "./words.js";

export const taxName = (tributo) => (taxOf(tributo) ? siglaOf(tributo) : words(tributo));

// The name of a cause as people read it.
const CAUSES = { __proto__: null, valor: "Valor", total: "Total da nota" };
const cause = (codigo) => CAUSES[codigo] ?? words(codigo).replace(/\b(crt|cst|cfop|cclasstrib|ibscbs)\b/gi, (code) => code.toUpperCase());

const amount = (value) => (Number(value) === 0 ? "–" : money(value));

export const month = (mes) => mes.split("-").reverse().join("/");

export function companyName({ empresa, mes }) {
  if (!empresa && !mes) return "Arquivos que não são notas, ou que não puderam ser lidos";
  return `${empresa ? `Empresa de final ${empresa.slice(0, 4)}-${empresa.slice(4)}` : "Emitente sem CNPJ"}, ${mes ? month(mes) : "sem data"}`;
}

const DIFFERENCES = [
  ["Divergem", ({ diverge }) => integer(diverge)],
  ["A maior", ({ a_maior: value }) => amount(value)],
  ["A menor", ({ a_menor: value }) => amount(value)],
  ["A conferir, a maior", ({ a_maior_conferir: value }) => amount(value)],
  ["A conferir, a menor", ({ a_menor_conferir: value }) => amount(value)],
];
const ALL = [...DIFFERENCES,
  ["Conferem", ({ confere }) => integer(confere)],
  ["Não conferidas", ({ recusado }) => integer(recusado)],
];

// A cell without an amount is left out where there is no room.
const cell = (label, text) => h("td", { "data-rotulo": label, class: text === "–" ? "nada" : undefined }, text);

const table = (caption, heading, columns, rows) => h("table", { class: "somas" }, h("caption", { class: "oculto" }, caption),
  h("thead", {}, h("tr", {}, h("th", { scope: "col" }, heading), columns.map(([name]) => h("th", { scope: "col" }, name)))),
  h("tbody", {}, rows.map(([name, sums]) => h("tr", {}, h("th", { scope: "row" }, name),
    columns.map(([label, read]) => cell(label, read(sums)))))));

function products({ produtos, outros_produtos: others }) {
  if (produtos.length === 0) return null;
  const rows = produtos.map((one) => [[`${taxName(one.tributo)}: ${cause(one.codigo)}`,
    h("small", {}, [one.ncm && `NCM ${one.ncm}`, one.produto && `produto ${one.produto}`].filter(Boolean).join(", ") || "nota inteira")], one]);
  return h("details", { class: "imprime" }, h("summary", {}, `Por produto e causa: ${integer(produtos.length + others)}`),
    table("Diferenças por produto e causa", "Produto e causa", DIFFERENCES, rows),
    others > 0 ? h("p", { class: "ajuda" }, `E mais ${integer(others)}, de valores menores.`) : null);
}

function missing({ faltas }) {
  if (faltas.length === 0) return null;
  const item = ({ tributo, linhas, detalhe }) => h("li", {}, h("strong", {}, `${taxName(tributo)}, ${linhas === 1 ? "1 linha" : `${integer(linhas)} linhas`}: `), sayOfCompany(tributo, detalhe));
  return h("details", { class: "imprime" }, h("summary", {}, `O que faltou para conferir: ${integer(faltas.length)}`), h("ul", { class: "falhas" }, faltas.map(item)));
}

function company(one) {
  const { empresa, mes } = one;
  return h("section", { class: "cartao" }, h("h3", {}, companyName(one)),
    table("Somas por tributo", "Tributo", ALL, one.tributos.map((sums) => [taxName(sums.tributo), sums])),
    products(one), missing(one),
    h("p", { class: "so-tela" }, h("a", { href: addressOf("documentos", { empresa: empresa || "-", mes: mes || "-", situacao: "todas" }) }, "Ver as linhas")));
}

// Most companies and months that are shown at once.
const SHOWN = 60;

export function summaryOf(companies) {
  // What is no document comes last.
  const sorted = [...companies.filter(({ mes }) => mes), ...companies.filter(({ mes }) => !mes)];
  return [sorted.slice(0, SHOWN).map(company),
    companies.length > SHOWN ? h("p", { class: "contagem" }, `E mais ${integer(companies.length - SHOWN)} empresas e meses: o arquivo baixado tem as linhas de todos.`) : null];
}

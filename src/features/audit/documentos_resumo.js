// The sums of the report on documents: what to correct, by company and month, by tax, by product, and what could not be checked.

import { copyButton } from "./copy.js";
import { badge, h, pairs } from "./dom.js";
import { addressOf } from "./filters.js";
import { counted, date, integer, money } from "./format.js";
import { allTaxes, siglaOf, taxOf } from "./taxes.js";
import { causes, certainties, words } from "./words.js";

// What a finding is about: a tax, or else the NCM, or a document or item as a whole.
export const subject = (tributo) => (tributo === "item" ? "documento" : tributo);
export const WHOLE = "Documento e item";
export const taxName = (tributo) => (subject(tributo) === "documento" ? WHOLE : taxOf(tributo) ? siglaOf(tributo) : words(tributo));

const amount = (value) => (Number(value) === 0 ? "–" : money(value));
const count = (lines) => (lines === 0 ? "–" : integer(lines));

export const month = (mes) => mes.split("-").reverse().join("/");

export function companyName({ empresa, mes }) {
  if (!empresa && !mes) return "Arquivos que não são notas, ou que não puderam ser lidos";
  return `${empresa ? `Empresa ${empresa}` : "Emitente sem CNPJ"}, ${mes ? month(mes) : "sem data"}`;
}

// The name of the files of a report: with the company and the month, if it has one of each.
export function reportName(companies) {
  const only = (name) => {
    const all = new Set(companies.map((one) => one[name]).filter(Boolean));
    return all.size === 1 ? [...all] : [];
  };
  return ["conferencia", ...only("empresa").map((empresa) => empresa.replace(/[^0-9A-Z]/g, "")), ...only("mes")].join("-");
}

/** @type {[string, (sums: any) => string][]} */
const DIFFERENCES = [
  ["Divergem", ({ diverge }) => count(diverge)],
  ["A maior", ({ a_maior: value }) => amount(value)],
  ["A menor", ({ a_menor: value }) => amount(value)],
  ["A conferir, a maior", ({ a_maior_conferir: value }) => amount(value)],
  ["A conferir, a menor", ({ a_menor_conferir: value }) => amount(value)],
];
const ALL = [...DIFFERENCES,
  ["Conferem", ({ confere }) => count(confere)],
  ["Não conferidas", ({ recusado }) => count(recusado)],
];

// Most companies and months that are shown at once.
const SHOWN = 60;

export const few = (all, show, rest) => [all.slice(0, SHOWN).map(show),
  all.length > SHOWN ? h("p", { class: "contagem" }, `E mais ${integer(all.length - SHOWN)} ${rest}`) : null];

// A cell without an amount is left out if it does not fit.
const cell = (label, text) => h("td", { "data-rotulo": label, class: text === "–" ? "nada" : undefined }, text);

export const table = (caption, heading, columns, rows) => h("table", { class: "somas" }, h("caption", { class: "oculto" }, caption),
  h("thead", {}, h("tr", {}, h("th", { scope: "col" }, heading), columns.map(([name]) => h("th", { scope: "col" }, name)))),
  h("tbody", {}, rows.map(([name, sums]) => h("tr", {}, h("th", { scope: "row" }, name),
    columns.map(([label, read]) => cell(label, read(sums)))))));

// The sums by subject in the order of the taxes, which findings of no tax follow.
function subjects(tributos) {
  const sums = new Map();
  for (const one of tributos) {
    const known = sums.get(taxName(one.tributo));
    const added = known && Object.fromEntries(["confere", "diverge", "recusado"].map((name) => [name, known[name] + one[name]]));
    sums.set(taxName(one.tributo), { ...one, ...added });
  }
  const order = allTaxes().map(({ sigla }) => sigla);
  /** @type {(entry: any[]) => number} */
  const place = ([name]) => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...sums].sort((one, other) => place(one) - place(other));
}

const wasChecked = ({ confere, diverge, recusado }) => confere + diverge + recusado > 0;

// The sums of what was checked; what has nothing to be checked is only named.
function taxes({ tributos }) {
  const all = subjects(tributos);
  const idle = all.filter(([name, sums]) => name !== WHOLE && !wasChecked(sums)).map(([name]) => name);
  return [table("Somas por tributo", "Tributo", ALL, all.filter(([, sums]) => wasChecked(sums))),
    idle.length > 0 ? h("p", { class: "ajuda" }, `Nada a conferir em ${idle.join(", ")}.`) : null];
}

function products({ produtos, outros_produtos: others }) {
  if (produtos.length === 0) return null;
  const rows = produtos.map((one) => [[`${taxName(one.tributo)}: ${causes[one.codigo] ?? one.codigo}`,
    h("small", {}, [one.ncm && `NCM ${one.ncm}`, one.produto && `produto ${one.produto}`].filter(Boolean).join(", ") || "nota inteira")], one]);
  return h("details", { class: "imprime" }, h("summary", {}, `Por produto e causa: ${integer(produtos.length + others)}`),
    table("Diferenças por produto e causa", "Produto e causa", DIFFERENCES, rows),
    others > 0 ? h("p", { class: "ajuda" }, `E mais ${integer(others)}, de valores menores.`) : null);
}

// What was not checked, and why: what could not be, and what has nothing to be checked. Of a file that is not a document,
// each line is that of one file.
function missing({ faltas, sem_conferencia: idle }, ofFiles) {
  if (faltas.length + idle.length === 0) return null;
  const many = ({ tributo, linhas }) => (ofFiles ? `${counted(linhas, "arquivo")}${linhas > 1 ? "; no primeiro" : ""}: `
    : `${taxName(tributo)}, ${counted(linhas, "linha")}${linhas > 1 ? "; na primeira" : ""}: `);
  const item = (one) => h("li", {}, h("strong", {}, many(one)), one.detalhe);
  const reason = ({ tributos, linhas, detalhe }) => h("li", {}, h("strong", {}, `${[...new Set(tributos.map(taxName))].join(", ")}, ${counted(linhas, "linha")}: `), detalhe);
  const lines = [...faltas, ...idle].reduce((sum, { linhas }) => sum + linhas, 0);
  return h("details", { class: "imprime", open: ofFiles || faltas.length > 0 }, h("summary", {}, `O que não foi conferido, e por quê: ${counted(lines, "linha")}`),
    faltas.length > 0 ? [h("p", {}, "Faltou um fato ou uma regra"), h("ul", { class: "falhas" }, faltas.map(item))] : null,
    idle.length > 0 ? [h("p", {}, "Não há o que conferir"), h("ul", {}, idle.map(reason))] : null);
}

// What the message says to the client, who is to ask the office, as the office reads it.
const TO_CHECK = "Confira antes de pedir a mudança: pode estar certo por um motivo que a nota não mostra.";

// The notes of a cause, its law and what to do.
function particulars(one) {
  const days = [one.desde, one.ate].filter((day, at, all) => day && day !== all[at - 1]).map(date).join(" a ");
  return [`${one.contagem}: ${one.numeros}${days && `; ${days}`}`, one.detalhe, one.lei && `Lei: ${one.lei}`,
    one.vale_ate && `A regra vale até ${date(one.vale_ate)}`,
    Number(one.fora_das_somas) !== 0 && `Diferença de ${money(one.fora_das_somas)}, fora das somas`, one.certeza === "conferir" ? TO_CHECK : one.o_que_fazer].filter(Boolean).map((text) => h("small", {}, text));
}

function toCorrect({ empresa, nome, causas, outras_causas: others, mensagem }) {
  const rows = causas.map((one) => [[badge(certainties[one.certeza], one.certeza === "conferir" ? "alerta" : ""), ` ${taxName(one.tributo)}: ${one.resumo}`, particulars(one)], one]);
  return h("div", { class: "cartao corrigir" }, h("h3", {}, `O que corrigir: ${[nome, empresa].filter(Boolean).join(", ") || "emitente sem CNPJ"}`),
    table("O que corrigir", "Causa", [["Notas", ({ notas }) => integer(notas)], DIFFERENCES[1], DIFFERENCES[2]], rows),
    others > 0 ? h("p", { class: "ajuda" }, `E mais ${integer(others)}, de valores menores.`) : null,
    h("div", { class: "botoes so-tela" }, copyButton("Copiar mensagem", () => mensagem)));
}

// What each company is to correct, a row for each cause.
export const correctOf = (clients) => few(clients, toCorrect, "empresas: o arquivo baixado tem todas.");

const isOfFiles = ({ empresa, mes }) => !empresa && !mes;

const linesLink = ({ empresa, mes }, text) => h("a", { href: addressOf("documentos", { empresa: empresa || "-", mes: mes || "-", situacao: "todas" }) }, text);

// How many lines are about files that are not notes.
function noNotes({ tributos }) {
  const lines = tributos.reduce((sum, { nao_se_aplica: count }) => sum + count, 0);
  return lines > 0 ? h("p", {}, `${counted(lines, "linha")} de arquivos que não são notas (MDF-e, eventos, EFD, PDF e outros), em que nada se confere.`) : null;
}

function company(one) {
  return h("section", { class: "cartao" }, h("h3", {}, companyName(one)),
    isOfFiles(one) ? noNotes(one) : taxes(one), missing(one, isOfFiles(one)), products(one),
    h("p", { class: "botoes so-tela" }, linesLink(one, "Ver as linhas")));
}

// The companies and months of which nothing was to be checked.
function idleCompanies(companies) {
  if (companies.length === 0) return null;
  return h("section", { class: "cartao" }, h("h3", {}, "Sem nada a conferir"),
    h("p", { class: "ajuda" }, "Só documentos cancelados, repetidos, do Simples ou de operações sem imposto. As linhas de cada um dizem por quê."),
    h("ul", {}, companies.slice(0, SHOWN).map((one) => h("li", {}, linesLink(one, companyName(one))))),
    companies.length > SHOWN ? h("p", { class: "ajuda" }, `E mais ${integer(companies.length - SHOWN)}.`) : null);
}

// What an amount of several sums adds up to.
export const added = (sums, name) => String(sums.reduce((sum, one) => sum + BigInt(one[name].replace(".", "")), 0n)).padStart(3, "0").replace(/(..)$/, ".$1");

// What the whole report adds up to: the lines that differ, their amounts, and the lines that could not be checked.
export function totalsOf(companies) {
  const sums = companies.flatMap(({ tributos }) => tributos);
  const all = Object.fromEntries(["a_maior", "a_menor", "a_maior_conferir", "a_menor_conferir"].map((name) => [name, added(sums, name)]));
  all.diverge = sums.reduce((sum, { diverge }) => sum + diverge, 0);
  const said = DIFFERENCES.map(([label, read]) => [label, read(all)]).filter(([, text]) => text !== "–");
  const unchecked = sums.reduce((sum, { recusado }) => sum + recusado, 0);
  return [said.length > 0 ? null : h("p", {}, unchecked > 0 ? "Nenhuma divergência no que foi conferido." : "Nenhuma divergência."),
    pairs([...said, ["Não conferidas", unchecked > 0 ? [integer(unchecked), " ", h("a", { href: addressOf("documentos", { situacao: "recusado" }) }, "Ver as linhas")] : null]])];
}

export function summaryOf(companies) {
  const checked = companies.filter((one) => isOfFiles(one) || one.tributos.some(wasChecked));
  // Files that are not documents come last.
  const sorted = [...checked.filter(({ mes }) => mes), ...checked.filter(({ mes }) => !mes)];
  return [few(sorted, company, "empresas e meses: o arquivo baixado tem as linhas de todos."),
    idleCompanies(companies.filter((one) => !checked.includes(one)))];
}

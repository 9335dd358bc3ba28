// The lines of the report on documents: filtered by the address, a page at a time.

import { ruleCard, sentences, steps } from "./answer.js";
import { announce, badge, byId, h, put } from "./dom.js";
import { WHOLE, companyName, subject, taxName } from "./documentos_resumo.js";
import { addressOf, mountFilters } from "./filters.js";
import { date, integer, money, percent } from "./format.js";
import { allTaxes } from "./taxes.js";
import { certainties, verdicts } from "./words.js";

// Most lines that the page keeps, and as many more that differ. The files that are downloaded have all of them.
const KEPT = 20_000;
const PAGE = 100;

const STATES = [["", "Divergências"], ["recusado", "Não conferidas"], ["confere", "Conferem"], ["nao_se_aplica", "Não se aplica"], ["todas", "Todas"]];
const KINDS = { confere: "novo", confere_aliquota: "erro", diverge: "erro", recusado: "alerta", nao_se_aplica: "" };
const MEANINGS = "Erro do documento: a nota contradiz a si mesma. Erro pela regra: a regra está conferida por inteiro e dá outro valor. A conferir: pode estar certo por um motivo que a nota não mostra.";

let kept = [];
// The columns of the file that is saved, and the cells of each line as JSON.
let columns = [];
let cells = [];
// The lines of the worksheets before and after it, and those of the last one.
let sheets = { antes: [], depois: [] };
let sheet = [];
let count = 0;
let findings = 0;
let fill;
/** @type {any} */
let query = {};
let form;

const differs = ({ veredito }) => veredito === "diverge" || veredito === "confere_aliquota";
// A difference, or a file or field that cannot be read.
const isFinding = (line) => differs(line) || (line.camada === "arquivo" && line.veredito === "recusado");

export const linesOf = () => count;

// All lines of the report as a table.
export const savedTable = () => ({ colunas: columns, linhas: cells, ...sheets });

// Takes a worksheet of the report, then its rows.
export function takeSheet({ antes, ...head }) {
  sheet = antes ? sheets.antes : sheets.depois;
  sheet.push({ ...head, inteira: true });
}
export const takeRow = (row) => sheet.push(row);

// Begins a report.
export function takeColumns(colunas) {
  [columns, kept, cells, count, findings, sheets] = [colunas, [], [], 0, 0, { antes: [], depois: [] }];
}

// Takes a line of a report, and its cells.
export function takeLine(line, celulas) {
  count += 1;
  cells.push(JSON.stringify(celulas));
  if (kept.length >= KEPT && !(isFinding(line) && findings < KEPT)) return;
  findings += isFinding(line) ? 1 : 0;
  kept.push(line);
}

function fits(line, { situacao, tributo, certeza, empresa, mes }) {
  const state = !situacao ? isFinding(line) : situacao === "todas" || line.veredito === situacao;
  const is = (wanted, value) => !wanted || wanted === (value || "-");
  return state && is(tributo, subject(line.tributo)) && is(certeza, line.certeza) && is(empresa, line.empresa) && is(mes, line.data.slice(0, 7));
}

const place = ({ arquivo, documento, numero, serie, item }) => [numero && `nº ${numero}`, serie && `série ${serie}`, arquivo, documento > 1 ? `documento ${documento}` : "", item ? `item ${item}` : ""].filter(Boolean).join(", ");

// A rate without the zeros that documents write after its second place.
const rate = (value) => percent(value.replace(/(\.\d\d\d*?)0+$/, "$1"));

// What the document says and what the rule says, side by side.
function figures(line) {
  const row = (label, name, kind) => {
    const [declared, calculated] = ["declarad", "calculad"].map((word) => line[`${name}_${word}a`] ?? (name === "" ? line[`${word}o`] : null));
    return declared === null && calculated === null ? null
      : h("tr", {}, h("th", { scope: "row" }, label), [declared, calculated].map((value) => h("td", { class: "numero" }, value === null || value === undefined ? "–" : kind(value))));
  };
  const rows = [row("Base", "base", money), row(line.tributo === "icms_st" ? "Alíquota ou MVA" : "Alíquota", "aliquota", rate), row("Valor", "", money)].filter(Boolean);
  return rows.length === 0 ? null : h("table", { class: "componentes figuras" }, h("caption", { class: "oculto" }, "No documento e pela regra"),
    h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col", class: "numero" }, "No documento"), h("th", { scope: "col", class: "numero" }, "Calculado"))), h("tbody", {}, rows));
}

function opened(line) {
  return h("div", { class: "resposta" },
    h("p", { class: "ajuda" }, [companyName({ empresa: line.empresa, mes: line.data.slice(0, 7) }), line.data && date(line.data), line.ncm && `NCM ${line.ncm}`, line.produto && `produto ${line.produto}`].filter(Boolean).join("; ")),
    figures(line),
    line.avisos ? h("section", { class: "aviso alerta" }, h("h4", {}, "Avisos da regra"), h("ul", {},
      sentences(line.avisos, line.condicoes_dos_avisos).map((one) => h("li", {}, one)))) : null,
    line.regra ? ruleCard(line.regra, false) : null,
    steps(line.tributo, { memoria: line.memoria }, line.regra?.citacao_legal));
}

function item(line) {
  const difference = line.diferenca && Number(line.diferenca) !== 0
    ? h("strong", { class: "diferenca" }, `${money(line.diferenca.replace("-", ""))} ${line.diferenca.startsWith("-") ? "a menor" : "a maior"}`) : null;
  const details = h("details", { toggle: () => {
    if (details.open && details.childElementCount === 1) details.append(opened(line));
  } }, h("summary", {}, badge(verdicts[line.veredito], KINDS[line.veredito]), " ",
    line.certeza ? badge(certainties[line.certeza], line.certeza === "conferir" ? "alerta" : "") : null, " ",
    h("strong", {}, taxName(line.tributo)), ` ${place(line)} `, difference,
    h("small", {}, line.explicacao ? `${line.detalhe}. O que explica: ${line.explicacao.detalhe}` : line.detalhe)));
  return h("li", {}, details);
}

function pages(found, at) {
  const last = Math.ceil(found / PAGE);
  const link = (to, text, rel) => h("a", { class: "botao", rel, href: addressOf("documentos", { ...query, pagina: to > 1 ? to : "" }) }, text);
  return last < 2 ? null : h("nav", { class: "paginas", "aria-label": "Páginas" },
    at > 1 ? link(at - 1, "← Página anterior", "prev") : null, at < last ? link(at + 1, "Próxima página →", "next") : null);
}

function show() {
  const out = byId("documentos-linhas");
  if (!out) return;
  const found = kept.filter((line) => fits(line, query));
  const at = Math.min(Math.max(1, Number(query.pagina) || 1), Math.max(1, Math.ceil(found.length / PAGE)));
  const from = (at - 1) * PAGE;
  const shown = found.slice(from, from + PAGE);
  const only = query.empresa || query.mes
    ? companyName({ empresa: (query.empresa ?? "").replace(/^-$/, ""), mes: (query.mes ?? "").replace(/^-$/, "") }) : null;
  const text = found.length === 0 ? "Nenhuma linha assim neste relatório."
    : `${found.length > PAGE ? `Linhas ${integer(from + 1)} a ${integer(from + shown.length)} de ` : ""}${found.length === 1 ? "1 linha" : `${integer(found.length)} linhas`}.`;
  put(out,
    h("p", { class: "contagem" }, text, only ? [` ${only}. `, h("a", { href: "#documentos" }, "Ver todas as empresas")] : null),
    count > kept.length ? h("p", { class: "ajuda" }, `O relatório tem ${integer(count)} linhas; esta página guarda ${integer(kept.length)}, as que divergem primeiro. As outras contam nas somas e estão no arquivo baixado.`) : null,
    h("ol", { class: "achados", start: String(from + 1) }, shown.map(item)),
    pages(found.length, at));
  announce(text);
}

// Puts the filters and the lines at the end of the report.
export function showLines(out) {
  out.append(h("section", { class: "cartao" }, h("h3", {}, "Linha por linha"), h("p", { class: "ajuda" }, MEANINGS), form, h("div", { id: "documentos-linhas" })));
  show();
}

export function mountLines() {
  form = h("form", { class: "filtros", autocomplete: "off" });
  const taxes = [["", "Todos"], ...allTaxes().map((tax) => [tax.tributo, tax.sigla]), ["documento", WHOLE], ["ncm", "NCM"]];
  fill = mountFilters(form, "documentos", [
    { name: "situacao", label: "Situação", options: STATES },
    { name: "tributo", label: "Tributo", options: taxes },
    { name: "certeza", label: "Certeza", options: [["", "Qualquer"], ...Object.entries(certainties)] },
  ], "Filtrar");
}

export function enterLines(parameters) {
  query = fill(parameters);
  show();
}

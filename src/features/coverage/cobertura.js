// The part Cobertura: what the rules answer, by tax and UF, to which grade, and in which municipalities.

import { withQuery } from "./api.js";
import { announce, h, byId, put } from "./dom.js";
import { addressOf, mountFilters } from "./filters.js";
import { date, integer } from "./format.js";
import { lister } from "./list.js";
import { MEANING, municipalitiesOf } from "./municipalities.js";
import { allUfs, siglaOf } from "./taxes.js";
import { GRADES, gradeInFull, words } from "./words.js";

const STATES = { responde: ["✓", "responde"], em_parte: ["◐", "em parte"], recusa: ["✕", "recusa"], extinto: ["∅", "extinto"], ausente: ["–", "sem regra"] };
const LEGEND = {
  responde: "toda regra tem os seus valores.",
  em_parte: "“5 de 8”: das 8 regras, 5 respondem, por inteiro ou em parte, e 3 recusam. “8; 3 em parte”: todas as 8 respondem, e 3 delas recusam alguns pedidos.",
  recusa: "há regra, mas o seu valor não está estabelecido, ou o caso não é calculado.",
  extinto: "a lei extinguiu o tributo.",
  ausente: "o taxd não tem regra.",
};

/** @type {(parameters: URLSearchParams) => any} */
let fill = () => {};
/** @type {(path: string) => void} */
let read = () => {};
let asked = {};
// The day that is shown.
let day = "";

const table = (title, head, rows) => h("div", { class: "rolagem", tabindex: "0", role: "region", "aria-label": title },
  h("table", { class: "grade-de-dados" }, h("caption", { class: "oculto" }, title),
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows)));

const rule = (parameters) => addressOf("regras", { ...parameters, vigente_em: day });

function mark(state, text) {
  const [sign, name] = STATES[state];
  return h("span", { class: `estado e-${state}` }, h("span", { "aria-hidden": "true" }, `${sign} `), text ?? name);
}

// How many answer in part or wholly, in words that agree with the sign of "em parte".
function answered({ whole, partly, total, all }) {
  if (whole + partly < total) return `${integer(whole + partly)} de ${integer(total)}`;
  if (whole > 0) return `${integer(total)}; ${integer(partly)} em parte`;
  return total === 1 ? "em parte" : `${all} em parte`;
}

const countOf = ({ sim, em_parte, nulo, recusa, extinto }) => sim + em_parte + nulo + recusa + extinto;

// A tax in a UF: of a municipal tax, how many municipalities answer.
function cell(tax, uf, found) {
  if (!found) return h("td", {}, mark("ausente"));
  const { regras, municipios, segmentos, nacionais, situacao } = found;
  const parts = municipios ?? segmentos;
  const [counts, href] = parts
    ? [{ whole: parts.responde, partly: parts.em_parte, total: parts.total, all: "todos", of: municipios ? "municípios" : "segmentos" },
      municipios ? addressOf("cobertura", { ...asked, tributo: tax.tributo, municipios: uf }) : rule({ tributo: tax.tributo, uf })]
    : [{ whole: regras.sim, partly: regras.em_parte, total: regras.sim + regras.em_parte + regras.nulo + regras.recusa, all: "todas", of: nacionais ? "regras, contadas as nacionais" : "regras" },
      rule({ tributo: tax.tributo, uf: uf === "país" || nacionais === countOf(regras) ? undefined : uf })];
  const text = situacao === "em_parte" ? answered(counts) : STATES[situacao][1];
  const label = situacao === "em_parte" ? `${text} (de ${integer(counts.total)} ${counts.of}, ${integer(counts.whole)} respondem por inteiro e ${integer(counts.partly)} em parte)` : text;
  return h("td", { title: segmentos?.texto }, h("a", { href, "aria-label": `${siglaOf(tax.tributo)}, ${uf}: ${label}` }, mark(situacao, text)));
}

function byUf(taxes) {
  const local = taxes.filter((tax) => Object.keys(tax.ufs).length > 0);
  const row = (uf, found) => h("tr", {}, h("th", { scope: "row" }, uf), local.map((tax) => cell(tax, uf, found(tax))));
  return h("section", { class: "cartao" }, h("h3", {}, "Por UF"),
    h("p", { class: "ajuda" }, "Do ISS, do IPTU e do ITBI contam-se os municípios; do ICMS-ST, os segmentos do Convênio ICMS 142/2018; dos outros, as regras, também as nacionais que valem na UF. Cada célula leva às regras."),
    h("ul", { class: "legenda" }, Object.keys(STATES).map((state) => h("li", {}, mark(state), `: ${LEGEND[state]}`))),
    local.length === 0 ? h("p", { class: "vazio" }, "Nesse dia nenhuma UF tem regra.") : table("Cobertura por UF e tributo", ["UF", ...local.map((tax) => siglaOf(tax.tributo))], [
      ...allUfs().map((uf) => row(uf, (tax) => tax.ufs[uf])),
      row("país", (tax) => tax.pais)]));
}

// The UFs of each segment, of a tax whose rules are by CEST: those with a figure, and those that have rules without one.
function segmentsOf(ufs) {
  const found = new Map();
  for (const [uf, { segmentos }] of Object.entries(ufs)) {
    for (const [name, state] of Object.entries(segmentos?.situacoes ?? {})) {
      if (!found.has(name)) found.set(name, [[], []]);
      found.get(name)[["responde", "em_parte"].includes(state) ? 0 : 1].push(uf);
    }
  }
  return [...found].sort(([one], [other]) => one.localeCompare(other, "pt-BR"));
}

function bySegment(taxes) {
  return taxes.filter((tax) => Object.values(tax.ufs).some((found) => found.segmentos)).map((tax) => {
    const links = (ufs) => ufs.flatMap((uf) => [h("a", { href: rule({ tributo: tax.tributo, uf }) }, uf), " "]);
    const rows = segmentsOf(tax.ufs).map(([name, [good, bad]]) => h("tr", {}, h("th", { scope: "row" }, name),
      h("td", {}, good.length > 0 ? links(good) : "nenhuma UF"), h("td", {}, links(bad))));
    return h("section", { class: "cartao", id: "cobertura-segmentos" },
      h("h3", {}, `${siglaOf(tax.tributo)} por segmento`),
      h("p", { class: "ajuda" }, "Os segmentos do Convênio ICMS 142/2018, pelos dois primeiros dígitos do CEST. UF que não aparece não tem regra do segmento."),
      table(`${siglaOf(tax.tributo)} por segmento`, ["Segmento", "Respondem", "Só recusam"], rows));
  });
}

function grades(taxes) {
  // The grade of the office is only shown where it has rules.
  const shown = GRADES.filter((grade) => taxes.some((tax) => tax.conferencia[grade] !== undefined));
  const share = (part, whole) => (whole === 0 ? "–" : `${Math.round((part / whole) * 100)} %`);
  const rows = taxes.map((tax) => {
    const { sim, em_parte, nulo, recusa } = tax.regras;
    const whole = sim + em_parte + nulo + recusa + tax.regras.extinto;
    return h("tr", {}, h("th", { scope: "row" }, h("a", { href: rule({ tributo: tax.tributo }) }, siglaOf(tax.tributo))),
      h("td", {}, mark(tax.situacao)),
      [whole, sim, em_parte, whole - sim - em_parte].map((number) => h("td", { class: "numero" }, integer(number))),
      shown.map((grade) => h("td", { class: "numero" }, h("a", { href: rule({ tributo: tax.tributo, conferencia: grade }) }, share(tax.conferencia[grade], whole)))));
  });
  return h("section", { class: "cartao" }, h("h3", {}, "Por tributo, e com que conferência"),
    h("p", { class: "ajuda" }, "Quantas regras respondem, e como o valor de cada uma foi conferido."),
    h("ul", { class: "legenda" }, shown.map((grade) => h("li", {}, gradeInFull(grade)))),
    table("Cobertura por tributo", ["Tributo", "No todo", "Regras", "Respondem", "Em parte", "Recusam", ...shown.map(words)], rows));
}

// The version of each official table that the rules follow.
function official(tables) {
  if (tables.length === 0) return null;
  const rows = tables.map((table) => h("tr", {}, h("th", { scope: "row" }, table.nome),
    h("td", {}, table.versao, table.mudancas ? h("ul", {}, table.mudancas.map((change) => h("li", {}, change))) : null),
    h("td", {}, date(table.data), table.vigente_ate ? `, até antes de ${date(table.vigente_ate)}` : null),
    h("td", { class: "numero" }, integer(table.idade_dias)),
    h("td", { class: "numero" }, integer(table.pacotes.length))));
  return h("section", { class: "cartao" }, h("h3", {}, "Tabelas oficiais que as regras seguem"),
    h("p", { class: "ajuda" }, "A versão de cada uma, o dia dela e o que se sabe que mudou depois. Uma tabela antiga pode estar em vigor."),
    table("Tabelas oficiais", ["Tabela", "Versão", "Dia", "Idade em dias", "Pacotes"], rows));
}

function show(reply) {
  const { tributos: taxes } = reply.body;
  day = reply.body.vigente_em;
  const said = `O que as regras respondem em ${date(day)}.`;
  announce(said);
  put(byId("cobertura-lista"), h("p", { class: "contagem" }, said), h("div", { id: "cobertura-municipios" }), byUf(taxes), grades(taxes), bySegment(taxes), official(reply.body.tabelas));
  showMunicipalities();
}

// The municipalities of the UF in the address: those that answer, and how many do not.
async function showMunicipalities() {
  const { tributo, municipios: uf } = asked;
  const out = byId("cobertura-municipios");
  if (!tributo || !uf || !out) return;
  const all = await municipalitiesOf(tributo, uf, asked.vigente_em);
  const known = all.filter(({ situacao }) => situacao !== "ausente");
  const rest = all.length - known.length;
  const title = `${siglaOf(tributo)} nos municípios: ${uf}`;
  put(out, h("section", { class: "cartao" }, h("h3", { tabindex: "-1" }, title),
    known.length === 0 ? null : h("ul", { class: "municipios" }, known.map(({ nome, situacao }) => h("li", {}, mark(situacao), " ",
      h("a", { href: rule({ tributo, uf, municipio: nome }) }, nome)))),
    h("p", { class: "ajuda" }, rest === 0 ? "Todos os municípios da UF têm regra." : `Os outros ${integer(rest)} municípios não têm regra: o cálculo é recusado, o que não quer dizer que não haja imposto.`)));
  out.querySelector("h3").focus();
}

export function mount(section) {
  put(section,
    h("div", { class: "cartao" },
      h("h2", { id: "cobertura-titulo", tabindex: "-1" }, "Cobertura"),
      h("p", { class: "ajuda" }, `Onde há resposta. ${MEANING}`),
      h("form", { id: "cobertura-filtros", class: "filtros", autocomplete: "off" })),
    h("div", { id: "cobertura-lista", role: "region", "aria-label": "O que as regras respondem" }));
  read = lister(byId("cobertura-lista"), "a cobertura", show);
  fill = mountFilters(byId("cobertura-filtros"), "cobertura", [{ name: "vigente_em", label: "No dia", date: true, hint: "hoje" }], "Ver");
}

export function enter(entered) {
  asked = fill(entered);
  read(withQuery("/sandbox/v1/cobertura", { vigente_em: asked.vigente_em }));
}

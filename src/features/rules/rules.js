// The part Regras: search, pages, the versions of a code as a timeline, and the way from a rule
// to a calculation on it.

import { sentences, shown } from "./answer.js";
import { call, withQuery } from "./api.js";
import { addressOf, caseOfRule } from "./case.js";
import { announce, badge, button, byId, h, pairs, put } from "./dom.js";
import { figuresOf } from "./figures.js";
import { saveButtons } from "./files.js";
import { mountFilters, numbered } from "./filters.js";
import { ANSWERS, day, FIRST_DAY, integer, validity } from "./format.js";
import { lister, where } from "./list.js";
import { rateHistory } from "./steps.js";
import { allTaxes, allUfs, anyField, labelOf, memberOf, siglaOf, taxOf } from "./taxes.js";
import { timeline } from "./timeline.js";
import { GRADES, words } from "./words.js";

const PAGE = 25;
const MANY_VERSIONS = 500;
const SITUATIONS = { vigente: "em vigor", futura: "futura", encerrada: "encerrada", substituida: "substituída por inteiro" };
// Members of a rule that are shown in places of their own; the rest is its scope.
const OWN = new Set(["rule_id", "rule_code", "versao", "tributo", "uf_origem", "uf_destino", "municipio", "vigente_de", "vigente_ate",
  "citacao_legal", "fonte", "conferencia", "avisos", "condicoes_dos_avisos", "motivo", "situacao", "publicado_em", "substituida_por", "conteudo"]);

/** @type {(parameters: URLSearchParams) => any} */
let fill = () => {};
/** @type {(fragment: string, said?: string) => void} */
let open = () => {};
let parameters = new URLSearchParams();
/** @type {(path: string) => void} */
let read = () => {};

// Most rules of a file, and of a question for them.
const MOST_SAVED = 5000;
const AT_ONCE = 500;
const COLUMNS = ["Tributo", "Do que trata", "Onde", "Valores", "O taxd responde desde", "Deixa de responder em", "Citação legal", "Conferência", "Situação", "Código da regra", "Versão"];

const MAX_SHOWN = 6;
const NONE = "Nenhuma regra com estes filtros.";
const NONE_CITED = "Nenhuma regra com estes filtros cita isto: tente só o número da lei, ou menos filtros.";

const pageOf = (address) => Math.max(1, Number(address.get("pagina")) || 1);

function scope(rule) {
  return Object.entries(rule).filter(([name]) => !OWN.has(name)).map(([name, value]) => {
    // The code that was searched comes first: a long list is cut.
    const asked = (code) => (name === "ncm" && parameters.get("ncm")?.startsWith(code) ? 0 : 1);
    const list = [value].flat().toSorted((one, other) => asked(one) - asked(other));
    const more = list.length > MAX_SHOWN ? ` e mais ${list.length - MAX_SHOWN}` : "";
    const member = memberOf(rule.tributo, "pedido", name) ?? ["", "palavra"];
    return [labelOf(member, name), list.slice(0, MAX_SHOWN).map((item) => shown(item, member)).join(", ") + more];
  });
}

function calculateOn(rule) {
  const { payload, notes } = caseOfRule(rule);
  open(addressOf("calcular", payload), `Exemplo de ${siglaOf(rule.tributo)} no escopo de ${rule.rule_id}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}. Ajuste os valores e calcule.`);
}

// What a rule is of, as a title: its goods or service and its place.
function titleOf(rule) {
  const { descricao, mercadoria, subitem } = rule.conteudo ?? {};
  const code = ["ncm", "cest", "item_lista_servico", "classificacao_tributaria"].find((name) => rule[name]);
  // Of several codes that which was asked for.
  const codes = [rule[code ?? ""]].flat();
  const what = [descricao, mercadoria, subitem].find((text) => typeof text === "string")
    ?? (code ? `${labelOf(memberOf(rule.tributo, "pedido", code), code)} ${shown(codes.find((one) => parameters.get(code)?.replace(/\D/g, "").startsWith(one)) ?? codes[0], ["", ""])}` : "regra geral");
  return `${what}, ${where(rule)}`;
}

function item(rule, alone) {
  const figures = figuresOf(rule);
  return h("li", { class: "cartao ficha" },
    h("div", { class: "ficha-topo" },
      h("h3", {}, badge(siglaOf(rule.tributo), "tributo"), " ", h("span", {}, titleOf(rule)), " ", h("small", {}, `${rule.rule_code}, versão ${rule.versao}`)),
      badge(SITUATIONS[rule.situacao] ?? rule.situacao, rule.situacao)),
    figures ? h("p", { class: "figuras-da-regra" }, figures) : null,
    h("p", { class: "citacao" }, rule.citacao_legal),
    pairs([["Onde", where(rule)], ...scope(rule), [ANSWERS, validity(rule.vigente_de, rule.vigente_ate)],
      ["Conferência", rule.conferencia ? words(rule.conferencia) : null],
      ["Substituída por", rule.substituida_por ? h("code", {}, rule.substituida_por) : null]]),
    rule.motivo ? h("p", { class: "aviso neutro" }, rule.motivo) : null,
    h("details", { class: "imprime" }, h("summary", {}, "O que a regra diz"),
      shown(rule.conteudo, ["", "", taxOf(rule.tributo)?.conteudo], "não estabelecido"),
      rule.avisos ? h("ul", {}, sentences(rule.avisos, rule.condicoes_dos_avisos).map((sentence) => h("li", {}, sentence))) : null,
      pairs([["Fonte", rule.fonte], ["Publicada no taxd em", rule.publicado_em ? day(rule.publicado_em) : null]])),
    h("div", { class: "botoes" },
      button("Calcular com esta regra", () => calculateOn(rule), { "aria-label": `Calcular com esta regra: ${rule.rule_id}` }),
      alone ? null : h("a", { class: "botao", href: `#regras?rule_code=${encodeURIComponent(rule.rule_code)}`, "aria-label": `Versões de ${rule.rule_code}` }, "Versões")));
}

// The rules of all pages as a table.
async function table(total) {
  const { cursor, pagina, ...asked } = fill(parameters);
  const rules = [];
  for (let page = 1; rules.length < total; page += 1) {
    const { status, body } = await call(withQuery("/sandbox/v1/procura", { ...asked, limit: AT_ONCE, pagina: String(page) }));
    if (status !== 200 || body.regras.length === 0) break;
    rules.push(...body.regras);
  }
  return {
    colunas: COLUMNS.map((nome, at) => ({ nome, tipo: [4, 5].includes(at) ? "data" : "texto" })),
    linhas: rules.map((rule) => [siglaOf(rule.tributo), titleOf(rule), where(rule), figuresOf(rule) || null, rule.vigente_de, rule.vigente_ate ?? null, rule.citacao_legal,
      rule.conferencia ? words(rule.conferencia) : null, SITUATIONS[rule.situacao] ?? null, rule.rule_code, rule.versao]),
  };
}

function saving(total) {
  if (total > MOST_SAVED) return h("p", { class: "ajuda" }, `Para baixar, filtre até ${integer(MOST_SAVED)} regras.`);
  const out = h("div", {});
  return [h("div", { class: "botoes so-tela" }, saveButtons("regras", () => table(total), out)), out];
}

function show(reply) {
  const out = byId("regras-lista");
  const { regras, total, gerais: general } = reply.body;
  const code = parameters.get("rule_code");
  const [page, pages] = [pageOf(parameters), Math.ceil(total / PAGE)];
  const noun = code ? ["versão", "versões"] : ["regra", "regras"];
  const count = total === 0 ? (parameters.has("q") ? NONE_CITED : NONE)
    : `${integer(total)} ${noun[total === 1 ? 0 : 1]}${code ? ` de ${code}` : pages > 1 ? `; página ${integer(page)} de ${integer(pages)}` : ""}.`;
  announce(count);
  // Rules of all products come last.
  const first = total - general - (page - 1) * PAGE;
  const listed = (code ? regras.toReversed() : regras).map((rule) => item(rule, Boolean(code)));
  const specific = code || general === 0 ? listed : listed.slice(0, Math.max(first, 0));
  put(out,
    h("p", { class: "contagem" }, count),
    total > 0 ? [h("p", { class: "ajuda" }, FIRST_DAY), saving(total)] : null,
    code && regras.length > 0 ? [timeline(code, regras), rateHistory(regras)] : null,
    specific.length > 0 ? h("ol", { class: "fichas" }, specific) : null,
    specific.length < listed.length ? [h("h3", { class: "gerais" }, `Regras gerais, que valem na falta de regra do ${parameters.has("ncm") ? "produto" : "serviço"}`),
      h("ol", { class: "fichas" }, listed.slice(specific.length))] : null,
    code ? null : numbered("regras", parameters, page, pages));
}

export function mountRules(openCase) {
  open = openCase;
  read = lister(byId("regras-lista"), "as regras", show);
  const list = (none, values, text) => [["", none], ...values.map((value) => [value, text(value)])];
  fill = mountFilters(byId("regras-filtros"), "regras", [
    { name: "tributo", label: "Tributo", options: list("Todos", allTaxes().map((tax) => tax.tributo), siglaOf) },
    { name: "uf", label: "UF", options: list("Todas", allUfs(), (uf) => uf) },
    { name: "municipio", label: "Município" },
    { name: "ncm", label: "NCM", hint: "8 dígitos", code: anyField("ncm").exemplo },
    { name: "cest", label: "CEST", hint: "7 dígitos", code: anyField("cest").exemplo },
    { name: "item_lista_servico", label: "Item de serviço", hint: "como 1.07", code: anyField("item_lista_servico").exemplo },
    { name: "classificacao_tributaria", label: "cClassTrib", hint: "6 dígitos", code: anyField("classificacao_tributaria").exemplo },
    { name: "vigente_em", label: "Vale no dia", date: true },
    { name: "situacao", label: "Situação hoje", options: list("Todas", Object.keys(SITUATIONS), (word) => SITUATIONS[word]) },
    { name: "conferencia", label: "Conferência", options: list("Todas", GRADES, words) },
    { name: "q", label: "Lei ou citação", hint: "como lei 6.374" },
    { name: "rule_code", label: "Código da regra" },
  ], "Buscar");
}

export function enterRules(entered) {
  parameters = entered;
  // An address of an earlier day may have the cursor of a page.
  const { cursor, ...asked } = fill(parameters);
  const limit = parameters.has("rule_code") ? MANY_VERSIONS : PAGE;
  read(withQuery("/sandbox/v1/procura", { ...asked, limit }));
}

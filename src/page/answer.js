// A result for people: the amount, its rule, the components, the steps.

import { requestId } from "./api.js";
import { copyButton, curlOf } from "./copy.js";
import { badge, button, h, pairs, put } from "./dom.js";
import { assumed } from "./field.js";
import { ANSWERS, date, decimal, FIRST_DAY, money, percent, validity, versionOf } from "./format.js";
import { knownLine, supposedLines } from "./known.js";
import { paperFields, paperHead } from "./paper.js";
import { parcelTable } from "./parcels.js";
import { proofFoot } from "./proof.js";
import { labelOf, memberOf, siglaOf, taxOf } from "./taxes.js";
import { GRADES, gradeInFull, inSentence, words, yesNo } from "./words.js";

// How a text is shown, by its declared kind. A text of no such kind, as a citation, is shown letter by letter.
const KINDS = { valor: money, aliquota: percent, decimal, palavra: words, data: date };

export function showWaiting() {
  const out = document.getElementById("resposta");
  out.replaceChildren(h("p", { class: "vazio esperando" }, "Calculando…"));
}

// A value as people read it, by the declaration of its member. Null is shown as `none`.
export function shown(value, member, none) {
  if (value === null) return none;
  if (typeof value === "boolean") return yesNo(value);
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return "nenhuma";
    return h("ul", {}, value.map((item) => h("li", {}, shown(item, member, none))));
  }
  if (value.citacao_legal && value.vigente_de) return cited(value);
  if (typeof value === "object") {
    const within = (name) => member?.[2]?.[name];
    return pairs(Object.entries(value).map(([name, item]) => [labelOf(within(name), name), shown(item, within(name), none)]));
  }
  return (KINDS[member?.[1]] ?? String)(value);
}

// Another rule that an answer depends on.
const cited = (rule) => h("span", {},
  h("a", { href: `#regras?rule_code=${encodeURIComponent(versionOf(rule.rule_id).code)}` }, rule.citacao_legal),
  ` — responde ${validity(rule.vigente_de, rule.vigente_ate)}`, rule.conferencia ? `; ${words(rule.conferencia).toLowerCase()}` : null);

function componentTable(answer) {
  const hidden = new Set(["memoria", "excecoes_nao_avaliadas"]);
  // Remarks of a rule that are among its notices, too, are not said again.
  const said = new Set(answer.avisos);
  const remaining = (value) => (Array.isArray(value) ? value.filter((item) => !said.has(item)) : value);
  const entries = Object.entries(answer.detalhes)
    .filter(([name, value]) => !hidden.has(name) && !(value?.length > 0 && remaining(value).length === 0))
    .map(([name, value]) => [name, remaining(value)]);
  const without = entries.filter(([, value]) => value === null);
  const member = (name) => memberOf(answer.tributo, "detalhes", name);
  const label = (name) => labelOf(member(name), name);
  const rows = entries.filter(([, value]) => value !== null).map(([name, value]) => h("tr", {},
    h("th", { scope: "row" }, label(name), h("code", { class: "tecnico" }, name)),
    h("td", { class: ["valor", "aliquota"].includes(member(name)?.[1]) ? "numero" : undefined }, shown(value, member(name)))));
  return h("section", {},
    h("h4", {}, "Componentes"),
    h("table", { class: "componentes" }, h("caption", { class: "oculto" }, "Componentes do cálculo"), h("tbody", {}, rows)),
    without.length > 0 ? h("p", { class: "ajuda" }, `Não se aplicam, ou a regra não diz: ${without.map(([name]) => inSentence(label(name))).join("; ")}.`) : null);
}

// What grades of rules mean, and their first day.
export const meaning = (grades) => h("p", { class: "ajuda" }, grades.map((grade) => `${gradeInFull(grade)} `), h("span", { class: "so-tela" }, FIRST_DAY));

// The rule that answered or refused: code, version, citation, validity in words, and what its grade means. One of several is
// not `alone`: it has its grade, whose meaning is said once for all of them; `null` leaves it to a badge beside the rule.
/** @type {(rule: any, alone?: boolean | null) => Element} */
export function ruleCard(rule, alone = true) {
  const { code, version } = versionOf(rule.rule_id);
  return h("section", { class: "regra" },
    h("h4", {}, "Regra aplicada"),
    h("p", { class: "citacao" }, rule.citacao_legal),
    pairs([
      ["Código da regra", h("code", {}, code)],
      ["Versão", version],
      [ANSWERS, validity(rule.vigente_de, rule.vigente_ate)],
      ["Conferência", rule.conferencia && alone === false ? words(rule.conferencia) : null],
      ["Fonte", rule.fonte ?? null],
    ]),
    alone ? meaning(rule.conferencia ? [rule.conferencia] : []) : null,
    h("p", { class: "so-tela" }, h("a", { href: `#regras?rule_code=${encodeURIComponent(code)}` }, "Ver as versões desta regra")));
}

// The sentences of a rule or an answer, each after the word for what it depends on.
export function sentences(avisos, condicoes) {
  return avisos.map((text, i) => [condicoes?.[i] ? h("strong", { class: "condicao" }, `${words(condicoes[i])}: `) : null, h("span", {}, text)]);
}

export function noticeList(title, items, kind) {
  if (!items || items.length === 0) return null;
  return h("section", { class: `aviso ${kind}` }, h("h4", {}, title), h("ul", {}, items.map((item) => h("li", {}, item))));
}

const exceptionsOf = ({ excecoes_nao_avaliadas: list }) => (Array.isArray(list) && list.length > 0 ? list : null);

function exceptions(detalhes) {
  const list = exceptionsOf(detalhes);
  if (!list) return null;
  const sentence = (item) => (typeof item === "string" ? item : [item.descricao ?? JSON.stringify(item), item.citacao ? h("cite", {}, ` (${item.citacao})`) : null]);
  return noticeList("Exceções que os dados não permitem avaliar", list.map(sentence), "neutro");
}

export function steps(tributo, detalhes, citation) {
  if (!Array.isArray(detalhes.memoria)) return null;
  // A step that is not a component has an amount as its result.
  const member = (name) => memberOf(tributo, "detalhes", name) ?? ["", "valor"];
  const step = (one) => h("li", {},
    h("p", { class: "passo" }, h("strong", {}, labelOf(member(one.nome), one.nome)), h("span", { class: "numero" }, shown(one.resultado, member(one.nome)))),
    h("p", { class: "formula" }, one.formula),
    one.observacao ? h("p", { class: "observacao" }, one.observacao) : null,
    one.fundamento && one.fundamento !== citation && !one.observacao?.includes(one.fundamento) ? h("p", { class: "ajuda" }, one.fundamento) : null);
  return h("section", { class: "memoria" },
    h("h4", {}, "Memória de cálculo"),
    h("ol", {}, detalhes.memoria.map(step)),
    h("p", { class: "ajuda" }, "Salvo indicação, o fundamento é o da regra aplicada."));
}

// The amount; of a tax that is itemised on the document and may not be due, both amounts.
export function amounts({ tributo, valor, detalhes }) {
  const { valor_destaque: itemised, valor_devido: due, dispensado: waived } = detalhes;
  const pair = (name, amount, more, id) => h("div", {},
    h("dt", {}, labelOf(memberOf(tributo, "detalhes", name), name), more), h("dd", { class: "valor", id }, amount === null ? "não calculada" : money(amount)));
  // What the destination is owed may be all that was asked; what the buyer owes is not in the amount.
  const { valor_difal: difference } = detalhes;
  if (difference === null) return h("dl", { class: "valores" }, pair("valor_difal", null, ""), pair("valor_icms", valor, "", "valor"));
  if (Number(difference) > 0) return h("dl", { class: "valores" }, pair("valor_difal", difference, ""), pair("Total", valor, "", "valor"));
  if (itemised === undefined) return h("p", { class: "valor", id: "valor" }, money(valor));
  return h("dl", { class: "valores" }, pair("valor_destaque", itemised, "", "destaque"), pair("valor_devido", due, waived ? " (dispensado)" : "", "valor"));
}

// The notices without what is shown above them, and what each depends on.
function noticesBut(elsewhere, { avisos = [], condicoes_dos_avisos: conditions = [] }) {
  const kept = avisos.map((text, i) => [text, conditions[i]]).filter(([text]) => !elsewhere.has(text));
  return [kept.map(([text]) => text), kept.map(([, condition]) => condition)];
}

// What explains an amount beside its rule: notices, the components, the steps. `elsewhere` has the notices that are shown
// elsewhere, and `spoken` has the notices in the words of people.
export function grounds(answer, elsewhere, spoken = answer) {
  const { tributo, avisos, detalhes, regra } = answer;
  const [notices, conditions] = noticesBut(elsewhere, spoken);
  return [
    noticeList("Avisos da regra", sentences(notices, conditions), "alerta"),
    exceptions(detalhes),
    componentTable({ tributo, detalhes, avisos }),
    steps(tributo, detalhes, regra.citacao_legal),
  ];
}

// What is to be checked before the figures are used.
export const checkBadge = (check) => (check ? h("p", { class: "selos" }, badge(check, "alerta")) : null);

// How far the figure can be relied on: by the weakest of the rules that it is made of.
export function grades({ condicoes_dos_avisos: conditions, detalhes, regra, suposicoes }) {
  const rank = (grade) => GRADES.indexOf(grade);
  const weaker = (detalhes.regras_auxiliares ?? []).map(({ conferencia }) => conferencia).filter((grade) => rank(grade) > rank(regra.conferencia)).sort((one, other) => rank(other) - rank(one))[0];
  return h("p", { class: "selos" },
    detalhes.conferencia_produto === "nenhuma" ? badge("Alíquota geral: nenhuma regra deste produto foi conferida", "alerta") : null,
    // The first sentence of a supposed figure has a place of its own.
    conditions?.slice(suposicoes ? 1 : 0).includes("conferencia") ? badge("Outra parte da norma não foi conferida: leia os avisos", "alerta") : null,
    exceptionsOf(detalhes) ? badge("Pode haver isenção ou desconto: leia as exceções", "alerta") : null,
    regra.conferencia ? badge(`Conferência: ${words(regra.conferencia).toLowerCase()}${weaker ? `; de outra regra usada, ${words(weaker).toLowerCase()}` : ""}`, `grau ${weaker ?? regra.conferencia}`) : null);
}

export function actions(sent, reply, more) {
  const link = () => location.origin + location.pathname + sent.fragment;
  return h("div", { class: "botoes so-tela" },
    copyButton("Copiar link", link),
    button("Imprimir", () => window.print()),
    more,
    h("span", { class: "botoes tecnico" },
      copyButton("Copiar curl", () => curlOf(sent.path, sent.payload)),
      reply.body ? copyButton("Copiar JSON", () => JSON.stringify(reply.body, null, 2)) : null));
}

export function documents(sent, reply) {
  const view = (title, text, id) => h("details", { class: "so-tela tecnico" },
    h("summary", {}, title), h("pre", { id, tabindex: "0", "aria-label": title }, text));
  return [
    reply.body ? view("Resposta em JSON", JSON.stringify(reply.body, null, 2), "json") : null,
    view("Chamada em curl", curlOf(sent.path, sent.payload), "curl"),
    h("p", { class: "ajuda so-tela tecnico" }, "No curl e no link a chave não aparece: o curl a lê da variável TAXD_KEY."),
  ];
}

export function showAnswer(out, reply, sent) {
  const answer = reply.body;
  const spoken = { ...reply.said, suposicoes: answer.suposicoes };
  const taken = assumed(taxOf(answer.tributo), sent.payload);
  put(out,
    h("h3", { tabindex: "-1" }, `${siglaOf(answer.tributo)} `, h("small", {}, taxOf(answer.tributo)?.nome ?? "")),
    paperHead(sent, shown),
    supposedLines([spoken]),
    amounts(answer),
    parcelTable(answer, sent.payload),
    sent.lacks,
    taken.length > 0 ? h("p", { class: "ajuda" }, `Supostos, por não informados: ${taken.join("; ")}.`) : null,
    checkBadge(sent.check),
    grades(answer),
    knownLine(sent),
    ruleCard({ ...answer.regra, fonte: reply.said.fonte }),
    h("p", { class: "meta so-tela tecnico" },
      badge(answer.cached ? "do cache" : "calculado agora", answer.cached ? "cache" : "novo"),
      h("span", {}, `${Math.max(1, Math.round(reply.ms))} ms, ida e volta`),
      h("span", {}, "pedido ", h("code", {}, requestId(reply)))),
    actions(sent, reply),
    paperFields(),
    sent.more,
    grounds(answer, new Set([sent.check, answer.suposicoes && spoken.avisos[0]]), reply.said),
    proofFoot(reply, sent),
    documents(sent, reply),
  );
}

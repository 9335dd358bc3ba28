// All taxes of an operation for people: each with its amount, its rule and its steps, and the totals.

import { actions, documents, grades, grounds, noticeList, sentences, shown } from "./answer.js";
import { compareTable, moneyRow } from "./compare.js";
import { badge, button, h, pairs, put } from "./dom.js";
import { added, money, percent, validity } from "./format.js";
import { knownLine } from "./known.js";
import { paperFields, paperHead } from "./paper.js";
import { refusalBody } from "./problem.js";
import { labelOf, memberOf, sayPlainly, siglaOf, taxOf } from "./taxes.js";

const NAME = "operacao";
const STATES = {
  recusado: ["Sem valor", "erro"],
  sem_regra: ["Sem regra", "erro"],
  nao_se_aplica: ["Não se aplica", "neutro"],
  regime_unificado: ["No Simples Nacional", "neutro"],
};
const TOTALS = [
  ["tributos_por_fora", "Tributos somados ao preço"],
  ["tributos", "A recolher, ao todo"],
  ["recolhido_pelo_vendedor", "A recolher por quem vende"],
  ["recolhido_pelo_comprador", "A recolher por quem compra"],
];

// What goes on the document: of CBS and IBS it may be more than what is due.
const itemised = ({ valor, resposta }) => resposta?.detalhes.valor_destaque ?? valor;

const names = (list) => list.map(siglaOf).join(", ");

const lacks = ({ faltam }) => (faltam.length > 0 ? h("small", { class: "falta" }, ` sem ${names(faltam)}`) : null);

// Why a tax has no amount.
function reason({ tributo, motivo, depende_de: needs, problema }) {
  if (needs) return `Depende de ${names(needs)}, sem valor nesta operação.`;
  return sayPlainly(NAME, motivo ?? problema?.detail ?? "");
}

function rate({ tributo, resposta }) {
  const name = ["aliquota_aplicada", "aliquota_interna"].find((one) => resposta?.detalhes[one]);
  return name ? percent(resposta.detalhes[name]) : null;
}

const figure = (label, text) => h("div", {}, h("dt", {}, label), h("dd", {}, text));

function taxItem(tax, field) {
  const { tributo, situacao, resposta, problema, avisos, condicoes_dos_avisos: conditions } = tax;
  const [state, kind] = STATES[situacao] ?? [];
  const applied = rate(tax);
  const notices = noticeList("O que conferir nesta operação", sentences((avisos ?? []).map((text) => sayPlainly(NAME, text)), conditions), "alerta");
  const open = resposta ? [grades(resposta), notices, grounds(resposta)]
    : problema ? refusalBody({ status: problema.status, body: problema, headers: new Headers() }, { tributo, calculated: true, field }) : null;
  return h("li", { class: "apurado", "data-tributo": tributo },
    h("div", { class: "apurado-linha" },
      h("h4", {}, siglaOf(tributo), " ", h("small", {}, taxOf(tributo)?.nome ?? "")),
      state ? badge(state, kind) : null,
      h("dl", {},
        applied ? figure("Alíquota", applied) : null,
        resposta ? [figure("A destacar", money(itemised(tax))), figure("A recolher", money(tax.valor))] : null)),
    resposta ? h("p", { class: "so-papel" }, `${resposta.regra.citacao_legal} Vigência: ${validity(resposta.regra.vigente_de, resposta.regra.vigente_ate)}.`) : h("p", { class: "ajuda" }, reason(tax)),
    open ? h("details", { class: "so-tela" }, h("summary", {}, resposta ? "Regra, avisos e memória" : "O que fazer"), open) : null);
}

const taxList = ({ tributos }, field) => h("ol", { class: "apurados" }, tributos.map((tax) => taxItem(tax, field)));

const allItemised = ({ tributos }) => added(tributos.filter(({ resposta }) => resposta).map(itemised));

function totals(apuracao) {
  const { totais } = apuracao;
  return h("section", {}, h("h4", {}, "Totais"), pairs([
    ["A destacar no documento", [money(allItemised(apuracao)), lacks(totais.tributos)]],
    ...TOTALS.map(([name, label]) => [label, [money(totais[name].valor), lacks(totais[name])]])]));
}

// The amount of a tax, null if it is not known.
const due = ({ situacao, valor }) => (["nao_se_aplica", "regime_unificado"].includes(situacao) ? "0.00" : valor);

// Two cases tax by tax: what changes in BRL.
function comparison(from, to, { changed, a, b }, field) {
  const of = ({ tributos }, name) => tributos.find(({ tributo }) => tributo === name);
  const taxes = [...new Set([from, to].flatMap(({ tributos }) => tributos.map(({ tributo }) => tributo)))];
  const amount = (apuracao, name) => {
    const tax = of(apuracao, name);
    return tax ? due(tax) : "0.00";
  };
  const sum = ({ totais }, name) => (totais[name].completo ? totais[name].valor : null);
  const said = (members, name) => shown(members[name] ?? null, memberOf(NAME, "pedido", name), "não informado");
  return h("section", { class: "dois-casos" },
    compareTable("O que muda do caso A ao caso B", ["Caso A", "Caso B", "Diferença"], [
      ...changed.map((name) => [labelOf(memberOf(NAME, "pedido", name), name), said(a, name), said(b, name), ""]),
      ...taxes.map((name) => moneyRow(siglaOf(name), amount(from, name), amount(to, name))),
      moneyRow("Total do documento", sum(from, "valor_documento"), sum(to, "valor_documento"), "incompleto"),
      ...TOTALS.map(([name, label]) => moneyRow(label, sum(from, name), sum(to, name), "incompleto"))]),
    h("details", { class: "so-tela" }, h("summary", {}, "Tributos do caso B, com regra e memória"), taxList(to, field)));
}

// `other` is the second case: its reply, the names of what differs, and the members of both.
export function showOperation(out, sent, reply, other, compare, field) {
  const apuracao = reply.body;
  const { valor_documento: document } = apuracao.totais;
  put(out,
    h("h3", { tabindex: "-1" }, apuracao.tipo === "servico" ? "Prestação de serviço" : "Venda de mercadoria"),
    paperHead(sent, shown),
    h("dl", { class: "valores" }, h("div", {}, h("dt", {}, "O comprador paga"), h("dd", { class: "valor" }, money(document.valor), lacks(document)))),
    apuracao.completo ? null : h("p", { class: "aviso" }, "Falta o valor de um ou mais tributos: os totais não os têm. Abra cada um para ver o que fazer."),
    knownLine(sent),
    actions(sent, reply),
    h("div", { class: "botoes so-tela" }, button(other ? "Mudar o caso B" : "Comparar com outro caso", compare, { id: "operacao-comparar" })),
    paperFields(),
    other ? comparison(apuracao, other.reply.body, other, field) : null,
    h("section", {}, h("h4", {}, other ? "Tributos do caso A" : "Tributos"), taxList(apuracao, field)),
    totals(apuracao),
    documents(sent, reply));
}

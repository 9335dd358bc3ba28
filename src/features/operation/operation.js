// All taxes of an operation for people: each with its amount, its rule and its steps, and the totals.

import { said } from "./api.js";
import { actions, checkBadge, documents, grades, grounds, meaning, noticeList, ruleCard, sentences, shown } from "./answer.js";
import { faultsOf } from "./candidates.js";
import { moneyRow } from "./compare.js";
import { badge, button, h, pairs, put } from "./dom.js";
import { money, percent } from "./format.js";
import { knownLine, supposedLines } from "./known.js";
import { asFaults } from "./needs.js";
import { paperFields, paperHead } from "./paper.js";
import { parcelTable } from "./parcels.js";
import { refusalBody } from "./problem.js";
import { figureTable } from "./table.js";
import { labelOf, listed, memberOf, siglaOf, taxOf } from "./taxes.js";

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
  ["retencoes", "Retido por quem toma o serviço"],
  ["liquido_a_pagar", "Líquido a pagar"],
];

// What goes on the document: of CBS and IBS it may be more than what is due.
const itemised = ({ valor, resposta }) => resposta?.detalhes.valor_destaque ?? valor;

const names = (taxes) => listed(taxes.map(siglaOf));

const least = ({ completo }) => (completo ? "" : ", no mínimo");

const lacks = ({ faltam }) => (faltam.length > 0 ? h("small", { class: "falta" }, ` sem ${names(faltam)}`) : null);

// Why a tax that was not asked has no amount.
const reason = ({ motivo, depende_de: needs }) => (needs ? `Depende de ${names(needs)}, sem valor nesta operação.` : motivo);

function rate({ resposta }) {
  const name = ["aliquota_aplicada", "aliquota_interna"].find((one) => resposta?.detalhes[one]);
  return name ? percent(resposta.detalhes[name]) : null;
}

const figure = (label, text) => h("div", {}, h("dt", {}, label), h("dd", {}, text));

// What a tax goes by and comes to; of one in parcels, each has its own rate and its own field of the document.
const figures = (tax, parcels) => h("dl", {},
  parcels || !rate(tax) ? null : figure("Alíquota", rate(tax)),
  parcels ? null : figure("A destacar", money(itemised(tax))),
  figure("A recolher", money(tax.valor)));

// The reason of a refusal, to find the same one of another tax.
const reasonOf = ({ problema }) => problema && JSON.stringify([problema.codigo, problema.detail, problema.erros]);

const refusal = ({ tributo, problema }, form) => refusalBody({ status: problema.status, body: problema, said: said(problema), headers: new Headers() },
  { tributo, calculated: true, linked: true, ...form });

// `earlier` is a tax that is refused for the same reason; `common` has the notices that are said once below all taxes.
function taxItem(tax, form, earlier, common) {
  const { tributo, situacao, resposta, problema, pedido, avisos, condicoes_dos_avisos: conditions } = tax;
  const [state, kind] = STATES[situacao] ?? [];
  const parcels = resposta ? parcelTable(resposta, pedido) : null;
  const notices = noticeList("O que conferir nesta operação", sentences(avisos ?? [], conditions), "alerta");
  return h("li", { class: "apurado", "data-tributo": tributo },
    h("div", { class: "apurado-linha" },
      h("h4", {}, siglaOf(tributo), " ", h("small", {}, taxOf(tributo)?.nome ?? "")),
      state ? badge(state, kind) : null,
      resposta ? figures(tax, parcels) : null),
    parcels,
    tax.motivo ? h("p", { class: "ajuda" }, reason(tax)) : null,
    problema ? h("div", { class: "recusado" }, earlier ? h("p", { class: "razao" }, `Pelo mesmo motivo de ${siglaOf(earlier.tributo)}, acima.`) : refusal(tax, form)) : null,
    resposta ? h("details", { class: "imprime" }, h("summary", {}, "Regra, avisos e memória"), grades(resposta), ruleCard(resposta.regra, null), notices, grounds(resposta, common)) : null);
}

// The taxes, and what the taker withholds.
const lines = ({ tributos, retencoes }) => [...tributos, ...(retencoes ?? [])];

// The notices that several taxes have, each with these taxes.
function commonNotices(taxes) {
  const found = new Map();
  for (const { tributo, resposta } of taxes) {
    for (const text of new Set(resposta?.avisos)) found.set(text, [...found.get(text) ?? [], tributo]);
  }
  return new Map([...found].filter(([, having]) => having.length > 1));
}

// Each tax, and what is to be said of several of them once.
function taxList(apuracao, form) {
  const taxes = lines(apuracao);
  const common = commonNotices(taxes);
  const used = [...new Set(taxes.map(({ resposta }) => resposta?.regra.conferencia).filter(Boolean))];
  const earlier = (tax, at) => taxes.slice(0, at).find((other) => reasonOf(tax) && reasonOf(other) === reasonOf(tax));
  return [h("ol", { class: "apurados" }, taxes.map((tax, at) => taxItem(tax, form, earlier(tax, at), common))),
    common.size > 0 ? h("details", { class: "imprime" }, h("summary", {}, `Avisos de mais de um tributo (${common.size})`),
      noticeList("Avisos de mais de um tributo", [...common].map(([text, having]) => [h("strong", {}, `${names(having)}: `), text]), "alerta")) : null,
    used.length > 0 ? h("details", { class: "imprime" }, h("summary", {}, "O que as conferências querem dizer"), meaning(used)) : null];
}

const totals = ({ totais }, which) => h("section", { class: "totais" }, h("h4", {}, `Totais${which}`),
  pairs(TOTALS.filter(([name]) => totais[name]).map(([name, label]) => [`${label}${least(totais[name])}`, [money(totais[name].valor), lacks(totais[name])]])));

// The data that the taxes lack, each once: the fault, and the taxes that have it. `needs` are those that the taxes ask for
// only after others, too.
function lacking(apuracao, field, needs) {
  const found = new Map();
  for (const { tributo, problema } of lines(apuracao)) {
    for (const fault of problema?.tipo_recusa === "falta_dado" ? faultsOf(said(problema)) : []) {
      if (!field(fault.campo)) continue;
      if (!found.has(fault.campo)) found.set(fault.campo, { fault, taxes: [] });
      found.get(fault.campo).taxes.push(tributo);
    }
  }
  // Those that need the amount of such a tax lack it, too.
  for (const one of found.values()) {
    for (const { tributo, depende_de: needed = [] } of lines(apuracao)) {
      if (!one.taxes.includes(tributo) && needed.some((name) => one.taxes.includes(name))) one.taxes.push(tributo);
    }
  }
  const later = needs.filter(({ campo }) => field(campo) && !found.has(campo));
  return [...found.values(), ...later.map((need) => ({ fault: asFaults([need])[0], taxes: need.tributos }))];
}

// The faults that an answer finds in the form, to be marked there.
export function faultsOfForm(apuracao, field, needs) {
  const wrong = lines(apuracao).filter(({ problema }) => problema?.tipo_recusa === "dado_invalido").flatMap(({ problema }) => said(problema).erros ?? []);
  return [...lacking(apuracao, field, needs).map(({ fault }) => fault), ...wrong.filter(({ campo }) => field(campo))];
}

// The fields of what is missing, each a link to it, and the taxes that need it.
function missingList(missing, field) {
  const item = ({ fault, taxes }) => {
    const { input, label, go } = field(fault.campo);
    return h("li", {}, h("a", { href: `#${input.id}`, click: (event) => {
      event.preventDefault();
      go();
    } }, label), taxes.length > 0 ? `, para ${names(taxes)}` : null);
  };
  return h("ul", {}, missing.map(item));
}

// Shows what an operation lacks that no tax can be calculated without, and what its taxes lack besides.
export function showLacking(out, { field, needs }) {
  put(out, h("h3", { tabindex: "-1", class: "recusa" }, "Falta informar"), missingList(lacking({ tributos: [] }, field, needs), field));
}

// What keeps the totals from being whole, and the fields that would complete them.
function incomplete(apuracao, { field, needs }, which = "") {
  if (apuracao.completo) return null;
  const missing = lacking(apuracao, field, needs);
  return h("section", { class: "aviso alerta" },
    h("p", {}, `${which}Os totais não têm ${names([...apuracao.totais.tributos.faltam, ...(apuracao.totais.retencoes?.faltam ?? [])])}. O motivo está em cada tributo.`),
    missing.length > 0 ? [h("h4", {}, "Falta informar"), missingList(missing, field)] : null);
}

// The amount of a tax, null if it is not known.
const due = ({ situacao, valor }) => (["nao_se_aplica", "regime_unificado"].includes(situacao) ? "0.00" : valor);

// Two cases tax by tax: what changes in BRL.
function comparison(from, to, { changed, a, b, form }) {
  const of = (apuracao, name) => lines(apuracao).find(({ tributo }) => tributo === name);
  const taxes = [...new Set([from, to].flatMap((apuracao) => lines(apuracao).map(({ tributo }) => tributo)))];
  const amount = (apuracao, name) => {
    const tax = of(apuracao, name);
    return tax ? due(tax) : "0.00";
  };
  const sum = ({ totais }, name) => (totais[name]?.completo ? totais[name].valor : null);
  const told = (members, name) => shown(members[name] ?? null, memberOf(NAME, "pedido", name), "não informado");
  return h("section", { class: "dois-casos" },
    figureTable("O que muda do caso A ao caso B", ["Caso A", "Caso B", "Diferença"], [
      ...changed.map((name) => [labelOf(memberOf(NAME, "pedido", name), name), told(a, name), told(b, name), ""]),
      ...taxes.map((name) => moneyRow(siglaOf(name), amount(from, name), amount(to, name))),
      moneyRow("Total do documento", sum(from, "valor_documento"), sum(to, "valor_documento"), "incompleto"),
      ...TOTALS.filter(([name]) => from.totais[name] ?? to.totais[name]).map(([name, label]) => moneyRow(label, sum(from, name), sum(to, name), "incompleto"))]),
    incomplete(to, form, "Caso B. "));
}

// `form` is how the answer reaches the form: `field` gives a field by its name, and `choose` fills a candidate in and
// calculates; `needs` is what the case lacks. `other` is the second case: its reply, the names of what differs, the members of both, and its `form`.
export function showOperation(out, sent, reply, form, other, compare) {
  const apuracao = reply.body;
  const which = other ? " do caso A" : "";
  const { valor_documento: document, recolhido_pelo_vendedor: bySeller, liquido_a_pagar: net } = apuracao.totais;
  const headline = (label, total) => h("div", {}, h("dt", {}, label, least(total)), h("dd", { class: "valor" }, money(total.valor), lacks(total)));
  put(out,
    h("h3", { tabindex: "-1" }, `${apuracao.tipo === "servico" ? "Prestação de serviço" : "Venda de mercadoria"}${other ? ", caso A" : ""}`),
    paperHead(sent, shown),
    supposedLines([apuracao, other?.reply.body].filter(Boolean).flatMap(lines).map(({ resposta }) => resposta)),
    h("dl", { class: "valores" }, headline("O comprador paga", document), headline("Quem vende recolhe", bySeller), net ? headline("Líquido a pagar", net) : null),
    [...new Set(sent.checks)].map(checkBadge),
    incomplete(apuracao, form, other ? "Caso A. " : ""),
    knownLine(sent),
    actions(sent, reply, button(other ? "Mudar o caso B" : "Comparar com outro caso", compare, { id: "operacao-comparar" })),
    paperFields(),
    other ? comparison(apuracao, other.reply.body, other) : null,
    totals(apuracao, which),
    h("section", {}, h("h4", {}, `Tributos${which}`), taxList(apuracao, form)),
    other ? h("details", { class: "imprime" }, h("summary", {}, "Tributos do caso B"), h("h4", { class: "so-papel" }, "Tributos do caso B"), taxList(other.reply.body, other.form)) : null,
    documents(sent, reply));
}

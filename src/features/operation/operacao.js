// The part Operação: one sale or service in the form, and all its taxes; beside them those of another case.

import { call, withQuery } from "./api.js";
import { addressOf, freshCase, membersOf } from "./case.js";
import { fillForm } from "./chosen_client.js";
import { announce, button, byId, controlById, h, isNarrow, put, showTop } from "./dom.js";
import { fieldGroup, makeFields } from "./fields.js";
import { countCall, masked, onKeyChange } from "./key.js";
import { mountKnown } from "./known.js";
import { asFaults, needsOf, needsShower } from "./needs.js";
import { productCheck } from "./ncm.js";
import { faultsOfForm, showLacking, showOperation } from "./operation.js";
import { showProblem } from "./problem.js";
import { rememberAnswers } from "./remembered.js";
import { mountSaved } from "./saved.js";
import { mountSupposed } from "./suppose.js";
import { allTaxes, exampleOf, taxOf } from "./taxes.js";

const NAME = "operacao";
// What is sold, and the field that says so.
const KINDS = [["valor_produto", "Venda de mercadoria"], ["preco_servico", "Prestação de serviço"]];

// Fields that every operation with them needs.
const REQUIRED = [...KINDS.map(([name]) => name), "uf_origem", "uf_destino", "uf", "municipio", "item_lista_servico"];
// What a form says in a word, because its fields stand beside one another.
const HELP = {
  uf_origem: "", uf: "", municipio: "", uf_destino: "Igual à do vendedor na operação interna", item_lista_servico: "Como 1.07",
  regime_vendedor: "Dele seguem os campos do Simples e, no lucro real, PIS e COFINS não cumulativos; no presumido, cumulativos.",
  regime_apuracao: "Até 2026, se for outro que o do regime do vendedor",
};
const EMPTY = { regime_apuracao: "o do regime do vendedor" };

const OTHERS = "Outros dados";
// The fields in groups: of goods, of services, of both. The first group is always open. A field of no group is in the
// last.
const GROUPS = [
  ["", "data_operacao valor_produto uf_origem uf_destino ncm papel_na_cadeia destinatario_contribuinte", "preco_servico uf municipio item_lista_servico", "regime_vendedor regime_apuracao cumpre_obrigacoes_acessorias"],
  ["Quem vende", "contribuinte_ipi regime_especial", "regime", "regime_simples_nacional optante_simples"],
  ["Quem compra", "destinatario_consumidor_final destinado_industrializacao venda_a", "", ""],
  ["Retenções e líquido a pagar", "", "tomador natureza_servico forma_contratacao servico_cedido lei_municipal_retem aliquota_nota data_pagamento material_fornecido valor_material alimentacao_transporte anexo_iv contribui_cprb dispensa_declarada prestador_no_exterior", ""],
  ["O produto ou o serviço", "origem_mercadoria cest ex substituicao_tributaria destinacao_autopropulsado", "codigo_tributacao_nacional", "classificacao_tributaria"],
  ["Outros valores", "frete seguro despesas quantidade preco_venda_varejo valor_icms_st_retido", "", "desconto valor_contribuicao_iluminacao_publica valor_reembolsos"],
  [OTHERS, "", "", ""],
].map(([title, ...names]) => [title, ...names.map((list) => list.split(" ").filter(Boolean))]);
// The fields of one kind only.
const ONLY = { valor_produto: GROUPS.flatMap((group) => group[1]).filter((name) => name !== "data_operacao"), preco_servico: GROUPS.flatMap((group) => group[2]) };

let tax = null;
let fields = null;
let known = null;
let supposed = null;
let answers = null;
let underWay = false;
// The case, and the one beside it, if there is one; and which of them is in the form.
/** @type {{ a: any, b: any }} */
let cases = { a: {}, b: null };
let edited = "a";
// What each case lacked when it was calculated last.
let needs = { a: [], b: [] };
/** @type {(payload: any, known: any) => void} */
let showNeeds = () => {};

// The address whose case the form was given last.
let given = "";

const kind = () => controlById("operacao-tipo").value;

// Shows the fields of what is sold, in their order.
function showKind(chosen) {
  controlById("operacao-tipo").value = chosen;
  const [other] = Object.keys(ONLY).filter((name) => name !== chosen);
  fields.all.forEach(({ name, node }) => { node.hidden = ONLY[other].includes(name); });
  for (const box of byId("operacao-campos").querySelectorAll("details")) {
    box.hidden = !box.querySelector(".campo:not([hidden])");
  }
  sayNeeds();
}

// A case of what is chosen, also without its price: any price does.
const priced = (members) => ({ [kind()]: "1.00", ...members });

const sayNeeds = () => showNeeds(priced(fields.payload()), known.value());

// What a case lacks, its price too.
async function findNeeds(members) {
  const found = await needsOf(priced(members), known.value());
  return found && members[kind()] === undefined ? [{ campo: kind(), tributos: [] }, ...found] : found ?? [];
}

function write(members) {
  fields.write(members);
  showKind(members.preco_servico === undefined ? KINDS[0][0] : KINDS[1][0]);
}

function keepForm() {
  cases[edited] = fields.payload();
}

function edit(which) {
  edited = which;
  write(cases[which]);
  showCases();
}

// Which of two cases is in the form.
function showCases() {
  const choice = (which, text) => button(text, () => swap(which), { "aria-pressed": String(edited === which) });
  put(byId("operacao-casos"), cases.b && [
    h("p", { class: "ajuda" }, edited === "b" ? "O formulário mostra o caso B. Mude a data, a UF, o regime ou outro dado, e calcule." : "O formulário mostra o caso A."),
    h("div", { class: "botoes" }, choice("a", "Caso A"), choice("b", "Caso B"), button("Tirar o caso B", () => {
      if (edited === "a") keepForm();
      cases.b = null;
      edit("a");
    }))]);
}

function compare() {
  keepForm();
  cases.b ??= { ...cases.a };
  edit("b");
  announce("O formulário mostra o caso B.");
  fields.named("data_operacao").input.focus();
}

// What of B differs from A, as members `b.NAME` of an address. One that B lacks is empty.
function differences() {
  const { a, b } = cases;
  return Object.fromEntries(Object.keys({ ...a, ...b }).filter((name) => b && a[name] !== b[name]).map((name) => [`b.${name}`, b[name] ?? ""]));
}

const address = () => {
  keepForm();
  return addressOf(NAME, { ...cases.a, ...differences() }, { conhecido_em: known.value(), supondo: supposed.value() });
};

function goTo(address) {
  if (location.hash !== address) history.pushState(null, "", address);
  given = address;
}

async function ask(members, path) {
  const reply = await call(path, { method: "POST", body: JSON.stringify(members) });
  if (reply.status === 200) countCall(reply.status);
  return reply;
}

// How the answer to a case reaches the form, which may show the other one.
const formOf = (which) => ({
  needs: needs[which],
  field: (name) => {
    const field = fields.named(name);
    return field && { ...field, go: () => {
      if (edited !== which) swap(which);
      field.go();
    } };
  },
  choose: (values) => {
    if (edited !== which) swap(which);
    for (const [name, value] of values) fields.named(name).write(value);
    /** @type {HTMLFormElement} */ (byId("operacao-formulario")).requestSubmit();
  },
});

function swap(which) {
  keepForm();
  edit(which);
}

// Marks what the answers find in the form, first of the case that it shows. True if it went there: on a
// phone the reader sees the amounts first.
function markFaults(replies) {
  const found = [edited, edited === "a" ? "b" : "a"].map((which) => [which, replies[which] ? faultsOfForm(replies[which].body, fields.named, needs[which]) : []]);
  const [which, faults] = found.find(([, list]) => list.length > 0) ?? [];
  if (!which) return false;
  if (edited !== which) swap(which);
  announce(`Falta o valor de um ou mais tributos. ${faults.length === 1 ? "Um campo está marcado." : `${faults.length} campos estão marcados.`}`);
  const hasAmounts = Object.values(replies).some((reply) => reply?.body.tributos.some(({ resposta }) => resposta));
  const goes = !isNarrow() || !hasAmounts;
  return fields.mark(faults, goes) && goes;
}

// Shows what a case lacks that every operation needs, with all else that it lacks. True if there was any.
function refuseLacking(which) {
  if (needs[which].every(({ tributos }) => tributos.length > 0)) return false;
  if (edited !== which) edit(which);
  showLacking(byId("operacao-resposta"), formOf(which));
  announce(`Falta informar ${needs[which].length === 1 ? "um campo" : `${needs[which].length} campos`}.`);
  return fields.mark(asFaults(needs[which]));
}

// Shows the refusal of a case in the form, or what service and key say of it.
function refuse(which, reply, sent) {
  if (edited !== which) edit(which);
  showProblem(byId("operacao-resposta"), reply, { sent, ...formOf(which) });
  const faults = reply.said?.erros ?? [];
  return known.refused(faults) || supposed.refused(faults) || fields.mark(faults);
}

async function send(event) {
  event.preventDefault();
  if (underWay) return;
  underWay = true;
  const out = byId("operacao-resposta");
  const [submit, fragment] = [byId("operacao-enviar"), address()];
  submit.setAttribute("aria-disabled", "true");
  fields.unmark();
  [known, supposed].forEach((field) => field.unmark());
  put(out, h("p", { class: "vazio esperando" }, "Calculando…"));
  announce("Calculando…");
  goTo(fragment);
  const path = withQuery("/sandbox/v1/operacao", { memoria: "true", conhecido_em: known.value(), supondo: supposed.value() });
  const sentOf = (members) => ({ path, payload: { tributo: NAME, ...masked(members) }, fragment, known: known.value() });
  const { a, b } = cases;
  needs = { a: await findNeeds(a), b: b ? await findNeeds(b) : [] };
  const lacks = ["a", "b"].find(refuseLacking);
  const replies = lacks ? {} : { a: await ask(a, path), b: b && await ask(b, path) };
  const checks = lacks ? [] : [await productCheck(a, known.value()), b && await productCheck(b, known.value())];
  underWay = false;
  submit.removeAttribute("aria-disabled");
  if (lacks) return;
  const bad = ["a", "b"].find((which) => replies[which] && !replies[which].body?.tributos);
  if (bad) {
    if (refuse(bad, replies[bad], sentOf(cases[bad]))) return;
  } else {
    showOperation(out, { ...sentOf(a), checks }, replies.a, formOf("a"), b && { reply: replies.b, changed: Object.keys(differences()).map((name) => name.slice(2)), a, b, form: formOf("b") }, compare);
    answers.keep(fragment);
    if (markFaults(replies)) return;
  }
  showTop(out);
}

function empty(note = "As respostas de todos os tributos aparecem aqui, na ordem em que um alimenta o outro.") {
  put(byId("operacao-resposta"), h("p", { class: "vazio" }, note));
}

function open(a, b, note) {
  cases = { a, b };
  edit("a");
  empty(note);
}

// Another case begins, at an address of its own: Back brings the one before.
function begin(members) {
  goTo(`#${NAME}`);
  open(members, null);
}

function grouped() {
  const named = new Set(GROUPS.flatMap((group) => group.slice(1).flat()));
  const others = fields.all.map(({ name }) => name).filter((name) => !named.has(name));
  const placed = new Set();
  return GROUPS.map(([title, ...lists]) => {
    const names = (title === OTHERS ? others : lists.flat()).filter((name) => !placed.has(name));
    names.forEach((name) => placed.add(name));
    const nodes = names.map((name) => fields.named(name)?.node);
    return title ? fieldGroup(title, nodes) : h("div", { class: "campos" }, nodes);
  });
}

export async function mount(section) {
  tax = taxOf("operacao");
  // Of what is sold, the price and the place are shown, and an operation has them.
  const declared = tax.campos.map((field) => ({ ...field, ajuda: HELP[field.nome] ?? field.ajuda, vazio: EMPTY[field.nome], obrigatorio: field.obrigatorio || REQUIRED.includes(field.nome) }));
  fields = makeFields(declared, () => {}, NAME, "iss");
  showNeeds = needsShower(fields);
  put(section,
    h("div", { class: "cartao" },
      h("h2", { id: "operacao-titulo", tabindex: "-1" }, "Operação"),
      h("form", { id: "operacao-formulario", novalidate: true, autocomplete: "off", submit: send },
        h("p", { class: "ajuda" }, "Quem vende o quê a quem, e por quanto: uma vez só, para todos os tributos. A operação inteira gasta um cálculo da cota; comparada com outra, dois."),
        h("div", { class: "campo" }, h("label", { for: "operacao-tipo" }, "O que é vendido"),
          h("select", { id: "operacao-tipo", change: () => showKind(kind()) }, KINDS.map(([value, text]) => h("option", { value }, text)))),
        h("div", { id: "operacao-casos", class: "casos" }),
        h("div", { id: "operacao-campos" }, grouped()),
        h("div", { id: "operacao-conhecido" }),
        h("div", { class: "botoes acao" },
          h("button", { type: "submit", class: "principal", id: "operacao-enviar" }, "Calcular"),
          button("Exemplo", () => begin(exampleOf(tax)), { id: "operacao-exemplo", title: "Preencher com o exemplo" }),
          button("Limpar", () => {
            const before = kind();
            [known, supposed].forEach((field) => field.write());
            begin(freshCase(tax));
            showKind(before);
            fillForm(NAME);
          }, { id: "operacao-limpar" }))),
      h("div", { id: "operacao-guardados" })),
    h("div", { id: "operacao-resposta", class: "cartao resposta", role: "region", "aria-label": "Resposta da operação" }));
  section.classList.add("colunas");
  known = mountKnown(byId("operacao-conhecido"), NAME);
  supposed = mountSupposed(byId("operacao-conhecido"), NAME, allTaxes);
  answers = rememberAnswers(NAME, byId("operacao-resposta"));
  mountSaved(byId("operacao-guardados"), address);
  for (const id of ["operacao-campos", "operacao-conhecido"]) byId(id).addEventListener("change", sayNeeds);
  onKeyChange(sayNeeds);
  open(freshCase(tax), null);
}

// Shows the case of the address, without calling: a link alone spends nobody's quota. What was changed since and is not
// calculated stays for a reader who only looked something up in another part.
export function enter(parameters) {
  const wasElsewhere = answers.wasElsewhere();
  if (parameters.size === 0 || location.hash === address() || (wasElsewhere && location.hash === given)) return;
  const own = [...parameters].filter(([name]) => !name.startsWith("b."));
  const changed = [...parameters].filter(([name]) => name.startsWith("b.")).map(([name, text]) => [name.slice(2), text]);
  const a = membersOf(NAME, own);
  const b = Object.fromEntries(Object.entries({ ...a, ...membersOf(NAME, changed) }).filter(([, value]) => value !== ""));
  known.write(parameters.get("conhecido_em") ?? undefined);
  supposed.write(parameters.get("supondo") ?? undefined);
  open(a, changed.length > 0 ? b : null, "Operação preenchida. Confira e calcule.");
  given = location.hash;
  answers.show(given);
}

// The part Calcular: a case in the form, a real call, its answer.

import { call, withQuery } from "./api.js";
import { showAnswer, showWaiting } from "./answer.js";
import { showUnsaid, unsaid } from "./asked.js";
import { addressOf, freshCase, payloadOf } from "./case.js";
import { faultsOf, hasCandidates } from "./candidates.js";
import { otherDay } from "./compare.js";
import { announce, button, byId, controlById, h, put, showTop } from "./dom.js";
import { changeTax, clearForm, currentTax, fieldNamed, markFaults, onFormChange, payload, showForm, unmarkAll } from "./form.js";
import { heirs } from "./heirs.js";
import { countCall, currentKey, masked } from "./key.js";
import { KNOWN, mountKnown } from "./known.js";
import { isWithout, municipalitiesOf, named, whyNot } from "./municipalities.js";
import { productCheck } from "./ncm.js";
import { buyersDifference, lawForm, showProblem } from "./problem.js";
import { rememberAnswers } from "./remembered.js";
import { mountSaved } from "./saved.js";
import { allTaxes, exampleOf, taxOf } from "./taxes.js";
import { offerUnit } from "./units.js";

let underWay = false;

let known = null;
let answers = null;
// The address whose case the form was given last.
let given = "";
// The day that the answer is compared with.
let compared = "";
// The case of the answer that is shown; empty if none is.
let answered = "";

const isProved = () => (controlById("prova").checked ? "true" : "");

const path = () => withQuery("/v1/calculate", { memoria: controlById("memoria").checked ? "true" : "", prova: isProved(), conhecido_em: known.value() });

const addressFor = (members, knownAt) => addressOf("calcular", members, { memoria: controlById("memoria").checked ? "" : "false", prova: isProved(), conhecido_em: knownAt, outra_data: compared });

const fragment = () => addressFor(payload(), known.value());

const caseNow = () => JSON.stringify([payload(), known.value() ?? null]);

// Says above an answer that the form has changed since.
function tellChanged() {
  const note = byId("resposta").querySelector(".mudou");
  if (answered === "" || answered === caseNow()) note?.remove();
  else if (!note) byId("resposta").prepend(h("p", { class: "aviso alerta mudou so-tela", role: "status" }, "Os dados mudaram depois deste cálculo: calcule de novo."));
}

// The address is that of the answer that is compared: the form may have been changed since.
function compareWith(day, { asked, known: knownAt }) {
  compared = day;
  goTo(addressFor(asked, knownAt));
  answers.keep(given);
}

function goTo(address) {
  if (location.hash !== address) history.pushState(null, "", address);
  given = address;
}

// Asks for what the case leaves unsaid. True if there is any.
function askUnsaid(body) {
  const faults = unsaid(currentTax(), body);
  if (faults.length === 0) return false;
  answered = "";
  known.unmark();
  goTo(fragment());
  showUnsaid(byId("resposta"), faults, fieldNamed);
  announce(byId("resposta").querySelector("h3").textContent);
  markFaults(faults);
  return true;
}

async function send(event) {
  event.preventDefault();
  if (underWay || askUnsaid(payload())) return;
  underWay = true;
  answered = "";
  byId("enviar").setAttribute("aria-disabled", "true");
  unmarkAll();
  known.unmark();
  showWaiting();
  announce("Calculando…");
  const body = payload();
  const sent = { path: path(), payload: masked(body), asked: body, fragment: fragment(), known: known.value() };
  goTo(sent.fragment);
  const [reply, check] = await Promise.all([call(sent.path, { method: "POST", body: JSON.stringify(body) }), productCheck(body, sent.known)]);
  underWay = false;
  countCall(reply.status);
  byId("enviar").removeAttribute("aria-disabled");
  if (reply.status === 200 && reply.body) {
    showAnswer(byId("resposta"), reply, { ...sent, check, lacks: buyersDifference(reply.body, sent), more: [heirs(reply.body, sent), otherDay(reply.body, sent, compared, (day) => compareWith(day, sent))] });
    answers.keep(sent.fragment);
    answered = JSON.stringify([body, sent.known ?? null]);
    tellChanged();
  } else {
    showProblem(byId("resposta"), reply, { sent, field: fieldOfCase, choose });
    const faults = faultsOf(reply.said);
    if ((known.refused(faults) || markFaults(faults)) && !hasCandidates(reply.body)) return;
  }
  showTop(byId("resposta"));
}

// A field of the form, or the one beside it.
const fieldOfCase = (name) => (name === KNOWN.nome ? known : fieldNamed(name));

// Fills in a candidate of a refusal, and calculates.
function choose(values) {
  for (const [name, value] of values) {
    const field = fieldOfCase(name);
    field.write(value);
    field.input.dispatchEvent(new Event("change"));
  }
  /** @type {HTMLFormElement} */ (byId("pedido")).requestSubmit();
}

/** @type {() => HTMLElement | null} */
const warning = () => byId("campos").querySelector(".sem-resposta");
const placeNow = () => [currentTax().tributo, ...["uf", "municipio"].map((name) => fieldNamed(name)?.value())].join("/");

// Says below a chosen municipality without an answer why, before the call that would be refused, and offers the form of a
// rule of the office.
async function warnOfMunicipality() {
  const [field, uf] = [fieldNamed("municipio"), fieldNamed("uf")?.value()];
  if (!field || !uf || !currentKey()) return;
  const name = field.value() ?? "";
  const place = named(await municipalitiesOf(currentTax().tributo, uf), name);
  const why = place && whyNot(place);
  if (!why || field.value() !== name || warning()) return;
  const write = () => {
    emptyAnswer(`Regra de ${currentTax().sigla} em ${name}, pela lei que o escritório leu.`);
    byId("resposta").append(lawForm({ asked: payload() }));
    byId("resposta").querySelector("button").click();
  };
  field.official.before(h("div", { class: "sem-resposta", "data-de": placeNow() }, h("p", { class: "falha" }, `${name}: ${why}.`), isWithout(place) ? button("Tenho a lei", write) : null));
  announce(`${name}: ${why}.`);
}

// The national code of a service begins with its subitem.
function fillSubitem() {
  const [code, item] = ["codigo_tributacao_nacional", "item_lista_servico"].map(fieldNamed);
  if (!/^\d{6}$/.test(code?.value() ?? "") || item.value()) return;
  item.write(code.value());
  item.input.dispatchEvent(new Event("change", { bubbles: true }));
}

function emptyAnswer(note) {
  answered = "";
  put(byId("resposta"), h("p", { class: "vazio" }, note ?? "A resposta aparece aqui, com a regra que a sustenta."));
}

export function mountCalculate() {
  controlById("tributo").replaceChildren(...allTaxes().map((tax) => h("option", { value: tax.tributo }, `${tax.sigla} — ${tax.nome}`)));
  onFormChange(() => {
    const said = warning();
    if (said?.dataset.de !== placeNow()) said?.remove();
    byId("enviado").textContent = JSON.stringify(masked(payload()), null, 2);
    tellChanged();
  });
  controlById("tributo").addEventListener("change", () => {
    compared = "";
    changeTax(taxOf(controlById("tributo").value));
    emptyAnswer();
  });
  known = mountKnown(byId("calcular-conhecido"), "campo");
  answers = rememberAnswers("calcular", byId("resposta"));
  mountSaved(byId("calcular-guardados"), fragment);
  byId("exemplo").addEventListener("click", () => showForm(currentTax(), exampleOf(currentTax())));
  byId("limpar").addEventListener("click", () => {
    compared = "";
    known.write();
    clearForm();
  });
  byId("pedido").addEventListener("submit", send);
  byId("campos").addEventListener("focusin", (event) => {
    offerUnit(fieldNamed);
  });
  byId("campos").addEventListener("change", (event) => {
    const { name } = /** @type {HTMLInputElement} */ (event.target);
    if (["municipio", "uf"].includes(name)) warnOfMunicipality();
    if (name === "codigo_tributacao_nacional") fillSubitem();
    offerUnit(fieldNamed);
  });
  showForm(taxOf("icms"), freshCase(taxOf("icms")));
}

// Shows the case of the address, without calling: a link alone spends nobody's quota. What was changed since and is not
// calculated stays for a reader who only looked something up in another part.
export function enterCalculate(parameters, note) {
  const members = payloadOf(parameters);
  const wasElsewhere = answers.wasElsewhere();
  if (!members || (wasElsewhere && !note && location.hash === given)) return;
  const tax = taxOf(members.tributo);
  const same = location.hash === fragment() || JSON.stringify([payload(), known.value() ?? null, compared]) === JSON.stringify([members, parameters.get("conhecido_em"), parameters.get("outra_data") ?? ""]);
  controlById("memoria").checked = parameters.get("memoria") !== "false";
  controlById("prova").checked = parameters.get("prova") === "true";
  known.write(parameters.get("conhecido_em") ?? undefined);
  compared = parameters.get("outra_data") ?? "";
  if (same && !note) return;
  showForm(tax, members);
  given = location.hash;
  if (!note && answers.show(given)) {
    answered = caseNow();
    return;
  }
  emptyAnswer(note ?? `Caso de ${tax.sigla} preenchido como no link. Confira e calcule.`);
}

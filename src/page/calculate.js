// The part Calcular: a case in the form, a real call, its answer.

import { call, withQuery } from "./api.js";
import { showAnswer, showWaiting } from "./answer.js";
import { showUnsaid, unsaid } from "./asked.js";
import { addressOf, freshCase, payloadOf } from "./case.js";
import { faultsOf, hasCandidates } from "./candidates.js";
import { fillForm } from "./chosen_client.js";
import { otherDay } from "./compare.js";
import { announce, button, byId, controlById, h, put, showTop } from "./dom.js";
import { changeTax, clearForm, currentTax, fieldNamed, markFaults, onFormChange, payload, showForm, unmarkAll } from "./form.js";
import { heirs } from "./heirs.js";
import { countCall, currentKey, masked, onGoodKey } from "./key.js";
import { KNOWN, mountKnown } from "./known.js";
import { isWithout, municipalitiesOf, named, whyNot, whyNotOf } from "./municipalities.js";
import { productCheck } from "./ncm.js";
import { buyersDifference, lawForm, showProblem } from "./problem.js";
import { rememberAnswers } from "./remembered.js";
import { mountSaved } from "./saved.js";
import { mountSupposed } from "./suppose.js";
import { allTaxes, exampleOf, taxOf } from "./taxes.js";
import { offerUnit } from "./units.js";

// What people look a tax up by, where it begins otherwise.
const OTHER_NAMES = [["icms_consumidor_final", "DIFAL — diferencial de alíquota"], ["icms_st", "ST — substituição tributária"], ["simples_nacional", "DAS"], ["itcmd", "Herança e doação"]];

let underWay = false;
// The refusal that is shown is one for want of a key.
let lacksKey = false;

let known = null;
let supposed = null;
let answers = null;
// The address whose case the form was given last.
let given = "";
// The day that the answer is compared with.
let compared = "";
// The case of the answer that is shown; empty if none is.
let answered = "";

const isProved = () => (controlById("prova").checked ? "true" : "");

const path = () => withQuery("/v1/calculate", { memoria: controlById("memoria").checked ? "true" : "", prova: isProved(), conhecido_em: known.value(), supondo: supposed.value() });

const addressFor = (members, knownAt) => addressOf("calcular", members, { memoria: controlById("memoria").checked ? "" : "false", prova: isProved(), conhecido_em: knownAt, supondo: supposed.value(), outra_data: compared });

const fragment = () => addressFor(payload(), known.value());

const caseNow = () => JSON.stringify([payload(), known.value() ?? null, supposed.value()]);

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

// Says what is wrong with the case without a call. True if anything is.
function askUnsaid(body) {
  // Of what the form does not show, the service speaks.
  const faults = byId("extras").hidden ? unsaid(currentTax(), body, fieldNamed) : [];
  if (faults.length === 0) return false;
  answered = "";
  [known, supposed].forEach((field) => field.unmark());
  goTo(fragment());
  showUnsaid(byId("resposta"), faults, currentTax(), fieldNamed);
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
  [known, supposed].forEach((field) => field.unmark());
  showWaiting();
  announce("Calculando…");
  const body = payload();
  const sent = { path: path(), payload: masked(body), asked: body, fragment: fragment(), known: known.value(), supposed: supposed.value(), suppose: supposed.open };
  goTo(sent.fragment);
  const [reply, check] = await Promise.all([call(sent.path, { method: "POST", body: JSON.stringify(body) }), productCheck(body, sent.known)]);
  underWay = false;
  countCall(reply.status);
  byId("enviar").removeAttribute("aria-disabled");
  lacksKey = reply.status === 401;
  if (reply.status === 200 && reply.body) {
    showAnswer(byId("resposta"), reply, { ...sent, check, lacks: sent.supposed ? null : buyersDifference(reply.body, sent), more: sent.supposed ? [] : [heirs(reply.body, sent), otherDay(reply.body, sent, compared, (day) => compareWith(day, sent))] });
    answers.keep(sent.fragment);
    answered = JSON.stringify([body, sent.known ?? null, sent.supposed]);
    tellChanged();
  } else {
    showProblem(byId("resposta"), reply, { sent, field: fieldOfCase, choose });
    const faults = faultsOf(reply.said);
    if ((known.refused(faults) || supposed.refused(faults) || markFaults(faults)) && !hasCandidates(reply.body)) return;
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
  const why = place && whyNot(place) && whyNotOf(place);
  if (!why || field.value() !== name || warning()) return;
  const write = () => {
    emptyAnswer(`Regra de ${currentTax().sigla} em ${name}, pela lei que o escritório leu.`);
    byId("resposta").append(lawForm({ asked: payload() }));
    byId("resposta").querySelector("button").click();
  };
  field.official.before(h("div", { class: "sem-resposta", "data-de": placeNow() }, h("p", { class: isWithout(place) ? "falha" : "ajuda" }, why), isWithout(place) ? button("Tenho a lei", write) : null));
  announce(why);
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
  lacksKey = false;
  put(byId("resposta"), h("p", { class: "vazio" }, note ?? "A resposta aparece aqui, com a regra que a sustenta."));
}

export function mountCalculate() {
  const options = (list) => list.map(([value, text]) => h("option", { value }, text));
  put(controlById("tributo"), options(allTaxes().map(({ tributo, sigla, nome }) => [tributo, `${sigla} — ${nome}`])), h("optgroup", { label: "Por outros nomes" }, options(OTHER_NAMES)));
  onFormChange(() => {
    const said = warning();
    if (said?.dataset.de !== placeNow()) said?.remove();
    byId("enviado").textContent = JSON.stringify(masked(payload()), null, 2);
    tellChanged();
  });
  controlById("tributo").addEventListener("change", () => {
    compared = "";
    changeTax(taxOf(controlById("tributo").value));
    supposed.refresh();
    emptyAnswer();
  });
  onGoodKey(() => lacksKey && emptyAnswer("Agora calcule."));
  known = mountKnown(byId("calcular-conhecido"), "campo");
  supposed = mountSupposed(byId("calcular-conhecido"), "campo", () => [currentTax()].filter(Boolean));
  answers = rememberAnswers("calcular", byId("resposta"));
  mountSaved(byId("calcular-guardados"), fragment);
  byId("exemplo").addEventListener("click", () => showForm(currentTax(), exampleOf(currentTax())));
  byId("limpar").addEventListener("click", () => {
    compared = "";
    [known, supposed].forEach((field) => field.write());
    clearForm();
    fillForm("calcular");
  });
  byId("pedido").addEventListener("submit", send);
  byId("campos").addEventListener("focusin", (event) => {
    offerUnit(fieldNamed);
  });
  let goods = "";
  byId("campos").addEventListener("focusin", (event) => {
    const { name, value } = /** @type {HTMLInputElement} */ (event.target);
    if (name === "ncm" && value) goods = value;
  });
  byId("campos").addEventListener("change", (event) => {
    const { name, value } = /** @type {HTMLInputElement} */ (event.target);
    if (["municipio", "uf"].includes(name)) warnOfMunicipality();
    if (name === "codigo_tributacao_nacional") fillSubitem();
    if (name === "ncm" && value) {
      // What is of another NCM.
      if (goods && goods !== value) ["ex", "cest"].forEach((one) => fieldNamed(one)?.write(""));
      goods = value;
    }
    offerUnit(fieldNamed);
  });
  showForm(taxOf("icms"), freshCase(taxOf("icms")));
  supposed.refresh();
}

// Shows the case of the address, without calling: a link alone spends nobody's quota. What was changed since and is not
// calculated stays for a reader who only looked something up in another part.
export function enterCalculate(parameters, note) {
  const members = payloadOf(parameters);
  const wasElsewhere = answers.wasElsewhere();
  if (!members || (wasElsewhere && !note && location.hash === given)) return;
  const tax = taxOf(members.tributo);
  const same = location.hash === fragment() || JSON.stringify([payload(), known.value() ?? null, supposed.value(), compared]) === JSON.stringify([members, parameters.get("conhecido_em"), parameters.get("supondo") ?? "", parameters.get("outra_data") ?? ""]);
  controlById("memoria").checked = parameters.get("memoria") !== "false";
  controlById("prova").checked = parameters.get("prova") === "true";
  known.write(parameters.get("conhecido_em") ?? undefined);
  compared = parameters.get("outra_data") ?? "";
  if (same && !note) return;
  showForm(tax, members);
  supposed.write(parameters.get("supondo"));
  given = location.hash;
  if (!note && answers.show(given)) {
    answered = caseNow();
    return;
  }
  emptyAnswer(note ?? (unsaid(tax, members, fieldNamed).length > 0 ? `Caso de ${tax.sigla}: preencha o que falta e calcule.` : `Caso de ${tax.sigla} preenchido. Confira e calcule.`));
}

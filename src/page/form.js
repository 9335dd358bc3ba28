// The form of a payload, made from the declaration of its tax.

import { button, byId, controlById, h, put } from "./dom.js";
import { addressOf, freshCase } from "./case.js";
import { makeFields, required } from "./fields.js";
import { askedByDay, fieldOf, notAsked } from "./taxes.js";

let tax = null;
let fields = makeFields([]);
// Members of a case that the form has no field for. They are sent, and the service speaks of them.
let extras = {};
let changed = () => {};
// The tax of the other side of a service, and what of it one looks for.
const ALL = ["operacao", "Calcular todos os tributos da venda em Operação"];
const OTHER_SIDE = { iss: ["iss_retido", "Quem retém o ISS? Ver ISS retido"], iss_retido: ["iss", "Só o ISS do serviço"], cbs: ALL, ibs: ALL };
// What was filled in the forms of other taxes, by the name of the field.
let filled = {};

export function onFormChange(listener) {
  changed = listener;
}

export const currentTax = () => tax;

export const fieldNamed = (name) => fields.named(name);

function showExtras() {
  const names = Object.keys(extras);
  const drop = button("Descartar", () => {
    extras = {};
    showExtras();
    changed();
    controlById("tributo").focus();
  });
  byId("extras").hidden = names.length === 0;
  byId("extras").replaceChildren(
    h("p", {}, `O caso traz também o que o formulário não mostra: ${names.join(", ")}.`), drop);
}

// Hides what the law of the day does not ask for.
function hideUnasked() {
  const day = tax.lei_da_data && fieldNamed(tax.lei_da_data.data)?.value();
  const unasked = notAsked(tax, day);
  fields.all.filter(({ name }) => name in notAsked(tax, tax.lei_da_data?.desde)).forEach(({ name, node }) => { node.hidden = name in unasked; });
}

// Opens all taxes of the sale in the form.
function toOperation() {
  const { valor_operacao, ...members } = payload();
  const taken = Object.entries(members).filter(([name]) => fieldOf("operacao", name));
  location.hash = addressOf("operacao", { ...Object.fromEntries(taken), ...valor_operacao && { valor_produto: valor_operacao } });
}

// Shows the form of a tax with the members of a payload; members that are absent are empty.
export function showForm(chosen, payload) {
  const before = tax;
  tax = chosen;
  controlById("tributo").value = tax.tributo;
  if (tax !== before) {
    fields = makeFields(tax.campos, () => {
      hideUnasked();
      changed();
    }, "campo", tax.tributo);
    // The day decides it.
    fields.all.filter(({ name }) => name === tax.lei_da_data?.campo).forEach(({ node }) => { node.hidden = true; });
    put(byId("campos"), required(fields, tax.campos, tax.tributo));
    const [other, text] = OTHER_SIDE[tax.tributo] ?? [];
    put(byId("outro-lado"), other ? button(text, () => {
      if (other === "operacao") return toOperation();
      controlById("tributo").value = other;
      controlById("tributo").dispatchEvent(new Event("change"));
      return controlById("tributo").focus();
    }) : null);
  }
  fields.write(payload);
  hideUnasked();
  extras = Object.fromEntries(Object.entries(payload).filter(([name]) => name !== "tributo" && !fieldNamed(name)));
  showExtras();
  changed();
}

// Shows the form of another tax. A field keeps what was filled in one of the same name.
export function changeTax(chosen) {
  const { tributo, ...members } = payload();
  const fresh = freshCase(tax);
  filled = { ...filled, ...Object.fromEntries(Object.entries(members).filter(([name, value]) => value !== fresh[name])) };
  const takes = ({ nome, valores }) => Object.hasOwn(filled, nome) && (valores?.includes(filled[nome]) ?? true);
  const kept = chosen.campos.filter(takes).map(({ nome }) => [nome, filled[nome]]);
  showForm(chosen, { ...freshCase(chosen), ...Object.fromEntries(kept) });
  if (kept.length === 0) return;
  const said = h("p", { class: "aviso neutro veio" }, `Veio do formulário anterior: ${kept.map(([name]) => fieldNamed(name).label).join(", ")}. `, button("Tirar", () => {
    kept.forEach(([name]) => fieldNamed(name).write(freshCase(tax)[name]));
    said.remove();
    filled = {};
    hideUnasked();
    changed();
    controlById("tributo").focus();
  }));
  byId("campos").prepend(said);
}

// Empties the form and forgets what other forms had.
export function clearForm() {
  filled = {};
  showForm(tax, freshCase(tax));
}

// What will be sent.
export const payload = () => askedByDay({ tributo: tax.tributo, ...fields.payload(), ...extras });

export const unmarkAll = () => fields.unmark();

export const markFaults = (faults) => fields.mark(faults);

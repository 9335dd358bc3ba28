// The form of a payload, made from the declaration of its tax.

import { byId, button, h } from "./dom.js";
import { makeField } from "./field.js";

let tax = null;
let fields = [];
// Members of a case that the form has no field for. They are sent, and the service speaks of them.
let extras = {};
let changed = () => {};

export function onFormChange(listener) {
  changed = listener;
}

export const currentTax = () => tax;

export const fieldNamed = (name) => fields.find((field) => field.name === name);

function showExtras() {
  const names = Object.keys(extras);
  const drop = button("Descartar", () => {
    extras = {};
    showExtras();
    changed();
    byId("tributo").focus();
  });
  byId("extras").hidden = names.length === 0;
  byId("extras").replaceChildren(
    h("p", {}, `O caso traz também o que o formulário não mostra: ${names.join(", ")}.`), drop);
}

// Shows the form of a tax with the members of a payload; members that are absent are empty.
export function showForm(chosen, payload) {
  const before = tax;
  tax = chosen;
  byId("tributo").value = tax.tributo;
  if (tax !== before) {
    fields = tax.campos.map((field) => makeField(field, changed));
    byId("campos").replaceChildren(...fields.map((field) => field.node));
  }
  fields.forEach((field) => field.write(payload[field.name]));
  extras = Object.fromEntries(Object.entries(payload).filter(([name]) => name !== "tributo" && !fieldNamed(name)));
  showExtras();
  changed();
}

// What will be sent: nothing of a field that is left empty.
export function payload() {
  const out = { tributo: tax.tributo };
  for (const field of fields) {
    const value = field.value();
    if (value !== undefined) out[field.name] = value;
  }
  return { ...out, ...extras };
}

export const unmarkAll = () => fields.forEach((field) => field.unmark());

// Marks the faulty fields and goes to the first of them.
export function markFaults(faults) {
  unmarkAll();
  const marked = fields.filter((field) => {
    const own = faults.filter((fault) => fault.campo === field.name || fault.campo.startsWith(`${field.name}[`) || fault.campo.startsWith(`${field.name}.`));
    if (own.length > 0) field.mark(own.map((fault) => fault.detail).join(" "));
    return own.length > 0;
  });
  marked[0]?.input.focus();
  return marked.length > 0;
}

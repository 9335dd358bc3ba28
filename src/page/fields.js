// The fields of one form together: what they send, and the marks of faults.

import { USUAL } from "./case.js";
import { h, put } from "./dom.js";
import { makeField } from "./field.js";
import { withLookup } from "./lookup.js";

const open = ({ node }) => {
  const group = node.closest("details");
  if (group) group.open = true;
};

// Fields that no tax declares as required, and that most cases need, or that decide what is calculated.
const WANTED = new Set(["ncm", "anexo", "atividade", "valor_unidade_fiscal", "icms_consumidor_final.destinatario_contribuinte", "combustivel"]);

// Fields in a group that is closed until one of them holds something, is at fault or is gone to.
export const fieldGroup = (title, nodes) => h("details", { class: "mais" }, h("summary", {}, title, h("span", {})), h("div", { class: "campos" }, nodes));

// The fields that a case must have, and a group of the others.
export function required({ all }, declared, tributo) {
  const isMain = ({ name }) => !(name in (USUAL[tributo] ?? {})) && (WANTED.has(name) || WANTED.has(`${tributo}.${name}`) || declared.find(({ nome }) => nome === name).obrigatorio);
  const others = all.filter((field) => !isMain(field));
  const shown = others.filter(({ node }) => !node.hidden).length;
  return [h("div", { class: "campos" }, all.filter(isMain).map(({ node }) => node)),
    shown > 0 ? fieldGroup(`Mais dados, se houver (${shown})`, others.map(({ node }) => node)) : null];
}

// A field whose node is hidden is not sent. The municipalities of a tax are looked up.
export function makeFields(declared, changed, prefix, tributo) {
  const ofPlace = () => all.find(({ name }) => name === "uf");
  const place = tributo && (() => ({ tributo, uf: ofPlace()?.value(), change: (uf) => {
    ofPlace()?.write(uf);
    ofPlace()?.input.dispatchEvent(new Event("change", { bubbles: true }));
  } }));
  const all = declared.map((field) => withLookup(makeField(field, changed, prefix), place)).map((field) => ({
    ...field,
    // Goes to the field, also in a group that is closed.
    go() {
      open(field);
      field.input.focus();
    },
  }));
  const boxes = () => new Set(all.map(({ node }) => node.closest("details.mais")).filter(Boolean));
  // A group that is closed says what is filled in within it.
  const sayFilled = () => {
    for (const box of boxes()) {
      const filled = all.filter(({ node, input }) => box.contains(node) && !node.hidden && input.value !== "");
      put(box.querySelector("summary span"), filled.length > 0 && !box.open ? `: ${filled.map(({ label, input }) => `${label}, ${input.selectedOptions?.[0].text.toLowerCase() ?? input.value}`).join("; ")}` : null);
    }
  };
  for (const field of all) {
    field.input.addEventListener("change", () => {
      if (field.value() !== undefined) open(field);
      sayFilled();
    });
  }
  return {
    all,
    named: (name) => all.find((field) => field.name === name),
    write(members) {
      all.forEach((field) => field.write(members[field.name]));
      for (const box of boxes()) {
        box.open = all.some(({ name, node }) => box.contains(node) && members[name] !== undefined && members[name] !== USUAL[tributo]?.[name]);
      }
      sayFilled();
    },
    // Nothing of a field that is left empty.
    payload: () => Object.fromEntries(all.filter(({ node }) => !node.hidden).map((field) => [field.name, field.value()]).filter(([, value]) => value !== undefined)),
    unmark: () => all.forEach((field) => field.unmark()),
    // Marks the faulty fields and goes to the first of them unless the caller says otherwise.
    mark(faults, goes = true) {
      const marked = all.filter((field) => {
        const own = faults.filter(({ campo }) => campo === field.name || campo.startsWith(`${field.name}[`) || campo.startsWith(`${field.name}.`));
        field.unmark();
        if (own.length > 0) field.mark(own.map((fault) => field.sentence(fault)).join(" "));
        return own.length > 0;
      });
      marked.forEach(open);
      if (goes) marked[0]?.input.focus();
      return marked.length > 0;
    },
  };
}

// What is wrong with a case before it is calculated, so that it uses no quota up: required data that are missing, words where
// a code belongs, and data with a default that are asked for, because a reader who left one alone did not mean it.

import { h, put } from "./dom.js";
import { MISSING } from "./field.js";

const WORDS = "Escreva os algarismos do código, ou palavras dele, e escolha na lista.";

// The faults of the members of a case, by the declaration of its tax. A field that is not shown has none.
export function unsaid({ campos }, members, fieldNamed) {
  const shown = campos.filter(({ nome }) => fieldNamed(nome) && !fieldNamed(nome).node.hidden);
  const isCode = ({ tipo, exemplo }) => tipo === "codigo" && /^\d+$/.test(exemplo);
  const faultOf = (field) => {
    const { nome: campo, obrigatorio, pergunta } = field;
    const value = members[campo];
    // Of a CEST the service knows the NCMs.
    if (campo === "ncm" && value === undefined && members.cest !== undefined) return null;
    if (value === undefined && obrigatorio) return { campo, codigo: "campo_obrigatorio", detail: MISSING };
    if (value === undefined && pergunta && Number(members[pergunta.com]) > 0) return { campo, codigo: "campo_obrigatorio", detail: pergunta.texto };
    return value !== undefined && isCode(field) && !/^\d+$/.test(value) ? { campo, codigo: "formato_invalido", detail: WORDS } : null;
  };
  return shown.map(faultOf).filter(Boolean);
}

// Says in `out` what is wrong, by the labels of the form.
export function showUnsaid(out, faults, tax, fieldNamed) {
  const isAsked = ({ campo }) => tax.campos.find(({ nome }) => nome === campo).pergunta;
  const name = (fault) => `${fieldNamed(fault.campo).label}${isAsked(fault) ? "?" : ""}`;
  const missing = faults.filter(({ detail }) => detail !== WORDS);
  const link = ({ campo }) => {
    const { input, label, go } = fieldNamed(campo);
    return h("a", { href: `#${input.id}`, click: (event) => {
      event.preventDefault();
      go();
    } }, label);
  };
  put(out,
    h("h3", { tabindex: "-1", class: "recusa" }, missing.length > 0 ? `Falta informar: ${missing.map(name).join("; ")}` : `Corrija: ${faults.map(name).join("; ")}`),
    faults.length === 1 && faults[0].detail !== MISSING ? h("p", { class: "razao" }, faults[0].detail)
      : h("ul", { class: "falhas", "aria-label": "Campos com problema" }, faults.map((fault) => h("li", {}, link(fault), fault.detail === MISSING ? null : [": ", fault.detail]))),
    h("p", { class: "conselho" }, "Nada foi calculado nem gasto ainda."));
}

// Fields with a default that are asked for before a case is calculated: a reader who left one alone did not mean it.

import { h, put } from "./dom.js";

// What the members of a case leave unsaid, as faults of the form.
export const unsaid = ({ campos }, members) => campos
  .filter(({ nome, pergunta }) => pergunta && members[nome] === undefined && Number(members[pergunta.com]) > 0)
  .map(({ nome, pergunta }) => ({ campo: nome, codigo: "campo_obrigatorio", detail: pergunta.texto }));

// Says in `out` what is missing, by the labels of the form. Nothing was asked of the service.
export function showUnsaid(out, faults, fieldNamed) {
  const label = ({ campo }) => `${fieldNamed(campo).label}?`;
  put(out,
    h("h3", { tabindex: "-1", class: "recusa" }, `Falta informar: ${faults.map(label).join("; ")}`),
    faults.map(({ detail }) => h("p", { class: "razao" }, detail)),
    h("p", { class: "conselho" }, "Nada foi calculado ainda, e nenhuma chamada da cota foi gasta."));
}

// What is asked beside a case: "Como se sabia em", a calculation by what was published up to an instant.

import { h } from "./dom.js";
import { makeField } from "./field.js";
import { knownInstant } from "./format.js";

export const KNOWN = {
  nome: "conhecido_em",
  rotulo: "Como se sabia em",
  tipo: "instante",
  ajuda: "Responde pelas regras publicadas até esse dia, ou até essa hora de Brasília. Em branco: pelas de hoje.",
};

// The field, within `place`, which is closed while it says nothing.
export function mountKnown(place, prefix) {
  const field = makeField(KNOWN, () => {}, prefix);
  const box = h("details", {}, h("summary", {}, "Como se sabia em outro dia"), field.node);
  place.append(box);
  return {
    ...field,
    write(value) {
      field.write(value);
      if (value) box.open = true;
    },
    // Marks what the service says of it. True if it did.
    refused(faults) {
      const fault = faults.find(({ campo }) => campo === KNOWN.nome);
      if (!fault) return false;
      box.open = true;
      field.mark(field.sentence(fault));
      field.input.focus();
      return true;
    },
  };
}

// What answers say first that are not law, on screen and on paper.
export const supposedLines = (answers) => [...new Set(answers.filter((answer) => answer?.suposicoes).map(({ avisos }) => avisos[0]))]
  .map((text) => h("p", { class: "aviso alerta suposicao" }, h("strong", {}, text)));

export const knownLine = ({ known }) => (known
  ? h("p", { class: "aviso neutro" }, `Como se sabia em ${knownInstant(known)} (hora de Brasília), pelas regras publicadas até então.`) : null);

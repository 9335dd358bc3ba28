// What is asked beside a case: "Como se sabia em", a calculation by what was published up to an instant, and "Supondo", as if
// a figure of the rule were another.

import { h } from "./dom.js";
import { makeField } from "./field.js";
import { figuresOf, figuresShown, knownInstant } from "./format.js";

export const KNOWN = {
  nome: "conhecido_em",
  rotulo: "Como se sabia em",
  tipo: "instante",
  ajuda: "Responde pelas regras publicadas até esse dia, ou até essa hora de Brasília. Em branco: pelas de hoje.",
};

export const SUPPOSED = {
  nome: "supondo",
  rotulo: "Supondo, no lugar do que diz a regra",
  tipo: "texto",
  ajuda: "Tributo, valor da regra e quanto: cbs.aliquota: 8,80; separe vários com ponto e vírgula. A resposta não é a lei, e diz isso.",
};

// The field, within `place`, which is closed while it says nothing.
function mountBeside(declared, summary, place, prefix) {
  const field = makeField(declared, () => {}, prefix);
  const box = h("details", {}, h("summary", {}, summary), field.node);
  place.append(box);
  return {
    ...field,
    write(value) {
      field.write(value);
      if (value) box.open = true;
    },
    // Marks what the service says of it. True if it did.
    refused(faults) {
      const fault = faults.find(({ campo }) => campo === declared.nome);
      if (!fault) return false;
      box.open = true;
      field.mark(field.sentence(fault));
      field.input.focus();
      return true;
    },
  };
}

export const mountKnown = (place, prefix) => mountBeside(KNOWN, "Como se sabia em outro dia", place, prefix);

export function mountSupposed(place, prefix) {
  const field = mountBeside(SUPPOSED, "Supor outro valor da regra", place, prefix);
  return { ...field, value: () => figuresOf(field.input.value), write: (sent) => field.write(sent && figuresShown(sent)) };
}

// What answers say first that are not law, on screen and on paper.
export const supposedLines = (answers) => [...new Set(answers.filter((answer) => answer?.suposicoes).map(({ avisos }) => avisos[0]))]
  .map((text) => h("p", { class: "aviso alerta suposicao" }, h("strong", {}, text)));

export const knownLine = ({ known }) => (known
  ? h("p", { class: "aviso neutro" }, `Como se sabia em ${knownInstant(known)} (hora de Brasília), pelas regras publicadas até então.`) : null);

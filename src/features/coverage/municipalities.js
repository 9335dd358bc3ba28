// The municipalities of a UF, those that a tax answers for first.

import { call, withQuery } from "./api.js";
import { h } from "./dom.js";

export const MEANING = "“Sem regra” e “recusa” não querem dizer que não há imposto, e sim que o taxd não sabe calculá-lo.";

// Why there is no answer, or not always one.
const WHY = {
  em_parte: "responde em parte",
  recusa: "sem resposta: valor não estabelecido",
  ausente: "sem resposta: nenhuma regra do município",
};

const asked = new Map();

// Each with its state; none if they could not be read. Asked for once.
export async function municipalitiesOf(tributo, uf, day) {
  const path = withQuery("/sandbox/v1/municipios", { tributo, uf, vigente_em: day });
  if (!asked.has(path)) {
    asked.set(path, call(path, { cache: "no-cache" }).then((reply) => {
      if (reply.status === 200 && reply.body) return reply.body;
      asked.delete(path);
      return [];
    }));
  }
  return asked.get(path);
}

// The same as suggestions: a name without an answer says why. A list of suggestions cannot grey one.
export const suggestions = (municipalities) => municipalities.map(({ nome, situacao }) => h("option", { value: nome, label: WHY[situacao] ? `${nome} (${WHY[situacao]})` : undefined }));

// Why the municipality has no answer, or not always one; undefined if it has, or if its name is another one.
export function whyNot(municipalities, name) {
  const wanted = name.trim().toLowerCase();
  return WHY[municipalities.find(({ nome }) => nome.toLowerCase() === wanted)?.situacao];
}

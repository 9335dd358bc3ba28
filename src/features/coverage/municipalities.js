// The municipalities of a UF, those that a tax answers for first.

import { call, withQuery } from "./api.js";

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

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

// Those with words that begin as the words of a text do, in their order, the name that begins with it first.
export function byWords(municipalities, text) {
  const wanted = plain(text).split(/[\s'-]+/).filter(Boolean);
  const found = municipalities.filter(({ nome }) => {
    const words = plain(nome).split(/[\s'-]+/);
    return wanted.every((one) => words.some((word) => word.startsWith(one)));
  });
  const answers = ({ situacao }) => situacao === "responde" || situacao === "em_parte";
  const rank = (one) => (answers(one) ? 0 : 2) + (plain(one.nome).startsWith(plain(text)) ? 0 : 1);
  return found.map((one) => [rank(one), one]).sort(([a], [b]) => a - b).map(([, one]) => one);
}

// The municipality of that name; undefined if none has it.
export function named(municipalities, name) {
  const wanted = name.trim().toLowerCase();
  return municipalities.find(({ nome }) => nome.toLowerCase() === wanted);
}

// Why a municipality has no answer, or not always one; undefined if it has.
export const whyNot = ({ situacao }) => WHY[situacao];

// The same as a sentence, of the municipality of a form.
export const whyNotOf = (one) => (one.situacao === "em_parte" ? `${one.nome}: o taxd tem só parte dos valores; o que falta é recusado, e não calculado como zero.` : `${one.nome}: ${whyNot(one)}.`);

// Whether it has none.
export const isWithout = ({ situacao }) => situacao === "recusa" || situacao === "ausente";

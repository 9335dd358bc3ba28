// The tables of codes: what they are called, how people write their codes, and asking the service for codes.

import { call, withQuery } from "./api.js";
import { h } from "./dom.js";
import { currentKey } from "./key.js";

// Each table: the field that takes its codes, if one does, and what people call it.
export const TABLES = {
  ncm: { field: "ncm", name: "NCM" },
  cest: { field: "cest", name: "CEST" },
  servico: { field: "item_lista_servico", name: "Serviço (LC 116/2003)" },
  classificacao: { field: "classificacao_tributaria", name: "cClassTrib" },
  cfop: { field: null, name: "CFOP" },
  cst: { field: null, name: "CST e CSOSN" },
  nbs: { field: null, name: "NBS" },
};

export const tableOfField = (name) => Object.keys(TABLES).find((table) => TABLES[table].field === name);

// A code with the points that people write in it.
export function pointed(table, code) {
  if (table === "ncm") return code.replace(/^(\d{4})(\d\d)(\d\d)$/, "$1.$2.$3");
  return table === "cest" ? code.replace(/^(\d\d)(\d{3})(\d\d)$/, "$1.$2.$3") : code;
}

const NO_TEXT = "o texto deste código não está na tabela do taxd";

// The texts of the headings of a code and its own. The chapter of an NCM says nothing that its position does not say.
const levels = (table, { texto, dentro_de: above }) => [...above.slice(table === "ncm" && (texto || above.length > 1) ? 1 : 0), texto || NO_TEXT].map((text) => text.replace(/[.:]$/, ""));

const noted = ({ nota }) => (nota ? ` (${nota})` : "");

// The text of a code within those of its headings.
export const textOf = (table, code) => levels(table, code).join(" › ") + noted(code);

// What distinguishes a code, and its headings. "Outros" says nothing without the one above it.
export function ownText(table, code) {
  const above = levels(table, code);
  const own = above.splice(/^outr[oa]s$/i.test(above.at(-1)) ? -2 : -1).join(" › ");
  return [own + noted(code), above.join(" › ")];
}

// The tariff exceptions of an NCM, a line each.
export const exceptionsOf = ({ ex = [] }) => ex.flatMap(({ ex: number, texto }) => [h("br"), `Ex ${number}: ${texto}`]);

export const pathOf = (parameters) => withQuery("/sandbox/v1/codigos", parameters);

// A reader of codes: a question ends the one before it, which then gives null; so does one without a key.
export function finder() {
  let under = null;
  return async (parameters) => {
    under?.abort();
    if (!currentKey()) return null;
    const mine = new AbortController();
    under = mine;
    const reply = await call(pathOf(parameters), { signal: mine.signal });
    return mine.signal.aborted || reply.status !== 200 ? null : reply.body;
  };
}

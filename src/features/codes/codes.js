// The tables of codes: what they are called, how people write their codes, and asking the service for codes.

import { call, withQuery } from "./api.js";
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

// The text of a code within those of its headings. The chapter of an NCM says nothing that its position does not say.
export const textOf = (table, { texto, dentro_de: above, nota }) => [...above.slice(table === "ncm" && (texto || above.length > 1) ? 1 : 0), texto || NO_TEXT]
  .map((text) => text.replace(/[.:]$/, "")).join(" › ") + (nota ? ` (${nota})` : "");

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

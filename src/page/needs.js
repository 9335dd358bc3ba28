// The facts that an operation lacks, said at their fields before it is calculated.

import { call, withQuery } from "./api.js";
import { MISSING } from "./field.js";
import { currentKey } from "./key.js";
import { listed, siglaOf } from "./taxes.js";

// What the members lack: the name of each fact, and the taxes that need it, none if every operation does. Null without an
// answer, as without a key or while a value is at fault.
export async function needsOf(members, known, options) {
  if (!currentKey()) return null;
  const reply = await call(withQuery("/sandbox/v1/operacao/falta", { conhecido_em: known }), { method: "POST", body: JSON.stringify(members), ...options });
  return reply.status === 200 ? reply.body : null;
}

// Each as a fault of its field.
export const asFaults = (needs) => needs.map(({ campo }) => ({ campo, codigo: "campo_obrigatorio", detail: MISSING }));

// A function that says at the fields what the members lack. A question ends the one before it.
export function needsShower(fields) {
  let under = null;
  return async (members, known) => {
    under?.abort();
    under = new AbortController();
    const { signal } = under;
    const needs = await needsOf(members, known, { signal }) ?? [];
    if (signal.aborted) return;
    for (const field of fields.all) {
      const need = needs.find(({ campo }) => campo === field.name);
      field.need(need && (need.tributos.length > 0 ? `Falta informar, para ${listed(need.tributos.map(siglaOf))}.` : field.required ? "" : "Falta informar."));
    }
  };
}

// Products that the TIPI of their day does not have: general rates answer a code that is mistyped or extinct all the same.

import { call, withQuery } from "./api.js";
import { pointed } from "./codes.js";
import { date } from "./format.js";

export const outsideTipi = ({ ncm, data_operacao: day }) => `Na TIPI de ${date(day)} o taxd não encontra o NCM ${pointed("ncm", ncm)}: confira o código do produto.`;

// What is to be checked of the product of a payload; null if nothing is.
export async function productCheck({ ncm, data_operacao: day }, known) {
  if (!ncm || !day) return null;
  const reply = await call(withQuery("/sandbox/v1/tipi", { ncm, data: day, conhecido_em: known }));
  return reply.body?.falta ? outsideTipi({ ncm, data_operacao: day }) : null;
}

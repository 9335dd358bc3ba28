// A tax that is several amounts, of which each has its rate, its base and its field in the invoice: the ICMS of a sale to
// a final consumer, and an ICMS with FCP. One rate for all of it would be that of none.

import { money, percent } from "./format.js";
import { figureTable } from "./table.js";

const rate = (sent) => (sent ? percent(sent) : "");

const isNothing = (amount) => !/[1-9]/.test(amount);

// What the buyer pays is said beside it.
const payer = ({ responsavel_difal: who }) => (who === "destinatario" ? ", a recolher por quem compra" : "");

// What the buyer owes and was not calculated: nothing is said of its amount.
const notCalculated = "não calculada";

// The own ICMS of the seller, beside a difference that is the buyer's.
const ofSeller = ({ uf_origem: from, uf_destino: to }, parts) => [
  [`ICMS de ${from} (origem), interestadual`, parts.base_calculo, percent(parts.aliquota_interestadual), parts.valor_icms],
  [`Diferença de alíquota (DIFAL) e FCP de ${to} (destino)${payer(parts)}`, null, notCalculated, null],
];

function betweenStates({ uf_origem: from, uf_destino: to }, parts) {
  const { base_calculo_difal: base, aliquota_interna: internal, aliquota_interestadual: between } = parts;
  const difference = parts.base_difal === "dupla" ? `${percent(internal)}, menos o ICMS da origem` : `${percent(internal)} − ${percent(between)}`;
  return [
    [`ICMS de ${from} (origem), interestadual`, parts.base_calculo, percent(between), parts.valor_icms],
    [`Diferença de alíquota (DIFAL) de ${to} (destino)${payer(parts)}`, base, difference, parts.valor_difal],
    parts.aliquota_fcp && [`FCP de ${to} (destino)${payer(parts)}`, base, percent(parts.aliquota_fcp), parts.valor_fcp],
  ];
}

function within(parts) {
  if (!parts.valor_fcp || isNothing(parts.valor_fcp)) return [];
  return [
    ["ICMS", parts.base_calculo, rate(parts.aliquota_interna ?? parts.aliquota_aplicada), parts.valor_icms],
    ["FCP", parts.base_calculo, rate(parts.aliquota_fcp), parts.valor_fcp],
  ];
}

// The parcels of an answer to that payload, as a table; null if it is one amount.
export function parcelTable({ tributo, detalhes }, payload) {
  if (!["icms", "icms_consumidor_final"].includes(tributo) || detalhes.isento) return null;
  const consumer = tributo === "icms_consumidor_final";
  const rows = consumer && detalhes.base_calculo_difal ? betweenStates(payload, detalhes)
    : consumer && detalhes.valor_difal === null ? ofSeller(payload, detalhes) : within(detalhes);
  return rows.length === 0 ? null : figureTable("Composição do ICMS", ["Base", "Alíquota", "Valor"],
    rows.filter(Boolean).map(([label, base, percentage, amount]) => [label, base ? money(base) : "", percentage, amount ? money(amount) : ""]));
}

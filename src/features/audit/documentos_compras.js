// What companies may credit of their purchases, by month and tax. The XLSX has the reasons.

import { added, few, month, table, taxName } from "./documentos_resumo.js";
import { h } from "./dom.js";
import { counted, money } from "./format.js";

/** @type {(situation: string, name: string) => (credits: any[]) => any} */
const sums = (situation, name) => (credits) => {
  const all = credits.filter(({ situacao }) => situacao === situation);
  return all.length === 0 ? "–" : [money(added(all, name)), h("small", {}, counted(all.reduce((sum, { itens }) => sum + itens, 0), "item", "itens"))];
};
/** @type {[string, (credits: any[]) => any][]} */
const COLUMNS = [["Possível", sums("credito_possivel", "credito")], ["A conferir", sums("credito_a_conferir", "credito")], ["Sem crédito, base", sums("sem_credito", "base")]];

const company = ({ empresa, mes, creditos }) => h("section", { class: "cartao compras" },
  h("h3", {}, `Créditos das compras: empresa ${empresa}, ${month(mes)}`),
  h("p", { class: "ajuda" }, "O que as notas permitem creditar; se cabe, decidem a escrituração e o uso da mercadoria. O XLSX diz por quê."),
  table("Créditos das compras", "Tributo", COLUMNS, [...new Set(creditos.map(({ tributo }) => tributo))].map((tax) => [taxName(tax), creditos.filter(({ tributo }) => tributo === tax)])));

export const purchasesOf = (months) => few(months, company, "empresas e meses: o arquivo baixado tem todos.");

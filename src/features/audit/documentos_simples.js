// The revenue of companies of the Simples Nacional, by what the PGDAS-D asks for.

import { h } from "./dom.js";
import { few, month } from "./documentos_resumo.js";
import { integer, money, percent } from "./format.js";

const cell = (label, text) => h("td", { "data-rotulo": label }, text);

const COLUMNS = [["Vendas", "vendas"], ["Devoluções", "devolucoes"], ["A declarar", "receita"]];

const revenues = ({ receitas }) => h("table", { class: "somas" }, h("caption", { class: "oculto" }, "Receita a segregar"),
  h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Receita"), COLUMNS.map(([label]) => h("th", { scope: "col" }, label)))),
  h("tbody", {}, receitas.map((one) => h("tr", {}, h("th", { scope: "row" }, one.descricao),
    COLUMNS.map(([label, name]) => cell(label, money(one[name])))))));

function das(one) {
  const of = `DAS ${one.anexo ? `do Anexo ${one.anexo}` : "de serviços"}${one.mercado === "externo" ? ", exportação" : ""}, sobre ${money(one.receita)}: `;
  const known = one.valor !== null && one.cobrado_em_dobro !== null;
  return h("li", {}, of, known
    ? [h("strong", {}, money(one.valor)), `, alíquota efetiva de ${percent(one.aliquota_efetiva)}; sem segregar, cobraria mais `, h("strong", {}, money(one.cobrado_em_dobro)), "."]
    : `falta ${one.falta ?? "a resposta"}`);
}

const amounts = (title, all) => (all.length === 0 ? null : h("details", { class: "imprime" }, h("summary", {}, `${title}: ${integer(all.length)}`),
  h("ul", {}, all.map(({ motivo, valor }) => h("li", {}, `${motivo}: ${money(valor)}`)))));

function company(one) {
  return h("section", { class: "cartao simples" }, h("h3", {}, `Receita do Simples Nacional para o PGDAS-D: empresa ${one.empresa}, ${month(one.mes)}`),
    h("p", { class: "ajuda" }, `Notas: ${integer(one.notas)}. Canceladas, fora da conta: ${integer(one.canceladas)}.`),
    revenues(one), one.das.length > 0 ? h("ul", {}, one.das.map(das)) : null,
    amounts("Fora da receita", one.fora), amounts("A conferir", one.conferir),
    one.faltas.length > 0 ? h("ul", { class: "falhas" }, one.faltas.map((fault) => h("li", {}, `Não se sabe ${fault}.`))) : null);
}

export const segregationOf = (months) => few(months, company, "empresas e meses: o arquivo baixado tem todos.");

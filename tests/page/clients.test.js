// The clients and their file.

import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import { auditFacts, factsOf } from "./clients.js";
import { parseCsv, readCompanies, writeCompanies } from "./clients_csv.js";
import { loadTaxes } from "./taxes.js";

const DECLARED = {
  tributos: [{ tributo: "icms", sigla: "ICMS", campos: [] }],
  operacao: { tributo: "operacao", sigla: "Operação", campos: [] },
  ufs: ["MG", "SP"],
  palavras: { simples_nacional: "Simples Nacional", lucro_presumido: "Lucro presumido ou arbitrado", lucro_real: "Lucro real", cumulativo: "Cumulativo", nao_cumulativo: "Não cumulativo" },
  graus: {},
  empresa: [["regime_pis_cofins", "Regime de PIS e COFINS"], ["contribuinte_ipi", "Contribuinte do IPI"], ["regime_especial_por_unidade", "PIS e COFINS por unidade"]],
  conferencia: { veredito: [], certeza: [], causa: [] },
};
globalThis.fetch = /** @type {any} */ (async () => ({ ok: true, json: async () => structuredClone(DECLARED) }));
await loadTaxes();

test("rows of a CSV have the line on which they begin, whatever its separator, quotes and ends of lines", () => {
  const cells = (text) => parseCsv(text).map(({ line, cells }) => [line, ...cells]);
  deepEqual(cells("\uFEFFa;b\r\n\r\n\"x;\"\"y\"\"\nz\"; w \r\nq"), [[1, "a", "b"], [3, "x;\"y\"\nz", "w"], [5, "q"]]);
  deepEqual(cells("a\tb\n1\t2\n"), [[1, "a", "b"], [2, "1", "2"]]);
  deepEqual(cells("a,b\n1,\n,2"), [[1, "a", "b"], [2, "1", ""], [3, "", "2"]]);
  deepEqual(cells("a;\"b\nc;d"), [[1, "a", "\"b"], [2, "c", "d"]]);
  deepEqual(cells(""), []);
});

test("a bad row is named and left out, and the good ones stay", () => {
  const { companies, faults } = readCompanies([
    "CNPJ;Razão social;Estado;Regime tributário;IPI;Cor",
    "11.222.333/0001-81;Padaria;SP;Simples Nacional;não;azul", "123;Curta;SP;;;", "11222333;Matriz;XX;;;", "99888777;Fábrica;mg;presumido;SIM;", ";Sem;SP;;;", "44555666;Outra;SP;lucro certo;;"].join("\r\n"));
  deepEqual(companies, [{ cnpj: "11.222.333/0001-81", nome: "Padaria", uf: "SP", regime: "simples_nacional", contribuinte_ipi: "false" },
    { cnpj: "99888777", nome: "Fábrica", uf: "MG", regime: "lucro_presumido", contribuinte_ipi: "true" }]);
  equal(faults.length, 5, faults.join("\n"));
  [/coluna “Cor”/, /^Linha 3: coluna “cnpj”/, /^Linha 4: coluna “uf”: “XX”/, /^Linha 6: não tem CNPJ/, /^Linha 7: coluna “regime”.*Lucro real/].forEach((wanted, at) => equal(wanted.test(faults[at]), true, faults[at]));
  deepEqual(readCompanies("nome;uf\nA;SP").faults.length, 1);
  deepEqual(readCompanies("cnpj\nsvc_x", (cell) => cell.startsWith("svc_")).companies, []);
});

test("what is exported is read back, with further rows for further entries", () => {
  const companies = [
    { cnpj: "11222333", nome: "A; \"B\"", uf: "SP", municipio: "Campinas", regime: "lucro_real", regime_pis_cofins: "cumulativo", contribuinte_ipi: "true",
      regime_especial: [{ tributo: "icms", desde: "01/01/2026", descricao: "TTD 409" }, { tributo: "icms", desde: "01/02/2026", ate: "31/12/2026" }],
      simples_nacional: [{ mes: "03/2026", receita_bruta_12_meses: "300.000,00", anexo_servicos: "III" }] },
    { cnpj: "99888777", nome: "C" },
  ];
  const text = writeCompanies([...companies, { nome: "sem CNPJ" }]);
  equal(text.split("\r\n").length, 5, text);
  deepEqual(readCompanies(text), { companies, faults: [] });
  // A further row that says otherwise.
  const { faults } = readCompanies("cnpj;uf\n11222333;SP\n11222333;MG");
  equal(/^Linha 3: outra linha deste CNPJ tem outro valor em “uf”/.test(faults[0]), true, faults[0]);
});

test("no text breaks the reader", () => {
  let seed = 7;
  const next = (most) => (seed = (seed * 48271) % 2147483647) % most;
  const parts = ["cnpj", "\"", ";", ",", "\n", "\r", "\t", "11222333", "uf", "SP", "\uFEFF", "é", "mes", "simples_nacional_mes", "=", "\u0000", " "];
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: next(40) }, () => parts[next(parts.length)]).join("");
    const { companies, faults } = readCompanies(text);
    equal(Array.isArray(companies) && faults.every((fault) => typeof fault === "string"), true);
    deepEqual(readCompanies(writeCompanies(companies)).companies.length, companies.length, text);
  }
});

test("a question takes facts, and never name or CNPJ", () => {
  const one = { cnpj: "11222333", nome: "A", uf: "SP", municipio: "Campinas", regime: "lucro_presumido" };
  const facts = factsOf(one);
  equal(Object.values(facts).some((value) => ["11222333", "A"].includes(value)), false);
  deepEqual([facts.regime_apuracao, facts.optante_simples, facts.uf_origem], ["cumulativo", "false", "SP"]);
  deepEqual(auditFacts(one), { cnpj: "11222333", nome: "A", regime_pis_cofins: "cumulativo" });
});

// What a Brazilian reads of what the service sends.

import { test } from "node:test";
import { deepEqual, equal } from "node:assert/strict";
import {
  added, date, dayBefore, decimal, decimalInput, difference, integer, money, percent, readDecimal, signedMoney, validity, versionOf,
} from "./format.js";
import { certainties, companyFacts, gradeInFull, inSentence, learn, verdicts, words } from "./words.js";

test("a number has every place that was sent, and a comma", () => {
  for (const [sent, shown] of [
    ["0", "0"],
    ["0.10", "0,10"],
    ["12", "12"],
    ["123.4500", "123,4500"],
    ["1234.56", "1.234,56"],
    ["1234567.8", "1.234.567,8"],
    ["12345678901234567890.12", "12.345.678.901.234.567.890,12"],
    ["-5.00", "−5,00"],
    [1234, "1.234"],
    // Anything else is shown as it is.
    ["mil", "mil"],
    ["1.", "1."],
    ["", ""],
  ]) {
    equal(decimal(sent), shown, String(sent));
  }
  equal(money("1234.5"), "R$\u00a01.234,5");
  equal(percent("18.00"), "18,00 %");
  equal(integer(24436), "24.436");
});

test("what a form shows of a number is read back as the same number", () => {
  for (const sent of ["0", "0.10", "0.125", "1.234", "1234", "-1234.56", "-0.05", "1000000", "12345678.9", "999.999"]) {
    equal(readDecimal(decimalInput(sent)).sent, sent);
  }
});

test("sums and differences are exact", () => {
  equal(added([]), "0.00");
  equal(added(["0.10", "0.20"]), "0.30");
  equal(added(["9007199254740993.01", "0.01"]), "9007199254740993.02");
  equal(added(["-0.05", "0.02"]), "-0.03");
  equal(added(["1.5", "2"]), "3.50");
  equal(difference("100.00", "99.95"), "-0.05");
  equal(difference("-1.00", "1.00"), "2.00");
  for (const [sent, shown] of [["0.00", "R$\u00a00,00"], ["0.05", "+R$\u00a00,05"], ["-0.05", "−R$\u00a00,05"]]) equal(signedMoney(sent), shown);
});

test("a day is shown as it is written in Brazil, and the day before one crosses months and years", () => {
  equal(date("2026-03-10"), "10/03/2026");
  equal(date("ontem"), "ontem");
  for (const [day, before] of [["2026-03-01", "2026-02-28"], ["2024-03-01", "2024-02-29"], ["2026-01-01", "2025-12-31"]]) equal(dayBefore(day), before);
});

test("the last day of a rule is one on which it answers", () => {
  equal(validity("2022-01-01", null), "desde 01/01/2022, sem data de término");
  equal(validity("2022-01-01", "2026-01-01"), "de 01/01/2022 a 31/12/2025");
  equal(validity("2022-01-01", "2022-01-01"), "de 01/01/2022; substituída por inteiro, não vale em dia nenhum");
});

test("a rule has its code and its version", () => {
  deepEqual(versionOf("icms-sp-geral-v1.0"), { code: "icms-sp-geral", version: "1.0" });
  deepEqual(versionOf("iss-sp-v2-v12.10"), { code: "iss-sp-v2", version: "12.10" });
  deepEqual(versionOf("sem-versao"), { code: "sem-versao", version: "" });
});

test("a label within a sentence begins with a small letter, unless it is an abbreviation", () => {
  equal(inSentence("Não sujeito à ST"), "não sujeito à ST");
  equal(inSentence("UF de origem"), "UF de origem");
});

test("a word is called what the service declares, and any other text is shown as it is", () => {
  learn({ palavras: { fontes_concordes: "Fontes concordes" }, graus: { fontes_concordes: "duas fontes dizem o mesmo" }, empresa: [["optante", "Optante"]],
    conferencia: { veredito: [["recusado", "Não conferida"]], certeza: [["conferir", "A conferir"]], causa: [["soma", "Soma"]] } });
  equal(words("fontes_concordes"), "Fontes concordes");
  // Not a member of every object.
  for (const name of ["constructor", "Texto já escrito"]) equal(words(name), name);
  equal(gradeInFull("fontes_concordes"), "Fontes concordes: duas fontes dizem o mesmo.");
  deepEqual(companyFacts, [["optante", "Optante"]]);
  deepEqual([verdicts, certainties], [{ recusado: "Não conferida" }, { conferir: "A conferir" }]);
});

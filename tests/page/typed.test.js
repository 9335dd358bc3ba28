// What is sent of what a Brazilian types.

import { test } from "node:test";
import { deepEqual, equal, ok } from "node:assert/strict";
import { knownInstant, readCode, readDate, readDecimal, readInstant, readWord } from "./format.js";

test("a typed number is sent with a point as its decimal mark", () => {
  for (const [typed, sent] of [
    ["1.234,56", "1234.56"],
    ["1234,56", "1234.56"],
    ["1234.56", "1234.56"],
    ["R$ 1.234.567,8", "1234567.8"],
    ["r$\u00a010,00", "10.00"],
    ["1 234,56", "1234.56"],
    ["1,5", "1.5"],
    ["0,10", "0.10"],
    [",50", "0.50"],
    ["-,50", "-0.50"],
    ["100", "100"],
    // A comma without decimals, as while typing.
    ["1.234,", "1234"],
    ["1234,", "1234"],
    ["1,234.56", "1234.56"],
    ["1,234,567.89", "1234567.89"],
    // A comma never groups thousands if it is the only mark.
    ["1,234", "1.234"],
    ["0.125", "0.125"],
    ["1.23", "1.23"],
    ["1.2345", "1.2345"],
    ["-5,00", "-5.00"],
  ]) {
    deepEqual(readDecimal(typed), { sent }, typed);
  }
});

test("a single dot before three digits groups thousands, and the form says so", () => {
  deepEqual(readDecimal("1.234"), { sent: "1234", note: "ponto lido como milhar" });
  deepEqual(readDecimal("-1.234"), { sent: "-1234", note: "ponto lido como milhar" });
  // Two dots are unambiguous: nothing is said.
  deepEqual(readDecimal("1.234.567"), { sent: "1234567", note: undefined });
});

test("a text that is not a number is sent unchanged, for the service to answer with the fault", () => {
  for (const typed of ["1,234,567", "mil", "1.23.4", "12.34,5x", "1.2345,67", ","]) deepEqual(readDecimal(typed), { sent: typed });
});

test("a date is read in each way that it is written, and another text is left", () => {
  for (const [typed, sent] of [
    ["10/03/2026", "2026-03-10"],
    ["1/3/2026", "2026-03-01"],
    ["20/11/26", "2026-11-20"],
    ["31.12.99", "1999-12-31"],
    ["1-1-69", "2069-01-01"],
    ["1/1/70", "1970-01-01"],
    ["20112026", "2026-11-20"],
    [" 10/03/2026 ", "2026-03-10"],
    ["2026-03-10", "2026-03-10"],
    ["ontem", "ontem"],
    ["1/3/202", "1/3/202"],
  ]) {
    equal(readDate(typed), sent, typed);
  }
});

test("an instant is read in the time of Brasília, and a day is its last second", () => {
  for (const [typed, sent] of [
    ["10/03/2026 9:05", "2026-03-10T09:05:00-03:00"],
    ["10/03/2026 09:05:07", "2026-03-10T09:05:07-03:00"],
    ["10032026", "2026-03-10T23:59:59-03:00"],
    ["2026-03-10T12:00:00Z", "2026-03-10T12:00:00Z"],
    ["ontem", "ontem"],
  ]) {
    equal(readInstant(typed), sent, typed);
  }
});

test("today as an instant is now, and never a second that is still to come", () => {
  const now = () => new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 19);
  const before = now();
  const sent = readInstant(before.slice(0, 10));
  const after = now();
  // At midnight, the day that was asked for has ended.
  if (after.slice(0, 10) === before.slice(0, 10)) ok(`${before}-03:00` <= sent && sent <= `${after}-03:00`, sent);
});

test("an instant is shown as it was typed", () => {
  for (const [sent, shown] of [
    ["2026-03-10T09:05:00-03:00", "10/03/2026 09:05"],
    ["2026-03-10T09:05:07-03:00", "10/03/2026 09:05:07"],
    ["2026-03-10T23:59:59-03:00", "10/03/2026"],
    ["2026-03-10T02:00:00Z", "09/03/2026 23:00"],
    // Rounded up: at the second that is shown the publication is known.
    ["2026-03-10T12:00:00.001Z", "10/03/2026 09:00:01"],
    ["ontem", "ontem"],
  ]) {
    equal(knownInstant(sent), shown, sent);
  }
});

test("a code of digits is sent without the points that people write", () => {
  equal(readCode("22030000", "2203.00.00").sent, "22030000");
  equal(readCode("3550308", " 355.0308 ").sent, "3550308");
  equal(readCode("22030000", "cerveja").sent, "cerveja");
});

// As municipalities and the national code write them.
test("a subitem of the list of services is understood however it is written", () => {
  for (const [typed, sent, note] of [
    ["1.07", "1.07"],
    ["1.7", "1.07"],
    ["01.07", "1.07"],
    ["0107", "1.07"],
    ["17.19", "17.19"],
    ["010701", "1.07", "do código nacional"],
    ["01.07.01", "1.07", "do código nacional"],
    ["10701", "1.07", "do código nacional"],
    ["171901", "17.19", "do código nacional"],
  ]) {
    deepEqual(readCode("1.07", typed), { sent, note }, typed);
  }
  deepEqual(readCode("1.07", "informática"), { sent: "informática" });
  deepEqual(readCode("1.07", "7"), { sent: "7" });
});

test("a word of a list is recognized in either case", () => {
  equal(readWord(["SP", "MG"], " sp "), "SP");
  equal(readWord(["SP", "MG"], "Mg"), "MG");
  equal(readWord(["SP", "MG"], " xx "), "xx");
});

// ITCMD is of each share: an estate or a gift divided among several in equal parts, each with its own tax. IPVA is one tax, of
// which each owner pays a part.

import { call } from "./api.js";
import { announce, button, h, put } from "./dom.js";
import { makeField } from "./field.js";
import { added, integer, money } from "./format.js";
import { countCall } from "./key.js";
import { refusalBody } from "./problem.js";
import { figureTable } from "./table.js";

const COUNT = { nome: "quinhoes", rotulo: "Herdeiros ou donatários", tipo: "inteiro", ajuda: "O valor é dividido em partes iguais, e cada uma tem o seu imposto." };
const MOST = 100;

// Equal shares to the cent: so many of one amount, and so many of one cent more.
/** @type {(amount: string, count: number) => [number, string][]} */
const sharesOf = (amount, count) => {
  const [whole, fraction = ""] = amount.split(".");
  const cents = BigInt(whole + fraction.padEnd(2, "0").slice(0, 2));
  const text = (all) => `${all / 100n}.${String(all % 100n).padStart(2, "0")}`;
  const [share, more] = [cents / BigInt(count), Number(cents % BigInt(count))];
  const [first, last] = [text(share + 1n), text(share)];
  return more > 0 ? [[more, first], [count - more, last]] : [[count, last]];
};

// Asks for the number of shares, and shows the tax of each and of all. Nothing for another tax.
export function heirs(answer, sent) {
  const ofOwners = answer.tributo === "ipva";
  if (answer.tributo !== "itcmd" && !ofOwners) return null;
  const [out, field] = [h("div", {}), makeField(ofOwners ? { ...COUNT, rotulo: "Proprietários", ajuda: "" } : COUNT, () => {}, "divide")];
  const divide = async (event) => {
    event.preventDefault();
    const count = field.value();
    if (!(count >= 2 && count <= MOST)) {
      field.mark(`Escreva um número de 2 a ${MOST}.`);
      return field.input.focus();
    }
    const rows = [];
    if (ofOwners) return put(out, figureTable("Por proprietário", ["Imposto"], sharesOf(answer.valor, count).map(([number, share]) => [`${integer(number)} de`, money(share)])));
    for (const [number, share] of sharesOf(sent.asked.valor_base, count)) {
      const reply = await call(sent.path, { method: "POST", body: JSON.stringify({ ...sent.asked, valor_base: share }) });
      countCall(reply.status);
      if (reply.status !== 200) return put(out, refusalBody(reply, { tributo: answer.tributo, uf: sent.asked.uf, calculated: true }));
      rows.push({ number, share, valor: reply.body.valor });
    }
    const all = (name) => added(rows.flatMap((row) => Array(row.number).fill(row[name])));
    put(out, figureTable("Por quinhão", ["Valor", "Imposto"], [
      ...rows.map(({ number, share, valor }) => [number === 1 ? "1 quinhão" : `${integer(number)} quinhões, cada um`, money(share), money(valor)]),
      ["Ao todo", money(all("share")), money(all("valor"))]]));
    return announce(`Ao todo, ${money(all("valor"))}.`);
  };
  const form = h("form", { class: "filtros", novalidate: true, submit: divide }, field.node, h("p", { class: "botoes" }, button("Dividir", undefined, { type: "submit" })));
  return [h("details", { class: "so-tela" }, h("summary", {}, `Dividir entre ${ofOwners ? "proprietários" : "herdeiros ou donatários"}`), form), out];
}

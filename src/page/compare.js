// Two calculations side by side, and the same tax on two days.

import { call } from "./api.js";
import { announce, button, h, put } from "./dom.js";
import { makeField } from "./field.js";
import { date, difference, money, percent, signedMoney, validity } from "./format.js";
import { countCall } from "./key.js";
import { refusalBody } from "./problem.js";
import { figureTable } from "./table.js";
import { askedByDay, labelOf, memberOf, taxOf } from "./taxes.js";

const none = (text) => h("span", { class: "ajuda" }, text);

// A row of amounts with their difference. An amount that is not known is null, and its difference, too.
export const moneyRow = (label, from, to, absent = "sem valor") => [label, ...[from, to].map((sent) => (sent === null ? none(absent) : money(sent))),
  from === null || to === null ? none("não se sabe") : signedMoney(difference(from, to))];

// The field of a payload that says its day, or else its year.
const dayField = (tax) => tax.campos.find(({ tipo, obrigatorio }) => tipo === "data" && obrigatorio) ?? tax.campos.find(({ nome }) => nome === "exercicio");

const dayOf = (field, value) => (field.tipo === "data" ? date(value) : String(value));

function answersSideBySide(days, [from, to]) {
  const { tributo } = from;
  const differs = Object.keys({ ...from.detalhes, ...to.detalhes }).filter((name) => from.detalhes[name] !== to.detalhes[name]);
  const of = (name) => [from, to].map(({ detalhes }) => detalhes[name] ?? null);
  const rows = differs.flatMap((name) => {
    const member = memberOf(tributo, "detalhes", name);
    const label = labelOf(member, name);
    if (member?.[1] === "valor") return [moneyRow(label, ...of(name), "não se aplica")];
    if (member?.[1] === "aliquota") return [[label, ...of(name).map((rate) => (rate === null ? none("não se aplica") : percent(rate))), ""]];
    return [];
  });
  const rule = ({ regra }) => [regra.citacao_legal, h("br"), none(`responde ${validity(regra.vigente_de, regra.vigente_ate)}`)];
  return figureTable("Comparação das duas datas", [...days, "Diferença"], [
    moneyRow("A recolher", from.valor, to.valor), ...rows, ["Regra", rule(from), rule(to), ""]]);
}

// Asks for another day, and shows both answers. `began` is called with the day that is compared; `wished` is a day that
// is compared at once.
export function otherDay(answer, sent, wished, began) {
  const field = dayField(taxOf(answer.tributo));
  if (!field) return null;
  const out = h("div", {});
  const year = field.tipo !== "data";
  const other = makeField({ ...field, rotulo: year ? "Outro ano" : "Outra data", ajuda: "" }, () => {}, "outra");
  const compare = async () => {
    const value = other.value();
    if (value === undefined) {
      other.mark(year ? "Escreva um ano." : "Escreva uma data, como 31/12/2026.");
      return other.input.focus();
    }
    began(String(value));
    const reply = await call(sent.path, { method: "POST", body: JSON.stringify(askedByDay({ ...sent.asked, [field.nome]: value })) });
    countCall(reply.status);
    const days = [sent.asked[field.nome], value].map((day) => dayOf(field, day));
    const good = reply.status === 200 && reply.body;
    put(out, good ? answersSideBySide(days, [answer, reply.body]) : h("section", {}, h("h4", {}, `Em ${days[1]}`),
      refusalBody(reply, { tributo: answer.tributo, uf: sent.asked.uf, calculated: true })));
    out.scrollIntoView({ block: "nearest" });
    return announce(good ? `Comparado com ${days[1]}.` : `Sem valor em ${days[1]}.`);
  };
  const form = h("form", { class: "filtros", novalidate: true, submit: (event) => {
    event.preventDefault();
    compare();
  } }, other.node, h("p", { class: "botoes" }, button("Comparar", undefined, { type: "submit" })));
  if (wished) {
    other.write(year ? Number(wished) : wished);
    compare();
  }
  // Below the fold nobody sees that it opened.
  const toggle = ({ target }) => target.open && !wished && other.input.focus();
  return [h("details", { class: "so-tela", open: Boolean(wished), toggle }, h("summary", {}, year ? "Comparar com outro ano" : "Comparar com outra data"), form), out];
}

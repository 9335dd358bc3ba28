// Kept lists: keeping a list that was calculated, and what publications changed in those that are kept.

import { call } from "./api.js";
import { announce, button, controlById, h, put } from "./dom.js";
import { counted, date, money } from "./format.js";
import { recount } from "./key.js";
import { siglaOf } from "./taxes.js";

const ADDRESS = "/sandbox/v1/listas";
const DATES = ["data_operacao", "data", "data_fato_gerador", "data_pagamento", "competencia", "exercicio"];
// Changes of a list that are shown.
const MOST = 5;

// A name as an address has it: “Tabela de preços.xlsx” is Tabela-de-precos.
const nameOf = (text) => text.replace(/\.\w+$/, "").normalize("NFD").replace(/[\u0300-\u036f]/g, "").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+|-+$/g, "").slice(0, 64) || "lista";

function undated(payload) {
  const rest = { ...payload };
  for (const name of DATES) delete rest[name];
  return rest;
}

// The form that keeps the rows whose payloads are `payloads()`, each with its number.
export function keepForm(title, payloads) {
  const out = h("div", { role: "status" });
  const keep = async () => {
    const name = nameOf(controlById("lista-guardar-nome").value);
    controlById("lista-guardar-nome").value = name;
    const follows = controlById("lista-guardar-hoje").checked;
    const rows = payloads();
    const lines = rows.map(({ linha, pedido }) => JSON.stringify({ id: `linha ${linha}`, payload: follows ? undated(pedido) : pedido }));
    put(out, h("p", { class: "ajuda" }, "Guardando…"));
    const reply = await call(`${ADDRESS}/${name}`, { method: "PUT", body: lines.join("\n") });
    recount();
    if (reply.status !== 200) return put(out, h("p", { class: "falha" }, reply.said?.detail ?? "O servidor não respondeu."));
    const said = `Guardada como ${name}, com ${counted(reply.body.linhas, "linha")}. O que uma publicação mudar aparece em `;
    announce(`${said}Início.`);
    return put(out, h("p", {}, said, h("a", { href: "#inicio" }, "Início"), "."));
  };
  return h("details", { class: "guardar" }, h("summary", {}, "Guardar e avisar do que mudar"),
    h("p", { class: "ajuda" }, "O taxd guarda as linhas nesta conta (até 10.000) e, a cada publicação de regras, calcula de novo as que ela toca. Guardar gasta uma chamada da cota por linha nova; o recálculo, nenhuma."),
    h("div", { class: "campo" }, h("label", { for: "lista-guardar-nome" }, "Nome da lista"), h("input", { id: "lista-guardar-nome", type: "text", value: nameOf(title), spellcheck: "false" })),
    h("label", { class: "marcar" }, h("input", { id: "lista-guardar-hoje", type: "checkbox", checked: true }), "Acompanhar o dia de hoje e os 60 seguintes, em lugar da data de cada linha"),
    h("div", { class: "botoes" }, button("Guardar e avisar", keep, { id: "lista-guardar", class: "principal" })), out);
}

const side = ({ valor, codigo, rule_id: rule }) => (valor === undefined ? `recusa (${codigo})` : money(valor)) + (rule ? `, ${rule}` : "");

function change({ linha, id, tributo, primeiro_dia: first, antes, depois }) {
  const law = depois.citacao_legal ?? antes.citacao_legal;
  return h("li", {}, h("strong", {}, `${date(first)}: `), `${siglaOf(tributo)}, ${id ?? `linha ${linha}`}: ${side(antes)} → ${side(depois)}. `, law ? h("small", {}, `${law}.`) : null);
}

// The lists of the account in `out`, each with its last changes.
export async function showLists(out) {
  const reply = await call(ADDRESS);
  if (reply.status !== 200) return put(out, h("p", { class: "vazio" }, reply.said?.detail ?? "O servidor não respondeu."));
  const { listas } = reply.body;
  if (listas.length === 0) return put(out, h("p", { class: "vazio" }, "Uma lista que você calcula em ", h("a", { href: "#lista" }, "Lista"), " pode ser guardada: o que uma publicação muda nela aparece aqui."));
  const pages = await Promise.all(listas.map(({ nome, mudancas }) => (mudancas > 0 ? call(`${ADDRESS}/${nome}/mudancas?limit=${MOST}`) : null)));
  const remove = (nome) => async () => {
    await call(`${ADDRESS}/${nome}`, { method: "DELETE" });
    announce(`A lista ${nome} foi removida.`);
    return showLists(out);
  };
  return put(out, listas.map(({ nome, linhas, mudancas }, at) => [
    h("p", {}, h("strong", {}, nome), `: ${counted(linhas, "linha")}, ${mudancas === 0 ? "nada mudou desde que foi guardada" : counted(mudancas, "mudança")}. `,
      button("Remover", remove(nome), { "aria-label": `Remover a lista ${nome}` })),
    mudancas > 0 ? h("ul", { class: "lista-inicio" }, (pages[at].body?.mudancas ?? []).map(change), mudancas > MOST ? h("li", {}, `e mais ${counted(mudancas - MOST, "mudança")}`) : null) : null,
  ]));
}

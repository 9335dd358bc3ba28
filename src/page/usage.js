// The part Consumo: totals, status classes, latency, quota, and recent calls to open again.

import { call, withQuery } from "./api.js";
import { addressOf } from "./case.js";
import { barChart } from "./charts.js";
import { announce, badge, button, byId, h, put } from "./dom.js";
import { mountFilters } from "./filters.js";
import { instant, integer } from "./format.js";
import { lister } from "./list.js";
import { load } from "./load.js";
import { taxOf } from "./taxes.js";

// What people call a call, by the end of its path.
const NAMES = {
  calculate: "Cálculo", operacao: "Operação", lista: "Lista", documentos: "Documentos", regras: "Regras", changelog: "Mudanças", usage: "Consumo", correcoes: "Correções",
};

// What the contract promises of a full calculation.
const TARGET_MS = 200;

/** @type {(parameters: URLSearchParams) => any} */
let fill = () => {};
/** @type {(fragment: string, said?: string) => void} */
let open = () => {};
/** @type {(path: string) => void} */
let read = () => {};

const tile = (name, value, more) => h("div", { class: "cartao cifra" }, h("dt", {}, name), h("dd", {}, value, more ? h("small", {}, more) : null));

const month = (mes) => mes.split("-").reverse().join("/");

function quota({ cota, nome }) {
  const whose = nome ? `Cota da chave ${nome}` : "Cota desta chave";
  if (cota.limite === null) return tile(whose, "sem limite", `${integer(cota.usada)} usadas em ${month(cota.mes)}`);
  const left = Math.max(0, cota.limite - cota.usada);
  return h("div", { class: "cartao cifra" }, h("dt", { id: "cota-nome" }, `${whose}: restam no mês`),
    h("dd", {}, integer(left),
      h("progress", { max: cota.limite, value: Math.min(cota.usada, cota.limite), "aria-labelledby": "cota-nome" }),
      h("small", {}, `${integer(cota.usada)} de ${integer(cota.limite)} usadas em ${month(cota.mes)}`)));
}

// The part of the page where a call is made again, with its name, and what the call was about; none if the log does not
// have all that was sent, as of files.
function placeOf({ resumo, request }) {
  const tax = taxOf(request?.tributo);
  if (tax) return ["calcular", "Calcular", tax.sigla];
  return resumo.endsWith(" /sandbox/v1/operacao") && Object.keys(request).length > 0 ? ["operacao", "Operação", "uma operação"] : null;
}

function row(one) {
  const place = placeOf(one);
  const name = NAMES[one.resumo.split(" ")[1].split("/").at(-1)];
  const again = () => open(addressOf(place[0], one.request), `Chamada de ${instant(one.created_at)}, com os campos que o registro guarda. Confira e calcule.`);
  const [word, kind] = one.status_code >= 500 ? ["falha do serviço", "erro"] : one.status_code >= 400 ? ["recusada", "alerta"] : ["respondida", "vigente"];
  return h("li", { class: "chamada" },
    h("div", { class: "mudanca-topo" }, badge(word, kind), h("strong", {}, place?.[0] === "calcular" ? `${name} de ${place[2]}` : name ?? one.resumo), h("code", { class: "tecnico" }, `${name ? `${one.resumo} ` : ""}${one.status_code}`), one.cached ? badge("do cache", "cache") : null),
    h("p", {}, `${instant(one.created_at)} · ${one.chave}`, h("span", { class: "tecnico" }, ` · ${integer(one.latency_ms)} ms`), one.rule_id ? [" · ", h("code", {}, one.rule_id)] : null),
    place ? button(`Abrir em ${place[1]}`, again, { "aria-label": `Abrir em ${place[1]} a chamada de ${place[2]} de ${instant(one.created_at)}` }) : null);
}

// What publications corrected in the answers of the account; nothing if there is none.
async function showCorrections(out) {
  const { body } = await call("/sandbox/v1/correcoes");
  const correcoes = body?.correcoes?.filter(({ chamadas }) => chamadas.alteradas > 0) ?? [];
  if (correcoes.length > 0) (await load("correcoes")).show(out, correcoes);
}

function show(reply) {
  const out = byId("consumo-lista");
  const use = reply.body;
  const { status, latencia } = use;
  const classes = [
    ["Respondidas (2xx)", status.sucesso_2xx, "boa"],
    ["Sem mudança (3xx)", status.nao_modificado_3xx, "neutra"],
    ["Recusadas (4xx)", status.erro_cliente_4xx, "alerta"],
    ["Falhas do serviço (5xx)", status.erro_servidor_5xx, "grave"],
  ].filter(([, value]) => value !== undefined).map(([label, value, kind]) => ({ label, value, text: integer(value), kind }));
  const corrected = h("div", {});
  const latency = (label, value) => ({ label, value, text: `${integer(value)} ms`, kind: value > TARGET_MS ? "alerta" : "boa" });
  announce(`Consumo de ${use.nome}: ${integer(use.total_chamadas)} chamadas.`);
  put(out,
    h("p", { class: "contagem" }, h("strong", {}, use.nome), " ", h("code", {}, use.client_id)),
    h("dl", { class: "cifras" },
      tile("Chamadas, no total", integer(use.total_chamadas)),
      tile("Nas últimas 24 horas", integer(use.chamadas_24h)),
      tile("Plano", use.tier, `até ${integer(use.rate_limit)} por minuto`),
      quota(use.chave)),
    h("p", { class: "ajuda" }, "Só os cálculos gastam a cota. As chaves de produção dividem a da conta; cada chave svc_test_ tem a sua."),
    h("div", { class: "graficos" },
      barChart("Chamadas por resultado", classes),
      h("div", { class: "tecnico" }, barChart("Tempo de resposta no servidor", [latency("metade das chamadas até (p50)", latencia.p50_ms), latency("95% das chamadas até (p95)", latencia.p95_ms)],
        { value: TARGET_MS, text: `meta de ${TARGET_MS} ms` }))),
    corrected,
    h("section", { class: "cartao" }, h("h3", {}, "Chamadas recentes"),
      h("p", { class: "ajuda" }, "De listas e documentos o arquivo não é guardado. As consultas desta página contam no total e não aparecem aqui."),
      use.recentes.length === 0 ? h("p", { class: "vazio" }, "Nenhuma ainda.") : h("ol", { class: "mudancas" }, use.recentes.map(row))));
  showCorrections(corrected);
}

export function mountUsage(openCase) {
  open = openCase;
  read = lister(byId("consumo-lista"), "o consumo da sua conta", show);
  fill = mountFilters(byId("consumo-filtros"), "consumo", [
    { name: "recentes", label: "Chamadas recentes", options: [["", "10"], ["25", "25"], ["50", "50"]] },
  ], "Atualizar");
}

export function enterUsage(parameters) {
  read(withQuery("/sandbox/v1/usage", fill(parameters)));
}

// The part Início: what ends soon for the clients, the duties of the month, the last cases and files, and samples to try.

import { call, withQuery } from "./api.js";
import { addressOf, freshCase } from "./case.js";
import { chosenClient, clients, nameOf } from "./clients.js";
import { button, byId, h, put } from "./dom.js";
import { addressOf as listOf } from "./filters.js";
import { counted, date, dayBefore, instant } from "./format.js";
import { keepText, keptList } from "./kept.js";
import { askForKey, currentKey } from "./key.js";
import { load } from "./load.js";
import { keptCases } from "./saved.js";
import { exampleOf, listed, siglaOf, taxOf } from "./taxes.js";

const SLOT = "taxd-arquivos";
const DAYS = 60;
// Most States that are asked for, cases, files and duties that are shown.
const MOST = 5;

/** @type {(fragment: string) => Promise<void>} */
let openPart = async () => {};
let latest = 0;

const link = (href, text) => h("a", { href }, text);

// What ends in a State: what is refused from then on, before what goes on otherwise.
function ending({ uf, dias }) {
  const where = uf || "todo o país";
  const end = dias.filter(({ terminam: ends }) => ends > 0);
  if (end.length === 0) return h("li", {}, h("strong", {}, where), `: nada termina nos próximos ${DAYS} dias.`);
  return end.map(({ data, terminam, sem_resposta: lost, sem_resposta_de: taxes, extintos }) => h("li", { class: lost > 0 ? "falha" : undefined },
    h("strong", {}, where), `, ${date(dayBefore(data))}: `,
    link(listOf("calendario", { uf, dias: DAYS, tipo: lost > 0 ? "sem_resposta" : "termina" }), counted(terminam, "regra termina", "regras terminam")),
    lost > 0 ? `; ${counted(lost, "deixa", "deixam")} de ter resposta (${listed(taxes.map(siglaOf))})` : ", com outra em seu lugar",
    extintos.length > 0 ? `; a lei extingue ${listed(extintos.map(siglaOf))}` : null, "."));
}

function showAhead(replies) {
  const refused = replies.find(({ status }) => status !== 200);
  if (refused) {
    const why = refused.said?.detail ?? "O servidor não respondeu.";
    return put(byId("inicio-termina"), h("p", { class: "vazio" }, why));
  }
  const all = replies.map(({ uf, body }) => ({ uf, ...body }));
  put(byId("inicio-termina"), h("ul", { class: "lista-inicio" }, all.map(ending)));
  const [{ prazos }] = all;
  put(byId("inicio-prazos"), prazos.length === 0 ? h("p", { class: "vazio" }, `Nenhum nos próximos ${DAYS} dias.`)
    : h("ul", { class: "lista-inicio" }, prazos.slice(0, MOST).map((one) => h("li", {}, h("strong", {}, date(one.data)), `: ${one.titulo}. `, h("small", {}, `${one.quem}.`)))),
    prazos.length > MOST ? h("p", {}, link(`#calendario?dias=${DAYS}&tipo=prazo`, `Todos os ${prazos.length} prazos`)) : null);
}

// The States of the client that is chosen, or of all.
function states() {
  const chosen = chosenClient();
  const ufs = [...new Set((chosen ? [chosen] : clients()).map(({ uf }) => uf).filter(Boolean))].sort();
  return ufs.length > 0 ? ufs : [""];
}

async function readAhead() {
  latest += 1;
  const mine = latest;
  const ufs = states();
  const client = chosenClient();
  byId("inicio-de").textContent = client ? `de ${nameOf(client)}` : ufs[0] ? `dos seus clientes: ${listed(ufs.slice(0, MOST))}${ufs.length > MOST ? " e outras UFs" : ""}` : "em todo o país";
  if (!currentKey()) {
    for (const id of ["inicio-termina", "inicio-prazos"]) put(byId(id), h("p", { class: "vazio" }, "Informe a chave do taxd para ver. "), button("Ir para a chave", askForKey));
    return;
  }
  const replies = await Promise.all(ufs.slice(0, MOST).map(async (uf) => ({ uf, ...await call(withQuery("/sandbox/v1/calendario", { dias: DAYS, uf }), { cache: "no-cache" }) })));
  if (mine === latest) showAhead(replies);
}

const recentFiles = () => keptList(SLOT);

// Keeps the names of files that were chosen, and nothing else of them.
function noteFiles(part, files) {
  if (files.length === 0) return;
  const nome = files.length === 1 ? files[0].name : `${files[0].name} e mais ${files.length - 1}`;
  const others = recentFiles().filter((one) => one.nome !== nome || one.parte !== part);
  keepText(SLOT, JSON.stringify([{ nome, parte: part, em: new Date().toISOString() }, ...others].slice(0, MOST)));
}

function showKept() {
  const cases = keptCases().slice(-MOST).reverse();
  const files = recentFiles();
  put(byId("inicio-casos"), cases.length > 0 ? h("ul", { class: "lista-inicio" }, cases.map(({ nome, endereco }) => h("li", {}, link(endereco, nome))))
    : h("p", { class: "vazio" }, "Um caso que você guarda em ", link("#calcular", "Calcular"), " ou ", link("#operacao", "Operação"), " aparece aqui."));
  put(byId("inicio-arquivos"), files.length > 0 ? h("ul", { class: "lista-inicio" }, files.map(({ nome, parte, em }) => h("li", {}, nome, " ", h("small", {}, `em ${instant(em)}, `), link(`#${parte}`, parte === "lista" ? "Lista" : "Documentos"))))
    : h("p", { class: "vazio" }, "Nenhum ainda. Só os nomes ficam neste navegador; o arquivo é escolhido de novo."));
  put(byId("inicio-clientes"), clients().length > 0 ? link("#clientes", `Ver os ${counted(clients().length, "cliente", "clientes")}`)
    : [h("p", { class: "vazio" }, "Diga uma vez quem são, com UF e regime: o que termina aparece por cliente, e os formulários vêm preenchidos."), h("a", { class: "botao", href: "#clientes" }, "Cadastrar ou importar clientes")]);
}

async function trySample(part) {
  await openPart(`#${part}`);
  (await load("samples")).fillSample(part);
}

const block = (id, title, ...more) => h("section", { class: "cartao", "aria-labelledby": `${id}-titulo` }, h("h3", { id: `${id}-titulo` }, title), ...more, h("div", { id }));

export function mountStart(open) {
  openPart = open;
  const st = taxOf("icms_st");
  put(byId("inicio"),
    h("h2", { id: "inicio-titulo", tabindex: "-1" }, "Início"),
    h("div", { class: "inicio" },
      block("inicio-termina", ["O que termina logo, ", h("span", { id: "inicio-de" })]),
      block("inicio-prazos", "Prazos do contador"),
      h("section", { class: "cartao" }, h("h3", {}, "Experimente"),
        h("div", { class: "botoes" }, h("a", { class: "botao", href: addressOf("calcular", { ...exampleOf(st), ...freshCase(st) }) }, "Um cálculo de ICMS-ST"),
          button("Uma lista de produtos", () => trySample("lista"), { id: "inicio-lista" }), button("Três notas com erros", () => trySample("documentos"), { id: "inicio-notas" })),
        h("p", { class: "ajuda" }, "Dados inventados. Nada é calculado nem gasto antes que você mande.")),
      block("inicio-casos", "Últimos casos guardados"),
      block("inicio-arquivos", "Últimos arquivos"),
      block("inicio-clientes", "Clientes")));
  for (const part of ["lista", "documentos"]) {
    const section = byId(part);
    section.addEventListener("change", ({ target }) => {
      const { id, files } = /** @type {HTMLInputElement} */ (target);
      if (id.startsWith(`${part}-arquivo`)) noteFiles(part, files);
    });
    section.addEventListener("drop", ({ dataTransfer }) => noteFiles(part, dataTransfer.files));
  }
}

export function enterStart() {
  showKept();
  return readAhead();
}

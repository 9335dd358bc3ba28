// The part Início: what ends soon for the clients, the duties of the month, the last cases and files, and samples to try.

import { call, withQuery } from "./api.js";
import { addressOf, freshCase } from "./case.js";
import { chosenClient, clients, nameOf } from "./clients.js";
import { button, byId, h, put } from "./dom.js";
import { addressOf as listOf } from "./filters.js";
import { counted, date, dayBefore, instant, integer } from "./format.js";
import { showLists } from "./guardadas.js";
import { keepText, keptList } from "./kept.js";
import { askForKey, currentKey } from "./key.js";
import { load } from "./load.js";
import { keptCases } from "./saved.js";
import { mountSearch } from "./search.js";
import { exampleOf, listed, siglaOf, taxOf } from "./taxes.js";

const SLOT = "taxd-arquivos";
const DAYS = 60;
// What follows an end without an answer.
const LOST = ["sem_figura", "sem_sucessora"];
// Most States that are asked for, cases, files and duties that are shown.
const MOST = 5;

/** @type {(fragment: string) => Promise<void>} */
let openPart = async () => {};
let latest = 0;

const link = (href, text) => h("a", { href }, text);

// The taxes of the country that concern a client of that regime; another client has all but those.
const OF_REGIME = { simples_nacional: ["simples_nacional", "cbs", "ibs"] };
const concerns = (regime, tributo) => OF_REGIME[regime]?.includes(tributo) ?? (!regime || tributo !== "simples_nacional");

// What ends on a day, in a place: what is refused from then on, before what goes on otherwise.
function ending(where, query, day, groups) {
  const count = (list) => list.reduce((sum, { regras }) => sum + regras, 0);
  const taxes = (list) => listed([...new Set(list.map(({ tributo }) => siglaOf(tributo)))]);
  const [lost, extinct] = [groups.filter(({ sucessao }) => LOST.includes(sucessao)), groups.filter(({ extincao }) => extincao)];
  return h("li", { class: lost.length > 0 ? "falha" : undefined },
    h("strong", {}, where), `, ${date(dayBefore(day))}: `,
    link(listOf("calendario", { dias: DAYS, tipo: lost.length > 0 ? "sem_resposta" : "termina", ...query }), counted(count(groups), "regra termina", "regras terminam")),
    new Set(groups.map(({ tributo }) => tributo)).size < MOST ? ` (${taxes(groups)})` : null, "; ",
    lost.length > 0 ? `de ${integer(count(lost))} o taxd ainda não tem o que vale depois${lost.length < groups.length ? ` (${taxes(lost)})` : ""}` : "já se sabe o que vale depois",
    extinct.length > 0 ? `; a lei extingue ${taxes(extinct)}` : null, ".");
}

const endsIn = (where, query, groups) => [...Map.groupBy(groups, ({ data }) => data)].map(([day, own]) => ending(where, query, day, own));

function showAhead(reply, places, regime) {
  if (reply.status !== 200) return put(byId("inicio-termina"), h("p", { class: "vazio" }, reply.said?.detail ?? "O servidor não respondeu."));
  const { grupos, prazos } = reply.body;
  const ends = grupos.filter(({ evento }) => evento === "termina");
  const country = ends.filter(({ ufs }) => ufs.length === 0);
  const [own, others] = [country.filter(({ tributo }) => concerns(regime, tributo)), country.filter(({ tributo }) => !concerns(regime, tributo))];
  const inPlaces = places.flatMap(({ uf, municipio }) => {
    const here = ends.filter((one) => one.ufs.includes(uf) && (!one.municipio || one.municipio === municipio));
    return here.length > 0 ? endsIn(uf, { uf }, here) : h("li", {}, h("strong", {}, uf), `: nada termina nos próximos ${DAYS} dias.`);
  });
  const ofCountry = endsIn("Todo o país", places.length > 0 ? { uf: places[0].uf, pais: "true" } : {}, places.length > 0 ? own : ends);
  put(byId("inicio-termina"),
    h("ul", { class: "lista-inicio" }, inPlaces, ofCountry.length + inPlaces.length > 0 ? ofCountry : h("li", {}, h("strong", {}, "Todo o país"), `: nada termina nos próximos ${DAYS} dias.`)),
    places.length > 0 && others.length > 0 ? h("p", { class: "ajuda" }, `Fora daqui, por não serem deste regime: ${listed([...new Set(others.map(({ tributo }) => siglaOf(tributo)))])}. `, link(listOf("calendario", { dias: DAYS, tipo: "termina" }), "Ver tudo"), ".") : null);
  put(byId("inicio-prazos"), prazos.length === 0 ? h("p", { class: "vazio" }, `Nenhum nos próximos ${DAYS} dias.`)
    : h("ul", { class: "lista-inicio" }, prazos.slice(0, MOST).map((one) => h("li", {}, h("strong", {}, date(one.data)), `: ${one.titulo}. `, h("small", {}, `${one.quem}.`)))),
    prazos.length > MOST ? h("p", {}, link(`#calendario?dias=${DAYS}&tipo=prazo`, `Todos os ${prazos.length} prazos`)) : null);
}

// The places of the client that is chosen, or of all, one for each State.
function places() {
  const chosen = chosenClient();
  const all = (chosen ? [chosen] : clients()).filter(({ uf }) => uf);
  return [...new Map(all.map((one) => [one.uf, one])).values()].sort((one, other) => (one.uf < other.uf ? -1 : 1));
}

async function readAhead() {
  latest += 1;
  const mine = latest;
  const where = places();
  const client = chosenClient();
  byId("inicio-de").textContent = client ? `de ${nameOf(client)}` : where[0] ? `dos seus clientes: ${listed(where.slice(0, MOST).map(({ uf }) => uf))}${where.length > MOST ? " e outras UFs" : ""}` : "em todo o país";
  if (!currentKey()) {
    for (const id of ["inicio-termina", "inicio-prazos", "inicio-listas"]) put(byId(id), h("p", { class: "vazio" }, "Informe a chave do taxd para ver. "), button("Ir para a chave", askForKey));
    return;
  }
  showLists(byId("inicio-listas"));
  const reply = await call(withQuery("/sandbox/v1/calendario", { dias: DAYS }), { cache: "no-cache" });
  if (mine === latest) showAhead(reply, where.slice(0, MOST), client?.regime);
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
  put(byId("inicio-clientes"), clients().length > 0 ? link("#clientes", clients().length === 1 ? "Ver o cliente" : `Ver os ${clients().length} clientes`)
    : [h("p", { class: "vazio" }, "Diga uma vez quem são: o que termina aparece por cliente, e os formulários vêm preenchidos."), h("a", { class: "botao", href: "#clientes" }, "Cadastrar ou importar clientes")]);
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
    h("div", { id: "inicio-procurar" }),
    h("div", { class: "inicio" },
      block("inicio-termina", ["O que termina logo, ", h("span", { id: "inicio-de" })]),
      block("inicio-prazos", "Prazos do contador"),
      h("section", { class: "cartao" }, h("h3", {}, "Experimente"),
        h("div", { class: "botoes" }, h("a", { class: "botao", href: addressOf("calcular", { ...exampleOf(st), ...freshCase(st) }) }, "Um cálculo de ICMS-ST"),
          button("Uma lista de produtos", () => trySample("lista"), { id: "inicio-lista" }), button("Três notas com erros", () => trySample("documentos"), { id: "inicio-notas" })),
        h("p", { class: "ajuda" }, "Dados inventados: nada é gasto antes que você mande.")),
      block("inicio-listas", "Listas guardadas"),
      block("inicio-casos", "Últimos casos guardados"),
      block("inicio-arquivos", "Últimos arquivos"),
      block("inicio-clientes", "Clientes")));
  mountSearch(byId("inicio-procurar"));
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

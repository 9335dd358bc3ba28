// The page: its parts, each at an address of its own (`#regras?uf=SP`), so that Back works.

import { byId, h, put } from "./dom.js";
import { fillForm, mountClient, queryOf } from "./chosen_client.js";
import { enterCalculate, mountCalculate } from "./calculate.js";
import { enterStart, mountStart } from "./inicio.js";
import { mountKey, onGoodKey, onKeyChange } from "./key.js";
import { load } from "./load.js";
import { markCurrent, mountMenu } from "./menu.js";
import { enterRules, mountRules } from "./rules.js";
import { openForPaper } from "./paper.js";
import { loadTaxes } from "./taxes.js";
import { mountTechnical } from "./technical.js";
import { enterUsage, mountUsage } from "./usage.js";

// Each part is a section of that name. One without `enter` has a script of its own, `NAME.js`, which is read when it is first
// opened. The script exports `mount(section, openCase)`, which fills the section once, and `enter(parameters, note)`.
/** @type {Record<string, any>} */
const PARTS = Object.fromEntries([...document.querySelectorAll("main > .parte")].map(({ id }) => [id, {}]));
Object.assign(PARTS, { inicio: { enter: enterStart }, calcular: { enter: enterCalculate }, regras: { enter: enterRules }, consumo: { enter: enterUsage } });
const FIRST = "inicio";

let shown = null;
// Settles when the part that is shown is there.
let entering = Promise.resolve();

// What an address that the page itself opens wants to say beside it.
let note;

// Reads the part once. One that could not be read is tried again the next time.
function mountPart(name) {
  const part = PARTS[name];
  part.loading ??= load(name).then(async (script) => {
    await script.mount(byId(name), openCase);
    part.enter = script.enter;
  }).catch((error) => {
    delete part.loading;
    throw error;
  });
  return part.loading;
}

function enter(name, parameters, said) {
  const part = PARTS[name];
  if (part.enter) return part.enter(parameters, said);
  return mountPart(name).then(() => {
    if (shown === name) part.enter(parameters, said);
  }).catch((error) => put(byId(name), h("p", { class: "aviso grave", role: "alert" },
    `Esta parte da página não pôde ser lida (${error.message}). Recarregue a página; se persistir, avise quem administra o taxd.`)));
}

function route() {
  let [name, query] = location.hash.slice(1).split(/\?(.*)/s);
  const part = Object.hasOwn(PARTS, name) ? name : FIRST;
  const isBare = !query;
  if (isBare && part !== shown && (query = queryOf(part))) history.replaceState(null, "", `#${part}?${query}`);
  for (const id of Object.keys(PARTS)) byId(id).hidden = id !== part;
  document.title = `${markCurrent(part)} · Calculadora taxd`;
  const before = shown;
  shown = part;
  entering = Promise.resolve(enter(part, new URLSearchParams(query ?? ""), note));
  note = undefined;
  if (isBare) entering.then(() => fillForm(part));
  // A reader who changed parts begins at its title, unless he is in a field of it already; the first one begins at the top.
  if (before !== null && before !== part) {
    entering.then(() => byId(part).matches(":focus-within") || byId(`${part}-titulo`)?.focus({ preventScroll: true }));
    scrollTo(0, 0);
  }
}

// Opens a part. Resolves when it is there.
function openPart(fragment) {
  const opened = new Promise((done) => { addEventListener("hashchange", () => done(entering), { once: true }); });
  location.hash = fragment;
  return opened;
}

function openCase(fragment, said) {
  note = said;
  location.hash = fragment;
}

async function start() {
  mountTechnical();
  mountMenu();
  const taxes = loadTaxes();
  // A banner that cannot be read is left out: the calendar says the same.
  onGoodKey(() => taxes.then(() => load("banner")).then((banner) => banner.showBanner()).catch(() => {}));
  mountKey();
  await taxes;
  mountClient(() => {
    const query = queryOf(shown);
    if (shown === FIRST) enterStart();
    else if (query) location.hash = `#${shown}?${query}`;
    else fillForm(shown);
  });
  mountStart(openPart);
  mountCalculate();
  mountRules(openCase);
  mountUsage(openCase);
  onKeyChange(() => {
    if (shown !== "calcular") route();
  });
  openForPaper();
  addEventListener("hashchange", route);
  byId("pular").addEventListener("click", (event) => {
    event.preventDefault();
    byId("conteudo").focus();
  });
  route();
  document.documentElement.dataset.pronta = "sim";
}

start().catch((error) => {
  byId("falha-geral").textContent = `A página não pôde ser carregada por inteiro (${error.message}). Recarregue-a; se persistir, avise quem administra o taxd.`;
  byId("falha-geral").hidden = false;
});

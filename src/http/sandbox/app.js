// The page: its four parts, each at an address of its own (`#regras?uf=SP`), so that Back works.

import { byId } from "./dom.js";
import { enterCalculate, mountCalculate } from "./calculate.js";
import { enterChanges, mountChanges } from "./changes.js";
import { mountKey, onKeyChange } from "./key.js";
import { enterRules, mountRules } from "./rules.js";
import { openForPaper } from "./paper.js";
import { loadTaxes } from "./taxes.js";
import { enterUsage, mountUsage } from "./usage.js";

const PARTS = {
  calcular: { title: "Calcular", enter: enterCalculate },
  regras: { title: "Regras", enter: enterRules },
  mudancas: { title: "Mudanças", enter: enterChanges },
  consumo: { title: "Consumo", enter: enterUsage },
};

let shown = null;

// What an address that the page itself opens wants to say beside it.
let note;

function route() {
  const [name, query] = location.hash.slice(1).split(/\?(.*)/s);
  const part = Object.hasOwn(PARTS, name) ? name : "calcular";
  for (const id of Object.keys(PARTS)) byId(id).hidden = id !== part;
  for (const link of document.querySelectorAll("nav[aria-label=Partes] a")) {
    if (link.hash === `#${part}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${PARTS[part].title} · Calculadora taxd`;
  PARTS[part].enter(new URLSearchParams(query ?? ""), note);
  note = undefined;
  // A reader who changed parts begins at its title; the first one begins at the top.
  if (shown !== null && shown !== part) {
    byId(`${part}-titulo`).focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
  shown = part;
}

function openCase(fragment, said) {
  note = said;
  location.hash = fragment;
}

async function start() {
  mountKey();
  await loadTaxes();
  mountCalculate();
  mountRules(openCase);
  mountChanges();
  mountUsage(openCase);
  onKeyChange(() => {
    if (shown !== "calcular") route();
  });
  openForPaper();
  window.addEventListener("hashchange", route);
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

// The part Códigos: codes by words, as one types.

import { freshCase } from "./case.js";
import { exceptionsOf, pathOf, pointed, TABLES } from "./codes.js";
import { announce, byId, controlById, h, put } from "./dom.js";
import { addressOf } from "./filters.js";
import { counted } from "./format.js";
import { looksSecret, SECRET } from "./key.js";
import { lister } from "./list.js";
import { allTaxes } from "./taxes.js";

// Searches to try.
const EXAMPLES = [["ncm", "cerveja"], ["ncm", "parafuso inox"], ["cest", "pneu"], ["servico", "desenvolvimento de software"], ["classificacao", "cesta básica"]];
const DELAY_MS = 250;
const SHOWN = 50;
// So few codes may leave out that of the product.
const FEW = 3;

/** @type {(path: string) => void} */
let read = () => {};
let timer;
let asked = "";

const table = () => controlById("codigos-tabela").value;
const words = () => controlById("codigos-q").value.trim();

function links(code) {
  const { field } = TABLES[table()];
  if (!field) return null;
  const rules = h("a", { class: "botao", href: addressOf("regras", { [field]: code.codigo }), "aria-label": `Regras deste código: ${code.codigo}` }, "Regras deste código");
  const calculate = allTaxes().filter((tax) => tax.campos.some(({ nome }) => nome === field)).map((tax) => h("a", {
    href: addressOf("calcular", { tributo: tax.tributo, ...freshCase(tax), [field]: code.codigo }),
    "aria-label": `${tax.sigla} com ${code.codigo}`,
  }, tax.sigla));
  return h("div", { class: "botoes" }, rules, h("p", { class: "codigos-calcular" }, "Calcular: ", calculate.flatMap((link) => [link, " "])));
}

const item = (code) => h("li", { class: "cartao ficha" },
  h("h3", {}, pointed(table(), code.codigo)),
  code.dentro_de.length > 0 ? h("p", { class: "ajuda" }, code.dentro_de.join(" › ")) : null,
  code.nota ? h("p", { class: "ajuda" }, `Este código ${code.nota}.`) : null,
  h("p", { class: "citacao" }, code.texto || "O texto deste código não está na tabela. O código pode ser informado nos cálculos."),
  exceptionsOf(code),
  links(code));

function show(reply) {
  const { nome, fonte, cobre, codigos, ha_mais: more, achados, sem, sem_texto: absent } = reply.body;
  const count = words() === "" ? "Escreva o começo de um código ou palavras do texto dele."
    : absent ? "Nenhum texto para este código; abaixo, onde ele fica." : codigos.length === 0 ? "Nenhum código com estas palavras nesta tabela."
      : `${sem ? `Nenhum código tem todas as palavras. Sem “${sem.join(" ")}”: ` : ""}${counted(achados, "código")}${more ? `; abaixo, os primeiros ${codigos.length}` : ""}.`;
  const [first, ...others] = words().split(/\s+/);
  announce(count);
  put(byId("codigos-lista"),
    h("p", { class: "contagem" }, count),
    !sem && codigos.length > 0 && codigos.length <= FEW && others.length > 0 && /^\p{L}{3,}$/u.test(first)
      ? h("p", {}, "São os que dizem todas as palavras, e outro pode ser o do produto: veja também só ", h("a", { href: addressOf("codigos", { tabela: table(), q: first }) }, `“${first}”`), ".") : null,
    words() === "" ? h("p", {}, "Por exemplo: ", EXAMPLES.flatMap(([tabela, q]) => [h("a", { href: addressOf("codigos", { tabela, q }) }, q), " · "]).slice(0, -1)) : null,
    h("ol", { class: "fichas" }, [...codigos, absent].filter(Boolean).map(item)),
    h("p", { class: "ajuda codigos-fonte" }, `${nome}: ${fonte}. Esta tabela tem ${cobre}. Não achar um código aqui não quer dizer que ele não exista.`));
}

// The address is that of what is shown, without a step of Back for each word.
function look() {
  clearTimeout(timer);
  controlById("codigos-q").setCustomValidity(looksSecret(words()) ? SECRET : "");
  if (!controlById("codigos-q").reportValidity()) return;
  const address = addressOf("codigos", { tabela: table(), q: words() });
  if (address === asked) return;
  history.replaceState(null, "", address);
  ask(address);
}

function ask(address) {
  asked = address;
  read(pathOf({ tabela: table(), q: words(), limit: SHOWN }));
}

export function mount(section) {
  put(section,
    h("div", { class: "cartao" },
      h("h2", { id: "codigos-titulo", tabindex: "-1" }, "Códigos"),
      h("form", { id: "codigos-filtros", class: "codigos-filtros", role: "search", autocomplete: "off",
        submit: (event) => {
          event.preventDefault();
          look();
        } },
      h("div", { class: "campo" }, h("label", { for: "codigos-tabela" }, "Tabela"),
        h("select", { id: "codigos-tabela", change: look }, Object.entries(TABLES).map(([value, { name }]) => h("option", { value }, name)))),
      h("div", { class: "campo" }, h("label", { for: "codigos-q" }, "Código ou palavras"),
        h("input", { id: "codigos-q", type: "search", maxlength: "100", spellcheck: "false", placeholder: "como cerveja sem álcool, ou 2203",
          input: () => {
            clearTimeout(timer);
            timer = setTimeout(look, DELAY_MS);
          } })))),
    h("div", { id: "codigos-lista", role: "region", "aria-label": "Códigos encontrados" }));
  read = lister(byId("codigos-lista"), "os códigos", show);
}

export function enter(parameters) {
  controlById("codigos-tabela").value = Object.hasOwn(TABLES, parameters.get("tabela")) ? parameters.get("tabela") : "ncm";
  const q = parameters.get("q") ?? "";
  controlById("codigos-q").value = looksSecret(q) ? "" : q;
  ask(addressOf("codigos", { tabela: table(), q: words() }));
}

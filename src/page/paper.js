// What an answer has on paper and not on screen: for whom it is, and the data that it is of.

import { chosenClient, nameOf, onClients } from "./clients.js";
import { byId, h, pairs } from "./dom.js";
import { knownInstant } from "./format.js";
import { KNOWN } from "./known.js";
import { labelOf, memberOf } from "./taxes.js";

// What the reader typed, kept from one answer to the next: one file is often of one client.
/** @type {{ cliente?: string, referencia?: string }} */
const lines = {};
onClients(() => { delete lines.cliente; delete lines.referencia; });

// The client that is chosen in the head of the page, unless another one was typed.
function textOf(name) {
  const client = name === "cliente" ? chosenClient() : null;
  return lines[name] ?? (client ? nameOf(client) : "");
}
const LABELS = { cliente: "Cliente", referencia: "Referência" };

// What will be printed, beside the fields while they are closed: it may be of the case before.
const printed = () => Object.keys(LABELS).map(textOf).filter(Boolean).map((text) => ` · ${text}`).join("");

// Two fields of the screen, whose texts are printed and sent nowhere.
export function paperFields() {
  const field = (name) => {
    const id = `papel-${name}`;
    const input = h("input", { id, type: "text", maxlength: "120", input: () => {
      lines[name] = input.value;
      byId(`${id}-linha`).textContent = input.value;
      byId("papel-dito").textContent = printed();
    } });
    input.value = textOf(name);
    return h("div", { class: "campo" }, h("label", { for: id }, LABELS[name]), input);
  };
  return h("details", { class: "so-tela" },
    h("summary", {}, "Cliente e referência na impressão", h("span", { id: "papel-dito" }, printed())),
    h("div", { class: "filtros" }, Object.keys(LABELS).map(field)),
    h("p", { class: "ajuda" }, "Só vão para o papel: não são enviados nem guardados."));
}

// The head of a printed case: client and reference, with room to write them by hand, and what was asked.
export function paperHead(sent, shown) {
  const { tributo, ...members } = sent.payload;
  const line = (name) => h("p", {}, `${LABELS[name]}: `, h("span", { id: `papel-${name}-linha` }, textOf(name)));
  return h("section", { class: "so-papel" },
    h("div", { class: "linhas" }, Object.keys(LABELS).map(line), h("p", {}, new Date().toLocaleString("pt-BR"))),
    h("h4", {}, "Dados informados"),
    pairs([...Object.entries(members).map(([name, value]) => {
      const member = memberOf(tributo, "pedido", name);
      return [labelOf(member, name), shown(value, member)];
    }), [KNOWN.rotulo, sent.known && knownInstant(sent.known)]]));
}

// Opens, while the page is printed, what is closed on screen and belongs on paper.
export function openForPaper() {
  /** @type {HTMLDetailsElement[]} */
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [.../** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details.imprime:not([open])"))];
    opened.forEach((one) => { one.open = true; });
  });
  window.addEventListener("afterprint", () => opened.forEach((one) => { one.open = false; }));
}

// The part Calendário: what begins and what ends in the next days.

import { withQuery } from "./api.js";
import { announce, byId, h, put } from "./dom.js";
import { mountFilters } from "./filters.js";
import { date, integer } from "./format.js";
import { lister } from "./list.js";
import { siglaOf } from "./taxes.js";

const WINDOWS = [["30", "30 dias"], ["", "90 dias"], ["180", "180 dias"], ["366", "um ano"]];

let fill = () => {};
let read = () => {};

function show(reply) {
  const { grupos } = reply.body;
  const count = grupos.length === 0 ? "Nada começa nem termina nestes dias." : `${integer(grupos.length)} grupos de regras.`;
  announce(count);
  put(byId("calendario-lista"), h("p", { class: "contagem" }, count),
    h("ol", { class: "fichas" }, grupos.map((group) => h("li", { class: "cartao ficha" },
      h("h3", {}, `${date(group.data)}: ${siglaOf(group.tributo)}, ${group.local}`),
      h("p", { class: "citacao" }, group.citacao_legal)))));
}

export function mount(section) {
  put(section,
    h("div", { class: "cartao" },
      h("h2", { id: "calendario-titulo", tabindex: "-1" }, "Calendário"),
      h("form", { id: "calendario-filtros", class: "filtros", autocomplete: "off" })),
    h("div", { id: "calendario-lista", role: "region", "aria-label": "O que começa e o que termina" }));
  read = lister(byId("calendario-lista"), "o calendário", show);
  fill = mountFilters(byId("calendario-filtros"), "calendario", [{ name: "dias", label: "À frente", options: WINDOWS }], "Ver");
}

export function enter(parameters) {
  read(withQuery("/sandbox/v1/calendario", fill(parameters)));
}

// The part Mudanças: the changelog by day of publication, retroactive ones marked.

import { nextCursor, withQuery } from "./api.js";
import { announce, badge, byId, h, pairs, put } from "./dom.js";
import { mountFilters, pager } from "./filters.js";
import { date, day, dayBefore, instant, integer } from "./format.js";
import { lister, where } from "./list.js";
import { siglaOf } from "./taxes.js";

const PAGE = 50;
const KINDS = {
  publicacao: ["publicação", "publicacao"],
  substituicao: ["substituição", "substituicao"],
  substituicao_retroativa: ["↩ substituição retroativa", "retroativa"],
};

let fill = () => {};
let parameters = new URLSearchParams();
let read = () => {};

// From when on, and for a version that was closed, until when.
function effect(event) {
  if (event.tipo === "publicacao") return `vale desde ${date(event.vigente_de)}`;
  if (event.tipo === "substituicao_retroativa") return "deixou de valer desde o início";
  return event.vigente_ate ? `valeu até ${date(dayBefore(event.vigente_ate))}` : "";
}

function item(event) {
  const [name, kind] = KINDS[event.tipo] ?? [event.tipo, "publicacao"];
  const link = (id) => h("a", { href: `#regras?rule_code=${encodeURIComponent(id.replace(/-v\d+\.\d+$/, ""))}` }, id);
  return h("li", { class: `mudanca ${kind}` },
    h("div", { class: "mudanca-topo" }, badge(name, kind), badge(siglaOf(event.tributo), "tributo"), link(event.rule_id)),
    h("p", {}, `${where(event)} · ${effect(event)}`),
    event.substituida_por ? pairs([["Substituída por", link(event.substituida_por)]]) : null,
    kind === "retroativa" ? h("p", { class: "conselho" }, `Recalcule o que foi calculado por esta versão desde ${date(event.vigente_de)}.`) : null);
}

function byDay(events) {
  const days = new Map();
  for (const event of events) {
    const key = day(event.publicado_em);
    days.set(key, [...(days.get(key) ?? []), event]);
  }
  return [...days];
}

function show(reply) {
  const out = byId("mudancas-lista");
  const count = reply.body.length === 0 ? "Nenhuma mudança desde esta data." : `${integer(reply.body.length)} ${reply.body.length === 1 ? "mudança" : "mudanças"} nesta página.`;
  announce(count);
  put(out,
    h("p", { class: "contagem" }, count),
    ...byDay(reply.body).map(([name, events]) => h("section", { class: "cartao" },
      h("h3", {}, name, " ", h("small", {}, `publicado em ${instant(events[0].publicado_em)}`)),
      h("ol", { class: "mudancas" }, events.map(item)))),
    pager("mudancas", parameters, nextCursor(reply.headers)));
}

export function mountChanges() {
  read = lister(byId("mudancas-lista"), "as mudanças", show);
  fill = mountFilters(byId("mudancas-filtros"), "mudancas", [{ name: "desde", label: "Publicadas desde", date: true }], "Ver");
}

export function enterChanges(entered) {
  parameters = entered;
  const asked = fill(parameters);
  read(withQuery("/sandbox/v1/changelog", { ...asked, limit: PAGE }));
}

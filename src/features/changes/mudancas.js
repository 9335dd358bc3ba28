// The part Mudanças: the rules by the day on which they take effect or by that of their publication, by bundle, before
// and after in words.

import { withQuery } from "./api.js";
import { announce, badge, byId, h, put } from "./dom.js";
import { addressOf, mountFilters, pager } from "./filters.js";
import { counted, date, dayBefore, instant, integer, today, versionOf } from "./format.js";
import { saveButtons } from "./files.js";
import { lister } from "./list.js";
import { grouped, leavesSt, tableOf } from "./mudancas_grupos.js";
import { placeFilters, siglaOf } from "./taxes.js";

const KINDS = [["", "Todas"], ["publicacao", "Regras novas"], ["substituicao", "Substituições"], ["retroativa", "Retroativas"]];
// Fields of a new rule that are shown at once.
const FIRST = 3;

/** @type {(parameters: URLSearchParams) => any} */
let fill = () => {};
let parameters = new URLSearchParams();
/** @type {(path: string) => void} */
let read = () => {};


function kindOf(change) {
  const { anterior, tipo, retroativa } = change;
  // What came with the installation was in force before it, and nothing was calculated by it.
  if (tipo === "substituicao_retroativa" && retroativa) return ["substituição retroativa", "retroativa"];
  const name = leavesSt(change) ? "deixa a ST" : anterior ? "substituição" : "regra nova";
  return retroativa ? [`${name}, retroativa`, "retroativa"] : [name, anterior ? "substituicao" : "publicacao"];
}

/** @type {(kind: string[]) => HTMLElement} */
const tag = ([name, kind]) => badge(kind === "retroativa" ? `↩ ${name}` : name, kind);

const link = (id) => h("a", { href: addressOf("regras", { rule_code: versionOf(id).code }) }, id);

// "Alíquota interna: 18,00 % → 19,50 % a partir de 13/03/2024"; a sentence ends with its full stop.
function field({ rotulo, antes, depois }, { anterior, vigente_de }) {
  return h("li", {}, `${rotulo}: `, anterior ? [antes, " → "] : null, h("strong", {}, depois), anterior && !depois.endsWith(".") ? ` a partir de ${date(vigente_de)}` : null);
}

function fields(change) {
  const { anterior, campos, mais_campos: more, vigente_de: from } = change;
  if (campos.length === 0) return h("p", {}, anterior ? `Os mesmos valores a partir de ${date(from)}.` : "Sem valores próprios.");
  const items = campos.map((one) => field(one, change));
  const rest = more > 0 ? h("li", {}, `e mais ${counted(more, "campo", "campos")}: veja a regra`) : null;
  if (anterior || items.length <= FIRST) return h("ul", { class: "antes-e-depois" }, items, rest);
  return [h("ul", { class: "antes-e-depois" }, items.slice(0, FIRST)),
    h("details", { class: "imprime" }, h("summary", {}, `Mais ${counted(items.length - FIRST + more, "campo", "campos")}`), h("ul", { class: "antes-e-depois" }, items.slice(FIRST), rest))];
}

function item(change) {
  const kind = kindOf(change);
  const { anterior, vigente_de: from, vigente_ate: until, tributo } = change;
  const validity = until ? `vale de ${date(from)} a ${date(dayBefore(until))}` : `vale desde ${date(from)}`;
  return h("li", { class: `mudanca ${kind[1]}` },
    h("div", { class: "mudanca-topo" }, tag(kind), badge(siglaOf(tributo), "tributo"), h("strong", {}, change.local === "país" ? "todo o país" : change.local), link(change.rule_id)),
    h("p", {}, `${change.escopo} · ${validity}`, anterior ? [" · depois de ", link(anterior)] : null),
    fields(change),
    change.retroativa ? h("p", { class: "conselho" }, `Publicada depois de passar a valer. Recalcule o que foi calculado para datas desde ${date(from)}.`) : null,
    h("p", { class: "citacao" }, change.citacao_legal));
}

function bundle({ publicado_em: at, pacote, versao, instalado, regras, mudancas }) {
  const part = mudancas.length < regras ? `${integer(mudancas.length)} de ${counted(regras, "regra", "regras")} aqui` : counted(regras, "regra", "regras");
  return h("section", { class: "cartao" },
    h("h3", {}, `${instalado ? "Da instalação, em" : "Publicação de"} ${instant(at)} `, h("small", {}, `${pacote} ${versao}; ${part}`)),
    h("ol", { class: "mudancas" }, grouped(mudancas).map((one) => (one.change ? item(one.change) : group(one)))));
}

// Changes that say the same, as one.
function group({ changes, title, act, segments, common }) {
  const [first] = changes;
  const kind = kindOf(first);
  return h("li", { class: `grupo-de-mudancas ${kind[1]}` }, h("h4", {}, title),
    h("p", {}, tag(kind), ` ${act}${first.vigente_ate ? "" : ` · vale desde ${date(first.vigente_de)}`}`),
    segments ? h("p", {}, segments) : null,
    common.length > 0 ? h("ul", { class: "antes-e-depois" }, common.slice(0, FIRST).map((one) => field(one, first))) : null,
    h("details", {}, h("summary", {}, `Ver as ${integer(changes.length)}`), h("ol", { class: "mudancas" }, changes.map(item))));
}

// A window of days in words; empty if it has no bound.
function days(from, until) {
  if (from && until) return `de ${date(from)} a ${date(until)}`;
  return from ? `desde ${date(from)}` : until ? `até ${date(until)}` : "";
}

function summary({ publicacoes, regras, retroativas, tributos }, installed) {
  const effect = days(parameters.get("vale_de"), parameters.get("vale_ate"));
  if (regras === 0 && effect) return `Nenhuma regra passa a valer ${effect} com estes filtros.`;
  if (regras === 0) return installed ? "Nada foi publicado além da instalação, com estes filtros." : "Nada foi publicado com estes filtros.";
  const taxes = Object.entries(tributos).sort(([, a], [, b]) => b - a).map(([tax, number]) => `${siglaOf(tax)} ${integer(number)}`).join(", ");
  const what = effect ? `${regras === 1 ? "1 regra passa" : `${integer(regras)} regras passam`} a valer ${effect}`
    : `${counted(publicacoes, "publicação", "publicações")}, ${counted(regras, "regra", "regras")}`;
  return `${what}: ${taxes}.${retroativas === 0 ? "" : ` ${counted(retroativas, "é retroativa", "são retroativas")}.`}`;
}

// What to do with an empty list: the filter of a State leaves out the country, and the taxd has not read all.
function wider() {
  const { cursor, antes, ...asked } = Object.fromEntries(parameters);
  return h("p", {}, asked.uf && !asked.pais ? [h("a", { href: addressOf("mudancas", { ...asked, pais: "true" }) }, "Com as de todo o país"), " · "] : null,
    h("a", { href: "#calendario" }, "O que termina"), " · ", h("a", { href: "#cobertura" }, "O que o taxd não leu"));
}

const changesOf = (pacotes) => pacotes.flatMap(({ mudancas }) => mudancas);

function show(reply) {
  const { resumo, pacotes, instalacao, proximo } = reply.body;
  const said = summary(resumo, instalacao);
  announce(said);
  const saved = h("div", {});
  put(byId("mudancas-lista"),
    h("p", { class: "contagem" }, h("strong", {}, said)),
    resumo.regras === 0 ? wider() : null,
    pacotes.length === 0 && resumo.regras > 0 ? h("p", {}, proximo ? "Nenhuma desta espécie nesta página." : "Nenhuma desta espécie.") : null,
    changesOf(pacotes).length > 0 ? h("div", { class: "botoes so-tela" }, saveButtons("mudanças das regras", () => tableOf(changesOf(pacotes), (change) => kindOf(change)[0]), saved)) : null,
    saved,
    pacotes.map(bundle),
    instalacao ? h("section", { class: "cartao" }, h("p", { class: "mudanca instalacao" },
      `Instalação das regras embutidas em ${instant(instalacao.publicado_em)}: ${counted(instalacao.regras, "regra", "regras")} em ${counted(instalacao.pacotes, "pacote", "pacotes")}. Elas aparecem pelo dia em que passam a valer.`)) : null,
    pager("mudancas", parameters, proximo));
}

// The first and the last day of the month that is so many months away.
function month(away) {
  const [year, now] = today().split("-").map(Number);
  const day = (index, number) => new Date(Date.UTC(year, now - 1 + index, number)).toISOString().slice(0, 10);
  return [day(away, 1), day(away + 1, 0)];
}

// The quick choices of a window: each link, and the window that it takes the other filters to.
const choices = [];

// Quick choices of a window, whose bounds have these names in the address.
function periods(title, [from, until], more = []) {
  const year = today().slice(0, 4);
  const windows = [["Mês passado", month(-1)], ["Este mês", month(0)], ...more, ["Últimos 3 meses", [month(-2)[0], today()]], ["Este ano", [`${year}-01-01`, `${year}-12-31`]]];
  const link = ([text, [first, last]]) => {
    const made = h("a", { class: "botao" }, text);
    choices.push([made, { [from]: first, [until]: last }]);
    return made;
  };
  return h("nav", { class: "periodos", "aria-label": title }, h("span", {}, `${title}:`), h("span", { class: "botoes" }, windows.map(link)));
}

// Points the quick choices to their windows with the filters of the form that are not days, also those not applied yet.
/** @type {(filters: any) => void} */
function keepFilters({ desde, ate, vale_de, vale_ate, ...others }) {
  for (const [link, window] of choices) link.href = addressOf("mudancas", { ...window, ...others });
}

export function mount(section) {
  put(section,
    h("div", { class: "cartao" },
      h("h2", { id: "mudancas-titulo", tabindex: "-1" }, "Mudanças"),
      h("p", { class: "ajuda" }, "Para saber o que mudou na lei, escolha o dia em que as regras passam a valer. O dia da publicação é aquele em que o taxd as recebeu. Aparece só o que o taxd leu: o que lhe falta está em ",
        h("a", { href: "#cobertura" }, "Cobertura"), ", e o que termina, no ", h("a", { href: "#calendario" }, "Calendário"), "."),
      periods("Passam a valer", ["vale_de", "vale_ate"], [["Mês que vem", month(1)]]),
      periods("Publicadas", ["desde", "ate"]),
      h("form", { id: "mudancas-filtros", class: "filtros", autocomplete: "off" })),
    h("div", { id: "mudancas-lista", role: "region", "aria-label": "Mudanças encontradas" }));
  read = lister(byId("mudancas-lista"), "as mudanças", show);
  fill = mountFilters(byId("mudancas-filtros"), "mudancas", [
    { name: "desde", label: "Publicadas desde", date: true },
    { name: "ate", label: "Publicadas até", date: true },
    { name: "vale_de", label: "Passam a valer de", date: true },
    { name: "vale_ate", label: "Passam a valer até", date: true },
    ...placeFilters(true),
    { name: "tipo", label: "Espécie", options: KINDS },
  ], "Ver", keepFilters);
  keepFilters({});
}

export function enter(entered) {
  parameters = entered;
  read(withQuery("/sandbox/v1/mudancas", fill(entered)));
}

// The part Calendário: what begins and what ends in the next days, by day, and the rules of each group.

import { call, withQuery } from "./api.js";
import { fileName } from "./clients.js";
import { announce, badge, button, byId, h, put } from "./dom.js";
import { addressOf, mountFilters, pager } from "./filters.js";
import { counted, date, dayBefore, integer, today, validity } from "./format.js";
import { currentKey } from "./key.js";
import { lister } from "./list.js";
import { showProblem } from "./problem.js";
import { placeFilters, siglaOf } from "./taxes.js";
import { words } from "./words.js";

const PATH = "/sandbox/v1/calendario";
const WINDOWS = [["", "90 dias"], ["30", "30 dias"], ["180", "180 dias"], ["366", "um ano"], ["ano", "até o fim do ano"]];
const KINDS = [["", "Tudo"], ["comeca", "Começa"], ["termina", "Termina"], ["sem_sucessora", "Termina sem sucessora"], ["sem_figura", "Termina sem o valor seguinte"], ["sem_resposta", "Termina sem o que vale depois"], ["prazo", "Prazos do contador"]];
const ENDS = { nova_versao: "passa a nova versão", regra_geral: "volta à regra geral", extinta: "tributo extinto", sem_figura: "termina sem o valor seguinte", sem_sucessora: "termina sem sucessora" };
const FIGURES = { em_parte: "alguns valores não estabelecidos", nulas: "valor ainda desconhecido", recusa: "recusa pelo nome do regime" };

/** @type {(parameters: URLSearchParams) => any} */
let fill = () => {};
/** @type {(path: string) => void} */
let read = () => {};
let asked = {};
let parameters = new URLSearchParams();


// What happens on a day, in one sentence or two.
function sentence(day) {
  const { terminam: ends, comecam: begins, sem_resposta: unanswered } = day;
  if (ends === 0) return begins === 1 ? "começa 1 regra." : `começam ${integer(begins)} regras.`;
  // Each rule that ends is in one of them.
  const parts = [[ends - day.extintas - unanswered, "com resposta por outra regra"], [day.extintas, "por extinção do tributo"], [unanswered, "sem resposta depois"]]
    .filter(([number]) => number > 0).map(([number, text]) => `${integer(number)} ${text}`);
  const extinct = day.extintos.length === 0 ? "" : ` A lei extingue ${new Intl.ListFormat("pt-BR").format(day.extintos.map(siglaOf))} nesse dia.`;
  const lost = unanswered === 0 ? "" : ` Sem resposta fica o que nada substitui, ou cuja regra seguinte não tem o valor: ${day.sem_resposta_de.map(siglaOf).join(", ")}.`;
  return `${ends === 1 ? "termina 1 regra" : `terminam ${integer(ends)} regras`} (último dia ${date(dayBefore(day.data))}): ${parts.join(", ")}.${extinct}${lost}`;
}

function rule(tributo, one) {
  const link = (id) => h("a", { href: addressOf("regras", { rule_id: id }) }, id);
  return h("li", {}, link(one.rule_id), h("span", {}, ` ${one.escopo}; ${validity(one.vigente_de, one.vigente_ate)}`),
    one.sem_sucessora_em ? `; sem resposta: ${one.sem_sucessora_em}` : null,
    one.sucessora ? ["; depois: ", link(one.sucessora)] : null);
}

// Reads the rules of a group into its list, page by page.
async function fillGroup(list, { id, tributo }, cursor) {
  const reply = await call(withQuery(PATH, { ...asked, grupo: id, cursor }));
  if (reply.status !== 200) {
    showProblem(list, reply);
    return;
  }
  const { regras, proximo, total } = reply.body;
  if (total === 0) {
    put(list, h("p", {}, "As regras mudaram enquanto esta página estava aberta. Use Ver de novo."));
    return;
  }
  list.querySelector(".mais")?.remove();
  const before = list.querySelectorAll("li").length;
  list.append(h("ul", { class: "regras-do-grupo" }, regras.map((one) => rule(tributo, one))));
  if (proximo) {
    list.append(h("p", { class: "mais" }, button(`Mostrar mais (${integer(total - before - regras.length)})`, () => fillGroup(list, { id, tributo }, proximo))));
  }
  announce(`${integer(before + regras.length)} de ${integer(total)} regras.`);
  if (cursor) list.querySelectorAll("ul")[list.querySelectorAll("ul").length - 1].querySelector("a").focus();
}

function group(one) {
  const list = h("div", {});
  const open = ({ target }) => {
    if (target.open && !list.firstChild) fillGroup(list, one);
  };
  const [what, kind] = one.extincao ? ["tributo extinto", "neutro"] : one.evento === "comeca" ? ["começa", "vigente"] : [ENDS[one.sucessao], ["sem_figura", "sem_sucessora"].includes(one.sucessao) ? "erro" : "neutro"];
  const figures = FIGURES[one.figuras];
  return h("details", { class: "imprime grupo", toggle: open },
    h("summary", {}, badge(siglaOf(one.tributo), "tributo"), " ", h("strong", {}, one.ufs.length === 0 ? "todo o país" : one.local), " ", badge(what, kind), " ",
      figures ? badge(figures, "alerta") : null, " ", h("span", {}, counted(one.regras, "regra", "regras"))),
    one.extincao ? h("p", {}, one.extincao) : null,
    h("p", { class: "citacao" }, one.citacao_legal), list);
}

// Offers the answer in another form as a file: the key goes into a header, which no link has.
async function download(form, type) {
  const response = await fetch(withQuery(PATH, { ...asked, formato: form }), { headers: { "X-API-Key": currentKey() } }).catch(() => null);
  if (!response?.ok) {
    announce(`O arquivo ${type} não pôde ser obtido.`);
    return;
  }
  const url = URL.createObjectURL(await response.blob());
  h("a", { href: url, download: fileName(`calendario-tributario.${form}`) }).click();
  URL.revokeObjectURL(url);
  announce(`Arquivo ${type} baixado.`);
}

const byDay = (groups) => Map.groupBy(groups, (one) => one.data);

function figures(totals) {
  return totals.length === 0 ? null : h("section", { class: "cartao" }, h("h3", {}, "Valores ainda não estabelecidos"),
    h("p", { class: "ajuda" }, "Regras em vigor que recusam o cálculo, no todo ou em parte, porque falta um valor."),
    h("div", { class: "rolagem", tabindex: "0", role: "region", "aria-label": "Valores ainda não estabelecidos" }, h("table", { class: "grade-de-dados" },
      h("thead", {}, h("tr", {}, ["Tributo", "Recusam tudo", "Recusam em parte"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, totals.map((one) => h("tr", {}, h("th", { scope: "row" }, siglaOf(one.tributo)),
        h("td", { class: "numero" }, integer(one.nulo)), h("td", { class: "numero" }, integer(one.em_parte))))))));
}

// Rules that answered until the day before: what they need is newer than the last act that was read.
function lapses(list) {
  return list.length === 0 ? null : h("section", { class: "cartao" }, h("h3", {}, "Valores que deixaram de ser conhecidos"),
    h("p", { class: "ajuda" }, "Regras que respondiam até a véspera e hoje recusam: o valor novo não foi lido."),
    h("ul", { class: "regras-do-grupo" }, list.map((one) => h("li", {}, `${siglaOf(one.tributo)}, desde ${date(one.desde)}: ${counted(one.regras, "regra", "regras")}; a primeira é `,
      h("a", { href: addressOf("regras", { rule_id: one.primeira }) }, one.primeira), `, depois de ${one.ultima_citacao}.`))));
}

function testYear(rules) {
  return rules.length === 0 ? null : h("section", { class: "cartao" }, h("h3", {}, "Ano de teste da reforma"),
    h("ul", { class: "regras-do-grupo" }, rules.map((one) => h("li", {}, h("a", { href: addressOf("regras", { rule_id: one.rule_id }) }, one.rule_id),
      ` ${validity(one.vigente_de, one.vigente_ate)}; ${one.citacao_legal}`))));
}

// The dates of duties: no rules, so they are in no count.
function deadlines(list) {
  return list.length === 0 ? null : h("section", { class: "cartao", id: "calendario-prazos" }, h("h3", {}, "Prazos do contador"),
    h("p", { class: "ajuda" }, "São deveres, não regras: não entram nas contagens acima, e nenhum cálculo os lê."),
    h("ul", {}, list.map((one) => h("li", {}, h("strong", {}, date(one.data)), " ", badge("prazo", "neutro"), " ", one.titulo, ". ", one.texto,
      h("p", { class: "citacao" }, `${one.quem}. ${one.citacao_legal}. ${words(one.conferencia)}.`)))));
}

function show(reply) {
  const { desde, ate, dias, grupos, total, proximo, figuras_nulas, sem_figura_desde: lapsed, ano_teste, prazos } = reply.body;
  const said = dias.length === 0 ? `De ${date(desde)} a ${date(ate)} nada começa nem termina.`
    : `De ${date(desde)} a ${date(ate)}: ${counted(total, "grupo", "grupos")} de regras${asked.tipo ? ` (${KINDS.find(([kind]) => kind === asked.tipo)?.[1].toLowerCase() ?? asked.tipo})` : ""}.`;
  announce(said);
  put(byId("calendario-lista"),
    h("p", { class: "contagem" }, said),
    dias.length + prazos.length === 0 ? null : h("section", { class: "cartao", id: "calendario-resumo" }, h("h3", {}, "Resumo"),
      h("ul", {}, dias.map((day) => h("li", {}, h("strong", {}, `Em ${date(day.data)}`), " ", sentence(day)))),
      h("div", { class: "botoes" }, button("Baixar para a agenda (.ics)", () => download("ics", "da agenda")), button("Baixar para o Excel (CSV)", () => download("csv", "CSV")))),
    [...byDay(grupos)].map(([day, groups]) => h("section", { class: "cartao" }, h("h3", {}, date(day)), groups.map(group))),
    pager("calendario", parameters, proximo),
    deadlines(prazos),
    figures(figuras_nulas), lapses(lapsed), testYear(ano_teste));
}

export function mount(section) {
  put(section,
    h("div", { class: "cartao" },
      h("h2", { id: "calendario-titulo", tabindex: "-1" }, "Calendário"),
      h("p", { class: "ajuda" }, "O que começa e o que termina, e o que responde depois de cada término."),
      h("form", { id: "calendario-filtros", class: "filtros", autocomplete: "off" })),
    h("div", { id: "calendario-lista", role: "region", "aria-label": "O que começa e o que termina" }));
  read = lister(byId("calendario-lista"), "o calendário", show);
  fill = mountFilters(byId("calendario-filtros"), "calendario", [
    { name: "desde", label: "A partir de", date: true, hint: "hoje" },
    { name: "dias", label: "À frente", options: WINDOWS },
    ...placeFilters(true),
    { name: "tipo", label: "O que acontece", options: KINDS },
  ], "Ver");
}

// The days from the first one to the first of January: a rule of which the last day is 31 December ends on that day.
function untilNewYear(from) {
  const first = Date.parse(`${/^\d{4}-\d\d-\d\d$/.test(from) ? from : today()}T00:00:00Z`);
  return Math.round((Date.UTC(new Date(first).getUTCFullYear() + 1, 0, 1) - first) / 86_400_000);
}

export function enter(entered) {
  parameters = entered;
  // The number of days that is asked for without one has no option of its own.
  if (entered.get("dias") === "90") entered.delete("dias");
  asked = fill(entered);
  if (asked.dias === "ano") asked.dias = untilNewYear(asked.desde ?? "");
  read(withQuery(PATH, asked));
}

// The part Tratamento: what the rules of each tax say of a product, for any seller, without a regime and without amounts.

import { sentences } from "./answer.js";
import { withQuery } from "./api.js";
import { announce, badge, byId, h, pairs, put } from "./dom.js";
import { saveButtons } from "./files.js";
import { addressOf, mountFilters } from "./filters.js";
import { ANSWERS, date, money, percent, today, validity } from "./format.js";
import { lister } from "./list.js";
import { allUfs, anyField } from "./taxes.js";
import { words } from "./words.js";

const PARTS = {
  pis: "PIS", cofins: "COFINS", ipi: "IPI", icms_interno: "ICMS na UF de destino", icms_interestadual: "ICMS interestadual",
  icms_interestadual_importada: "ICMS interestadual, importada", icms_st: "ICMS-ST", cbs: "CBS", ibs: "IBS", imposto_seletivo: "Imposto Seletivo",
};
// The rates of a part, and its texts, in the order in which they are shown.
const RATES = {
  aliquota: "Alíquota", aliquota_municipal: "Alíquota municipal", aliquota_revenda: "Alíquota, revenda", percentual_varejo: "Base, do varejo", fcp: "FCP",
  reducao_base: "Redução da base", carga_efetiva: "Carga efetiva", mva: "MVA original", mva_aplicada: "MVA ajustada", aliquota_interna: "Alíquota interna",
};
const TEXTS = { mercadoria: "Mercadoria", cest: "CEST", base_legal: "Dispositivo", categoria: "Categoria", condicao: "Condição", motivo: "Motivo", citacao_legal: "Citação legal" };
// Situations in which the part does not say what is due.
const OPEN = ["recusado", "sem_regra", "sem_uf", "depende_da_destinacao"];

/** @type {(parameters: URLSearchParams) => any} */
let fill = () => {};
/** @type {(path: string) => void} */
let read = () => {};

const figure = (value, shown) => (value === null ? "não estabelecida" : shown(value));
const perUnit = (value, unit) => `${figure(value, money)} por ${unit}`;

function figures(part) {
  const { por_comprador: buyers, por_unidade: each, pauta, unidade: unit } = part;
  const of = (labels, shown) => Object.keys(labels).filter((name) => name in part).map((name) => [labels[name], figure(part[name], shown)]);
  return [...of(RATES, percent),
    ...Object.entries(buyers ?? {}).map(([buyer, rate]) => [words(buyer), figure(rate, percent)]),
    ["Por unidade", each === undefined ? null : each?.unidade ? perUnit(each.valor, each.unidade) : perUnit(each, unit)],
    ["Pauta", pauta === undefined ? null : perUnit(pauta, unit)],
    ...of(TEXTS, String)].filter(([, value]) => value);
}

// The parts one by one: a contribution has one for each treatment.
const rows = (body) => Object.entries(PARTS).filter(([name]) => body[name]).flatMap(([name, label]) => body[name].regimes?.map(
  (one) => [`${label} (${one.regimes_apuracao.map(words).join(" e ").toLowerCase()})`, one]) ?? [[label, body[name]]]);

// What a situation of PIS or of ICMS-ST is to a seller of the Simples Nacional, whose DAS has both (LC 123/2006, art. 18, § 4º-A).
const SIMPLES = {
  monofasico: "na revenda, segregue a receita no PGDAS-D como monofásica: o DAS não cobra PIS e COFINS dela (LC 123/2006, art. 18, § 4º-A, I)",
  aliquota_zero: "a alíquota zero não muda o DAS",
  aliquota_reduzida: "a alíquota reduzida não muda o DAS",
  sujeito: "quem comprou com o ICMS retido segrega a receita da revenda como substituída: o DAS não cobra ICMS dela (mesmo dispositivo da LC 123/2006)",
};

function ofSimples({ pis, icms_st: st }) {
  const said = new Set([...pis?.regimes ?? [pis], st].map((one) => SIMPLES[one?.situacao]).filter(Boolean));
  return said.size > 0 ? h("p", { class: "aviso neutro" }, h("strong", {}, "No Simples Nacional: "), `${[...said].join("; ")}.`) : null;
}

const days = (regra) => validity(regra.vigente_de, regra.vigente_ate);

const card = ([label, part]) => h("li", { class: "cartao ficha" },
  h("div", { class: "ficha-topo" }, h("h3", {}, label), badge(words(part.situacao), OPEN.includes(part.situacao) ? "alerta" : "neutro")),
  pairs(figures(part)),
  part.recusa ? h("p", { class: "aviso neutro" }, part.recusa.detail) : null,
  part.hipoteses ? h("ul", {}, part.hipoteses.map((one) => h("li", {}, h("strong", {}, one.classificacao_tributaria), ` ${one.descricao}`,
    one.aliquota_efetiva ? `; alíquota de ${percent(one.aliquota_efetiva)}` : null))) : null,
  part.regra ? [h("p", { class: "citacao" }, part.regra.citacao_legal),
    pairs([["Regra", h("a", { href: addressOf("regras", { rule_id: part.regra.rule_id }) }, part.regra.rule_id)], [ANSWERS, days(part.regra)],
      ["Conferência", part.regra.conferencia ? words(part.regra.conferencia) : null]])] : null,
  part.avisos ? h("details", { class: "imprime" }, h("summary", {}, "O que conferir"),
    h("ul", {}, sentences(part.avisos.map(({ texto }) => texto), part.avisos.map(({ condicao }) => condicao)).map((one) => h("li", {}, one)))) : null);

const whose = (one) => (one.da_situacao ? "da situação do produto" : "depende da operação");

const natures = (list) => h("section", { class: "cartao", hidden: list.length === 0 }, h("h3", {}, "Natureza da receita (EFD-Contribuições)"),
  h("ul", { class: "tratamento-naturezas" }, list.map((one) => h("li", {}, h("strong", {}, `${one.tabela}, ${one.codigo}`), " ",
    badge(whose(one), one.da_situacao ? "vigente" : "neutro"), ` ${one.papel_na_cadeia ? `${words(one.papel_na_cadeia)}. ` : ""}${one.descricao}`))));

const table = (body) => ({
  colunas: ["Tributo", "Situação", "Valores", "Regra", "Citação legal", ANSWERS, "Por que não responde"].map((nome) => ({ nome })),
  linhas: [
    ...rows(body).map(([label, { situacao, regra, recusa, ...part }]) => [label, words(situacao), figures(part).map((one) => one.join(": ")).join("; ") || null,
      regra?.rule_id ?? null, regra?.citacao_legal ?? null, regra ? days(regra) : null, recusa?.detail ?? null]),
    ...body.naturezas_da_receita.map((one) => ["Natureza da receita", whose(one), `${one.tabela}, ${one.codigo}`, null, one.descricao, null, null]),
  ],
});

function show({ body }) {
  const said = `Tratamento do NCM ${body.ncm}${body.ex ? `, Ex ${[body.ex, body.ex_descricao].filter(Boolean).join(": ")},` : ""} em ${date(body.data)}.`;
  const refused = h("div", {});
  announce(said);
  put(byId("tratamento-resposta"),
    h("p", { class: "contagem" }, said),
    h("div", { class: "botoes so-tela" }, saveButtons(`tratamento-${body.ncm}`, () => table(body), refused, "Tratamento")), refused,
    ofSimples(body),
    h("ol", { class: "fichas" }, rows(body).map(card)),
    natures(body.naturezas_da_receita));
}

export function mount(section) {
  put(section,
    h("div", { class: "cartao" },
      h("h2", { id: "tratamento-titulo", tabindex: "-1" }, "Tratamento"),
      h("p", { class: "ajuda" }, "Como cada tributo trata um produto, de qualquer vendedor."),
      h("form", { id: "tratamento-filtros", class: "filtros", autocomplete: "off" })),
    h("div", { id: "tratamento-resposta", role: "region", "aria-label": "Tratamento do produto" }));
  const options = [["", "Não informar"], ...allUfs().map((uf) => [uf, uf])];
  const code = (name) => anyField(name).exemplo;
  fill = mountFilters(byId("tratamento-filtros"), "tratamento", [
    { name: "ncm", label: "NCM", hint: "8 dígitos", code: code("ncm") },
    { name: "data", label: "Data", date: true },
    { name: "uf_origem", label: "UF de origem", options },
    { name: "uf_destino", label: "UF de destino", options },
    { name: "cest", label: "CEST", hint: "7 dígitos", code: code("cest") },
    { name: "ex", label: "Ex da TIPI" },
  ], "Ver o tratamento");
  read = lister(byId("tratamento-resposta"), "o tratamento", show);
}

export function enter(parameters) {
  const asked = fill(new URLSearchParams({ data: today(), ...Object.fromEntries(parameters) }));
  if (asked.ncm) read(withQuery("/sandbox/v1/tratamento", asked));
  else put(byId("tratamento-resposta"), h("p", { class: "vazio" }, "Informe o NCM."));
}

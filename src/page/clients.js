// What a firm says once of each of its clients: the companies that the browser keeps, with the facts of the file that
// `taxd audit --empresa` reads. A question takes facts of them, and never the CNPJ; only Documentos sends that.

import { readDate, readDecimal } from "./format.js";
import { keepText, keptList, keptText } from "./kept.js";
import { allTaxes, allUfs } from "./taxes.js";
import { companyFacts, words } from "./words.js";

const SLOT = "taxd-empresas";
const CHOSEN = "taxd-cliente";

export const YES_NO = [["", "não informar"], ["true", "Sim"], ["false", "Não"]];
const trimmed = (text) => text.trim();
// A month as 03/2026; another text goes as it is, and the service says what is wrong with it.
const readMonth = (text) => text.trim().replace(/^(\d\d)\/(\d{4})$/, "$2-$1");
const amount = (text) => readDecimal(text).sent;
const since = ["desde", "Desde", "dd/mm/aaaa", readDate];
const until = ["ate", "Até", "dd/mm/aaaa", readDate];
const options = (...names) => [["", "não informar"], ...names.map((name) => [name, words(name)])];

// What a text of a field must be as it is sent, and how to write it.
/** @type {Map<any, [RegExp, string]>} */
export const FORMS = new Map([
  [readDate, [/^\d{4}-\d\d-\d\d$/, "escreva a data como 31/12/2026"]],
  [readMonth, [/^\d{4}-\d\d$/, "escreva o mês como 03/2026"]],
  [amount, [/^\d+(\.\d+)?$/, "escreva o valor como 300000,00"]],
]);

// What the firm knows and the file of `--empresa` passes over.
const OWN = ["uf", "municipio", "regime"];

// Name, label, options or a hint, and the reader of each field.
// Fields that every client has; the others are facts of some trades.
export const MAIN = 5;

/** @type {() => any[][]} */
export const companyFields = () => [
  ["cnpj", "CNPJ ou a sua raiz", "como 12.345.678/0001-90", trimmed], ["nome", "Nome", "", trimmed],
  ["uf", "UF", [["", "não informar"], ...allUfs().map((uf) => [uf, uf])]], ["municipio", "Cidade", "", trimmed],
  ["regime", "Regime", options("simples_nacional", "lucro_presumido", "lucro_real")],
  ...companyFacts.map(([name, label]) => [name, label, name === "regime_pis_cofins" ? options("cumulativo", "nao_cumulativo") : YES_NO]),
];
/** @type {() => [string, string, any[][]][]} */
export const companyLists = () => [
  ["regime_especial", "regime especial", [["tributo", "Tributo", allTaxes().map((tax) => [tax.tributo, tax.sigla])], since, until, ["descricao", "Descrição", "TTD 409", trimmed]]],
  ["preco_venda_varejo", "preço no varejo (cigarros)", [["produto", "Código do produto", "", trimmed], ["preco", "Preço da unidade", "0,00", amount], since, until]],
  ["simples_nacional", "mês do Simples Nacional", [["mes", "Mês", "mm/aaaa", readMonth],
    ["receita_bruta_12_meses", "Receita de 12 meses no país", "0,00", amount], ["receita_exportacao_12_meses", "Exportação de 12 meses", "0,00", amount],
    ["receita_bruta_ano", "Receita do ano", "0,00", amount], ["inicio_atividade", "Início de atividade", "dd/mm/aaaa", readDate],
    ["anexo_servicos", "Anexo dos serviços", [["", "não informar"], ["III", "Anexo III"], ["IV", "Anexo IV"], ["V", "Anexo V"]]]]],
];

let companies = null;
const listeners = [];

// Listens for other clients, and for another one that is chosen.
export const onClients = (listener) => listeners.push(listener);

// The companies, which their form changes in place; at least one, which may be empty.
export function allCompanies() {
  if (!companies) {
    const kept = keptList(SLOT);
    companies = kept.length > 0 ? kept : [{}];
  }
  return companies;
}

// Keeps the companies; false without room, or where the browser keeps nothing: they then last as long as the page.
export function keepCompanies(list = allCompanies()) {
  companies = list.length > 0 ? list : [{}];
  const isKept = keepText(SLOT, JSON.stringify(companies));
  listeners.forEach((listener) => listener());
  return isKept;
}

/** @type {(one: Record<string, any>) => string} */
export const cnpjOf = ({ cnpj }) => (cnpj ?? "").replace(/[^0-9a-z]/gi, "").toUpperCase();

export const nameOf = (one) => one.nome?.trim() || cnpjOf(one);

export const clients = () => allCompanies().filter(nameOf);

export const chosenClient = () => clients().find((one) => nameOf(one) === keptText(CHOSEN)) ?? null;

export function chooseClient(name) {
  keepText(CHOSEN, name);
  listeners.forEach((listener) => listener());
}

// How a company of that regime pays PIS and COFINS, but for what is said of it.
/** @type {(one: Record<string, any>) => string | undefined} */
const contributions = ({ regime, regime_pis_cofins: said }) => said || { lucro_presumido: "cumulativo", lucro_real: "nao_cumulativo" }[regime];

// What the file of `taxd audit --empresa` has of a company.
export const auditFacts = (one) => ({ ...Object.fromEntries(Object.entries(one).filter(([name]) => !OWN.includes(name))), regime_pis_cofins: contributions(one) ?? "" });

// The facts of a client as fields of forms; undefined of what it does not say.
export function factsOf({ uf, municipio, regime, ...one }) {
  const simples = regime === "simples_nacional";
  return {
    uf_origem: uf, uf, municipio,
    regime_vendedor: regime, regime_prestador: regime,
    regime_simples_nacional: simples ? "true" : undefined, optante_simples: regime && String(simples),
    regime_apuracao: simples ? "simples" : contributions({ regime, ...one }),
    contribuinte_ipi: one.contribuinte_ipi, regime_especial: one.regime_especial_por_unidade,
  };
}

// A name of a file with the client's before it.
export function fileName(name) {
  const client = chosenClient();
  const own = client && nameOf(client).normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 40);
  return own ? `${own}-${name}` : name;
}

// The part Lista: a table of which each row is a calculation.

import { withQuery } from "./api.js";
import { announce, button, byId, controlById, h, put } from "./dom.js";
import { postForLines, save } from "./files.js";
import { addressOf } from "./filters.js";
import { date, decimalInput, integer, readDate, today } from "./format.js";
import { currentKey, recount } from "./key.js";
import { mountRows } from "./lista_linhas.js";
import { mountSame } from "./lista_todas.js";
import { showProblem } from "./problem.js";
import { mountSupposed } from "./suppose.js";
import { allTaxes, exampleOf, fieldOf, taxOf } from "./taxes.js";
import { words, yesNo } from "./words.js";

const SAME = [["operacao", "Operação — todos os tributos de cada linha"], ["tratamento", "Tratamento — como cada tributo trata o produto"], ["", "O da coluna Tributo"]];
const DECIMALS = [["", "Descobrir"], ["virgula", "Vírgula (1.234,56)"], ["ponto", "Ponto (1,234.56)"]];

const MOST_BYTES = 16 * 1024 * 1024;

// The file, or the text that was pasted, and its name.
let source = null;
// Columns and fields of the source; null before it was read.
let head = null;
// What stops the reading under way.
let running = null;
// Counts the readings: of several that overtake one another the last is shown.
let latest = 0;
let rows;
// The data that are the same in all rows.
let same;

const field = (id, label, control) => h("div", { class: "campo" }, h("label", { for: id }, label), control);
const choice = (id, options) => h("select", { id }, options.map(([value, text]) => h("option", { value }, text)));
const chosen = () => controlById("lista-tributo").value;

// The last instant of the day; nothing for today, and null for a text that is not a day.
function knownAt() {
  const day = readDate(controlById("lista-conhecido").value);
  const end = new Date(`${day}T23:59:59.999`);
  if (day === "" || day === today()) return "";
  return end.toLocaleDateString("sv-SE") === day ? end.toISOString() : null;
}

// The choice of a field above each column of the file.
function columns() {
  /** @type {NodeListOf<HTMLSelectElement>} */
  const selects = document.querySelectorAll("#lista-colunas .de-coluna");
  return [...selects];
}

// The values of all rows, and the field of each column of the file, once the columns are shown.
function said() {
  const selects = columns();
  if (selects.length === 0) return {};
  const fields = [];
  for (const select of selects) fields[Number(select.dataset.posicao)] = select.value;
  const values = same.values();
  return { colunas: Array.from(fields, (name) => name ?? "*").join(","), valores: Object.keys(values).length > 0 ? JSON.stringify(values) : "" };
}

const picked = () => columns().map((select) => select.value).filter(Boolean);

const query = (more) => withQuery("/sandbox/v1/lista", {
  tributo: chosen(), decimal: controlById("lista-decimal").value, aba: controlById("lista-aba")?.value, supondo: supposed(), ...more });

// The figures that are supposed in the place of those of the rules.
let figures;
const supposed = () => figures.value();

function remember() {
  history.replaceState(null, "", addressOf("lista", {
    tributo: chosen() === "icms" ? "" : chosen() || "coluna",
    supondo: supposed(), conhecido_em: knownAt() && readDate(controlById("lista-conhecido").value), decimal: controlById("lista-decimal").value }));
}

function showRefusal(out, reply) {
  const card = h("div", { class: "cartao" });
  showProblem(card, reply);
  if (reply.status === 422) {
    put(card, h("h3", { tabindex: "-1", class: "recusa" }, "A lista não pôde ser lida"),
      h("p", { class: "razao" }, reply.said?.detail ?? ""));
  }
  put(out, card);
  card.querySelector("h3").focus();
}

// What must be corrected: required fields without a column, fields with two, a day that cannot be read; and the control
// to begin with.
function lacking() {
  const selects = columns();
  const chosenOnes = selects.map((select) => select.value);
  const given = [...chosenOnes, ...Object.keys(same.values())];
  const label = ({ rotulo }) => `“${rotulo}”`;
  // A city says its State.
  const follows = (nome) => nome === "uf" && given.includes("municipio");
  const missing = head.campos.filter(({ nome, obrigatorio }) => obrigatorio && !given.includes(nome) && !follows(nome)).map(label);
  const twice = head.campos.filter(({ nome }) => chosenOnes.filter((one) => one === nome).length > 1).map(label);
  const free = missing.length > 0 && selects.find((select) => select.value === "");
  const second = selects.find((select, at) => select.value !== "" && chosenOnes.indexOf(select.value) < at);
  const text = [
    missing.length > 0 ? `Falta a coluna de: ${missing.join(", ")}.` : "",
    twice.length > 0 ? `Mais de uma coluna para: ${twice.join(", ")}.` : "",
    knownAt() === null ? "Em “Como se sabia em”, escreva uma data como 31/12/2025." : "",
  ].join(" ").trim();
  return { text, control: free || second || (knownAt() === null ? controlById("lista-conhecido") : selects[0]) };
}

function showLacking() {
  const { text, control } = lacking();
  byId("lista-faltam").textContent = text;
  byId("lista-faltam").hidden = text === "";
  return text && control;
}

// What the reader said that a column is, by its name: the same file comes again, corrected.
const choices = new Map();

// Settles when the button that is being pressed is let go: what is shown again meanwhile would move it from under the pointer.
let pressed = Promise.resolve();

function press() {
  pressed = new Promise((done) => {
    for (const event of ["pointerup", "pointercancel"]) window.addEventListener(event, () => setTimeout(done), { once: true });
  });
}

// Asks again what the rows lack, now that a column or a value of all rows was chosen. The last question is answered.
let questions = 0;
async function askLacking() {
  await pressed;
  showLacking();
  questions += 1;
  const [mine, list] = [questions, head];
  let lacking = [];
  await postForLines(query({ so_colunas: "true", ...said() }), source.body, (line) => {
    if (line.colunas) lacking = line.faltam ?? [];
  });
  if (mine !== questions || list !== head) return;
  const place = document.activeElement?.id;
  const filled = same.show(lacking, picked());
  if (place) byId(place)?.focus({ preventScroll: true });
  if (filled) askLacking();
}

// The columns of the source, each with the field that it is.
function showColumns(samples) {
  const options = (field) => [["", "não usar"], ...head.campos.map(({ nome, rotulo, obrigatorio }) => [nome, rotulo + (obrigatorio ? " *" : "")])]
    .map(([value, text]) => h("option", { value, selected: value === (field ?? "") }, text));
  const before = (nome) => (choices.get(nome) === "" ? "" : head.campos.find((one) => one.nome === choices.get(nome))?.nome);
  const choose = (nome) => ({ target }) => {
    choices.set(nome, target.value);
    // What was said of a proposal.
    target.nextElementSibling?.remove();
    askLacking();
  };
  const line = ({ letra, nome, campo, sugestao, tipo, posicao }, at) => h("li", {},
    h("label", { for: `lista-coluna-${at}` }, h("strong", {}, nome || `Coluna ${letra}`), h("span", { class: "ajuda" },
      ` ${[...new Set(samples.map((cells) => rows.shown(cells[at], tipo)))].filter(Boolean).join("; ")}`)),
    h("select", { id: `lista-coluna-${at}`, class: "de-coluna", "data-posicao": posicao, change: choose(nome) }, options(before(nome) ?? campo ?? sugestao)),
    sugestao ? h("p", { class: "ajuda" }, "Pelo nome, parece ser este campo: confira.") : null);
  const count = head.linhas === 1 ? "Calcular 1 linha" : `Calcular as ${integer(head.linhas)} linhas`;
  const sheets = head.abas.length > 0
    ? field("lista-aba", "Planilha do arquivo", h("select", { id: "lista-aba", change: () => readColumns() },
      head.abas.map((name) => h("option", { value: name, selected: name === head.aba }, name)))) : null;
  put(byId("lista-colunas"), h("div", { class: "cartao" },
    h("h3", { tabindex: "-1" }, `Colunas de ${source.name}`),
    h("p", { class: "ajuda" }, "Diga de cada coluna o que ela é. As que não são usadas voltam como estão. Campos com * são obrigatórios."),
    sheets,
    h("ul", { class: "lista-colunas" }, head.colunas.map(line)),
    h("section", { id: "lista-todas" }),
    h("p", { id: "lista-faltam", class: "falha", role: "alert", hidden: true }),
    h("div", { class: "botoes" }, button(count, calculate, { class: "principal", id: "lista-calcular", pointerdown: press }))));
  same = mountSame(byId("lista-todas"), chosen(), head.campos.filter(({ nome }) => nome !== "tributo"), askLacking, !SAMPLES.includes(source.name));
  const filled = same.show((head.faltam ?? []).filter((nome) => !picked().includes(nome)), picked());
  // A suggestion is the column that is shown until it is changed.
  if (filled || head.colunas.some(({ nome, campo, sugestao }) => sugestao || (before(nome) ?? campo) !== campo)) askLacking();
  else showLacking();
}

// Reads the header and the first rows, which uses no quota.
async function readColumns(focus) {
  if (!source) return;
  running?.abort();
  running = null;
  const refuse = (status, body) => showRefusal(byId("lista-colunas"), { status, body, headers: new Headers() });
  if (!currentKey()) return refuse(401, { codigo: "chave_ausente" });
  if ((source.body.size ?? source.body.length) > MOST_BYTES) return refuse(422, { detail: "Ela passa de 16 MiB, o máximo desta página. Divida-a." });
  latest += 1;
  const mine = latest;
  const aba = controlById("lista-aba")?.value;
  const samples = [];
  /** @type {any} */
  let read = null;
  put(byId("lista-resultado"));
  const reply = await postForLines(query({ so_colunas: "true" }), source.body, (line) => {
    if (line.colunas) read = line;
    else samples.push(line.celulas);
  });
  if (mine !== latest) return;
  head = read && { ...read, aba };
  if (!head) return showRefusal(byId("lista-colunas"), reply);
  showColumns(samples);
  announce(`${head.colunas.length} colunas e ${head.linhas} linhas lidas.`);
  if (focus) byId("lista-colunas").querySelector("h3").focus({ preventScroll: true });
}

// The names of lists to try, which are nobody's, and products of them.
const SAMPLES = ["lista de exemplo", "exemplo.csv"];
const TRIED = ["87083090", "22030000", "30049099"];

// A list of the chosen tax to try: its example, for several products if it is of one.
async function tryOne() {
  const tax = taxOf(chosen()) ?? taxOf("icms");
  const example = exampleOf(tax);
  const names = Object.keys(example).filter((name) => !["tributo", "ex"].includes(name));
  const cell = (name, value) => {
    const { tipo } = fieldOf(tax.tributo, name);
    if (typeof value === "boolean") return yesNo(value);
    return ["decimal", "aliquota"].includes(tipo) ? decimalInput(value) : tipo === "data" ? date(value) : tipo === "opcoes" ? words(value) : String(value);
  };
  const rows = (example.ncm ? [example.ncm, ...TRIED] : [""]).map((ncm, at) => names.map((name) => (name === "cest" && at > 0 ? "" : cell(name, name === "ncm" ? ncm : example[name]))));
  take(SAMPLES[0], [names.map((name) => fieldOf(tax.tributo, name).rotulo), ...rows].map((line) => line.join("\t")).join("\n"));
}

function take(name, body) {
  source = { name, body };
  head = null;
  put(byId("lista-colunas"));
  readColumns(true);
}

// Calculates rows again, as a list of their own.
async function again(payloads, take) {
  const names = [...new Set(payloads.flatMap(Object.keys))].filter((name) => chosen() === "" || name !== "tributo");
  const cell = (value) => `"${(typeof value === "boolean" ? yesNo(value) : String(value ?? "")).replaceAll('"', '""')}"`;
  const text = [names.join(";"), ...payloads.map((payload) => names.map((name) => cell(payload[name])).join(";"))].join("\n");
  const reply = await postForLines(withQuery("/sandbox/v1/lista", { tributo: chosen(), decimal: "ponto", supondo: supposed(), conhecido_em: knownAt() }), text, take);
  recount();
  return reply;
}

async function calculate() {
  if (running) return undefined;
  const wrong = showLacking();
  if (wrong) return wrong.focus();
  const stop = new AbortController();
  running = stop;
  byId("lista-calcular").setAttribute("aria-disabled", "true");
  rows.begin(chosen(), head.colunas.at(-1)?.posicao ?? 0, { conhecido_em: knownAt(), supondo: supposed() }, () => stop.abort());
  const reply = await postForLines(query({ ...said(), conhecido_em: knownAt() }), source.body, (line, text) => {
    if (running === stop) rows.take(line, text);
  }, stop.signal);
  recount();
  if (running !== stop) return undefined;
  running = null;
  byId("lista-calcular").removeAttribute("aria-disabled");
  if (reply.status !== 200 && !rows.begun()) showRefusal(byId("lista-resultado"), reply);
  else rows.end(stop.signal.aborted);
  return undefined;
}

function mountSource() {
  const file = h("input", { id: "lista-arquivo", type: "file", accept: ".csv,.tsv,.txt,.xlsx,.xlsm" });
  file.addEventListener("change", () => {
    if (file.files[0]) take(file.files[0].name, file.files[0]);
  });
  const pasted = h("textarea", { id: "lista-colar", rows: "4", spellcheck: "false" });
  const readPasted = () => {
    if (pasted.value.trim() !== "") take("linhas coladas", pasted.value);
    else pasted.focus();
  };
  pasted.addEventListener("paste", () => setTimeout(readPasted));
  const zone = h("div", { class: "lista-origem" },
    h("div", { class: "campo" }, h("label", { for: "lista-arquivo" }, "Arquivo XLSX ou CSV"), file,
      h("p", { class: "ajuda" }, "Também pode ser solto aqui. Até 100.000 linhas e 16 MiB. É lido neste servidor, e não fica guardado.")),
    h("div", { class: "campo" }, h("label", { for: "lista-colar" }, "Ou cole as linhas do Excel, com o cabeçalho"), pasted,
      h("div", { class: "botoes" }, button("Ler as linhas coladas", readPasted, { id: "lista-ler" }),
        button("Experimentar com um exemplo", tryOne, { id: "lista-exemplo" }))));
  zone.addEventListener("dragover", (event) => event.preventDefault());
  zone.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files[0]) return;
    event.preventDefault();
    take(event.dataTransfer.files[0].name, event.dataTransfer.files[0]);
  });
  return zone;
}

function template(formato) {
  return button(`Modelo ${formato.toUpperCase()}`, async () => {
    const out = byId("lista-modelo");
    const tributo = chosen();
    if (!tributo) return put(out, h("p", { class: "falha" }, "Escolha o tributo do modelo."));
    const refused = await save(`modelo-${tributo}.${formato}`, withQuery("/sandbox/v1/modelo", { tributo, formato }));
    if (refused) showProblem(out, refused);
    else put(out);
    return undefined;
  });
}

export function mount(section) {
  put(section,
    h("div", { class: "cartao" },
      h("h2", { id: "lista-titulo", tabindex: "-1" }, "Lista"),
      h("p", { class: "ajuda" }, "Cada linha é um cálculo da cota, e volta com o valor, a alíquota e a regra. Baixar não gasta nada, nem repetir a lista dentro de 30 minutos."),
      h("div", { class: "filtros" },
        field("lista-tributo", "Tributo", choice("lista-tributo", [...allTaxes().map((tax) => [tax.tributo, tax.sigla]), ...SAME])),
        field("lista-decimal", "Separador decimal", choice("lista-decimal", DECIMALS)),
        field("lista-conhecido", "Como se sabia em", h("input", { id: "lista-conhecido", type: "text", placeholder: "hoje", spellcheck: "false" })),
        h("div", { class: "botoes" }, template("xlsx"), template("csv"))),
      h("div", { id: "lista-suposto" }),
      h("div", { id: "lista-modelo" }),
      mountSource()),
    h("div", { id: "lista-colunas" }),
    h("div", { id: "lista-resultado", role: "region", "aria-label": "Resultado da lista" }));
  rows = mountRows(byId("lista-resultado"), () => source.name, again);
  // A treatment has no figure to suppose.
  const taxes = () => allTaxes().filter(({ tributo }) => ["operacao", "", tributo].includes(chosen()));
  figures = mountSupposed(byId("lista-suposto"), "lista", taxes, remember);
  controlById("lista-tributo").addEventListener("change", () => {
    figures.refresh();
    remember();
    readColumns();
  });
  for (const id of ["lista-decimal", "lista-conhecido"]) byId(id).addEventListener("change", remember);
}

export function enter(parameters) {
  const before = chosen();
  const asked = parameters.get("tributo") ?? (head ? before : "icms");
  controlById("lista-tributo").value = asked === "coluna" ? "" : asked;
  if (/** @type {HTMLSelectElement} */ (byId("lista-tributo")).selectedIndex < 0) controlById("lista-tributo").value = "icms";
  controlById("lista-decimal").value = parameters.get("decimal") ?? "";
  figures.write(parameters.get("supondo"));
  controlById("lista-conhecido").value = date(parameters.get("conhecido_em") ?? "");
  if (source && (!head || before !== chosen())) readColumns();
}

// The clients as the CSV that `taxd audit --empresa` reads: a row a company, and a further row of the same CNPJ for each
// further treatment, price or month.

import { cnpjOf, companyFields, companyLists, FORMS, YES_NO } from "./clients.js";

// Other heads of a column.
const ALSO = { cnpj: "raiz_do_cnpj cnpj_raiz cnpj_cpf cnpj_da_empresa c_n_p_j", nome: "razao_social empresa cliente", uf: "estado", municipio: "cidade", regime: "regime_tributario", contribuinte_ipi: "ipi" };
// Other words of an option, folded.
const WORDS = { simples: "simples_nacional", mei: "simples_nacional", presumido: "lucro_presumido", lucro_arbitrado: "lucro_presumido", real: "lucro_real", s: "true", n: "false", imune: "", isenta: "" };
// The columns that a file has even if no client says them.
const ALWAYS = 6;

const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "");

function columns() {
  const own = companyFields().map((field) => ({ list: "", field, head: field[0], heads: [folded(field[1]), ...(ALSO[field[0]]?.split(" ") ?? [])] }));
  return [...own, ...companyLists().flatMap(([list, , fields]) => fields.map((field) => ({ list, field, head: `${list}_${field[0]}`, heads: [] })))];
}

// The rows of a CSV of any separator, each with the line on which it begins. Empty rows are left out.
export function parseCsv(text) {
  const body = text.replace(/^\uFEFF/, "");
  const [first] = body.split("\n", 1);
  const separator = [";", "\t", ","].find((mark) => first.includes(mark)) ?? ";";
  const cell = new RegExp(`("(?:[^"]|"")*"|[^${separator}\\r\\n]*)(${separator}|\\r?\\n|\\r|$)`, "y");
  const rows = [];
  let [line, row] = [1, { line: 1, cells: [] }];
  for (let at = 0; at < body.length;) {
    cell.lastIndex = at;
    // It always matches: a quote that is never closed is a text up to the next separator.
    const [whole, value, end] = cell.exec(body) ?? [body.slice(at), "", ""];
    row.cells.push(/^"[^]*"$/.test(value) ? value.slice(1, -1).replaceAll('""', '"').trim() : value.trim());
    at += whole.length;
    line += whole.split("\n").length - 1;
    if (end === separator && at < body.length) continue;
    if (row.cells.some((one) => one !== "")) rows.push(row);
    row = { line, cells: [] };
  }
  return rows;
}

// The value of a cell as the form has it. Throws what is wrong with it.
function valueOf([name, label, options, read], cell) {
  if (name === "cnpj") {
    if (!/^([0-9A-Z]{8}|[0-9A-Z]{12}\d\d)$/.test(cnpjOf({ cnpj: cell }))) throw new Error("o CNPJ tem 14 letras ou algarismos, ou os 8 da raiz");
    return cell;
  }
  if (Array.isArray(options)) {
    const word = WORDS[folded(cell)] ?? folded(cell);
    const found = options.find(([value, text]) => [folded(value), folded(text)].includes(word));
    if (!found) throw new Error(`“${cell}” não é um de: ${options.slice(options[0][0] === "" ? 1 : 0).slice(0, 30).map(([, text]) => text).join(", ")}`);
    return found[0];
  }
  const [form, how] = FORMS.get(read) ?? [];
  if (form && !form.test(read(cell))) throw new Error(how);
  if (cell.length > 200) throw new Error("o texto passa de 200 letras");
  return cell;
}

// Reads a row as a company with at most one entry in each list. Throws what is wrong with it.
function companyOf(heads, cells, isSecret) {
  /** @type {Record<string, any>} */
  const one = {};
  heads.forEach((column, at) => {
    const cell = cells[at] ?? "";
    if (!column || cell === "") return;
    try {
      if (isSecret(cell)) throw new Error("parece uma chave do taxd");
      const value = valueOf(column.field, cell);
      const into = column.list ? (one[column.list] ??= [{}])[0] : one;
      into[column.field[0]] = value;
    } catch (error) {
      throw new Error(`coluna “${column.head}”: ${error.message}`);
    }
  });
  if (!one.cnpj) throw new Error("não tem CNPJ");
  return one;
}

// Adds a further row of a company. Throws if it contradicts those before.
function merge(known, more) {
  const other = Object.keys(more).find((name) => !Array.isArray(more[name]) && name !== "cnpj" && (known[name] ?? more[name]) !== more[name]);
  if (other) throw new Error(`outra linha deste CNPJ tem outro valor em “${other}”`);
  for (const [name, value] of Object.entries(more)) known[name] = Array.isArray(value) ? [...known[name] ?? [], ...value] : known[name] ?? value;
}

// The companies of a file, and what is wrong with it, by row. A bad row is left out; the good ones stay.
export function readCompanies(text, isSecret = (cell) => false) {
  const [head, ...rows] = parseCsv(text);
  const all = columns();
  const heads = (head?.cells ?? []).map((cell) => all.find((column) => [column.head, ...column.heads].includes(folded(cell))));
  if (!heads.some((column) => column?.head === "cnpj")) return { companies: [], faults: ["Falta a coluna CNPJ, com os 14 algarismos ou os 8 da raiz."] };
  const faults = head.cells.filter((cell, at) => !heads[at] && cell !== "").map((cell) => `Não há a coluna “${cell}”: ela não foi lida.`);
  const found = new Map();
  for (const { line, cells } of rows) {
    try {
      const one = companyOf(heads, cells, isSecret);
      const known = found.get(cnpjOf(one));
      if (known) merge(known, one);
      else found.set(cnpjOf(one), one);
    } catch (error) {
      faults.push(`Linha ${line}: ${error.message}. Ficou de fora.`);
    }
  }
  return { companies: [...found.values()], faults };
}

const shown = (field, value) => (field[2] === YES_NO ? { true: "sim", false: "não" }[value] ?? "" : value ?? "");

const quoted = (text) => (/[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// The companies with a CNPJ as a file that Excel opens.
export function writeCompanies(companies) {
  const own = companies.filter(cnpjOf);
  const says = ({ list, field }, one, name = field[0]) => (list ? (one[list] ?? []).some((entry) => entry[name]) : one[name]);
  const used = columns().filter((column, at) => at < ALWAYS || own.some((one) => says(column, one)));
  const rows = own.flatMap((one) => {
    const lists = used.map(({ list }) => list).filter(Boolean);
    const most = Math.max(1, ...lists.map((list) => one[list]?.length ?? 0));
    return Array.from({ length: most }, (_, at) => used.map(({ list, field }) => {
      const entry = list ? one[list]?.[at] ?? {} : at === 0 || field[0] === "cnpj" ? one : {};
      return quoted(shown(field, entry[field[0]]));
    }));
  });
  return `\uFEFF${[used.map(({ head }) => head), ...rows].map((cells) => cells.join(";")).join("\r\n")}\r\n`;
}

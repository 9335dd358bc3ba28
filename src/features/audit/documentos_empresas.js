// What no document says of its issuer. It is kept in this browser, and goes to the service as the file of
// `taxd audit --empresa` has it.

import { button, byId, controlById, h, put } from "./dom.js";
import { keepText, keptText } from "./kept.js";
import { readDate, readDecimal } from "./format.js";
import { looksSecret, SECRET } from "./key.js";
import { allTaxes } from "./taxes.js";
import { companyFacts } from "./words.js";

const SLOT = "taxd-empresas";

const YES_NO = [["", "não informar"], ["true", "Sim"], ["false", "Não"]];
const trimmed = (text) => text.trim();
const since = ["desde", "Desde", "dd/mm/aaaa", readDate];
const until = ["ate", "Até", "dd/mm/aaaa", readDate];

// A month as 03/2026; another text goes as it is, and the service says what is wrong with it.
const readMonth = (text) => text.trim().replace(/^(\d\d)\/(\d{4})$/, "$2-$1");
const amount = (text) => readDecimal(text).sent;
const ANEXOS = [["", "não informar"], ["III", "Anexo III"], ["IV", "Anexo IV"], ["V", "Anexo V"]];

const REGIMES = [["", "não informar"], ["cumulativo", "Cumulativo"], ["nao_cumulativo", "Não cumulativo"]];

// Name, label, options or a hint, and the reader of each field.
/** @type {() => any[][]} */
const company = () => [
  ["cnpj", "CNPJ, ou os 8 primeiros", "vazio: todas", trimmed], ["nome", "Nome no relatório", "", trimmed],
  ...companyFacts.map(([name, label]) => [name, label, name === "regime_pis_cofins" ? REGIMES : YES_NO]),
];
/** @type {() => [string, string, any[][]][]} */
const lists = () => [
  ["regime_especial", "regime especial", [["tributo", "Tributo", allTaxes().map((tax) => [tax.tributo, tax.sigla])], since, until, ["descricao", "Descrição", "TTD 409", trimmed]]],
  ["preco_venda_varejo", "preço no varejo (cigarros)", [["produto", "Código do produto", "", trimmed], ["preco", "Preço da unidade", "0,00", amount], since, until]],
  ["simples_nacional", "mês do Simples Nacional", [["mes", "Mês", "mm/aaaa", readMonth],
    ["receita_bruta_12_meses", "Receita de 12 meses no país", "0,00", amount], ["receita_exportacao_12_meses", "Exportação de 12 meses", "0,00", amount],
    ["receita_bruta_ano", "Receita do ano", "0,00", amount], ["inicio_atividade", "Início de atividade", "dd/mm/aaaa", readDate],
    ["anexo_servicos", "Anexo dos serviços", ANEXOS]]],
];

let companies = [];
// The file of the companies that was chosen, which is sent in their place.
let chosen = null;

function recall() {
  try {
    const kept = JSON.parse(keptText(SLOT));
    companies = Array.isArray(kept) && kept.length > 0 ? kept : [{}];
  } catch {
    companies = [{}];
  }
}

// Without room, or where the browser keeps nothing, the fields last as long as the page.
const keep = () => keepText(SLOT, JSON.stringify(companies));

const isFlag = (options) => options === YES_NO;

// The lines of the file, each with the id of its control.
function written() {
  const lines = [];
  const table = (values, fields, id) => fields.filter(([name]) => values[name]).forEach(([name, , options, read]) => {
    const value = (read ?? String)(values[name]);
    if (value !== "") lines.push([`${name} = ${isFlag(options) ? value : JSON.stringify(value)}`, `${id}-${name}`]);
  });
  companies.forEach((one, at) => {
    const before = lines.length;
    lines.push(["[[empresa]]", `empresa-${at}-cnpj`]);
    table(one, company(), `empresa-${at}`);
    for (const [name, , fields] of lists()) {
      (one[name] ?? []).forEach((entry, place) => {
        const id = `empresa-${at}-${name}-${place}`;
        lines.push([`[[empresa.${name}]]`, `${id}-${fields[0][0]}`]);
        table(entry, fields, id);
      });
    }
    if (lines.length === before + 1) lines.pop();
  });
  return lines;
}

export const companiesPart = () => chosen ?? written().map(([text]) => text).join("\n");

// The faults of the file, each at its control.
export function showFaults(faults) {
  const lines = chosen ? [] : written();
  const item = ({ campo, detail }) => {
    const control = controlById(lines[Number(campo) - 1]?.[1] ?? "");
    control?.setAttribute("aria-invalid", "true");
    const go = (event) => {
      event.preventDefault();
      /** @type {HTMLDetailsElement} */ (byId("documentos-empresas")).open = true;
      control.focus();
    };
    return h("li", {}, control ? [h("a", { href: `#${control.id}`, click: go }, control.labels[0].textContent), ": "] : chosen ? `${chosen.name}, linha ${campo}: ` : null, detail);
  };
  return faults.length > 0 ? h("ul", { class: "falhas" }, faults.map(item)) : null;
}

/** @param {any} values @param {any[]} field @param {string} id */
function control(values, [name, label, options], id) {
  const choice = Array.isArray(options);
  const made = choice ? h("select", { id }, options.map(([value, text]) => h("option", { value }, text)))
    : h("input", { id, type: "text", placeholder: options, maxlength: "200", spellcheck: "false" });
  if (choice) values[name] ??= options[0][0];
  made.value = values[name] ?? "";
  const take = () => {
    const secret = looksSecret(made.value);
    made.removeAttribute("aria-invalid");
    made.setCustomValidity(secret ? SECRET : "");
    values[name] = secret ? "" : made.value;
    keep();
  };
  // Some ways of filling a form fire only the change event.
  for (const event of ["input", "change"]) made.addEventListener(event, take);
  return h("div", { class: "campo" }, h("label", { for: id }, label), made);
}

function show(focus) {
  const changed = (id) => {
    keep();
    show(id);
  };
  const entries = (one, at, [name, title, fields]) => [
    (one[name] ?? []).map((entry, place) => {
      const id = `empresa-${at}-${name}-${place}`;
      const drop = () => changed((one[name].splice(place, 1), `empresa-${at}-${name}`));
      return h("fieldset", { class: "filtros" }, h("legend", {}, `${title[0].toUpperCase()}${title.slice(1)} ${place + 1}`),
        fields.map((field) => control(entry, field, `${id}-${field[0]}`)), h("div", { class: "botoes" }, button("Remover", drop)));
    }),
    button(`Acrescentar ${title}`, () => {
      one[name] = [...one[name] ?? [], {}];
      changed(`empresa-${at}-${name}-${one[name].length - 1}-${fields[0][0]}`);
    }, { id: `empresa-${at}-${name}` }),
  ];
  put(byId("documentos-empresas-lista"), companies.map((one, at) => h("fieldset", { class: "empresa" },
    h("legend", {}, `Empresa ${at + 1}`),
    h("div", { class: "filtros" }, company().map((field) => control(one, field, `empresa-${at}-${field[0]}`))),
    lists().map((list) => h("div", { class: "botoes" }, entries(one, at, list))),
    companies.length > 1 ? h("div", { class: "botoes" }, button(`Remover a empresa ${at + 1}`, () => {
      companies.splice(at, 1);
      changed("empresa-0-cnpj");
    })) : null)));
  if (focus) byId(focus).focus();
}

export function companyForm() {
  recall();
  const place = h("div", { id: "documentos-empresas-lista" });
  const picked = h("input", { id: "empresas-arquivo", type: "file", accept: ".csv,.toml", change: () => {
    chosen = picked.files[0] ?? null;
    place.hidden = another.hidden = chosen !== null;
  } });
  const another = button("Acrescentar empresa", () => {
    companies.push({});
    keep();
    show(`empresa-${companies.length - 1}-cnpj`);
  }, { id: "empresa-outra" });
  const form = h("details", { id: "documentos-empresas" },
    h("summary", {}, "O que as notas não dizem da empresa"),
    h("p", { class: "ajuda" }, "Sem isto, o relatório diz o que faltou para conferir. Fica guardado neste navegador, e vai ao servidor só para cada conferência."),
    h("div", { class: "campo" }, h("label", { for: picked.id }, "Planilha das empresas em CSV, em vez dos campos"), picked),
    place, h("div", { class: "botoes" }, another));
  // Its controls are made when it is in the page.
  queueMicrotask(() => show());
  return form;
}

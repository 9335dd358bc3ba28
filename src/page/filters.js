// The filters of a list, and its pages: both live in the address, so that Back and a reload work.

import { h } from "./dom.js";
import { date, integer, readCode, readDate, readWord } from "./format.js";
import { looksSecret, SECRET } from "./key.js";

// A key in the wrong place goes neither into the address nor into what is asked: the browser holds
// the form back and says this.
const check = (input) => input.setCustomValidity(looksSecret(input.value) ? SECRET : "");

// A filter as the service takes it.
function read({ options, date: isDate, code }, text) {
  if (options) return readWord(options.map(([value]) => value), text);
  if (isDate) return readDate(text);
  return code ? readCode(code, text).sent : text.trim();
}

// Builds the filters into a form. `fields` are {name, label, options?, date?, code?, hint?}, `code` being an example;
// submitting them goes to the part's address with those that say something. Returns a function that fills the form from
// an address and gives what to ask of the service. `changed` gets the values by their names when they may be others.
export function mountFilters(form, part, fields, label, changed = (values) => {}) {
  const inputs = new Map();
  const cells = fields.map((field) => {
    const id = `${part}-${field.name}`;
    const input = field.options
      ? h("select", { id, name: field.name }, field.options.map(([value, text]) => h("option", { value }, text)))
      : h("input", { id, name: field.name, type: "text", placeholder: field.hint ?? (field.date ? "dd/mm/aaaa" : undefined), spellcheck: "false" });
    // Some ways of filling a form fire only the change event.
    for (const event of ["input", "change"]) {
      input.addEventListener(event, () => {
        check(input);
        changed(values());
      });
    }
    inputs.set(field.name, { ...field, input });
    return h("div", { class: "campo" }, h("label", { for: id }, field.label), input);
  });
  form.replaceChildren(...cells, h("div", { class: "botoes" },
    h("button", { type: "submit", class: "principal" }, label),
    fields.length > 1 ? h("a", { class: "botao", href: `#${part}` }, "Limpar") : null));
  const values = () => Object.fromEntries([...inputs].map(([name, { input, ...field }]) => [name, read(field, input.value)]));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const wanted = addressOf(part, values());
    if (location.hash === wanted) window.dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = wanted;
  });
  return (parameters) => {
    const { antes, ...query } = Object.fromEntries(parameters);
    for (const { name, input, ...field } of inputs.values()) {
      const value = read(field, query[name] ?? "");
      input.value = field.date ? date(value) : value;
      check(input);
      if (Object.hasOwn(query, name)) query[name] = value;
    }
    changed(values());
    return query;
  };
}

export function addressOf(part, parameters) {
  const said = Object.entries(parameters).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(said).toString();
  return query ? `#${part}?${query}` : `#${part}`;
}

// Links to the page before and after. `antes` in the address holds the cursors of the pages before.
export function pager(part, parameters, next) {
  const { antes, cursor, ...filters } = Object.fromEntries(parameters);
  const before = antes === undefined ? [] : antes.split(".");
  const previous = cursor
    ? h("a", { class: "botao", rel: "prev", href: addressOf(part, { ...filters, cursor: before.at(-1), antes: before.slice(0, -1).join(".") }) },
      before.length > 0 ? "← Página anterior" : "← Primeira página") : null;
  const following = next
    ? h("a", { class: "botao", rel: "next", href: addressOf(part, { ...filters, cursor: next, antes: cursor ? [...before, cursor].join(".") : "" }) },
      "Próxima página →") : null;
  return previous || following ? h("nav", { class: "paginas", "aria-label": "Páginas" }, previous, following) : null;
}

// Links to pages that have numbers: the one before and after, the first and the last, and those near by.
export function numbered(part, parameters, page, pages) {
  if (pages <= 1 && page === 1) return null;
  const { pagina, ...filters } = Object.fromEntries(parameters);
  const link = (number, text, more) => h("a", { class: "botao", href: addressOf(part, { ...filters, pagina: number > 1 ? number : "" }), ...more }, text);
  const near = [1, page - 2, page - 1, page, page + 1, page + 2, pages].filter((one, at, all) => one >= 1 && one <= pages && all.indexOf(one) === at);
  return h("nav", { class: "paginas", "aria-label": "Páginas" },
    page > 1 ? link(Math.min(page - 1, Math.max(pages, 1)), "← Página anterior", { rel: "prev" }) : null,
    near.map((one, at) => [one - (near[at - 1] ?? 0) > 1 ? h("span", {}, "…") : null,
      one === page ? h("strong", { "aria-current": "page" }, integer(one)) : link(one, integer(one), { "aria-label": `Página ${integer(one)}` })]),
    page < pages ? link(page + 1, "Próxima página →", { rel: "next" }) : null);
}

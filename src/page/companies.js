// The form of the companies. There is one, which the parts that have it show in turn.

import { allCompanies, cnpjOf, companyFields, companyLists, keepCompanies, MAIN, nameOf } from "./clients.js";
import { button, byId, h, put } from "./dom.js";
import { looksSecret, SECRET } from "./key.js";
import { time } from "./format.js";
import { words } from "./words.js";

const list = h("div", { class: "empresas" });
const kept = h("p", { class: "ajuda", role: "status" });
const another = button("Acrescentar cliente", () => changed(`empresa-${allCompanies().push({}) - 1}-cnpj`), { id: "empresa-outra" });

/** @param {any} values @param {any[]} field @param {string} id @param {() => void} said */
function control(values, [name, label, options], id, said) {
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
    kept.textContent = keepCompanies() ? `Guardado neste navegador às ${time()}.` : "Este navegador não guarda: os clientes duram até a página ser fechada.";
    said();
  };
  // Some ways of filling a form fire only the change event.
  for (const event of ["input", "change"]) made.addEventListener(event, take);
  return h("div", { class: "campo" }, h("label", { for: id }, label), made);
}

// What the reader sees of a company that is closed.
const titleOf = (one, at) => [nameOf(one) || `Cliente ${at + 1}`, one.nome && cnpjOf(one), [one.municipio, one.uf].filter(Boolean).join("/"), one.regime && words(one.regime)].filter(Boolean).join(" · ");

// The companies of which everything is shown.
const opened = new WeakSet();

function fieldsOf(one, at, said) {
  const entries = ([name, title, fields]) => (one[name] ?? []).map((entry, place) => {
    const id = `empresa-${at}-${name}-${place}`;
    const drop = () => changed((one[name].splice(place, 1), `empresa-${at}-${name}`));
    return h("fieldset", { class: "filtros" }, h("legend", {}, `${title[0].toUpperCase()}${title.slice(1)} ${place + 1}`),
      fields.map((field) => control(entry, field, `${id}-${field[0]}`, said)), h("div", { class: "botoes" }, button("Remover", drop)));
  });
  const add = ([name, title, fields]) => button(`Acrescentar ${title}`, () => {
    one[name] = [...one[name] ?? [], {}];
    changed(`empresa-${at}-${name}-${one[name].length - 1}-${fields[0][0]}`);
  }, { id: `empresa-${at}-${name}` });
  const fields = companyFields();
  const shown = (list) => h("div", { class: "filtros" }, list.map((field) => control(one, field, `empresa-${at}-${field[0]}`, said)));
  const rest = [...fields.slice(MAIN), ...companyLists()];
  const isOpen = opened.has(one) || rest.some(([name]) => String(one[name] ?? "") !== "");
  return [shown(fields.slice(0, MAIN)),
    h("details", { class: "mais", open: isOpen, toggle: ({ target }) => (target.open ? opened.add(one) : opened.delete(one)) }, h("summary", {}, `Mais dados, se houver (${rest.length})`),
      shown(fields.slice(MAIN)), companyLists().map(entries), h("div", { class: "botoes" }, companyLists().map(add))),
    h("div", { class: "botoes" }, allCompanies().length > 1 ? button(`Remover o cliente ${at + 1}`, () => {
      allCompanies().splice(at, 1);
      changed("empresa-outra");
    }) : null)];
}

// Makes the fields of a company that is opened.
/** @type {WeakMap<Element, () => void>} */
const makers = new WeakMap();

function company(one, at) {
  const title = h("summary", {}, titleOf(one, at));
  const body = h("div", {});
  const make = () => {
    if (!body.firstChild) put(body, fieldsOf(one, at, () => { title.textContent = titleOf(one, at); }));
  };
  const isOpen = allCompanies().length === 1 || !nameOf(one);
  const box = h("details", { class: "empresa", toggle: make, open: isOpen }, title, body);
  if (isOpen) make();
  makers.set(box, make);
  return box;
}

const show = () => put(list, allCompanies().map(company));

// Opens the company of a control, so that it is there.
export function openCompany(id) {
  const box = /** @type {HTMLDetailsElement} */ (list.children[Number(/^empresa-(\d+)-/.exec(id)?.[1] ?? NaN)]);
  if (!box) return;
  box.open = true;
  makers.get(box)();
}

function changed(focus) {
  keepCompanies();
  show();
  openCompany(focus);
  byId(focus).focus();
}

// Shows the form in that place.
export function placeCompanies(place) {
  show();
  kept.textContent = "";
  put(place, list, kept, h("div", { class: "botoes" }, another));
}

// "Supondo": a calculation as if figures of the rules were others, each chosen by its name.

import { button, h, put } from "./dom.js";
import { decimalInput, readDecimal } from "./format.js";
import { labelOf } from "./taxes.js";

// The figures that rules declare, each path with what people call it; those in lists cannot be supposed.
/** @type {(members: Record<string, any>, before?: string, within?: string) => string[][]} */
const figuresIn = (members, before = "", within = "") => Object.entries(members).flatMap(([name, member]) => {
  const [, kind, inner, inList] = member;
  const label = within + labelOf(member, name);
  if (inner && !inList) return figuresIn(inner, `${before}${name}.`, `${label}, `);
  return !inList && ["aliquota", "decimal"].includes(kind) ? [[before + name, label]] : [];
});

// The figures as the service takes them: `cbs.aliquota:8.80`.
const sentOf = (rows) => rows.map(({ of, figure }) => [of.value, readDecimal(figure.value).sent]).filter(([name, value]) => name && value).map((pair) => pair.join(":")).join(",");

// Asks within `place` for figures of the taxes that `taxes()` gives; `changed()` is called when one is given.
export function mountSupposed(place, prefix, taxes, changed = () => {}) {
  const body = h("div", {});
  const fault = h("p", { class: "falha", role: "alert", hidden: true });
  const box = h("details", {}, h("summary", {}, "Supor outro valor da regra"), h("p", { class: "ajuda" }, "A resposta não é a lei, e diz isso."), body, fault, h("div", { class: "botoes" }, button("Outro valor", () => add().of.focus())));
  let rows = [];

  function options(select, name) {
    const all = taxes().filter(({ conteudo }) => figuresIn(conteudo).length > 0);
    const known = ({ tributo, conteudo }) => figuresIn(conteudo).map(([path, label]) => h("option", { value: `${tributo}.${path}` }, label));
    put(select, h("option", { value: "" }, "escolha…"), all.length === 1 ? known(all[0]) : all.map((tax) => h("optgroup", { label: tax.sigla }, known(tax))));
    select.value = name;
    // What the taxes do not have is shown all the same, and the service speaks of it.
    if (select.value !== name) select.append(h("option", { value: name, selected: true }, name));
  }

  function add(name = "", value = "") {
    const id = `${prefix}-supondo${rows.length > 0 ? rows.length : ""}`;
    const [of, figure] = [h("select", { id }), h("input", { id: `${id}-valor`, type: "text", inputmode: "decimal", placeholder: "0,00" })];
    options(of, name);
    figure.value = value && decimalInput(value);
    const row = { of, figure };
    rows.push(row);
    const field = (label, control) => h("div", { class: "campo" }, h("label", { for: control.id }, label), control, h("div", { class: "notas" }));
    body.append(h("div", { class: "campos" }, field("Valor da regra", of), field("Em vez dele", figure)));
    for (const control of [of, figure]) {
      control.addEventListener("change", () => {
        unmark();
        changed();
      });
    }
    return row;
  }

  function unmark() {
    fault.hidden = true;
    rows.forEach(({ figure }) => figure.removeAttribute("aria-invalid"));
  }

  function write(sent) {
    rows = [];
    put(body);
    for (const one of (sent || ":").split(",")) add(...one.split(":"));
    unmark();
    box.open = Boolean(sent);
    box.hidden = rows[0].of.options.length === 1;
  }

  write();
  place.append(box);
  return {
    value: () => sentOf(rows),
    write,
    unmark,
    open() {
      box.open = true;
      rows[0].of.focus();
    },
    // The taxes are others.
    refresh: () => write(sentOf(rows).split(",").filter((one) => taxes().some(({ tributo }) => one.startsWith(`${tributo}.`))).join(",")),
    // Says what the service says of them. True if it did.
    refused(faults) {
      const said = faults.find(({ campo }) => campo === "supondo");
      if (!said) return false;
      box.open = true;
      fault.textContent = said.detail;
      fault.hidden = false;
      rows[0].figure.setAttribute("aria-invalid", "true");
      rows[0].figure.focus();
      return true;
    },
  };
}

// Looking a code up in its own field: a combobox of the codes that begin with what is typed, or whose official text has
// its words. Below the field, the text of the code that it holds.

import { finder, pointed, tableOfField, textOf } from "./codes.js";
import { announce, h, put } from "./dom.js";
import { looksSecret } from "./key.js";

const DELAY_MS = 180;
const SHOWN = 8;

// The field with a look-up, if there is a table of its codes; else as it is.
export function withLookup(field) {
  const table = tableOfField(field.name);
  return table && field.official ? new Lookup(table, field).field() : field;
}

class Lookup {
  constructor(table, field) {
    this.table = table;
    this.own = field;
    this.input = field.input;
    this.find = finder();
    this.read = finder();
    this.found = [];
    this.active = -1;
    this.box = h("ul", { id: `${field.input.id}-codigos`, role: "listbox", class: "codigos-achados", "aria-label": `Códigos: ${field.label}`, hidden: true });
    field.official.before(this.box);
    for (const [name, value] of Object.entries({
      role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.box.id,
    })) this.input.setAttribute(name, value);
    this.input.addEventListener("input", () => this.typed());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => this.close());
    for (const event of ["focus", "change"]) this.input.addEventListener(event, () => this.describe());
  }

  field() {
    return {
      ...this.own,
      write: (value) => {
        this.own.write(value);
        this.close();
        this.describe();
      },
    };
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.describe();
      this.search();
    }, DELAY_MS);
  }

  async search() {
    const text = this.input.value.trim();
    const body = text.length < 2 || looksSecret(text) ? null : await this.find({ tabela: this.table, q: text, limit: SHOWN });
    if (text !== this.input.value.trim() || document.activeElement !== this.input) return;
    const whole = body?.codigos.length === 1 && body.codigos[0].codigo === this.own.value();
    if (!body || whole || body.codigos.length === 0) {
      this.close();
      return;
    }
    this.open(body);
  }

  open({ codigos, ha_mais: more }) {
    this.found = codigos;
    put(this.box, codigos.map((code, at) => h("li", {
      id: `${this.box.id}-${at}`, role: "option", "aria-selected": "false",
      mousedown: (event) => event.preventDefault(),
      click: () => this.choose(at),
    }, h("strong", {}, pointed(this.table, code.codigo)), " ", textOf(this.table, code))));
    this.box.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.mark(-1);
    announce(`${codigos.length}${more ? " ou mais" : ""} ${codigos.length === 1 ? "código" : "códigos"}. Use as setas para escolher.`);
  }

  close() {
    clearTimeout(this.timer);
    this.box.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.mark(-1);
  }

  mark(at) {
    this.box.children[this.active]?.setAttribute("aria-selected", "false");
    this.active = at;
    const option = this.box.children[at];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  key(event) {
    const open = !this.box.hidden;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && open) this.mark((this.active + step + this.found.length + (this.active < 0 && step < 0 ? 1 : 0)) % this.found.length);
    else if (step) this.search();
    else if (event.key === "Enter" && open && this.active >= 0) this.choose(this.active);
    else if (event.key === "Escape" && open) this.close();
    else return;
    event.preventDefault();
  }

  choose(at) {
    const code = this.found[at];
    this.input.value = pointed(this.table, code.codigo);
    this.say(code);
    this.input.dispatchEvent(new Event("change", { bubbles: true }));
    this.close();
    announce(`${this.input.value}: ${textOf(this.table, code)}`);
  }

  // Reads the text of the code that the field holds, once for each code.
  async describe() {
    const value = this.own.value();
    if (value === this.described) return;
    this.say(null);
    if (value === undefined || !/^[\d.]+$/.test(value)) return;
    const body = await this.read({ tabela: this.table, codigo: value });
    if (body && this.own.value() === value) this.say(body.codigos[0] ?? body.sem_texto ?? null);
  }

  say(code) {
    this.own.official.textContent = code ? textOf(this.table, code) : "";
    this.described = code?.codigo;
  }
}

// Looking a code or a municipality up in its own field: a combobox of what is meant by what is typed. Below a field of a code,
// the text of the code that it holds.

import { exceptionsOf, finder, ownText, pointed, tableOfField } from "./codes.js";
import { announce, h, put } from "./dom.js";
import { addressOf } from "./filters.js";
import { integer } from "./format.js";
import { currentKey, looksSecret } from "./key.js";
import { byWords, isWithout, municipalitiesOf, whyNot } from "./municipalities.js";

const DELAY_MS = 180;
const SHOWN = 8;
// Letters of a municipality of any UF.
const LEAST = 3;

// The field with a look-up, if there is a table of what it takes; else as it is. `place` gives tax and UF of its form.
export function withLookup(field, place) {
  const table = tableOfField(field.name);
  if (field.name === "municipio" && place) return lookUp(field, cities(place, field));
  return table && field.official ? lookUp(field, codes(table, field)) : field;
}

// The field with a look-up of that source.
export const lookUp = (field, source) => new Lookup(field, source).field();

// A text, and below it its headings in one line.
/** @type {(texts: string[]) => any[]} */
const withHeadings = ([text, headings]) => [text, headings ? h("small", { class: "dentro", title: headings }, headings) : null];

// The codes of a table. Below the field, the text of the code that it holds, which is read once for each code.
function codes(table, own) {
  const [find, read] = [finder(), finder()];
  let described;
  const say = (code) => {
    put(own.official, code ? [withHeadings(ownText(table, code)), exceptionsOf(code)] : null);
    described = code?.codigo;
  };
  return {
    least: 2,
    ask: async (q) => {
      const body = await find({ tabela: table, q, limit: SHOWN });
      return body && { found: body.codigos, more: body.ha_mais, count: body.achados };
    },
    name: ({ codigo }) => pointed(table, codigo),
    text: (code) => ownText(table, code)[0],
    within: (code) => ownText(table, code)[1],
    all: (q) => addressOf("codigos", { tabela: table, q }),
    isHeld: ({ codigo }) => codigo === own.value(),
    chosen: say,
    describe: async () => {
      const value = own.value();
      if (value === described) return;
      say(null);
      if (value === undefined || !/^[\d.]+$/.test(value)) return;
      const body = await read({ tabela: table, codigo: value });
      if (body && own.value() === value) say(body.codigos[0] ?? body.sem_texto ?? null);
    },
  };
}

// The municipalities of the UF of the form, or of all until there is one: those that answer first, the others with the reason
// why not.
function cities(place, own) {
  return {
    least: 0,
    ask: async (words) => {
      const { tributo, uf } = place();
      if (!currentKey() || (!uf && words.length < LEAST)) return null;
      const found = byWords(await municipalitiesOf(tributo, uf), words);
      return { found: found.slice(0, SHOWN), more: found.length > SHOWN };
    },
    name: ({ nome }) => nome,
    text: (one) => [one.uf, whyNot(one)].filter(Boolean).join(", "),
    isHeld: ({ nome, uf }) => !uf && nome === own.value(),
    chosen: ({ uf }) => uf && place().change(uf),
    kind: (one) => (isWithout(one) ? "sem" : undefined),
  };
}

// What is looked up has `ask(text)`, the found ones and whether there are more, or null; `name(one)`, what the field then holds;
// `text(one)`, what it is; `within(one)`, what it is part of; `all(text)`, the address where all are; `least`, how many
// letters it takes to ask.
class Lookup {
  constructor(field, source) {
    this.own = field;
    this.input = field.input;
    this.source = source;
    this.found = [];
    this.active = -1;
    this.box = h("ul", { id: `${field.input.id}-codigos`, role: "listbox", class: "codigos-achados", "aria-label": `Sugestões: ${field.label}`, hidden: true });
    field.official.before(this.box);
    for (const [name, value] of Object.entries({
      role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.box.id,
    })) this.input.setAttribute(name, value);
    this.input.addEventListener("input", () => this.typed());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => this.close());
    for (const event of ["focus", "change"]) this.input.addEventListener(event, () => source.describe?.());
    if (source.least === 0) this.input.addEventListener("click", () => this.input.value === "" && this.search());
  }

  field() {
    return {
      ...this.own,
      write: (value) => {
        this.own.write(value);
        this.close();
        this.source.describe?.();
      },
    };
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.source.describe?.();
      this.search();
    }, DELAY_MS);
  }

  async search() {
    const text = this.input.value.trim();
    const asked = text.length < this.source.least || looksSecret(text) ? null : await this.source.ask(text);
    if (text !== this.input.value.trim() || document.activeElement !== this.input) return;
    const whole = asked?.found.length === 1 && this.source.isHeld(asked.found[0]);
    if (!asked || whole || asked.found.length === 0) this.close();
    else this.open(asked);
  }

  open({ found, more, count }) {
    const all = more && this.source.all;
    // The last one leads to all of them.
    this.found = all ? [...found, null] : found;
    put(this.box, this.found.map((one, at) => h("li", {
      id: `${this.box.id}-${at}`, role: "option", "aria-selected": "false", class: one ? this.source.kind?.(one) : "todos",
      mousedown: (event) => event.preventDefault(),
      click: () => this.choose(at),
    }, one ? [h("strong", {}, this.source.name(one)), " ", withHeadings([this.source.text(one), this.source.within?.(one)])] : `Ver todos os ${integer(count)} em Códigos`)));
    this.box.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.mark(-1);
    announce(`${found.length}${more ? " ou mais" : ""} ${found.length === 1 ? "sugestão" : "sugestões"}. Use as setas para escolher.`);
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
    else if (event.key === "Enter" && this.source.first) this.search().then(() => !this.box.hidden && this.choose(0));
    else if (event.key === "Escape" && open) this.close();
    else return;
    event.preventDefault();
  }

  choose(at) {
    const one = this.found[at];
    if (!one) {
      location.hash = this.source.all(this.input.value.trim());
      return;
    }
    this.input.value = this.source.name(one);
    this.source.chosen?.(one);
    this.input.dispatchEvent(new Event("change", { bubbles: true }));
    this.close();
    announce([this.input.value, this.source.text(one)].filter(Boolean).join(": "));
  }
}

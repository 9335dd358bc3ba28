// A rule that the office writes beside a refusal: a form of the rule, and the checked bundle to download.

import { call, requestId } from "./api.js";
import { copyButton } from "./copy.js";
import { announce, button, h, put } from "./dom.js";
import { makeFields } from "./fields.js";
import { money } from "./format.js";
import { countCall } from "./key.js";
import { fieldOf, labelOf, memberOf, siglaOf, taxOf } from "./taxes.js";
import { inSentence, words } from "./words.js";

// Names of members: those of the scope, of the law, of the figures; a figure within an object is less usual.
/** @type {[string, (name: string) => boolean][]} */
const GROUPS = [
  ["A que a regra se aplica", (name) => name.startsWith("escopo.")],
  ["A lei", (name) => !name.includes(".")],
  ["Os valores", (name) => /^conteudo\.[^.[]+$/.test(name)],
];

// Before the names of what the rule asks for of the case itself, such as the quantity beside a price.
const CASE = "pergunta.";

const shortOf = (name) => name.slice("escopo.".length);

// A sentence of the contract with what people call its words.
const inWords = (text) => text?.replace(/\p{L}+(?:_\p{L}+)+|\btransicao\b/gu, (word) => `“${words(word.toLowerCase())}”`).replace(/^False\b/, "Não");

// A field of the rule as people read it: one of its scope has the name that the form of its tax has for it.
function plainField(tributo, field) {
  const own = field.nome === "escopo.uf" ? "UF" : /^Palavra/.test(field.rotulo) ? fieldOf(tributo, shortOf(field.nome))?.rotulo : null;
  return { ...field, rotulo: own ?? field.rotulo, ajuda: inWords(field.ajuda) };
}

// What the question says of the scope of a rule. A value that a rule may not name is left out.
function scopeOf(payload, fields) {
  const takes = (field, value) => value !== undefined && value !== null && (field.valores?.includes(value) ?? true);
  const scope = Object.fromEntries(fields.filter(({ nome }) => nome.startsWith("escopo."))
    .map((field) => [field.nome, payload[shortOf(field.nome)], field])
    .filter(([, value, field]) => takes(field, value)).map(([name, value]) => [name, value]));
  const { uf_origem: from, uf_destino: to } = payload;
  const named = (name) => fields.some(({ nome }) => nome === `escopo.${name}`);
  // A rule of one UF answers what happens within it, and a margin the goods that come from any.
  if (named("uf") && to && (from === to || payload.tributo === "icms_consumidor_final")) {
    delete scope["escopo.uf_origem"];
    delete scope["escopo.uf_destino"];
    delete scope["escopo.operacao"];
    scope["escopo.uf"] = to;
  } else if (named("cest")) delete scope["escopo.uf_origem"];
  return scope;
}

// The scope that the form begins with: one that is missing beside an answer, or that of the question.
const scopeFor = (sent, fields) => sent.escopo ?? scopeOf(sent.asked, fields);

// The item of a list, in the place of the one that is declared.
const ofItem = (field, item) => ({ ...field, nome: field.nome.replace("[]", `[${item}]`), rotulo: `${field.rotulo} (${item + 1}º)` });

// The form of a rule for the question that was refused, by the members that its tax declares.
export class LawForm {
  constructor(sent, members) {
    const declared = members.map((field) => plainField(sent.asked.tributo, field));
    this.sent = sent;
    this.declared = declared;
    const plain = declared.filter(({ nome }) => !nome.includes("[]"));
    const main = GROUPS.map(([title, has]) => [title, plain.filter(({ nome }) => has(nome))]);
    const rest = plain.filter(({ nome }) => !GROUPS.some(([, has]) => has(nome)));
    this.fields = [];
    this.scope = scopeFor(sent, declared);
    this.ofCase = h("fieldset", { hidden: true }, h("legend", {}, "Deste caso"));
    this.out = h("div", { role: "status" });
    this.faults = h("div", { role: "alert" });
    const group = ([title, fields]) => h("fieldset", {}, h("legend", {}, title), this.make(fields));
    this.node = h("form", { novalidate: true, autocomplete: "off", class: "lei", submit: (event) => this.send(event) },
      h("p", { class: "ajuda" }, `A regra é de ${siglaOf(sent.asked.tributo)}, e responde como do escritório. O taxd a confere e lhe dá um pacote; nada é publicado por aqui. Conferir gasta um cálculo da cota.`),
      main.map(group),
      this.listNodes(),
      rest.length > 0 ? h("details", {}, h("summary", {}, "Outros valores"), this.make(rest)) : null,
      this.ofCase,
      h("div", { class: "botoes" }, h("button", { type: "submit", class: "principal" }, "Conferir e fazer o pacote")),
      this.faults,
      this.out);
    this.all().forEach((field) => this.scope[field.name] !== undefined && field.write(this.scope[field.name]));
  }

  // Takes up another question that the same rule would answer. False if it is none: the rule is of something else.
  follow(sent) {
    if (sent.asked.tributo !== this.sent.asked.tributo || JSON.stringify(scopeFor(sent, this.declared)) !== JSON.stringify(this.scope)) return false;
    this.sent = sent;
    return true;
  }

  // Asks for what is missing of the case, once each.
  askOfCase(faults) {
    const isNew = ({ nome }) => faults.some(({ campo }) => campo === nome) && !this.all().some(({ name }) => name === nome);
    const wanted = taxOf(this.sent.asked.tributo).campos.map((field) => ({ ...field, nome: CASE + field.nome })).filter(isNew);
    if (wanted.length === 0) return;
    this.ofCase.append(this.make(wanted));
    this.ofCase.hidden = false;
  }

  make(declared) {
    const made = makeFields(declared, () => put(this.out), "lei");
    this.fields.push(made);
    return h("div", { class: "campos" }, made.all.map(({ node }) => node));
  }

  all() {
    return this.fields.flatMap((made) => made.all);
  }

  // A list, as brackets, begins with its first item; a button adds another one.
  listNodes() {
    const inLists = this.declared.filter(({ nome }) => nome.includes("[]"));
    const names = new Set(inLists.map(({ nome }) => nome.split("[]")[0]));
    return [...names].map((name) => {
      const fields = inLists.filter(({ nome }) => nome.startsWith(`${name}[]`));
      let items = 0;
      const place = h("div", {});
      const add = () => {
        place.append(this.make(fields.map((field) => ofItem(field, items))));
        items += 1;
      };
      add();
      const more = button("Acrescentar uma linha", () => {
        add();
        this.fields.at(-1).all[0].input.focus();
      });
      return h("details", {}, h("summary", {}, fields[0].lista ?? name), place, h("div", { class: "botoes" }, more));
    });
  }

  async send(event) {
    event.preventDefault();
    if (this.underWay) return;
    this.underWay = true;
    put(this.faults);
    put(this.out, h("p", { class: "vazio esperando" }, "Conferindo…"));
    const written = Object.entries(Object.assign({}, ...this.fields.map((made) => made.payload())));
    const ofCase = written.filter(([name]) => name.startsWith(CASE)).map(([name, value]) => [name.slice(CASE.length), value]);
    const body = JSON.stringify({
      tributo: this.sent.asked.tributo,
      membros: Object.fromEntries(written.filter(([name]) => !name.startsWith(CASE))),
      pergunta: { ...this.sent.asked, ...Object.fromEntries(ofCase) },
    });
    const reply = await call("/sandbox/v1/regra", { method: "POST", body });
    this.underWay = false;
    countCall(reply.status);
    this.fields.forEach((made) => made.unmark());
    put(this.out);
    if (reply.status === 200 && reply.body) this.show(reply.body);
    else this.refuse(reply);
  }

  refuse(reply) {
    const faults = reply.said?.erros ?? [];
    this.askOfCase(faults);
    // Backwards, so that the focus ends at the first field.
    [...this.fields].reverse().forEach((made) => made.mark(faults));
    const named = (campo) => this.all().some((field) => campo === field.name || campo.startsWith(`${field.name}[`) || campo.startsWith(`${field.name}.`));
    const others = faults.filter(({ campo }) => !named(campo)).map(({ detail }) => detail);
    const texts = faults.length > 0 ? others : [reply.said?.detail ?? `O servidor não respondeu (${reply.status || "sem resposta"}).`];
    put(this.faults, texts.map((text) => h("p", { class: "falha" }, text)),
      reply.status >= 500 ? h("p", { class: "ajuda" }, "pedido ", h("code", {}, requestId(reply))) : null);
    if (texts.length === 0) announce("Corrija os campos marcados.");
    else this.faults.scrollIntoView({ block: "nearest" });
  }

  show({ arquivo, pacote, rule_id: ruleId, valor, partes = {} }) {
    const href = URL.createObjectURL(new Blob([pacote], { type: "application/json" }));
    const { tributo } = this.sent.asked;
    const parts = Object.entries(partes).map(([name, amount]) => `; ${inSentence(labelOf(memberOf(tributo, "detalhes", name), name))}: ${money(amount)}`).join("");
    const commands = `taxd import --dry-run ${arquivo}\ntaxd import ${arquivo}`;
    put(this.out, h("section", { class: "aviso neutro" },
      h("h4", {}, "O pacote está pronto"),
      h("p", {}, `Com a regra ${ruleId}, este caso dá ${money(valor)}${parts}, e isso fica no pacote como exemplo. Nada foi publicado.`),
      h("p", { class: "botoes" }, h("a", { class: "botao", href, download: arquivo }, `Baixar ${arquivo}`)),
      h("p", {}, "Mande o arquivo a quem cuida do servidor. Lá, estes comandos mostram o efeito e publicam:"),
      h("pre", { tabindex: "0", "aria-label": "Comandos para publicar" }, commands),
      h("div", { class: "botoes" }, copyButton("Copiar os comandos", () => commands))));
  }
}

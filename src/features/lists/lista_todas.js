// The data of a list that are the same in all rows: what no column gives, asked for once.

import { freshCase } from "./case.js";
import { factsFor } from "./chosen_client.js";
import { chosenClient, nameOf, onClients } from "./clients.js";
import { h, put } from "./dom.js";
import { makeField } from "./field.js";
import { today } from "./format.js";
import { anyField, fieldOf, taxOf } from "./taxes.js";
import { words, yesNo } from "./words.js";

const listed = (labels) => new Intl.ListFormat("pt-BR").format(labels.map((label) => `“${label}”`));

// Facts of each product or city, which are chosen in its row.
const OF_ROW = ["cest", "lei_municipal_retem"];
// Facts that most lists need though the service does without them, and what is usual.
const WANTED = { tratamento: ["uf_origem", "uf_destino"] };
const USUAL = { tomador: "pessoa_juridica" };

// What was said of all rows, by the name of the field: another tax asks for it, too.
const kept = {};

// Another client changes what the last one filled in.
let refill = () => {};
onClients(() => refill());

// The section of one list, in `out`. `declared` is what a column may be; `changed()` is called when a datum was given or
// taken away; the client that is chosen says what it can of rows that are `ofClient`.
export function mountSame(out, tributo, declared, changed, ofClient) {
  const fields = new Map();
  // As in the forms, the day is today until another one is said.
  const fresh = { ...USUAL, ...tributo === "tratamento" ? { data: today() } : taxOf(tributo) ? freshCase(taxOf(tributo)) : {} };
  // What the client said of these rows, each fact once: the reader may take it away.
  const taken = new Map();
  let shownFor = [[], []];
  const names = () => declared.map(({ nome }) => nome);
  const label = (nome) => declared.find((field) => field.nome === nome).rotulo;

  function add(nome) {
    const field = fieldOf(tributo, nome) ?? anyField(nome);
    if (fields.has(nome) || !field) return null;
    const made = makeField({ ...field, ...declared.find((one) => one.nome === nome) }, () => {}, "lista-todas");
    const known = field.valores && !field.valores.includes(kept[nome]) ? undefined : kept[nome];
    made.write(known ?? fresh[nome]);
    made.input.addEventListener("change", () => {
      kept[nome] = made.value();
      changed();
    });
    fields.set(nome, made);
    return made;
  }

  function chooser(picked) {
    const free = names().filter((nome) => !fields.has(nome) && !picked.includes(nome));
    const select = h("select", { id: "lista-todas-outro" }, [["", "escolha…"], ...free.map((nome) => [nome, label(nome)])].map(([value, text]) => h("option", { value }, text)));
    select.addEventListener("change", () => {
      const made = add(select.value);
      show([], picked);
      made?.input.focus();
    });
    return h("div", { class: "campo" }, h("label", { for: "lista-todas-outro" }, "Outro dado igual em todas"), select);
  }

  const isTaken = (nome) => taken.has(nome) && String(fields.get(nome)?.value()) === taken.get(nome);

  // True if the client says something new of the rows. City and State go together; goods come from a State, and a service is
  // due in one. Services that are withheld have many providers.
  function takeFromClient(picked) {
    const others = tributo !== "operacao" ? [] : picked.includes("preco_servico") ? ["uf_origem"] : ["uf", "municipio"];
    const place = ["uf", "municipio"].some((nome) => picked.includes(nome)) ? ["uf", "municipio"] : [];
    const free = names().filter((nome) => ![...picked, ...others, ...place, "regime_prestador"].includes(nome));
    const found = factsFor(free).filter(([nome]) => !taken.has(nome) && fields.get(nome)?.value() === undefined);
    for (const [nome, value] of found) {
      add(nome);
      fields.get(nome)?.write(value);
      taken.set(nome, value);
    }
    return found.length > 0;
  }

  refill = () => {
    if (!out.isConnected || !ofClient) return;
    const facts = factsFor(names());
    const gone = [...taken].filter(([nome, value]) => !facts.some(([name, said]) => name === nome && said === value));
    for (const [nome] of gone) {
      if (isTaken(nome)) fields.delete(nome);
      taken.delete(nome);
    }
    if (show(...shownFor) || gone.length > 0) changed();
  };

  function show(asked, picked) {
    shownFor = [asked, picked];
    const lacking = asked.filter((nome) => !OF_ROW.includes(nome));
    for (const nome of picked) fields.delete(nome);
    const wanted = WANTED[tributo] ?? [];
    const added = [...lacking, ...wanted.filter((nome) => names().includes(nome) && !picked.includes(nome))].map(add).some((made) => made?.value() !== undefined);
    const filled = (ofClient && takeFromClient(picked)) || added;
    const own = [...taken.keys()].filter(isTaken).map(label);
    const empty = [...fields].filter(([nome, field]) => lacking.includes(nome) && field.value() === undefined).map(([nome]) => label(nome));
    put(out,
      h("h4", {}, "Igual em todas as linhas"),
      empty.length > 0 ? h("p", { class: "aviso alerta", role: "status" }, `O cálculo das primeiras linhas precisa de ${listed(empty)}, e nenhuma coluna diz isso. Diga aqui o de todas as linhas, ou acrescente a coluna ao arquivo.`)
        : h("p", { class: "ajuda" }, "O que vale para todas as linhas pode ser dito uma vez, sem coluna no arquivo."),
      own.length > 0 ? h("p", { class: "ajuda do-cliente" }, `De ${nameOf(chosenClient())}: ${own.join(", ")}.`) : null,
      h("div", { class: "lista-colunas" }, [...fields.values()].map(({ node }) => node), chooser(picked)));
    return filled;
  }

  return {
    // Asks for what is lacking and what was given; not for the fields that have a column. True if it filled one in.
    show,
    // The values by the names of their fields, as a cell of the list would have them.
    values: () => Object.fromEntries([...fields].map(([nome, field]) => [nome, field.value()])
      .filter(([, value]) => value !== undefined).map(([nome, value]) => [nome, typeof value === "boolean" ? yesNo(value) : words(String(value))])),
  };
}

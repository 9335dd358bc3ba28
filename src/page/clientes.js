// The part Clientes: what the firm says once of each client, in this browser, and its file.

import { allCompanies, clients, cnpjOf, keepCompanies } from "./clients.js";
import { readCompanies, writeCompanies } from "./clients_csv.js";
import { placeCompanies } from "./companies.js";
import { announce, button, byId, h, put } from "./dom.js";
import { saveText } from "./files.js";
import { counted } from "./format.js";
import { looksSecret } from "./key.js";

const MOST_BYTES = 1 << 20;

// The text of a file as Excel saves it: UTF-8, or else Windows-1252.
async function textOf(file) {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

// Takes the clients of a file in place of those of the same CNPJ.
async function take(file) {
  const { companies, faults } = file.size > MOST_BYTES ? { companies: [], faults: ["O arquivo passa de 1 MiB."] } : readCompanies(await textOf(file), looksSecret);
  const taken = companies.map(cnpjOf);
  if (companies.length > 0) keepCompanies([...allCompanies().filter((one) => Object.values(one).some(Boolean) && !taken.includes(cnpjOf(one))), ...companies]);
  const said = `${companies.length === 1 ? "Foi lido" : "Foram lidos"} ${counted(companies.length, "cliente")} de ${file.name}.`;
  put(byId("clientes-dito"), h("p", {}, said), faults.length > 0 ? h("ul", { class: "falhas falha" }, faults.slice(0, 100).map((fault) => h("li", {}, fault))) : null);
  announce(said);
  placeCompanies(byId("clientes-lista"));
}

export function mount(section) {
  const file = h("input", { id: "clientes-arquivo", type: "file", accept: ".csv,.txt,text/csv", hidden: true, change: async () => {
    if (file.files[0]) await take(file.files[0]);
    file.value = "";
  } });
  const save = () => (clients().length > 0 ? saveText("clientes.csv", writeCompanies(clients()), "text/csv")
    : put(byId("clientes-dito"), h("p", {}, "Ainda não há cliente para exportar.")));
  put(section, h("div", { class: "cartao" },
    h("h2", { id: "clientes-titulo", tabindex: "-1" }, "Clientes"),
    h("p", {}, "Diga uma vez o que é de cada cliente. O que se escolhe no alto da página preenche os campos vazios, filtra Calendário e Mudanças, e dá nome ao que se imprime e baixa."),
    h("p", { class: "ajuda" }, "Ficam só neste navegador. O CNPJ vai ao servidor somente com os Documentos que você envia para conferir."),
    h("div", { class: "botoes" }, button("Importar CSV", () => file.click(), { id: "clientes-importar" }), button("Exportar CSV", save, { id: "clientes-exportar" }), file),
    h("div", { id: "clientes-dito", role: "status" }),
    h("div", { id: "clientes-lista" })));
}

export function enter() {
  placeCompanies(byId("clientes-lista"));
}

// The part Documentos: fiscal documents, checked against the law of their days.

import { withQuery } from "./api.js";
import { announce, button, byId, controlById, h, put } from "./dom.js";
import { purchasesOf } from "./documentos_compras.js";
import { companiesPart, companyForm, showCompanies, showFaults } from "./documentos_empresas.js";
import { enterLines, linesOf, mountLines, savedTable, showLines, takeColumns, takeLine, takeRow, takeSheet } from "./documentos_linhas.js";
import { segregationOf } from "./documentos_simples.js";
import { correctOf, reportName, summaryOf, totalsOf } from "./documentos_resumo.js";
import { postForLines, saveButtons } from "./files.js";
import { counted, integer, readDate, today } from "./format.js";
import { currentKey, recount } from "./key.js";
import { showProblem } from "./problem.js";

const MOST_BYTES = 16 * 1024 * 1024;

let files = [];
// What stops the reading under way.
let running = null;

const field = (id, label) => h("div", { class: "campo" }, h("label", { for: id }, label),
  h("input", { id, type: "text", placeholder: "dd/mm/aaaa", spellcheck: "false" }));

// The last instant of the day, unless that is to come.
function knownAt() {
  const day = readDate(controlById("documentos-conhecido").value);
  const end = new Date(`${day}T23:59:59.999`);
  return day === "" || day === today() ? "" : Number.isNaN(end.getTime()) ? day : end.toISOString();
}

const path = () => withQuery("/sandbox/v1/documentos", {
  desde: readDate(controlById("documentos-desde").value), conhecido_em: knownAt() });

function body() {
  const form = new FormData();
  form.append("empresa", companiesPart());
  for (const file of files) form.append("arquivo", file);
  return form;
}


function choose(list) {
  files = [...list];
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  const tooLarge = bytes > MOST_BYTES;
  byId("documentos-escolhidos").textContent = files.length === 0 ? ""
    : `${counted(files.length, "arquivo", "arquivos")}, ${integer(Math.ceil(bytes / 1024))} KiB.${tooLarge ? " Passa dos 16 MiB de um envio: compacte os XML em um ZIP, ou envie em partes." : ""}`;
  byId("documentos-escolhidos").classList.toggle("falha", tooLarge);
  controlById("documentos-conferir").disabled = files.length === 0 || tooLarge;
}

function drop(event) {
  event.preventDefault();
  if ([...event.dataTransfer.items].some((item) => item.webkitGetAsEntry?.()?.isDirectory)) {
    choose([]);
    byId("documentos-escolhidos").textContent = "Uma pasta não pode ser lida assim: solte os arquivos dela, ou a pasta compactada em um ZIP.";
    return;
  }
  choose(event.dataTransfer.files);
}

function showRefusal(reply) {
  const card = h("div", { class: "cartao" });
  showProblem(card, reply);
  if (reply.status === 422) {
    put(card, h("h3", { class: "recusa", tabindex: "-1" }, "Nada foi conferido"),
      h("p", { class: "razao" }, reply.said?.detail ?? ""), showFaults(reply.said?.erros ?? []));
  }
  put(byId("documentos-lista"), card);
  card.querySelector("h3").focus();
}

// What the report used up, and until when repeating it uses up nothing.
function cost({ documentos, cobrados, gratis_min: minutes }) {
  const until = new Date(Date.now() + minutes * 60_000).toLocaleTimeString("pt-BR", { hour: "2-digit", minute: "2-digit" });
  const used = cobrados > 0 ? `A conferência gastou ${counted(cobrados, "chamada", "chamadas")} da cota.`
    : documentos > 0 ? "Esta conferência é a repetição de outra e não gastou nada da cota." : "A conferência não gastou nada da cota.";
  // The half hour of a repetition began with the first run.
  const free = cobrados > 0 ? `Até ${until}, conferir os mesmos arquivos de novo` : `Conferir os mesmos arquivos, dentro de ${minutes} minutos da primeira conferência,`;
  return `${used} Os documentos não ficaram guardados. Baixar o relatório não gasta nada. ${free} não gasta outra vez; depois disso, ou se uma regra nova for publicada, gasta.`;
}

function downloads(end) {
  const saved = h("div", { id: "documentos-baixados" });
  return [h("div", { class: "botoes so-tela" }, saveButtons(reportName(end.empresas), savedTable, saved, "Linhas")),
    h("p", { class: "ajuda so-tela", id: "documentos-gasto" }, cost(end)), saved];
}

function progress(stop) {
  const bar = h("progress", { "aria-label": "Arquivos lidos", max: "1", value: "0" });
  const text = h("p", { class: "ajuda" }, "Enviando os arquivos…");
  put(byId("documentos-lista"), h("div", { class: "cartao", id: "documentos-andamento" },
    h("h3", { tabindex: "-1" }, "Conferindo…"), bar, text, h("div", { class: "botoes" }, button("Parar", stop, { id: "documentos-parar" }))));
  byId("documentos-andamento").querySelector("h3").focus({ preventScroll: true });
  return ({ lidos, total }) => {
    Object.assign(bar, { max: Math.max(total, 1), value: lidos });
    text.textContent = `${integer(lidos)} de ${counted(total, "arquivo lido", "arquivos lidos")}; ${counted(linesOf(), "linha", "linhas")} até aqui.`;
  };
}

// What is said above the report if it is not whole.
function unfinished(end, stopped, read) {
  if (end) return end.interrompido && `A conferência parou antes do fim: ${end.interrompido}`;
  const what = stopped ? "Você parou a conferência" : "A conferência foi cortada antes do fim: o servidor parou ou a ligação caiu";
  return `${what}, com ${integer(read.lidos)} de ${counted(read.total, "arquivo lido", "arquivos lidos")}. O resumo por empresa só sai de uma conferência inteira; abaixo, as linhas que chegaram.`;
}

function showReport(end, stopped, read) {
  const warning = unfinished(end, stopped, read);
  const title = h("h3", { tabindex: "-1" }, end ? `Relatório de ${counted(read.total, "arquivo", "arquivos")}` : "Conferência incompleta");
  put(byId("documentos-lista"),
    h("div", { class: "cartao" }, title, warning ? h("p", { class: "aviso grave" }, warning) : null, end ? [totalsOf(end.empresas), downloads(end)] : null),
    end ? [correctOf(end.clientes), summaryOf(end.empresas), segregationOf(end.segregacao ?? []), purchasesOf(end.compras ?? [])] : null);
  showLines(byId("documentos-lista"));
  announce(title.textContent);
  title.focus({ preventScroll: true });
  title.scrollIntoView({ block: "nearest" });
}

async function check(event) {
  event.preventDefault();
  if (running || files.length === 0) return;
  if (!currentKey()) return showRefusal({ status: 401, body: { codigo: "chave_ausente" }, headers: new Headers() });
  const stop = new AbortController();
  running = stop;
  let end = null;
  let read = { lidos: 0, total: 0 };
  byId("documentos-conferir").setAttribute("aria-disabled", "true");
  takeColumns([]);
  const moved = progress(() => stop.abort());
  const reply = await postForLines(path(), body(), (line) => {
    if (line.linha) takeLine(line.linha, line.celulas);
    else if (line.colunas) takeColumns(line.colunas);
    else if (line.planilha) takeSheet(line.planilha);
    else if (line.linha_da_planilha) takeRow(line.linha_da_planilha);
    else if (line.fim) end = line.fim;
    else moved(read = line.progresso);
  }, stop.signal);
  running = null;
  byId("documentos-conferir").removeAttribute("aria-disabled");
  if (read.total === 0 && !stop.signal.aborted) return showRefusal(reply);
  recount();
  showReport(end, stop.signal.aborted, read);
}

export function mount(section) {
  const picked = h("input", { id: "documentos-arquivos", type: "file", multiple: true, accept: ".xml,.zip", change: () => choose(picked.files) });
  put(section,
    h("form", { class: "cartao", id: "documentos-envio", autocomplete: "off", submit: check },
      h("h2", { id: "documentos-titulo", tabindex: "-1" }, "Documentos"),
      h("p", {}, "NF-e, NFC-e, CF-e, CT-e e NFS-e, contra a lei do seu dia, por item e tributo."),
      h("div", { class: "soltar", dragover: (event) => event.preventDefault(), drop },
        h("label", { for: "documentos-arquivos" }, "Arquivos XML, ou um ZIP deles"), picked,
        h("p", { class: "ajuda" }, "Também podem ser soltos aqui. Até 16 MiB por envio. São lidos neste servidor e não ficam guardados."),
        h("p", { id: "documentos-escolhidos", role: "status" })),
      h("div", { class: "filtros" }, field("documentos-desde", "Só emitidos desde"), field("documentos-conhecido", "Regras como se conheciam em")),
      companyForm(),
      h("div", { class: "botoes" }, h("button", { type: "submit", class: "principal", id: "documentos-conferir", disabled: true }, "Conferir")),
      h("p", { class: "ajuda" }, "Cada documento gasta uma chamada da cota. O que não pode ser lido, o cancelado e o repetido não gastam, nem a mesma conferência dentro de 30 minutos.")),
    h("div", { id: "documentos-lista", role: "region", "aria-label": "Relatório" }));
  mountLines();
}

export function enter(parameters) {
  showCompanies();
  enterLines(parameters);
}

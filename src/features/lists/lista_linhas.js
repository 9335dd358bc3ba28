// The rows of a list with their results: a page of them at a time.

import { valuesOf } from "./candidates.js";
import { addressOf } from "./case.js";
import { pointed } from "./codes.js";
import { announce, badge, button, h, put } from "./dom.js";
import { makeFields } from "./fields.js";
import { saveButtons } from "./files.js";
import { added, counted, date, decimal, integer, versionOf } from "./format.js";
import { keepForm } from "./guardadas.js";
import { Causes, GENERAL, inShort, tag } from "./lista_causas.js";
import { outsideTipi } from "./ncm.js";
import { anyField, fieldOf } from "./taxes.js";
import { words } from "./words.js";

// Rows in the document at once.
const SHOWN = 100;
const KINDS = { decimal, inteiro: decimal, data: date, texto: String };

// A cell as people read it: a text is of the kind of its column, and what is of another says so.
function shown(cell, kind) {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "string") return KINDS[kind](cell);
  const [[other, text]] = Object.entries(cell);
  return KINDS[other](text);
}

// Results that stand before the cells of the row itself, and those that are only in the file.
const FIRST = ["taxd_valor", "taxd_suposicao", "taxd_aliquota", "taxd_cest", "taxd_mva", "taxd_mva_original", "taxd_aliquota_interna", "taxd_tratamento", "taxd_tributos", "taxd_avisos"];
const IN_FILE = /^taxd_(linha|erro|situacao)$|^taxd_.+_(aliquota|regra|motivo)$/;

// Results without which a list on paper can be read.
const ON_SCREEN = ["taxd_base", "taxd_citacao_legal", "taxd_conferencia", "taxd_avisos"];

// What the rows of a tax do not say.
const NOTES = {
  icms: "Esta lista é do ICMS próprio: não diz se o produto está na ST. Para isso, calcule a lista como Tratamento ou ICMS-ST.",
  iss_retido: "Quem toma o serviço retém onde a LC 116/2003 o obriga, ou onde a lei do município manda. Dessa o taxd não sabe: onde só ela decide, diga na linha se manda.",
};

// Results that are too long for a row, behind a word.
const FOLDED = ["taxd_avisos", "taxd_motivos", "taxd_natureza_receita", "taxd_regras"];

// What a result column shows of its cell.
function result({ nome, tipo }, cell, rate) {
  const text = [shown(cell, tipo), rate ? `${decimal(rate)} %` : ""].filter(Boolean).join(" · ");
  if (text === "") return null;
  if (nome === "taxd_regra") return h("a", { href: `#regras?rule_code=${encodeURIComponent(versionOf(text).code)}` }, text);
  if (["taxd_conferencia", "taxd_tratamento"].includes(nome)) return words(text);
  return FOLDED.includes(nome) ? h("details", { class: "imprime" }, h("summary", {}, "Ver"), text) : text;
}

// The rows of one list after another, in `out`. `again(payload, take)` calculates one row again.
export function mountRows(out, name, again) {
  // The places of the rows that are refused, how many products are to be checked, and the places of both; how many rows go by
  // a general rate.
  let refused, unknown, marked, general;
  // Why rows are refused, which results any row has, and when the first row came.
  let causes, used, began;
  // `only` are the places of the rows that are shown, if not all are.
  let tributo, head, texts, total, failure, first, only, stop;
  // The place of the last column of the file; what is said of all rows comes after it. How many products have a tax without answer.
  let lastOwn, partly;
  // Why the rows ended early, if they did, and what was asked beside their cells.
  let early, beside;

  const listed = () => only ?? texts;
  const placeOf = (at) => (only ? only[at] : at);

  // What became of a row, in a word.
  function situationOf({ resultado, codigo }) {
    if (tributo === "tratamento" && !resultado.at(-1)) return codigo ? "em parte" : "respondido";
    const at = head.resultado.findIndex(({ nome }) => nome === "taxd_situacao");
    return (at < 0 ? null : resultado[at]) ?? (codigo === "incompleta" ? codigo : resultado.at(-1) ? "recusado" : "calculado");
  }
  const numeric = ({ tipo }) => (tipo === "decimal" || tipo === "inteiro" ? "numero" : undefined);
  const wide = (column, cell) => numeric(column) ?? (typeof cell === "string" && cell.length > 20 && !FOLDED.includes(column.nome) ? "longa" : undefined);
  const classes = (column, kind) => [kind, ON_SCREEN.includes(column.nome) ? "so-tela" : null].filter(Boolean).join(" ") || undefined;

  function address(payload) {
    if (!payload) return null;
    const link = addressOf("calcular", payload, beside);
    return ["operacao", "tratamento"].includes(tributo) ? link.replace("#calcular", `#${tributo}`) : link;
  }

  // A cell of the results as a file for people has it.
  function written({ nome }, cell, { pedido, fora_da_tipi: outside }) {
    if (nome === "taxd_avisos" && outside) {
      // The check comes first, and once.
      const others = typeof cell === "string" ? cell.replace(outsideTipi(pedido), "").replace("  ", " ") : "";
      return [outsideTipi(pedido), others.trim()].join(" ").trim();
    }
    return nome === "taxd_conferencia" && typeof cell === "string" ? words(cell) : cell;
  }

  // The rate beside the situation of a tax, which has a column of its own in the file. That of a contribution hangs on who sells.
  function rateOf({ nome }, resultado) {
    const at = /(?<!pis|cofins)_situacao$/.test(nome) ? head.resultado.findIndex((one) => one.nome === nome.replace("_situacao", "_aliquota")) : -1;
    return at < 0 ? null : resultado[at];
  }

  // Calculates the rows in these places with a candidate of their refusal, or with what they lacked.
  async function choose(places, values) {
    const asked = places.map((place) => JSON.parse(texts[place]));
    const before = texts;
    const left = [...places];
    const reply = await again(asked.map(({ pedido }) => ({ ...pedido, ...values })), (line) => {
      if (line.linha === undefined || before !== texts) return;
      const row = asked[places.length - left.length];
      const place = left.shift();
      const { resultado, codigo, pedido, resumo, candidatos, faltam, fora_da_tipi } = line;
      texts[place] = JSON.stringify({ ...row, codigo, pedido, resumo, candidatos, faltam, fora_da_tipi, resultado: [row.resultado[0], ...resultado.slice(1)] });
      const value = resultado[head.resultado.findIndex(({ nome }) => nome === "taxd_valor")];
      if (total?.soma && value) total = { ...total, soma: added([total.soma, value]) };
    });
    if (before !== texts) return;
    if (reply.status !== 200) return announce(reply.said?.detail ?? "Não pôde ser calculado.");
    forget();
    texts.forEach((text, at) => note(JSON.parse(text), at));
    only &&= only.filter((at) => marked.includes(at));
    showAll();
    out.querySelector("h3").focus({ preventScroll: true });
  }

  function choiceList(place, candidates) {
    const item = (candidate) => {
      const values = valuesOf(candidate);
      return h("li", {}, button([values.map(([table, code]) => `${anyField(table)?.rotulo ?? table} ${pointed(table, code)}`).join(", "), " ", h("small", {}, candidate.descricao)], () => choose([place], Object.fromEntries(values))));
    };
    return h("details", { class: "escolher so-tela" }, h("summary", {}, "Escolher"), h("ul", {}, candidates.map(item)));
  }

  // The fields that rows lack, to be filled in there; one of yes or no is a question with two buttons.
  function missing(places, names, { tributo: ofRow }, prefix) {
    const declared = names.map((name) => fieldOf(ofRow, name)).filter(Boolean);
    if (declared.length === 0) return null;
    const [{ nome, rotulo, tipo }] = declared;
    if (declared.length === 1 && tipo === "booleano") {
      const answer = (value) => button(value ? "Sim" : "Não", () => choose(places, { [nome]: value }), { "aria-label": `${rotulo}? ${value ? "Sim" : "Não"}` });
      return h("div", { class: "sim-ou-nao so-tela" }, `${rotulo}? `, answer(true), " ", answer(false));
    }
    const fields = makeFields(declared, () => {}, `${prefix}-${places[0]}`);
    return h("details", { class: "escolher so-tela" }, h("summary", {}, "Informar"),
      h("form", { novalidate: true, submit: (event) => {
        event.preventDefault();
        choose(places, fields.payload());
      } }, fields.all.map(({ node }) => node), h("button", { type: "submit" }, places.length === 1 ? "Calcular a linha" : `Calcular as ${integer(places.length)}`)));
  }

  function tableRow(place, columns) {
    const row = JSON.parse(texts[place]);
    const { linha, celulas, resultado, pedido, resumo, candidatos, faltam, fora_da_tipi: outside } = row;
    const error = resultado.at(-1) && shown(resultado.at(-1), "texto");
    const asked = candidatos ? choiceList(place, candidatos) : faltam && pedido ? missing([place], faltam, pedido, "lista-linha") : null;
    // A question of yes or no is the short line.
    const [short, rest] = resumo && candidatos ? [resumo, ""] : asked?.matches(".sim-ou-nao") ? ["", error] : inShort(error ?? "");
    const link = address(pedido);
    const cells = columns.map(({ own, at, column }) => h("td", { class: classes(column, wide(column, own ? celulas[at] : resultado[at])) },
      own ? shown(celulas[at], column.tipo) : result(column, resultado[at], rateOf(column, resultado))));
    // A refusal says it itself.
    const check = outside && !error?.includes(outsideTipi(pedido));
    return h("tr", { class: error ? "recusada" : check ? "a-conferir" : undefined },
      h("th", { scope: "row" }, link ? h("a", { href: link, "aria-label": `Abrir o caso da linha ${linha}` }, linha) : linha),
      h("td", { class: error || check ? "porque" : undefined }, tag(situationOf(row)),
        error ? [" ", short, rest ? h("details", {}, h("summary", {}, "Mais"), rest) : null] : null,
        asked,
        check ? h("p", {}, badge("conferir", "alerta"), ` ${outsideTipi(pedido)}`) : null), cells);
  }

  function table() {
    const results = head.resultado.map((column, at) => ({ column, at })).filter(({ column, at }) => !IN_FILE.test(column.nome) && used.has(at));
    const before = tributo === "tratamento" ? [] : results.filter(({ column }) => FIRST.includes(column.nome));
    const all = head.colunas.map((column, at) => ({ own: true, column: { ...column, rotulo: column.nome || column.letra }, at }));
    // What is the same in all rows comes last.
    const [own, same] = [all.filter(({ column }) => column.posicao <= lastOwn), all.filter(({ column }) => column.posicao > lastOwn)];
    const columns = [...before, ...own, ...results.filter((one) => !before.includes(one)), ...same];
    const last = Math.min(first + SHOWN, listed().length);
    const body = [];
    for (let at = first; at < last; at += 1) body.push(tableRow(placeOf(at), columns));
    return h("div", { class: "rolagem", tabindex: "0", role: "region", "aria-label": "Linhas calculadas" },
      h("table", { class: "linhas-da-lista" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Linha"), h("th", { scope: "col" }, "Situação"), columns.map(({ column }) => h("th", { scope: "col", class: classes(column, numeric(column)) }, column.rotulo.replace(": situação", ""))))),
        h("tbody", {}, body), sums(columns)));
  }

  // The column that is added up, if the rows have a sum.
  const summed = () => (tributo === "tratamento" || refused.length === texts.length || !total?.soma ? null : tributo === "operacao" ? "taxd_tributos" : "taxd_valor");

  // The sum of all rows, below the column that it is of.
  function sums(columns) {
    const of = summed();
    if (only || !columns.some(({ column }) => of && column.nome === of)) return null;
    return h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "Total"), h("td", {}, counted(texts.length - refused.length, "calculada")),
      columns.map(({ own, column }) => h("td", { class: classes(column, numeric(column)) }, !own && column.nome === of ? decimal(total.soma) : null))));
  }

  function pages() {
    const count = listed().length;
    if (count <= SHOWN) return null;
    const go = (to) => () => {
      first = to;
      showTable();
      out.querySelector(".rolagem").focus({ preventScroll: true });
    };
    return h("nav", { class: "paginas", "aria-label": "Páginas da lista" },
      first > 0 ? button("← Anteriores", go(first - SHOWN)) : null,
      h("span", {}, `${integer(first + 1)} a ${integer(Math.min(first + SHOWN, count))} de ${integer(count)}`),
      first + SHOWN < count ? button("Seguintes →", go(first + SHOWN), { rel: "next" }) : null);
  }

  function showTable() {
    put(out.querySelector(".quadro"), table(), pages());
  }

  const refusedOnes = () => (tributo === "operacao" ? "incompletas ou recusadas" : "recusadas");

  const summary = () => {
    const good = texts.length - refused.length;
    const what = refused.length === 1 && tributo !== "operacao" ? "recusada" : refusedOnes();
    const bad = refused.length === 0 ? "" : `, ${integer(refused.length)} ${what}`;
    const check = (unknown === 0 ? "" : `; ${integer(unknown)} com NCM que a TIPI do dia não tem`) + (general === 0 ? "" : `; ${integer(general)} ${GENERAL}`);
    if (tributo !== "tratamento") return `${integer(good)} de ${integer(texts.length)} calculadas${bad}${check}`;
    const open = partly === 0 ? "" : `, ${integer(partly)} com tributo sem resposta`;
    return `${counted(good, "produto")} de ${counted(texts.length, "linha")}${open}${bad}${check}`;
  };

  function saving() {
    return saveButtons("", () => {
      const rows = texts.map((text) => JSON.parse(text));
      // The tax, and the UF and the day that all rows have.
      const asked = rows.map((row) => row.pedido ?? {});
      const same = (of) => asked.every((one) => of(one) === of(asked[0])) && of(asked[0]);
      const arquivo = [name().replace(/\.\w+$/, ""), tributo, same((one) => one.uf_destino ?? one.uf), same((one) => Object.values(one).find((value) => /^\d{4}-\d\d-/.test(value))), "resultado"].filter(Boolean).join(" - ");
      // A column of another tax is empty.
      const own = head.resultado.map((_, at) => rows.some(({ resultado }) => resultado[at] !== null));
      const kept = (all) => all.filter((_, at) => own[at]);
      return {
        arquivo,
        colunas: [...head.colunas.map(({ nome, letra, tipo }) => ({ nome: nome || letra, tipo })), ...kept(head.resultado).map(({ no_arquivo: nome, tipo, soma }) => ({ nome, tipo, soma }))],
        linhas: rows.map((row) => [...row.celulas, ...kept(row.resultado.map((cell, at) => written(head.resultado[at], cell, row)))]),
      };
    }, out.querySelector(".ao-baixar"), "Lista");
  }

  // Shows these rows; all without any.
  function narrow(places) {
    only = places;
    first = 0;
    showTable();
    const box = out.querySelector("#lista-recusadas");
    if (box) box.checked = places === marked;
    const some = places && places !== marked;
    put(out.querySelector(".so-estas"), some ? [`${counted(places.length, "linha")} desta causa. `, button("Mostrar todas", () => narrow(null))] : null);
    if (some) out.querySelector(".so-estas").scrollIntoView({ block: "start" });
  }

  function filter() {
    const input = h("input", { type: "checkbox", id: "lista-recusadas" });
    input.addEventListener("change", () => narrow(input.checked ? marked : null));
    const which = [refused.length > 0 ? refusedOnes() : "", unknown > 0 ? "a conferir" : ""].filter(Boolean).join(" ou ");
    return which ? h("label", { class: "marcar" }, input, `Só as ${which}`) : null;
  }

  // Rows, how many a second, and how long the others take at that rate.
  function progress() {
    const [count, seconds] = [texts.length, (performance.now() - began) / 1000];
    const left = (head.linhas - count) * (seconds / count);
    const rate = seconds < 1 ? "" : ` · ${integer(Math.round(count / seconds))} por segundo · ${left < 60 ? `faltam ${integer(Math.ceil(left))} s` : `faltam ${integer(Math.ceil(left / 60))} min`}`;
    return `${integer(count)} de ${integer(head.linhas)} linhas${rate}`;
  }

  function forget() {
    [refused, marked, unknown, general, partly, causes, used] = [[], [], 0, 0, 0, new Causes(), new Set()];
  }

  // Counts the row in that place.
  function note(line, place) {
    const error = line.resultado.at(-1);
    if (error !== null) {
      refused.push(place);
      causes.add(place, situationOf(line), line.codigo, line.resumo ?? shown(error, "texto"), line);
    } else if (situationOf(line) === GENERAL) {
      general += 1;
      causes.add(place, GENERAL);
    }
    line.resultado.forEach((cell, at) => cell !== null && used.add(at));
    if (line.fora_da_tipi) unknown += 1;
    if (situationOf(line) === "em parte") partly += 1;
    if (error !== null || line.fora_da_tipi) marked.push(place);
  }

  // The sum, if the rows have one.
  function sumLine() {
    if (!summed()) return null;
    const what = tributo === "operacao" ? "Soma dos tributos das linhas completas: "
      : refused.length > 0 ? `Soma só de ${integer(texts.length - refused.length)} das ${counted(texts.length, "linha")}: ` : "Soma dos valores: ";
    return h("p", { class: "ajuda" }, what, h("strong", {}, `R$\u00a0${decimal(total.soma)}`));
  }

  // The form that keeps the rows, if each is a question of one tax.
  function keeping() {
    if (!total?.calculadas || ["operacao", "tratamento"].includes(tributo)) return null;
    return keepForm(name(), () => texts.map((text) => JSON.parse(text)).filter(({ pedido }) => pedido));
  }

  function showAll() {
    out.querySelector("h3").textContent = summary();
    put(out.querySelector(".resumo"), early ? h("p", { class: "aviso" }, early) : null,
      head && NOTES[tributo] ? h("p", { class: "ajuda" }, NOTES[tributo]) : null,
      head ? [sumLine(), texts.length > 0 ? h("div", { class: "botoes so-tela" }, saving()) : null, keeping(), causes.node(narrow, (places, line) => missing(places, line.faltam, line.pedido, "lista-causa")), filter(), h("p", { class: "so-estas", role: "status" })] : null);
    if (head) showTable();
    announce(`${summary()}. ${early ?? ""}`);
  }

  return {
    shown,
    begin(asked, last, besideAll, stopping) {
      [tributo, lastOwn, beside, stop, head, total, failure, first, only, early] = [asked, last, besideAll, stopping, null, null, null, 0, null, null];
      texts = [];
      forget();
      put(out, h("div", { class: "cartao" },
        h("h3", { tabindex: "-1" }, "Calculando…"),
        h("div", { class: "andamento" },
          h("progress", { "aria-label": "Linhas calculadas" }), h("p", { class: "ajuda" }, "Enviando a lista…"),
          button("Parar", () => stop(), { id: "lista-parar" })),
        h("div", { class: "resumo" }), h("div", { class: "ao-baixar" }), h("div", { class: "quadro" })));
      out.querySelector("#lista-parar").focus({ preventScroll: true });
      out.scrollIntoView({ block: "nearest" });
    },
    begun: () => head !== null,
    // Takes a line of the answer.
    take(line, text) {
      if (line.colunas) {
        head = line;
        began = performance.now();
        out.querySelector("progress").max = Math.max(1, head.linhas);
      } else if (line.total) total = line.total;
      else if (line.falha) failure = line.falha;
      else {
        note(line, texts.length);
        texts.push(text);
        if (texts.length === SHOWN) showTable();
        if (texts.length % 64 === 0 || texts.length === head.linhas) {
          out.querySelector("progress").value = texts.length;
          out.querySelector(".andamento p").textContent = progress();
        }
      }
    },
    // Shows what has come, to its end or not.
    end(stopped) {
      const place = document.activeElement;
      early = stopped ? `Parado: vieram ${integer(texts.length)} de ${integer(head?.linhas ?? 0)} linhas.`
          : failure ? failure
          : total ? null : "A resposta foi interrompida antes do fim. Calcule de novo.";
      const ours = place === document.body || out.contains(place);
      out.querySelector(".andamento").remove();
      showAll();
      if (ours) out.querySelector("h3").focus({ preventScroll: true });
    },
  };
}

// What publications corrected in the answers of the account: in the part Consumo, read only if there is any.

import { call, withQuery } from "./api.js";
import { addressOf } from "./case.js";
import { button, h, put } from "./dom.js";
import { saveText } from "./files.js";
import { counted, instant, integer, money, signedMoney } from "./format.js";
import { showProblem } from "./problem.js";
import { figureTable } from "./table.js";
import { siglaOf, taxOf } from "./taxes.js";
import { words } from "./words.js";

const month = (mes) => mes.split("-").reverse().join("/") || "sem data";

const amount = (valor, codigo) => (valor === null ? `recusada (${words(codigo)})` : money(valor));

// The lines that `taxd verify` reads: both answers of each call.
const proofs = (calls) => calls.flatMap(({ request, antes, depois }) => [antes, depois]
  .map(({ resposta, conhecido_em }) => `${JSON.stringify({ payload: request, resposta, conhecido_em })}\n`)).join("");

function row(one) {
  const { numero, created_at: at, tributo, request } = one;
  const rules = [...new Set([one.regra_antes, one.regra_depois])].filter(Boolean).join(" → ");
  return h("li", { class: "chamada" },
    h("p", {}, `${siglaOf(tributo)}: respondido ${amount(one.valor_antes, one.codigo_antes)}, certo ${amount(one.valor_depois, one.codigo_depois)}`,
      one.diferenca === null ? null : h("strong", {}, ` (${signedMoney(one.diferenca)})`)),
    h("p", {}, `Chamada ${integer(numero)} de ${instant(at)} · `, h("code", {}, rules), " ",
      taxOf(tributo) ? h("a", { href: addressOf("calcular", request) }, "Abrir em Calcular") : null));
}

function callsOf({ publicacao, chamadas }) {
  const list = h("ol", { class: "mudancas" });
  const foot = h("div", { class: "botoes" });
  const all = [];
  const read = async (cursor) => {
    const reply = await call(withQuery("/sandbox/v1/correcoes", { publicacao, cursor }));
    if (reply.status !== 200) return showProblem(foot, reply);
    all.push(...reply.body.chamadas);
    list.append(...reply.body.chamadas.map(row));
    const { proximo } = reply.body;
    return put(foot, proximo ? button("Mais chamadas", () => read(proximo)) : null,
      button(`Baixar as provas das ${integer(all.length)}`, () => saveText(`correcao-${publicacao}.jsonl`, proofs(all), "application/jsonl")));
  };
  put(foot, chamadas.guardadas > 0 ? button("Ver as chamadas", () => read()) : "Destas, só as somas ficam guardadas.");
  return [list, foot];
}

function correction(one) {
  const { publicado_em: at, chamadas, total, meses } = one;
  const notes = [
    [total.passam_a_responder, "recusada teria resposta", "recusadas teriam resposta"], [total.passam_a_recusar, "respondida seria recusada", "respondidas seriam recusadas"],
    [chamadas.sem_comparacao, "não pôde ser comparada", "não puderam ser comparadas"], [chamadas.de_dias_por_vir, "era de um dia ainda por vir, e não conta", "eram de dias ainda por vir, e não contam"],
    [chamadas.fora_do_registro, "chamada da conta já não está no registro", "chamadas da conta já não estão no registro"],
  ].filter(([n]) => n > 0).map(([n, singular, plural]) => h("li", {}, counted(n, singular, plural)));
  return h("details", {},
    h("summary", {}, `Publicação de ${instant(at)}: ${counted(chamadas.alteradas, "resposta corrigida", "respostas corrigidas")}, ${signedMoney(total.diferenca)}`),
    figureTable("Por mês da operação", ["Respostas", "Respondido", "Certo", "Diferença"], meses.map((mes) =>
      [`${month(mes.mes)} ${siglaOf(mes.tributo)}`, integer(mes.chamadas), money(mes.valor_antes), money(mes.valor_depois), signedMoney(mes.diferenca)])),
    h("ul", {}, notes), callsOf(one));
}

export function show(out, correcoes) {
  put(out, h("section", { class: "cartao" }, h("h3", {}, "Correções"),
    h("p", { class: "ajuda" }, "Uma publicação mudou a regra de dias que já tinham passado. O que a conta recebeu antes dela está comparado com o que é certo por ela; se houve mais de uma, vale a última. As provas se conferem com ", h("code", {}, "taxd verify"), "."),
    correcoes.map(correction)));
}

// The proof of an answer: its digest, the number of the request, and the file that `taxd verify` reads.

import { requestId } from "./api.js";
import { button, h, pairs } from "./dom.js";

// Saves what was asked and answered as the one line that is verified.
function download(name, line) {
  const href = URL.createObjectURL(new Blob([`${JSON.stringify(line)}\n`], { type: "application/jsonl" }));
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

// The foot of an answer on paper, on screen only if there is a proof.
export function proofFoot(reply, sent) {
  const { prova: proof } = reply.body;
  const request = h("code", {}, requestId(reply));
  if (!proof) return h("p", { class: "ajuda so-papel" }, "Protocolo ", request);
  const name = `prova-${proof.resumo.slice(0, 8)}.jsonl`;
  const line = { payload: sent.asked, resposta: reply.body, calculado_em: new Date().toISOString() };
  return h("section", { class: "prova" }, h("h4", {}, "Prova"),
    pairs([["Resumo (SHA-256)", h("code", {}, proof.resumo)], ["Protocolo", request], ["Programa", proof.motor]]),
    h("p", { class: "ajuda" }, "Quem tem o arquivo confere que nada mudou, e que a regra dá o mesmo: ", h("code", {}, `taxd verify ${name}`)),
    h("div", { class: "botoes so-tela" }, button("Baixar a prova", () => download(name, line))));
}

// The banner above all parts when rules end in the next days and nothing answers then, or a rule that refuses. It is
// read after the first view. Once dismissed, it comes back when what it says has changed.

import { call } from "./api.js";
import { button, byId, h, put } from "./dom.js";
import { keepText, keptText } from "./kept.js";
import { date, integer } from "./format.js";
import { siglaOf } from "./taxes.js";

const SLOT = "taxd-aviso-dispensado";
const DAYS = 30;

// Without storage it comes back at the next visit.
function dismiss(mark) {
  keepText(SLOT, mark);
  put(byId("avisos"));
  byId("conteudo").focus();
}

export async function showBanner() {
  const reply = await call(`/sandbox/v1/calendario?dias=${DAYS}`, { cache: "no-cache" });
  if (reply.status !== 200 || !reply.body) return;
  const near = reply.body.dias.filter((day) => day.sem_resposta > 0);
  const lines = near.map(({ data, sem_resposta: rules, sem_resposta_de: taxes }) =>
    `Em ${date(data)} ${rules === 1 ? "1 regra termina" : `${integer(rules)} regras terminam`}, e o taxd ainda não tem o que vale depois: ${taxes.map(siglaOf).join(", ")}.`);
  const mark = lines.join(" ");
  if (mark === "" || mark === keptText(SLOT)) {
    put(byId("avisos"));
    return;
  }
  put(byId("avisos"), h("div", { class: "aviso" }, lines.map((line) => h("p", {}, line)),
    h("div", { class: "botoes" }, h("a", { class: "botao", href: `#calendario?dias=${DAYS}&tipo=sem_resposta` }, "Ver no calendário"),
      button("Dispensar", () => dismiss(mark), { "aria-label": "Dispensar o aviso de término de regras" }))));
}

// Lists that are read with the key: what is shown without one, while it is read, and instead
// of what was refused.

import { call } from "./api.js";
import { button, h, put } from "./dom.js";
import { askForKey, currentKey } from "./key.js";
import { showProblem } from "./problem.js";

// A reader of lists into a node; of several readings that overtake one another the last is shown.
export function lister(out, what, show) {
  let latest = 0;
  return async (path) => {
    latest += 1;
    const mine = latest;
    if (!currentKey()) {
      out.removeAttribute("aria-busy");
      put(out, h("div", { class: "cartao vazio" }, h("p", {}, `Informe a chave do taxd para ver ${what}.`), button("Ir para a chave", askForKey)));
      return;
    }
    out.setAttribute("aria-busy", "true");
    if (!out.querySelector(".contagem")) put(out, h("p", { class: "contagem" }, "Carregando…"));
    // A list that did not change is not sent again.
    const reply = await call(path, { cache: "no-cache" });
    if (mine !== latest) return;
    out.removeAttribute("aria-busy");
    if (reply.status === 200 && reply.body) {
      show(reply);
      return;
    }
    const card = h("div", { class: "cartao" });
    showProblem(card, reply);
    put(out, card);
  };
}

// Where a rule answers: its municipality and UFs.
export function where({ uf_origem: from, uf_destino: to, municipio }) {
  const ufs = from === to ? from : [from ?? "qualquer UF", to ?? "qualquer UF"].join(" → ");
  return [municipio, ufs].filter(Boolean).join(" / ") || "todo o país";
}

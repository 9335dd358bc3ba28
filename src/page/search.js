// Taxes and parts found by the names that people use.

import { addressOf, freshCase } from "./case.js";
import { byId, h, put } from "./dom.js";
import { makeField } from "./field.js";
import { lookUp } from "./lookup.js";
import { byWords } from "./municipalities.js";
import { allTaxes } from "./taxes.js";

// What people call a tax or a part beside its own name.
const ALSO = {
  icms_st: "ST MVA antecipação", icms_consumidor_final: "DIFAL diferencial de alíquota uso consumo ativo", simples_nacional: "PGDAS",
  itcmd: "ITD ITCD causa mortis inventário", ipva: "carro frota", itbi: "imóvel escritura", iptu: "imóvel", iss: "ISSQN",
  iss_retido: "ISSQN retenção", irrf_servicos: "IR retenção fonte", inss_retido: "retenção", pis: "monofásico", cofins: "monofásico",
  cbs: "reforma IVA", ibs: "reforma IVA", "#operacao": "todos os tributos venda serviço retenção líquido", "#lista": "planilha Excel frota",
  "#documentos": "XML notas NF-e NFS-e CT-e SPED EFD", "#tratamento": "produto monofásico ST substituição alíquota zero", "#codigos": "NCM CEST CFOP CST cClassTrib NBS",
  "#calendario": "prazos vencimentos", "#mudancas": "o que mudou", "#regras": "lei alíquotas", "#cobertura": "cidades estados", "#clientes": "empresas", "#consumo": "cota chave",
};

const entry = (key, href, shown, text) => ({ href, shown, text, nome: `${shown} ${text} ${ALSO[key] ?? ""}` });

// All that can be found: the taxes, then the parts of the menu.
function entries() {
  const links = [...byId("menu").querySelectorAll("a")].filter((link) => !link.nextElementSibling && link.hash !== "#inicio");
  return [...allTaxes().map((tax) => entry(tax.tributo, addressOf("calcular", { tributo: tax.tributo, ...freshCase(tax) }), tax.sigla, tax.nome)),
    ...links.map(({ hash, textContent }) => entry(hash, hash, textContent, ""))];
}

// A field in `place` that leads to what is typed in it.
export function mountSearch(place) {
  const made = makeField({ nome: "procura", rotulo: "O que você procura?", tipo: "codigo", exemplo: "DIFAL" }, () => {}, "inicio");
  const all = entries();
  const { node } = lookUp(made, {
    least: 2,
    first: true,
    // Other words may be those of goods.
    ask: async (text) => {
      const found = byWords(all, text).slice(0, 8);
      if (found.length === 0) found.push({ shown: "Códigos", text, href: addressOf("codigos", { tabela: "ncm", q: text }) });
      return { found, more: false };
    },
    name: ({ shown }) => shown,
    text: ({ text }) => text,
    isHeld: () => false,
    chosen: ({ href }) => {
      location.hash = href;
      made.write();
    },
  });
  put(place, h("form", { role: "search", autocomplete: "off", submit: (event) => event.preventDefault() }, node));
}

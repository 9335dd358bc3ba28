// The value of a fiscal unit, offered beside the field that asks for one.

import { call, withQuery } from "./api.js";
import { button, h, put } from "./dom.js";
import { money } from "./format.js";
import { currentKey } from "./key.js";

function offer({ conteudo, vigente_de: from, citacao_legal: act }, field) {
  const fill = () => {
    field.write(conteudo.valor_unidade);
    field.input.dispatchEvent(new Event("change", { bubbles: true }));
    field.input.focus();
  };
  return [button(`${conteudo.unidade_nome} de ${from.slice(0, 4)}: ${money(conteudo.valor_unidade)}`, fill), h("small", {}, act)];
}

// Offers the unit of the UF on the day of the form, once for each; `fieldNamed` gives its fields. A case without the value
// is calculated with it too.
export async function offerUnit(fieldNamed) {
  const [field, uf, data] = ["valor_unidade_fiscal", "uf", "data_fato_gerador"].map(fieldNamed);
  if (!field || !currentKey()) return;
  const place = field.node.querySelector(".unidades") ?? h("div", { class: "unidades" });
  if (!place.isConnected) field.node.querySelector(".notas").prepend(place);
  const known = uf.value() && /^\d{4}-\d\d-\d\d$/.test(data.value());
  const path = known ? withQuery("/sandbox/v1/procura", { tributo: "itcmd", uf: uf.value(), vigente_em: data.value() }) : "";
  if (place.dataset.path === path) return;
  place.dataset.path = path;
  const { status, body } = known ? await call(path) : {};
  if (status === 0) delete place.dataset.path;
  const units = (body?.regras ?? []).filter(({ conteudo }) => conteudo.valor_unidade);
  if (place.dataset.path === path) put(place, units.flatMap((unit) => offer(unit, field)));
}

// The value of a fiscal unit, offered beside the field that asks for one.

import { call, withQuery } from "./api.js";
import { button, h, put } from "./dom.js";
import { money } from "./format.js";
import { currentKey } from "./key.js";

function offer({ nome, valor, vigente_de: from, ato }, field) {
  const fill = () => {
    field.write(valor);
    field.input.dispatchEvent(new Event("change", { bubbles: true }));
    field.input.focus();
  };
  return [button(`${nome} de ${from.slice(0, 4)}: ${money(valor)}`, fill), h("small", {}, ato)];
}

// Offers the units of the UF on the day of the form, once for each; `fieldNamed` gives its fields.
export async function offerUnit(fieldNamed) {
  const [field, uf, data] = ["valor_unidade_fiscal", "uf", "data_fato_gerador"].map(fieldNamed);
  if (!field || !currentKey()) return;
  const place = field.node.querySelector(".unidades") ?? h("div", { class: "unidades" });
  if (!place.isConnected) field.node.querySelector(".notas").prepend(place);
  const day = /^\d{4}-\d\d-\d\d$/.test(data.value()) ? data.value() : "";
  const path = withQuery("/sandbox/v1/unidades", { uf: uf.value(), data: day });
  if (place.dataset.path === path) return;
  place.dataset.path = path;
  const { status, body } = await call(path);
  if (status === 0) delete place.dataset.path;
  if (place.dataset.path === path) put(place, (body?.unidades ?? []).flatMap((unit) => offer(unit, field)));
}

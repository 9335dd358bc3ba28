// The candidates of a refusal, as buttons that fill the form in and calculate.

import { button, h } from "./dom.js";
import { pointed, tableOfField } from "./codes.js";

const SAID = new Set(["descricao", "excluida_por", "regra"]);

const valuesOf = (candidate) => Object.entries(candidate).filter(([name]) => !SAID.has(name));

// The candidates of a 422 are values of the datum that is missing. Those of a 404 are rules of other cases, whose fields
// are not to be filled in at a click.
export const hasCandidates = (body) => body?.status === 422 && body.candidatos?.length > 0 && valuesOf(body.candidatos[0]).length > 0;

// The faults as the form marks them: with candidates, the field that is missing is theirs, whatever field the service
// named, and the list of them is not said again in it.
export function faultsOf(body) {
  if (!hasCandidates(body)) return body?.erros ?? [];
  const [[campo]] = valuesOf(body.candidatos[0]);
  return [{ campo, codigo: body.codigo, detail: "Escolha um dos códigos da resposta." }];
}

// The reason of a refusal without its list of candidates, if that is all of the list; else as it is.
export function withoutList(body, reason) {
  if (!hasCandidates(body)) return reason;
  const codes = body.candidatos.map((candidate) => [valuesOf(candidate)[0][1], candidate.descricao]);
  const rest = codes.reduce((text, [code, meaning]) => text.replace(`${code} (${meaning})`, ""), reason);
  return codes.some(([code]) => rest.includes(code)) ? reason : rest.replace(/:[\s;]*\./, ".");
}

export function candidateList(body, fieldOf, choose, say) {
  if (!choose || !hasCandidates(body)) return null;
  const fit = body.candidatos.filter((candidate) => valuesOf(candidate).every(([name]) => fieldOf(name)));
  const name = ([field, value]) => `${fieldOf(field).label} ${pointed(tableOfField(field), value)}`;
  return h("section", { class: "candidatos", "aria-label": "Escolha um e calcule" },
    h("h4", {}, "Escolha um e calcule"),
    h("ul", {}, fit.map((candidate) => {
      const values = valuesOf(candidate);
      return h("li", {}, button([h("strong", {}, values.map(name).join(", ")), " ", say(candidate.descricao)], () => choose(values)));
    })));
}

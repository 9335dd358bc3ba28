// The candidates of a refusal, as buttons that fill the form in and calculate.

import { button, h } from "./dom.js";
import { pointed, tableOfField } from "./codes.js";
import { knownInstant, validity, versionOf } from "./format.js";
import { KNOWN } from "./known.js";

// What a candidate says beside its values.
const SAID = new Set(["descricao", "excluida_por", "fora_da_substituicao", "regra"]);

export const valuesOf = (candidate) => Object.entries(candidate).filter(([name]) => !SAID.has(name));

// The candidates of a 422 are values of the datum that is missing. That of a 404 is the first instant of which something is
// known, or they are rules of other cases, whose fields are not to be filled in at a click.
export function hasCandidates(body) {
  const [value] = valuesOf(body?.candidatos?.[0] ?? {});
  return Boolean(value) && (body.status === 422 || value[0] === KNOWN.nome);
}

// The faults as the form marks them: with candidates, the field that is missing is theirs, whatever field the service
// named, and the list of them is not said again in it.
export function faultsOf(body) {
  if (!hasCandidates(body)) return body?.erros ?? [];
  if (body.campo === KNOWN.nome) return [{ ...body.erros[0], detail: "Antes da primeira publicação neste servidor." }];
  const [[campo]] = valuesOf(body.candidatos[0]);
  return [{ campo, codigo: body.codigo, detail: "Escolha um dos códigos da resposta." }];
}

export function candidateList(body, fieldOf, choose) {
  if (!choose || !hasCandidates(body)) return null;
  const fit = body.candidatos.filter((candidate) => valuesOf(candidate).every(([name]) => fieldOf(name)));
  const name = ([field, value]) => `${fieldOf(field).label} ${field === KNOWN.nome ? knownInstant(value) : pointed(tableOfField(field), value)}`;
  const title = fit.length === 1 ? "Calcule com" : "Escolha um e calcule";
  return h("section", { class: "candidatos", "aria-label": title },
    h("h4", {}, title),
    h("ul", {}, fit.map((candidate) => {
      const values = valuesOf(candidate);
      return h("li", {}, button([h("strong", {}, values.map(name).join(", ")), " ", candidate.descricao], () => choose(values)));
    })));
}

// The rules of other cases that a 404 names.
export const nearRules = (body) => (body?.status === 404 ? body.candidatos?.filter(({ regra }) => regra) ?? [] : []);

// True of a rule that only its days keep from answering.
const isOfDays = (by) => by.length === 1 && by[0] === "data";

// The reason that a rule did not answer, with the points that people write in a CEST.
const excluded = (text) => text.replace(/\bCEST (\d{7})\b/g, (_, code) => `CEST ${pointed("cest", code)}`);

// Each rule by its law, what keeps it from answering, and the way to it.
export function nearList(body) {
  const rules = nearRules(body);
  if (rules.length === 0) return null;
  return h("section", {}, h("h4", {}, "Regras mais próximas"),
    h("ul", { class: "proximas" }, rules.map(({ regra, descricao, excluida_por }) => h("li", {},
      h("a", { href: `#regras?rule_code=${encodeURIComponent(versionOf(regra.rule_id).code)}` }, regra.citacao_legal),
      ` — ${isOfDays(excluida_por) ? "" : `${excluded(descricao)}; `}responde ${validity(regra.vigente_de, regra.vigente_ate)}`))));
}

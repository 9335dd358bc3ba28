// The candidates of a refusal, as buttons that fill the form in and calculate.

import { button, h } from "./dom.js";
import { pointed, tableOfField } from "./codes.js";
import { knownInstant, validity, versionOf } from "./format.js";
import { KNOWN } from "./known.js";

const SAID = new Set(["descricao", "excluida_por", "regra"]);

const valuesOf = (candidate) => Object.entries(candidate).filter(([name]) => !SAID.has(name));

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

// The place after a parenthesis that opens at `from`, or `from` if none does.
function afterParenthesis(text, from) {
  if (!text.startsWith(" (", from)) return from;
  let depth = 0;
  for (let at = from + 1; at < text.length; at += 1) {
    depth += { "(": 1, ")": -1 }[text[at]] ?? 0;
    if (depth === 0) return at + 1;
  }
  return from;
}

// What is between two names of a list.
const BETWEEN = new Set([", ", "; ", " ou ", " e ", ", ou "]);

// A reason without the list of these names, which the page shows below, and without what introduces it: "informe o CEST: A
// (x); B (y)." is "informe o CEST.". `whole` drops all of a sentence that has nothing but the list after its colon, and so
// does one word before it. A list of several sentences goes with them. The reason stays as it is if the names are not one
// list, in their order, at the end of a sentence: another word in the place of a value rarely fits.
function withoutItems(reason, names, whole) {
  let [start, end, parted] = [-1, 0, false];
  for (const name of names) {
    const at = reason.indexOf(name, end);
    const between = reason.slice(end, at);
    if (at < 0 || (start >= 0 && !BETWEEN.has(between) && !/^\. [^.:]+: $/.test(between))) return reason;
    parted ||= start >= 0 && !BETWEEN.has(between);
    if (start < 0) start = at;
    end = afterParenthesis(reason, at + name.length);
  }
  if (start < 0 || !reason.startsWith(": ", start - 2) || !/^\.(?: |$)/.test(reason.slice(end))) return reason;
  const sentence = reason.lastIndexOf(". ", start) + 1;
  const drops = whole || parted || /^ ?\S+$/.test(reason.slice(sentence, start - 2));
  return (drops ? reason.slice(0, sentence) + reason.slice(end + 1) : reason.slice(0, start - 2) + reason.slice(end)).trim();
}

// The reason of a refusal without its list of candidates.
export const withoutList = (body, reason) => (hasCandidates(body) ? withoutItems(reason, body.candidatos.map((candidate) => valuesOf(candidate)[0][1]), false) : reason);

export function candidateList(body, fieldOf, choose, say) {
  if (!choose || !hasCandidates(body)) return null;
  const fit = body.candidatos.filter((candidate) => valuesOf(candidate).every(([name]) => fieldOf(name)));
  const name = ([field, value]) => `${fieldOf(field).label} ${field === KNOWN.nome ? knownInstant(value) : pointed(tableOfField(field), value)}`;
  const title = fit.length === 1 ? "Calcule com" : "Escolha um e calcule";
  return h("section", { class: "candidatos", "aria-label": title },
    h("h4", {}, title),
    h("ul", {}, fit.map((candidate) => {
      const values = valuesOf(candidate);
      return h("li", {}, button([h("strong", {}, values.map(name).join(", ")), " ", say(candidate.descricao)], () => choose(values)));
    })));
}

// The rules of other cases that a 404 names.
const nearRules = (body) => (body?.status === 404 ? body.candidatos?.filter(({ regra }) => regra) ?? [] : []);

// The reason of a 404 without its list of rules, which `nearList` shows.
export const withoutRules = (body, reason) => withoutItems(reason, nearRules(body).map(({ regra }) => regra.rule_id), true);

// True of a rule that only its days keep from answering.
const isOfDays = (by) => by.length === 1 && by[0] === "data";

// The reason that a rule did not answer, with the points that people write in a CEST.
const excluded = (text) => text.replace(/\bCEST (\d{7})\b/g, (_, code) => `CEST ${pointed("cest", code)}`);

// Each rule by its law, what keeps it from answering, and the way to it.
export function nearList(body, say) {
  const rules = nearRules(body);
  if (rules.length === 0) return null;
  return h("section", {}, h("h4", {}, "Regras mais próximas"),
    h("ul", { class: "proximas" }, rules.map(({ regra, descricao, excluida_por }) => h("li", {},
      h("a", { href: `#regras?rule_code=${encodeURIComponent(versionOf(regra.rule_id).code)}` }, regra.citacao_legal),
      ` — ${isOfDays(excluida_por) ? "" : `${excluded(say(descricao))}; `}responde ${validity(regra.vigente_de, regra.vigente_ate)}`))));
}

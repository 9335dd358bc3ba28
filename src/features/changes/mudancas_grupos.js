// Changes of one act that say the same of many rules, as one: what becomes of how many, with their segment and the act.

import { versionOf } from "./format.js";
import { siglaOf } from "./taxes.js";
import { words } from "./words.js";

// Fewer changes are not grouped.
const LEAST = 4;

const actOf = ({ citacao_legal: law }) => law.split(/[;,]/)[0];
// True of a rule by which goods leave the substitution.
export const leavesSt = ({ tributo, campos }) => tributo === "icms_st" && campos.some(({ campo, depois }) => campo === "conteudo.criterio" && depois === words("nao_sujeito"));
/** @type {(changes: any[]) => any[]} */
const inAll = ([first, ...rest]) => first.campos.filter((one) => rest.every(({ campos }) => campos.some((other) => other.campo === one.campo && other.antes === one.antes && other.depois === one.depois)));

// What a group says: of how many, and what becomes of them.
function titleOf(changes) {
  const [{ tributo, local, anterior }] = changes;
  const where = local === "país" ? "no país" : `em ${local}`;
  if (leavesSt(changes[0])) return `${changes.length} mercadorias deixam a ST ${where}`;
  return anterior ? `${changes.length} regras de ${siglaOf(tributo)} mudam ${where}` : `${changes.length} regras novas de ${siglaOf(tributo)} ${where}`;
}

// The segments of goods, each with how many changes are of it if there are several.
function segmentsOf(changes) {
  const found = Object.entries(Object.groupBy(changes.filter(({ segmento }) => segmento), ({ segmento }) => segmento));
  return found.map(([name, of]) => (found.length > 1 ? `${name}: ${of.length}` : name)).join(" · ");
}

// The changes in their order, each list of what is alike as a group in the place of its first one.
/** @type {(changes: any[]) => any[]} */
export const grouped = (changes) => {
  const groups = Map.groupBy(changes, (change) => [actOf(change), change.tributo, change.local, Boolean(change.anterior), change.retroativa, change.vigente_de, leavesSt(change)].join("|"));
  const group = (alike) => ({ changes: alike, title: titleOf(alike), act: actOf(alike[0]), segments: segmentsOf(alike), common: inAll(alike) });
  const one = (change) => ({ change });
  return [...groups.values()].map((alike) => (alike.length < LEAST ? alike.map(one) : [group(alike)])).flat();
};

const COLUMNS = [["Regra", "texto"], ["Espécie", "texto"], ["Tributo", "texto"], ["Local", "texto"], ["Segmento", "texto"], ["A que se aplica", "texto"], ["Vale de", "data"], ["Vale até antes de", "data"],
  ["Campo", "texto"], ["Antes", "texto"], ["Depois", "texto"], ["Citação legal", "texto"]];

// A row for each field of each change.
export const tableOf = (changes, kind) => ({
  colunas: COLUMNS.map(([nome, tipo]) => ({ nome, tipo })),
  linhas: changes.flatMap((change) => (change.campos.length > 0 ? change.campos : [{}]).map(({ rotulo = null, antes = null, depois = null }) => [
    `${versionOf(change.rule_id).code} ${versionOf(change.rule_id).version}`, kind(change), siglaOf(change.tributo), change.local, change.segmento ?? null, change.escopo,
    change.vigente_de, change.vigente_ate, rotulo, change.anterior ? antes : null, depois, change.citacao_legal])),
});

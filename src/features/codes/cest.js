// What helps if the CEST and the NCM of a case are not of one rule: the NCMs of the CEST if that of the case is missing,
// and the CESTs of the NCM if no rule has both.

import { call, withQuery } from "./api.js";
import { pathOf, pointed, textOf } from "./codes.js";
import { announce, button, h, put } from "./dom.js";
import { fieldOf } from "./taxes.js";

// Most buttons at once.
const MOST = 12;

async function rulesOf(tributo, field, asked) {
  const place = { uf_destino: field("uf_destino")?.value(), vigente_em: field("data_operacao")?.value() };
  const { status, body } = await call(withQuery("/sandbox/v1/procura", { tributo, ...place, limit: 100, ...asked }));
  return status === 200 ? body.regras : [];
}

const codesOf = async (asked) => (await call(pathOf(asked))).body?.codigos ?? [];

const withoutCopies = (codes) => [...new Map(codes.map((code) => [code.codigo, code])).values()];

// The NCMs of the rules of a CEST, each with its text. A rule may name a heading: its codes are read.
async function ncmsOf(tributo, cest, field) {
  const named = new Set((await rulesOf(tributo, field, { cest })).flatMap(({ ncm }) => ncm ?? []));
  const found = await Promise.all([...named].sort().slice(0, MOST).map((q) => codesOf({ tabela: "ncm", q, limit: MOST + 1 })));
  return withoutCopies(found.flat());
}

// The CESTs of the rules of an NCM for these States, each with the goods of its rule.
async function cestsOf(tributo, ncm, field) {
  const isHere = ({ uf_origem: from }) => !from || from === field("uf_origem")?.value();
  const rules = (await rulesOf(tributo, field, { ncm })).filter((rule) => rule.cest && isHere(rule));
  return withoutCopies(rules.map(({ cest, conteudo }) => ({ codigo: cest, texto: conteudo.descricao ?? "", dentro_de: [] })));
}

function show(out, title, said, table, codes, choose) {
  if (codes.length === 0) return;
  const item = (code) => h("li", {}, button([h("strong", {}, `${table.toUpperCase()} ${pointed(table, code.codigo)}`), " ", textOf(table, code)], () => choose([[table, code.codigo]])));
  put(out, h("h4", {}, title), h("p", {}, said), h("ul", {}, codes.slice(0, MOST).map(item)),
    codes.length > MOST ? h("p", { class: "ajuda" }, `Há mais: escreva no campo ${table.toUpperCase()} palavras do produto.`) : null);
  out.hidden = false;
  announce(title);
}

// The section of a refusal that offers them as soon as they are read; nothing for a refusal of another kind. `field`
// gives the field of the form, by its name.
export function cestHelp({ status, body }, tributo, field, choose) {
  if (!choose || !fieldOf(tributo, "cest")) return null;
  const [cest, ncm] = ["cest", "ncm"].map((name) => field(name)?.value());
  const lacksNcm = status === 422 && !ncm && body?.erros?.some(({ campo }) => campo === "ncm");
  if (!cest || !(lacksNcm || (status === 404 && ncm))) return null;
  const out = h("section", { class: "candidatos", "aria-label": lacksNcm ? "NCM deste CEST" : "CEST deste NCM", hidden: true });
  const dotted = `O CEST ${pointed("cest", cest)}`;
  Promise.all([codesOf({ tabela: "cest", codigo: cest }), lacksNcm ? ncmsOf(tributo, cest, field) : cestsOf(tributo, ncm, field)]).then(([[own], codes]) => {
    const named = own ? `${dotted} (${textOf("cest", own)})` : dotted;
    if (lacksNcm) show(out, "Calcule com um NCM deste CEST", `${named} tem regra para estes NCM. Escolha o do produto.`, "ncm", codes, choose);
    else if (codes.every(({ codigo }) => codigo !== cest)) {
      show(out, "Calcule com um CEST deste NCM", `${named} não tem regra com o NCM ${pointed("ncm", ncm)}: confira o CEST. Se o produto é um destes, calcule com o CEST dele.`, "cest", codes, choose);
    }
  });
  return out;
}

// A refusal for people: the event, the reason that the service gives, and what to do now.

import { requestId } from "./api.js";
import { actions, documents, ruleCard, shown } from "./answer.js";
import { candidateList, faultsOf, hasCandidates, nearList, nearRules } from "./candidates.js";
import { addressOf } from "./case.js";
import { cestHelp } from "./cest.js";
import { announce, button, h, put } from "./dom.js";
import { MISSING } from "./field.js";
import { integer, percent } from "./format.js";
import { askForKey } from "./key.js";
import { KNOWN, knownLine } from "./known.js";
import { load } from "./load.js";
import { paperHead } from "./paper.js";
import { fieldOf as declaredOf, ruleForm, siglaOf, taxOf } from "./taxes.js";

function waiting(headers) {
  const seconds = Number(headers.get("retry-after"));
  if (!seconds) return "em instantes";
  if (seconds < 120) return `em ${integer(seconds)} segundos`;
  if (seconds < 7200) return `em ${integer(Math.ceil(seconds / 60))} minutos`;
  return seconds < 172_800 ? `em ${integer(Math.ceil(seconds / 3600))} horas` : `em ${integer(Math.ceil(seconds / 86_400))} dias`;
}

// The labels of the missing fields, if nothing else is wrong; those of yes or no as questions.
function missing(reply, fieldOf, tributo) {
  const faults = reply.body?.tipo_recusa === "falta_dado" ? faultsOf(reply.body) : [];
  return faults.map(({ campo }) => `${fieldOf(campo)?.label ?? campo}${declaredOf(tributo, campo)?.tipo === "booleano" ? "?" : ""}`);
}

// What to do, by the kind of a refusal.
const KINDS = {
  falta_dado: "Informe o que falta e calcule de novo.",
  fora_do_escopo: "O taxd não calcula este caso por este tributo: se os dados estão certos, não há o que corrigir.",
  valor_nao_estabelecido: "Por isso não há resposta, em vez de um zero. Consulte a norma citada ou o órgão que cobra o tributo.",
  tributo_extinto: "Não há o que calcular nem corrigir: calcule o que veio em seu lugar.",
  dado_invalido: "Corrija o que está marcado no formulário e calcule de novo.",
};

// What to do, by status and name of the refusal.
function advice(reply, calculated) {
  const codigo = reply.body?.codigo;
  switch (reply.status) {
    case 0:
      return "Veja se o servidor está no ar e se esta máquina o alcança, e repita. Nada do que você preencheu se perdeu.";
    case 401:
      return codigo === "chave_ausente"
        ? "Informe a sua chave do taxd no alto da página e repita."
        : "A chave foi digitada com erro, revogada ou venceu. Confira-a, ou peça outra a quem administra o taxd.";
    case 403:
      return "A chave está certa, mas a conta está suspensa. Fale com quem administra o taxd.";
    case 404:
      if (codigo === "municipio_desconhecido") return "Corrija o município e calcule de novo.";
      return codigo === "regra_inexistente" ? null : "Confira o endereço e repita.";
    case 422:
      return calculated ? KINDS[reply.body?.tipo_recusa] ?? KINDS.dado_invalido : "Corrija o filtro e repita.";
    case 429:
      return codigo === "cota_esgotada"
        ? `Com esta chave, os cálculos voltam ${waiting(reply.headers)}, na virada do mês. As consultas continuam. Quem administra o taxd pode aumentar a cota.`
        : `Foram chamadas demais em um minuto. Repita ${waiting(reply.headers)}.`;
    case 503:
      return `O serviço está ocupado ou reiniciando. Repita ${waiting(reply.headers)}.`;
    default:
      return reply.status >= 500
        ? "A falha é do serviço. Repita; se persistir, passe o número do pedido a quem administra o taxd."
        : "Confira o pedido e repita.";
  }
}

function title(reply, missed) {
  if (reply.status === 0) return "O servidor não respondeu";
  if (missed.length > 0) return `Falta informar: ${missed.join("; ")}`;
  if (reply.status === 401) return reply.body?.codigo === "chave_ausente" ? "Falta a chave do taxd" : "A chave do taxd não foi aceita";
  if (reply.body?.campo === KNOWN.nome) {
    return reply.status === 404 ? "Nesse dia o taxd ainda não conhecia nenhuma regra" : `“${KNOWN.rotulo}” precisa de correção`;
  }
  return reply.body?.title ?? `O servidor respondeu ${reply.status}`;
}

// Every faulty field; one that the form has leads there. `titled` says that the title names the missing ones.
function faultList(faults, fieldOf, titled) {
  const item = (fault) => {
    const field = fieldOf(fault.campo);
    const go = (event) => {
      event.preventDefault();
      field.go();
    };
    const name = field ? h("a", { href: `#${field.input.id}`, click: go }, field.label) : h("strong", {}, fault.campo);
    const sentence = field?.sentence(fault) ?? fault.detail;
    return h("li", {}, name, titled && sentence === MISSING ? null : [": ", sentence]);
  };
  return h("ul", { class: "falhas", "aria-label": "Campos com problema" }, faults.map(item));
}

// The refusals that a rule of the office can fill.
const HOLES = new Set(["regra_inexistente", "regra_sem_conteudo"]);
// Letters that are read at one look below bounds or of a lack of rules, and those of the reason why a rule has no figure.
const SHORT = [220, 420];

// A refusal for want of a rule or of a figure: what is missing, what the law bounds it to, and behind a click the rest.
function holeBody({ partes, limites, situacao_st: situation, status }, advised) {
  const [missing, ...more] = partes;
  const bounds = limites || situation ? h("p", { class: "aviso neutro" }, more.pop()) : null;
  const paragraphs = [more.map((text) => h("p", {}, text)), advised ? h("p", { class: "conselho" }, advised) : null];
  return [h("p", { class: "razao" }, missing), bounds,
    [...more, advised].join(" ").length <= SHORT[Number(status === 422 && !bounds)] ? paragraphs : h("details", { class: "porque-falta imprime" },
      h("summary", {}, status === 404 ? "Não quer dizer que não haja imposto: o que fazer" : "Por que falta, e o que fazer"), paragraphs)];
}

// What a refusal says beside its title. `tributo` is that of a calculation; `field` gives the field of the form, by its name; `linked`, that one fault is a link to it, too, and says
// all of a datum that is missing; `law` is the way to a rule of the office.
export function refusalBody(reply, { tributo, uf, calculated, choose = null, field = (name) => null, linked = false, law = null }) {
  const { said: body, status } = reply;
  const faults = body?.erros ?? [];
  const listed = faults.length > (linked && !(choose && hasCandidates(body)) ? 0 : 1);
  // Of a key or a limit the page knows more than the service says: what to press, and when in the reader's time.
  const shorter = (choose && hasCandidates(body)) || nearRules(body).length > 0 ? body.sem_candidatos : null;
  const alone = faults.length === 1 ? field(faults[0].campo)?.sentence(faults[0]) : null;
  const reason = [401, 429].includes(status) || listed ? null : shorter ?? alone ?? body?.detail;
  // Candidates are buttons, and linked fields are asked for by name: both say by themselves what to do.
  const saysWhatToDo = (choose && hasCandidates(body)) || (linked && body?.tipo_recusa === "falta_dado");
  const advised = saysWhatToDo ? null : advice(reply, calculated);
  const filter = { tributo, ...(uf ? { uf } : {}) };
  const hole = calculated && HOLES.has(body?.codigo) && body.partes;
  return [
    // What the title says already is not said again.
    hole ? holeBody(body, advised) : reason && ![`${body?.title}.`, MISSING].includes(reason) ? h("p", { class: "razao" }, reason) : null,
    body?.mva_da_regra ? h("p", {}, `MVA original da regra: ${percent(body.mva_da_regra)}.`) : null,
    law,
    listed ? faultList(faults, field, !linked) : null,
    candidateList(body, field, choose),
    cestHelp(reply, tributo, field, choose),
    nearList(body),
    advised && !hole ? h("p", { class: "conselho" }, advised) : null,
    status === 401 ? h("p", { class: "botoes" }, button("Ir para a chave", askForKey)) : null,
    status === 404 && tributo && body?.campo !== KNOWN.nome
      ? h("p", { class: "so-tela" }, h("a", { href: `#regras?${new URLSearchParams(filter)}` }, `Ver as regras publicadas de ${siglaOf(tributo)}${uf ? ` em ${uf}` : ""}`)) : null,
    body?.regra ? ruleCard(body.regra, !hole) : null,
  ];
}

// For each tax, the one that calculates what it refuses as out of its scope with this code.
const INSTEAD = {
  icms: {
    destinatario_nao_contribuinte: "icms_consumidor_final",
    destinatario_consumidor_final: "icms_consumidor_final",
    regime_simples_nacional: "simples_nacional",
  },
  icms_consumidor_final: { regra_sem_conteudo: "icms", regime_simples_nacional: "simples_nacional" },
  pis: { regime_simples: "simples_nacional" },
  cofins: { regime_simples: "simples_nacional" },
  cbs: { optante_simples: "simples_nacional" },
  ibs: { optante_simples: "simples_nacional" },
};

// The way to the tax that calculates the case, with what the case has of it.
function otherTax(sent, { body }) {
  const named = body?.tipo_recusa === "fora_do_escopo" ? INSTEAD[sent?.payload.tributo]?.[body.codigo] : null;
  if (!named) return null;
  const members = Object.entries(sent.payload).filter(([name]) => declaredOf(named, name));
  return h("p", { class: "botoes" }, h("a", { class: "botao", href: addressOf("calcular", { tributo: named, ...Object.fromEntries(members) }) }, `Calcular ${siglaOf(named)}`));
}

const isHole = (sent, { body }) => taxOf(sent?.asked?.tributo) && !sent.known && HOLES.has(body?.codigo);

// The form of a rule that is being written: it outlasts a calculation of the same case with another figure.
let written = null;

// "Tenho a lei": beside a refusal for want of a rule or of a figure, the way to the form of the rule.
export function lawForm(sent) {
  const kept = written?.follow(sent) ? written.node : null;
  const place = h("div", {}, kept);
  const open = button("Tenho a lei", async () => {
    if (place.firstChild) return;
    open.setAttribute("aria-expanded", "true");
    try {
      const [{ LawForm }, declared] = await Promise.all([load("lei"), ruleForm(sent.asked.tributo)]);
      written = new LawForm(sent, declared);
      put(place, written.node);
      written.all()[0].input.focus();
    } catch {
      open.setAttribute("aria-expanded", "false");
      announce("O formulário não veio do servidor; tente de novo.");
    }
  }, { "aria-expanded": String(kept !== null) });
  return h("section", { class: "so-tela", "aria-label": "Tenho a lei" },
    h("p", { class: "botoes" }, open), h("p", { class: "ajuda" }, "Se o escritório leu a norma, escreva a regra aqui e receba o pacote para importar."), place);
}

// What a sale to a taxpayer elsewhere lacks beside the ICMS of the seller, and the way to the law of the destination.
export function buyersDifference({ tributo, detalhes: parts }, sent) {
  if (tributo !== "icms_consumidor_final" || parts.responsavel_difal !== "destinatario" || parts.valor_difal !== null) return null;
  const { uf_origem: from, uf_destino: to } = sent.payload;
  return [h("div", { class: "aviso alerta" },
    h("p", {}, h("strong", {}, `Falta a diferença de alíquota (DIFAL) e o FCP de ${to}.`), ` Quem compra os recolhe sobre base única ou dupla, como diz a lei de ${to}, que o taxd não leu. O valor acima é só o ICMS devido a ${from}.`)),
  lawForm({ ...sent, escopo: { "escopo.operacao": "interestadual_contribuinte", "escopo.uf_destino": to } })];
}

// Shows a refusal. `context.sent` is the calculation that was refused, if it was one; `context.field` is that of
// `refusalBody`.
export function showProblem(out, reply, context = {}) {
  const { sent, choose, field = () => null } = context;
  const id = requestId(reply);
  put(out,
    h("h3", { tabindex: "-1", class: "recusa" }, title(reply, missing(reply, field, sent?.payload.tributo))),
    sent ? paperHead(sent, shown) : null,
    sent && !faultsOf(reply.body).some(({ campo }) => campo === KNOWN.nome) ? knownLine(sent) : null,
    h("p", { class: reply.status >= 500 ? "meta so-tela" : "meta so-tela tecnico" },
      reply.status ? h("span", { class: "selo erro" }, String(reply.status)) : null,
      reply.body?.codigo ? h("code", {}, reply.body.codigo) : null,
      id ? h("span", {}, "pedido ", h("code", {}, id)) : null),
    refusalBody(reply, { tributo: sent?.payload.tributo, uf: sent?.payload.uf ?? sent?.payload.uf_destino, calculated: Boolean(sent), choose, field,
      law: isHole(sent, reply) ? [reply.body.regra && sent.suppose ? h("p", { class: "botoes so-tela" }, button("Supor outro valor", sent.suppose)) : null, lawForm(sent)] : null }),
    otherTax(sent, reply),
    sent ? [actions(sent, reply), documents(sent, reply)] : null,
  );
}

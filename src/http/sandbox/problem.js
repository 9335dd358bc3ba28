// A refusal for people: the event, the reason that the service gives, and what to do now.

import { requestId } from "./api.js";
import { actions, documents, ruleCard, shown } from "./answer.js";
import { candidateList, faultsOf, withoutList } from "./candidates.js";
import { button, h, put } from "./dom.js";
import { integer } from "./format.js";
import { askForKey } from "./key.js";
import { KNOWN, knownLine } from "./known.js";
import { paperHead } from "./paper.js";
import { sayPlainly } from "./taxes.js";

function waiting(headers) {
  const seconds = Number(headers.get("retry-after"));
  if (!seconds) return "em instantes";
  if (seconds < 120) return `em ${integer(seconds)} segundos`;
  if (seconds < 7200) return `em ${integer(Math.ceil(seconds / 60))} minutos`;
  return seconds < 172_800 ? `em ${integer(Math.ceil(seconds / 3600))} horas` : `em ${integer(Math.ceil(seconds / 86_400))} dias`;
}

// The labels of the missing fields, if nothing else is wrong.
function missing(reply, fieldOf) {
  const faults = reply.body?.tipo_recusa === "falta_dado" ? faultsOf(reply.body) : [];
  return faults.map((fault) => fieldOf(fault.campo)?.label ?? fault.campo);
}

// What to do, by the kind of a refusal.
const KINDS = {
  falta_dado: "O cálculo precisa deste dado: informe-o e calcule de novo.",
  fora_do_escopo: "O taxd não calcula este caso por este tributo: se os dados estão certos, não há o que corrigir. Apure-o por outro meio.",
  valor_nao_estabelecido: "A regra abaixo é a que se aplica, e ela não sustenta um valor: por isso não há resposta, em vez de um zero.",
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
        : "A chave foi digitada com erro, revogada ou chegou ao fim. Confira-a, ou peça outra a quem administra o taxd.";
    case 403:
      return "A chave está certa, mas a conta está suspensa. Fale com quem administra o taxd.";
    case 404:
      return `${codigo === "regra_inexistente" ? "Não quer dizer que não haja imposto: o taxd é que não tem a regra. " : ""}Confira a data, a UF, o município e o código; ou veja em Regras o que está publicado.`;
    case 422:
      return calculated ? KINDS[reply.body?.tipo_recusa] ?? KINDS.dado_invalido : "Corrija o filtro e repita.";
    case 429:
      return codigo === "cota_esgotada"
        ? `Com esta chave, os cálculos voltam ${waiting(reply.headers)}, na virada do mês. As consultas continuam. Se não puder esperar, peça a quem administra o taxd que aumente a cota.`
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
  return reply.body?.title ?? `O servidor respondeu ${reply.status}`;
}

// Every faulty field; one that the form has leads there.
function faultList(faults, fieldOf, say) {
  const item = (fault) => {
    const field = fieldOf(fault.campo);
    const go = (event) => {
      event.preventDefault();
      field.input.focus();
    };
    const name = field ? h("a", { href: `#${field.input.id}`, click: go }, field.label) : h("strong", {}, fault.campo);
    return h("li", {}, name, ": ", say(field?.sentence(fault) ?? fault.detail));
  };
  return h("ul", { class: "falhas", "aria-label": "Campos com problema" }, faults.map(item));
}

// What a refusal says beside its title. `tributo` is that of a calculation; `field` gives the field of the form, by its
// name.
export function refusalBody(reply, { tributo, uf, calculated, choose, field = () => null }) {
  const { body, status } = reply;
  const faults = body?.erros ?? [];
  const say = (text) => sayPlainly(tributo, text);
  // Of a key or a limit the page knows more than the service says: what to press, and when in the reader's time.
  const reason = [401, 429].includes(status) || faults.length > 1 ? null
    : say(withoutList(choose && body, faults.length === 1 ? field(faults[0].campo)?.sentence(faults[0]) ?? body.detail : body?.detail ?? ""));
  return [
    reason ? h("p", { class: "razao" }, reason) : null,
    faults.length > 1 ? faultList(faults, field, say) : null,
    candidateList(body, field, choose, say),
    h("p", { class: "conselho" }, advice(reply, calculated)),
    status === 401 ? h("p", { class: "botoes" }, button("Ir para a chave", askForKey)) : null,
    status === 404 && tributo
      ? h("p", {}, h("a", { href: `#regras?${new URLSearchParams({ tributo, ...(uf ? { uf } : {}) })}` }, "Ver as regras publicadas deste tributo")) : null,
    body?.regra ? ruleCard(body.regra) : null,
  ];
}

// Shows a refusal. `context.sent` is the calculation that was refused, if it was one; `context.field` is that of
// `refusalBody`.
export function showProblem(out, reply, context = {}) {
  const { sent, choose, field = () => null } = context;
  const id = requestId(reply);
  put(out,
    h("h3", { tabindex: "-1", class: "recusa" }, title(reply, missing(reply, field))),
    sent ? paperHead(sent, shown) : null,
    sent && !faultsOf(reply.body).some(({ campo }) => campo === KNOWN.nome) ? knownLine(sent) : null,
    h("p", { class: reply.status >= 500 ? "meta so-tela" : "meta so-tela tecnico" },
      reply.status ? h("span", { class: "selo erro" }, String(reply.status)) : null,
      reply.body?.codigo ? h("code", {}, reply.body.codigo) : null,
      id ? h("span", {}, "pedido ", h("code", {}, id)) : null),
    refusalBody(reply, { tributo: sent?.payload.tributo, uf: sent?.payload.uf, calculated: Boolean(sent), choose, field }),
    sent ? [actions(sent, reply), documents(sent, reply)] : null,
  );
}

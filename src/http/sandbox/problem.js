// A refusal for people: the event, the reason that the service gives, and what to do now.

import { requestId } from "./api.js";
import { actions, documents, ruleCard } from "./answer.js";
import { button, h, put } from "./dom.js";
import { integer } from "./format.js";
import { askForKey } from "./key.js";

function waiting(headers) {
  const seconds = Number(headers.get("retry-after"));
  if (!seconds) return "em instantes";
  if (seconds < 120) return `em ${integer(seconds)} segundos`;
  if (seconds < 7200) return `em ${integer(Math.ceil(seconds / 60))} minutos`;
  return seconds < 172_800 ? `em ${integer(Math.ceil(seconds / 3600))} horas` : `em ${integer(Math.ceil(seconds / 86_400))} dias`;
}

const isMissing = ({ codigo }) => codigo === "campo_obrigatorio" || codigo.endsWith("_ausente");

// The labels of the missing fields, if nothing else is wrong.
function missing(reply, fieldOf) {
  const faults = reply.status === 422 ? reply.body?.erros ?? [] : [];
  return faults.every(isMissing) ? faults.map((fault) => fieldOf(fault.campo)?.label ?? fault.campo) : [];
}

// What to do, by status and name of the refusal.
function advice(reply, calculated, missed) {
  const codigo = reply.body?.codigo;
  switch (reply.status) {
    case 0:
      return "Veja se o servidor está no ar e se esta máquina o alcança, e repita. Nada do que você preencheu se perdeu.";
    case 401:
      return codigo === "chave_ausente"
        ? "Informe a sua chave de acesso no alto da página e repita."
        : "A chave foi digitada com erro, revogada ou chegou ao fim. Confira-a, ou peça outra a quem administra o taxd.";
    case 403:
      return "A chave está certa, mas a conta está suspensa. Fale com quem administra o taxd.";
    case 404:
      return "Confira a data, a UF, o município e o código; ou veja em Regras o que está publicado.";
    case 422:
      if (missed && reply.body.regra) return "A regra abaixo é a que se aplica, e ela precisa deste dado: informe-o e calcule de novo.";
      if (reply.body?.regra) return "A regra abaixo é a que se aplica, e ela não sustenta um valor: por isso não há resposta, em vez de um zero.";
      return calculated ? "Corrija o que está marcado no formulário e calcule de novo." : "Corrija o filtro e repita.";
    case 429:
      return codigo === "cota_esgotada"
        ? `A cota do mês acabou. Uma chave volta a responder ${waiting(reply.headers)}, na virada do mês; ou use uma chave de produção.`
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
  return reply.body?.title ?? `O servidor respondeu ${reply.status}`;
}

// Every faulty field; one that the form has leads there.
function faultList(faults, fieldOf) {
  const item = (fault) => {
    const field = fieldOf(fault.campo);
    const go = (event) => {
      event.preventDefault();
      field.input.focus();
    };
    const name = field ? h("a", { href: `#${field.input.id}`, click: go }, field.label) : h("strong", {}, fault.campo);
    return h("li", {}, name, ": ", field?.sentence(fault.detail) ?? fault.detail);
  };
  return h("ul", { class: "falhas", "aria-label": "Campos com problema" }, faults.map(item));
}

// Shows a refusal. `context.sent` is the calculation that was refused, where it was one;
// `context.field` gives the field of the form, by its name.
export function showProblem(out, reply, context = {}) {
  const body = reply.body;
  const faults = body?.erros ?? [];
  const id = requestId(reply);
  const search = context.sent?.payload;
  const field = context.field ?? (() => null);
  const missed = missing(reply, field);
  put(out,
    h("h3", { tabindex: "-1", class: "recusa" }, title(reply, missed)),
    h("p", { class: "meta" },
      reply.status ? h("span", { class: "selo erro" }, String(reply.status)) : null,
      body?.codigo ? h("code", {}, body.codigo) : null,
      id ? h("span", {}, "pedido ", h("code", {}, id)) : null),
    faults.length > 1 ? null : h("p", {}, body?.detail ?? ""),
    faults.length > 1 ? faultList(faults, field) : null,
    h("p", { class: "conselho" }, advice(reply, Boolean(context.sent), missed.length > 0)),
    reply.status === 401 ? h("p", { class: "botoes" }, button("Ir para a chave", askForKey)) : null,
    reply.status === 404 && search
      ? h("p", {}, h("a", { href: `#regras?${new URLSearchParams({ tributo: search.tributo, ...(search.uf ? { uf: search.uf } : {}) })}` }, "Ver as regras publicadas deste tributo")) : null,
    body?.regra ? ruleCard(body.regra) : null,
    context.sent ? [actions(context.sent, reply), documents(context.sent, reply)] : null,
  );
}

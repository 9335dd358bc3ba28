// The caller's key. The session keeps it only where the user asks for that. No address, log or text to copy ever holds it.

import { call, currentKey as keyOfCalls, useKey } from "./api.js";
import { byId, controlById } from "./dom.js";
import { integer } from "./format.js";
import { disclosure } from "./menu.js";

const SLOT = "taxd-chave";
const listeners = [];
const welcomes = [];

export const currentKey = keyOfCalls;

export const onKeyChange = (listener) => listeners.push(listener);

// Listens for a key that turned out to be good.
export const onGoodKey = (listener) => welcomes.push(listener);

export const SECRET = "Parece uma chave do taxd: o lugar dela é no alto da página.";

const hasBoth = (run) => /\d/.test(run) && /[a-z]/i.test(run);

// True for a text that may be a key, or half of one: where the service would not repeat it either.
export const looksSecret = (text) => /svc_|whsec_|bearer /i.test(text) || (String(text).match(/[a-z0-9]{20,}/gi) ?? []).some(hasBoth);

const shown = (text) => (looksSecret(text) ? "[removido]" : text);

// A payload as it may be shown and copied: a value that may be a key is sent, but never shown.
export const masked = (payload) => Object.fromEntries(Object.entries(payload).map(([name, value]) => [shown(name), shown(value)]));

function remember() {
  const [wanted, key] = [controlById("chave-lembrar").checked, currentKey()];
  if (wanted && key) sessionStorage.setItem(SLOT, key);
  else sessionStorage.removeItem(SLOT);
  byId("chave-onde").textContent = wanted
    ? "Fica guardada nesta aba até você fechá-la ou desmarcar aqui."
    : "Fica só na memória desta aba, e some ao recarregar.";
}

// What is left of the quota of this key, counted on by each calculation.
let quota = null;

function showQuota() {
  const left = Math.max(0, quota.limite - quota.usada);
  byId("chave-resta").textContent = quota.limite === null ? "sem limite" : integer(left);
  byId("chave-cota").textContent = quota.limite === null ? "Sem limite de cálculos no mês."
    : `${left === 1 ? "Resta 1 cálculo" : `Restam ${integer(left)} cálculos`} de ${integer(quota.limite)} neste mês.`;
}

// Counts calculations against the quota shown. What is refused with these statuses uses none up.
export function countCall(status, calls = 1) {
  if (!quota || [0, 401, 403, 429].includes(status)) return;
  quota = { ...quota, usada: quota.usada + calls };
  showQuota();
}

// Asks the service what is left, after files of which it alone knows what they used up.
export async function recount() {
  if (!quota) return;
  const [asked, reply] = [currentKey(), await call("/sandbox/v1/usage?recentes=1")];
  if (asked !== currentKey() || !reply.body?.chave) return;
  quota = reply.body.chave.cota;
  showQuota();
}

// Shows the card that asks for a key.
let showCard = (open) => {};

function showField(fault) {
  byId("chave-conta").hidden = byId("chave-trocar").hidden = true;
  showCard(true);
  byId("chave-falha").textContent = fault ?? "";
  byId("chave-falha").hidden = !fault;
}

// A good key is a chip in the head of the page, which brings the card back.
function showAccount({ nome, chave }) {
  byId("chave-nome").textContent = chave.nome ? `${nome}, chave de ${chave.nome}` : nome;
  byId("chave-de").textContent = chave.nome || nome;
  quota = chave.cota;
  showQuota();
  const within = byId("chave-formulario").contains(document.activeElement);
  showField();
  byId("chave-conta").hidden = byId("chave-trocar").hidden = false;
  showCard(false);
  if (within) byId("chave-trocar").focus();
  welcomes.forEach((listener) => listener());
}

const FAULTS = {
  401: "Esta chave não é aceita: foi digitada com erro, revogada ou venceu.",
  403: "A chave está certa, mas a conta está suspensa.",
};

// Asks whose key it is, which uses no quota up. A key that goes on being typed meanwhile is asked for again.
async function checkKey() {
  const asked = currentKey();
  quota = null;
  if (!asked) return showField();
  if (/^\d{44}$/.test(asked.replace(/\s/g, ""))) {
    return showField("Esta é a chave de acesso de uma nota fiscal, com 44 dígitos. Aqui entra a chave do taxd, que começa por svc_.");
  }
  byId("chave-formulario").setAttribute("aria-busy", "true");
  const reply = await call("/sandbox/v1/usage?recentes=1");
  if (asked !== currentKey()) return undefined;
  byId("chave-formulario").removeAttribute("aria-busy");
  return reply.status === 200 && reply.body?.chave ? showAccount(reply.body) : showField(FAULTS[reply.status]);
}

export function mountKey() {
  const input = controlById("chave");
  const show = byId("chave-mostrar");
  let checked = "";
  showCard = disclosure(byId("chave-trocar"), (open) => {
    byId("chave-formulario").hidden = !open;
    if (!open || byId("chave-trocar").hidden) return;
    // The same key, given once more, is asked for again.
    checked = undefined;
    input.focus();
    input.select();
  });
  const kept = sessionStorage.getItem(SLOT);
  if (kept) {
    useKey(input.value = kept);
    byId("chave-formulario").hidden = true;
    controlById("chave-lembrar").checked = true;
    checkKey();
  }
  input.addEventListener("input", () => {
    useKey(input.value.trim());
    remember();
  });
  checked = currentKey();
  const given = () => {
    useKey(input.value.trim());
    remember();
    if (currentKey() === checked) return;
    checked = currentKey();
    checkKey();
    listeners.forEach((listener) => listener());
  };
  input.addEventListener("change", given);
  byId("chave-formulario").addEventListener("submit", (event) => {
    event.preventDefault();
    given();
  });
  controlById("chave-lembrar").addEventListener("change", remember);
  show.addEventListener("click", () => {
    const shown = input.type === "password";
    input.type = shown ? "text" : "password";
    show.textContent = shown ? "Ocultar" : "Mostrar";
    show.setAttribute("aria-label", `${show.textContent} a chave`);
  });
  remember();
}

export function askForKey() {
  if (byId("chave-formulario").hidden) showCard(true);
  else controlById("chave").focus();
}

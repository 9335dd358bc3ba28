// The caller's key. It lives in this variable and goes into one header; the session keeps it only
// where the user asks for that. No address, log or text to copy ever holds it.

import { byId } from "./dom.js";

const SLOT = "taxd-chave";
const listeners = [];
let key = "";

export const currentKey = () => key;

export const onKeyChange = (listener) => listeners.push(listener);

export const SECRET = "Parece uma chave de acesso: o lugar dela é no alto da página.";

const hasBoth = (run) => /\d/.test(run) && /[a-z]/i.test(run);

// True for a text that may be a key, or half of one: where the service would not repeat it either.
export const looksSecret = (text) => /svc_|whsec_|bearer /i.test(text) || (String(text).match(/[a-z0-9]{20,}/gi) ?? []).some(hasBoth);

const shown = (text) => (looksSecret(text) ? "[removido]" : text);

// A payload as it may be shown and copied: what may be a key is sent, and stands nowhere else.
export const masked = (payload) => Object.fromEntries(Object.entries(payload).map(([name, value]) => [shown(name), shown(value)]));

function remember() {
  const wanted = byId("chave-lembrar").checked;
  if (wanted && key) sessionStorage.setItem(SLOT, key);
  else sessionStorage.removeItem(SLOT);
  byId("chave-onde").textContent = wanted
    ? "Fica guardada nesta aba (sessionStorage) até você fechá-la ou desmarcar aqui."
    : "Fica só na memória desta aba, some ao recarregar, e vai só a este servidor.";
}

export function mountKey() {
  const input = byId("chave");
  const show = byId("chave-mostrar");
  const kept = sessionStorage.getItem(SLOT);
  if (kept) {
    key = input.value = kept;
    byId("chave-lembrar").checked = true;
  }
  input.addEventListener("input", () => {
    key = input.value.trim();
    remember();
  });
  const told = () => {
    key = input.value.trim();
    remember();
    listeners.forEach((listener) => listener());
  };
  input.addEventListener("change", told);
  byId("chave-formulario").addEventListener("submit", (event) => {
    event.preventDefault();
    told();
  });
  byId("chave-lembrar").addEventListener("change", remember);
  show.addEventListener("click", () => {
    const shown = input.type === "password";
    input.type = shown ? "text" : "password";
    show.textContent = shown ? "Ocultar" : "Mostrar";
    show.setAttribute("aria-label", `${show.textContent} a chave`);
  });
  remember();
}

export function askForKey() {
  byId("chave").focus();
}

// One field of a form: its control, the value that is sent, and the mark of a fault.

import { h } from "./dom.js";
import { decimalInput, date, knownInstant, readCode, readDate, readDecimal, readInstant, readWord } from "./format.js";
import { looksSecret, SECRET } from "./key.js";
import { isRequired } from "./taxes.js";
import { words, yesNo } from "./words.js";

// Of a field that is empty and may not be.
export const MISSING = "Falta informar este campo.";

const isNumber = (field) => field.tipo === "decimal" || field.tipo === "aliquota";

function defaultText(field) {
  if (field.padrao === undefined) return "";
  const value = JSON.parse(field.padrao);
  if (typeof value === "boolean") return yesNo(value);
  if (isNumber(field)) return decimalInput(value);
  return field.tipo === "opcoes" ? words(value) : String(value);
}

// What an answer takes for granted of fields that were not given, but for amounts of zero.
export const assumed = ({ campos }, payload) => campos.filter(({ nome, padrao }) => padrao && padrao !== '"0"' && !(nome in payload)).map((field) => `${field.rotulo}: ${defaultText(field)}`);

function absent(field) {
  if (field.obrigatorio) return "escolha…";
  if (field.vazio) return field.vazio;
  return field.padrao === undefined || field.pergunta ? "não informar" : `padrão: ${defaultText(field)}`;
}

function control(field, attributes) {
  const options = (list) => [["", absent(field)], ...list].map(([value, text]) => h("option", { value }, text));
  switch (field.tipo) {
    case "opcoes":
      return h("select", attributes, options(field.valores.map((word) => [word, words(word)])));
    case "booleano":
      return h("select", attributes, options([["true", "Sim"], ["false", "Não"]]));
    default:
      return h("input", {
        type: "text",
        inputmode: isNumber(field) ? "decimal" : field.tipo === "inteiro" ? "numeric" : undefined,
        placeholder: placeholder(field),
        spellcheck: "false",
        ...attributes,
      });
  }
}

function placeholder(field) {
  if (field.padrao !== undefined) return `padrão: ${defaultText(field)}`;
  if (isNumber(field)) return "0,00";
  if (field.tipo === "data") return "dd/mm/aaaa";
  if (field.tipo === "instante") return "dd/mm/aaaa ou dd/mm/aaaa hh:mm";
  return field.exemplo ? `como ${field.exemplo}` : undefined;
}

function read(field, typed) {
  const text = typed.trim();
  if (text === "") return undefined;
  switch (field.tipo) {
    case "decimal":
    case "aliquota":
      return readDecimal(text).sent;
    case "data":
      return readDate(text);
    case "instante":
      return readInstant(text);
    case "inteiro":
      return /^\d{1,15}$/.test(text) ? Number(text) : text;
    case "booleano":
      return text === "true";
    case "codigo":
      return readCode(field.exemplo, text).sent;
    default:
      return text;
  }
}

function shownIn(field, value) {
  if (value === undefined || value === null) return "";
  if (isNumber(field)) return decimalInput(value);
  if (field.tipo === "opcoes") return readWord(field.valores, String(value));
  if (field.tipo === "instante") return knownInstant(value);
  return field.tipo === "data" ? date(value) : String(value);
}

const note = (field, text) => (isNumber(field) ? readDecimal(text) : field.tipo === "codigo" ? readCode(field.exemplo, text) : {}).note;

// The control has the id `PREFIX-NAME`.
export function makeField(field, changed, prefix) {
  const id = `${prefix}-${field.nome}`;
  const parts = { official: `${id}-oficial`, help: `${id}-ajuda`, need: `${id}-falta`, sent: `${id}-envia`, fault: `${id}-falha` };
  const { rotulo: label, ajuda: help } = field;
  const official = field.tipo === "codigo" || field.nome === "municipio" ? h("p", { id: parts.official, class: "oficial" }) : null;
  const described = [official && parts.official, help && parts.help, parts.need, parts.sent].filter(Boolean).join(" ");
  const input = control(field, {
    id,
    name: field.nome,
    "aria-describedby": described,
    "aria-required": field.obrigatorio ? "true" : undefined,
  });
  // Not a live region: it would speak at each keystroke. The field is described by it.
  const sent = h("p", { id: parts.sent, class: "envia" });
  const need = h("p", { id: parts.need, class: "falta" });
  const fault = h("p", { id: parts.fault, class: "falha", hidden: true });

  // A datum that only this case needs is asked for with its reason.
  const sentence = (fault) => {
    const required = field.obrigatorio || (fault.codigo === "campo_obrigatorio" && isRequired(field.nome));
    return required && input.value.trim() === "" ? MISSING : fault.detail;
  };
  const showSent = () => {
    if (looksSecret(input.value)) {
      sent.classList.remove("tecnico");
      sent.textContent = SECRET;
      return;
    }
    const value = read(field, input.value);
    const differs = value !== undefined && String(value) !== input.value.trim();
    const said = note(field, input.value);
    sent.classList.toggle("tecnico", !said);
    sent.textContent = differs ? `envia ${value}${said ? ` (${said})` : ""}` : "";
  };
  const unmark = () => {
    input.removeAttribute("aria-invalid");
    input.setAttribute("aria-describedby", described);
    fault.hidden = true;
    fault.textContent = "";
  };
  // Some ways of filling a form fire only the change event.
  for (const event of ["input", "change"]) {
    input.addEventListener(event, () => {
      unmark();
      showSent();
      changed();
    });
  }

  return {
    name: field.nome,
    required: Boolean(field.obrigatorio),
    input,
    official,
    label,
    node: h("div", { class: "campo" },
      h("label", { for: id }, label, field.obrigatorio ? h("span", { class: "obrigatorio", "aria-hidden": "true" }, "\u00a0*") : null),
      input,
      h("div", { class: "notas" }, fault, need, official, sent, help ? h("p", { id: parts.help, class: "ajuda" }, help) : null)),
    value: () => read(field, input.value),
    sentence,
    write(value) {
      const text = shownIn(field, value);
      input.value = text;
      // A list that lacks the value shows it all the same: nothing of a case is dropped unseen.
      if (input.value !== text) {
        input.append(h("option", { value: text }, `${text} (fora da lista)`));
        input.value = text;
      }
      unmark();
      showSent();
    },
    mark(text) {
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-describedby", `${parts.fault} ${described}`);
      fault.textContent = text;
      fault.hidden = false;
    },
    unmark,
    // Says that the case lacks the field, and why; nothing if it does not.
    need(text) {
      need.textContent = text ?? "";
      if (text || field.obrigatorio) input.setAttribute("aria-required", "true");
      else input.removeAttribute("aria-required");
    },
  };
}

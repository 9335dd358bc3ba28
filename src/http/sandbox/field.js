// One field of a form: its control, the value that is sent, and the mark of a fault.

import { h } from "./dom.js";
import { decimalInput, date, readDate, readDecimal } from "./format.js";
import { looksSecret, SECRET } from "./key.js";
import { words, yesNo } from "./words.js";

const isNumber = (field) => field.tipo === "decimal" || field.tipo === "aliquota";

function defaultText(field) {
  if (field.padrao === undefined) return "";
  const value = JSON.parse(field.padrao);
  if (typeof value === "boolean") return yesNo(value);
  if (isNumber(field)) return decimalInput(value);
  return field.tipo === "opcoes" ? words(value) : String(value);
}

function absent(field) {
  if (field.obrigatorio) return "escolha…";
  return field.padrao === undefined ? "não informar" : `padrão: ${defaultText(field)}`;
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
  return field.exemplo ? `como ${field.exemplo}` : undefined;
}

// Codes may be typed with the points that people write in them (2203.00.00).
function readCode(field, text) {
  const bare = text.replace(/[.\s/-]/g, "");
  return /^\d+$/.test(field.exemplo) && /^\d+$/.test(bare) ? bare : text;
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
    case "inteiro":
      return /^\d{1,15}$/.test(text) ? Number(text) : text;
    case "booleano":
      return text === "true";
    case "codigo":
      return readCode(field, text);
    default:
      return text;
  }
}

function shownIn(field, value) {
  if (value === undefined || value === null) return "";
  if (isNumber(field)) return decimalInput(value);
  return field.tipo === "data" ? date(value) : String(value);
}

export function makeField(field, changed) {
  const id = `campo-${field.nome}`;
  const parts = { help: `${id}-ajuda`, sent: `${id}-envia`, fault: `${id}-falha` };
  const { rotulo: label, ajuda: help } = field;
  const described = [help && parts.help, parts.sent].filter(Boolean).join(" ");
  const list = field.nome === "municipio" ? h("datalist", { id: `${id}-lista` }) : null;
  const input = control(field, {
    id,
    name: field.nome,
    list: list?.id,
    "aria-describedby": described,
    "aria-required": field.obrigatorio ? "true" : undefined,
  });
  const sent = h("output", { id: parts.sent, for: id, class: "envia" });
  const fault = h("p", { id: parts.fault, class: "falha", hidden: true });

  // The service speaks of a field that is not there to who writes JSON; here it is an empty one.
  const sentence = (detail) => (input.value.trim() === "" && field.obrigatorio ? "Falta informar este campo." : detail);
  const showSent = () => {
    if (looksSecret(input.value)) {
      sent.textContent = SECRET;
      return;
    }
    const value = read(field, input.value);
    const differs = value !== undefined && String(value) !== input.value.trim();
    const note = isNumber(field) ? readDecimal(input.value).note : undefined;
    sent.textContent = differs ? `envia ${value}${note ? ` (${note})` : ""}` : "";
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
    input,
    list,
    label,
    node: h("div", { class: "campo" },
      h("label", { for: id }, label, field.obrigatorio ? h("span", { class: "obrigatorio", "aria-hidden": "true" }, "\u00a0*") : null),
      input,
      h("div", { class: "notas" }, fault, sent, help ? h("p", { id: parts.help, class: "ajuda" }, help) : null, list)),
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
    mark(detail) {
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-describedby", `${parts.fault} ${described}`);
      fault.textContent = sentence(detail);
      fault.hidden = false;
    },
    unmark,
  };
}

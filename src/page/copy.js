// Copying text, also if the page comes over plain HTTP and the browser offers no clipboard.

import { announce, button, h } from "./dom.js";

async function copied(text, beside) {
  if (window.isSecureContext && navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused by the browser: the way of the selection is left.
    }
  }
  const area = h("textarea", { class: "fora", readonly: true, "aria-hidden": "true", tabindex: "-1" });
  area.value = text;
  beside.after(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  beside.focus();
  return done;
}

// A button that copies what `text` gives, and says so; where nothing can be copied, it shows the
// text selected, for the user to copy.
export function copyButton(label, text) {
  const made = button(label, async () => {
    if (await copied(text(), made)) {
      made.textContent = "Copiado";
      announce(`${label}: copiado.`);
      made.addEventListener("blur", () => { made.textContent = label; }, { once: true });
      return;
    }
    const area = h("textarea", { class: "a-mao", readonly: true, rows: "6", "aria-label": `${label}: copie à mão` });
    area.value = text();
    made.after(area);
    area.focus();
    area.select();
  });
  return made;
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// The call as a line for a shell; the key is that of the shell's own variable.
export const curlOf = (path, payload) => [
  `curl -sS ${quoted(location.origin + path)}`,
  "-H \"X-API-Key: $TAXD_KEY\"",
  "-H 'Content-Type: application/json'",
  `-d ${quoted(JSON.stringify(payload))}`,
].join(" \\\n  ");

// What only developers read (class `tecnico`) is shown if they ask for it.

import { controlById } from "./dom.js";
import { keepText, keptText } from "./kept.js";

const SLOT = "taxd-detalhes";

export function mountTechnical() {
  const box = controlById("tecnico");
  const show = () => document.documentElement.toggleAttribute("data-tecnico", box.checked);
  box.checked = keptText(SLOT) === "sim";
  box.addEventListener("change", () => {
    show();
    keepText(SLOT, box.checked ? "sim" : "");
  });
  show();
}

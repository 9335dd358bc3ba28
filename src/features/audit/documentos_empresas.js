// What no document says of its issuer, as the part Clientes keeps it. It goes to the service as the file of `taxd audit --empresa`
// has it.

import { allCompanies, auditFacts, companyFields, companyLists, YES_NO } from "./clients.js";
import { openCompany, placeCompanies } from "./companies.js";
import { byId, controlById, h } from "./dom.js";

// The file of the companies that was chosen, which is sent in their place.
let chosen = null;

// The lines of the file, each with the id of its control.
function written() {
  const lines = [];
  const table = (values, fields, id) => fields.filter(([name]) => values[name]).forEach(([name, , options, read]) => {
    const value = (read ?? String)(values[name]);
    if (value !== "") lines.push([`${name} = ${options === YES_NO ? value : JSON.stringify(value)}`, `${id}-${name}`]);
  });
  allCompanies().forEach((one, at) => {
    const before = lines.length;
    lines.push(["[[empresa]]", `empresa-${at}-cnpj`]);
    table(auditFacts(one), companyFields(), `empresa-${at}`);
    for (const [name, , fields] of companyLists()) {
      (one[name] ?? []).forEach((entry, place) => {
        const id = `empresa-${at}-${name}-${place}`;
        lines.push([`[[empresa.${name}]]`, `${id}-${fields[0][0]}`]);
        table(entry, fields, id);
      });
    }
    if (lines.length === before + 1) lines.pop();
  });
  return lines;
}

export const companiesPart = () => chosen ?? written().map(([text]) => text).join("\n");

// The faults of the file, each at its control.
export function showFaults(faults) {
  const lines = chosen ? [] : written();
  const item = ({ campo, detail }) => {
    const id = lines[Number(campo) - 1]?.[1] ?? "";
    openCompany(id);
    const control = controlById(id);
    control?.setAttribute("aria-invalid", "true");
    const go = (event) => {
      event.preventDefault();
      /** @type {HTMLDetailsElement} */ (byId("documentos-empresas")).open = true;
      control.focus();
    };
    return h("li", {}, control ? [h("a", { href: `#${control.id}`, click: go }, control.labels[0].textContent), ": "] : chosen ? `${chosen.name}, linha ${campo}: ` : null, detail);
  };
  return faults.length > 0 ? h("ul", { class: "falhas" }, faults.map(item)) : null;
}

export function companyForm() {
  const place = h("div", { id: "documentos-empresas-lista" });
  const picked = h("input", { id: "empresas-arquivo", type: "file", accept: ".csv,.toml", change: () => {
    chosen = picked.files[0] ?? null;
    place.hidden = chosen !== null;
  } });
  return h("details", { id: "documentos-empresas" },
    h("summary", {}, "O que as notas não dizem da empresa"),
    h("p", { class: "ajuda" }, "Sem isto, o relatório diz o que faltou para conferir. É o que está em ", h("a", { href: "#clientes" }, "Clientes"), ": fica neste navegador, e vai ao servidor só para cada conferência."),
    h("div", { class: "campo" }, h("label", { for: picked.id }, "Planilha das empresas em CSV, em vez dos campos"), picked),
    place);
}

export const showCompanies = () => placeCompanies(byId("documentos-empresas-lista"));

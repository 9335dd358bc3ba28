// The client that is chosen in the head of the page: its facts fill what is empty in a form.

import { USUAL } from "./case.js";
import { chooseClient, chosenClient, clients, factsOf, nameOf, onClients } from "./clients.js";
import { announce, byId, controlById, h, put } from "./dom.js";

// Parts with a form of one case, and the filters of others that are a client's UF.
const FORMS = ["calcular", "operacao"];
const FILTERS = { calendario: "uf=UF&pais=true", mudancas: "uf=UF&pais=true", tratamento: "uf_origem=UF&uf_destino=UF" };
// What gives a form other fields.
const CHANGES = ["tributo", "operacao-tipo"];
// Of a form with the first of these, the others follow from it.
const FOLLOWS = { regime_vendedor: ["regime_simples_nacional", "optante_simples"] };

// What a field was filled with: another client may change it as long as the reader has not.
/** @type {WeakMap<any, string>} */
const filled = new WeakMap();

function fillField(control, value) {
  const usual = control?.closest("#pedido") ? String(USUAL[controlById("tributo").value]?.[control.name] ?? "") : "";
  const isOwn = control && ["", usual, filled.get(control)].includes(control.value);
  if (!isOwn || control.closest("[hidden]") || control.value === (value ?? "")) return false;
  control.value = value ?? usual;
  // A list without that value stays empty.
  if (control.value !== (value ?? usual)) control.value = "";
  filled.set(control, control.value);
  control.dispatchEvent(new Event("change", { bubbles: true }));
  return control.value !== "";
}

// The facts of the client that is chosen for fields of these names; not those that follow from another.
export function factsFor(names) {
  const facts = Object.entries(factsOf(chosenClient() ?? {})).filter(([name, value]) => names.includes(name) && value);
  const left = facts.flatMap(([name]) => FOLLOWS[name] ?? []);
  return facts.filter(([name]) => !left.includes(name));
}

// Fills the form of a part, and says what it took from the client.
export function fillForm(part) {
  const client = chosenClient();
  const form = FORMS.includes(part) ? byId(part).querySelector("form") : null;
  form?.querySelector(".do-cliente")?.remove();
  if (!client || !form) return;
  const facts = factsOf(client);
  const named = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
  const left = Object.entries(FOLLOWS).filter(([name]) => named(name)).flatMap(([, names]) => names);
  Object.entries(facts).filter(([name]) => !left.includes(name))
    // A city is of its State.
    .forEach(([name, value]) => fillField(named(name), name === "municipio" && named("uf")?.value !== client.uf ? undefined : value));
  const taken = Object.keys(facts).map(named).filter((control) => control?.value && control.value === filled.get(control));
  if (taken.length === 0) return;
  const said = `De ${nameOf(client)}: ${taken.map((control) => control.labels[0].firstChild.textContent).join(", ")}.`;
  form.querySelector(".campos").before(h("p", { class: "ajuda do-cliente" }, said));
  announce(said);
}

// What narrows a part that is opened without filters to the client.
export function queryOf(part) {
  const uf = chosenClient()?.uf;
  return uf ? (FILTERS[part] ?? "").replaceAll("UF", uf) : "";
}

// Fills the choice of a client, which is there if there is any. `changed` is called when another one is chosen.
export function mountClient(changed) {
  const select = controlById("cliente");
  const names = () => ["", ...clients().map(nameOf)];
  const show = () => {
    const [all, chosen] = [names(), chosenClient()];
    // A list that is open stays as it is unless there are other clients.
    if (String(all) !== String([...select.querySelectorAll("option")].map(({ value }) => value))) put(select, all.map((name) => h("option", { value: name }, name || "Nenhum cliente")));
    select.value = chosen ? nameOf(chosen) : "";
    byId("cliente-campo").hidden = all.length === 1;
    byId("cliente-papel").textContent = chosen ? nameOf(chosen) : "";
  };
  select.addEventListener("change", () => {
    chooseClient(select.value);
    changed();
  });
  // An example is nobody's, and what was cleared is the client's again.
  document.addEventListener("click", ({ target }) => {
    const [form, said] = [/** @type {Element} */ (target).closest("#pedido, #operacao-formulario"), /** @type {Element} */ (target).id];
    if (/exemplo$/.test(said)) form?.querySelector(".do-cliente")?.remove();
    else if (form && /limpar$/.test(said)) fillForm(form.closest("section").id);
  });
  document.addEventListener("change", ({ target }) => {
    const { id } = /** @type {Element} */ (target);
    if (CHANGES.includes(id)) fillForm(FORMS.find((part) => byId(part).contains(/** @type {Element} */ (target))));
  });
  onClients(show);
  show();
}

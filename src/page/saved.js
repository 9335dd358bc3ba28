// Cases that the reader keeps in this browser, as their addresses: in them a key never is.

import { announce, button, h, put } from "./dom.js";
import { keepText, keptText } from "./kept.js";
import { looksSecret, SECRET } from "./key.js";

const SLOT = "taxd-casos";
const MOST = 500;
const MOST_BYTES = 1 << 20;
const LONGEST = 120;

const places = [];

const isCase = (one) => typeof one?.nome === "string" && one.nome.trim() !== "" && one.nome.length <= LONGEST && !looksSecret(one.nome)
  && /^#(calcular|operacao)\?./.test(one.endereco) && one.endereco.length <= 8000 && !looksSecret(decodeURIComponent(one.endereco));

// The cases of a text; null if it has none that the page can open.
function casesOf(text) {
  try {
    const { casos } = JSON.parse(text);
    return casos.every(isCase) ? casos.map(({ nome, endereco }) => ({ nome: nome.trim(), endereco })) : null;
  } catch {
    return null;
  }
}

export const keptCases = () => casesOf(keptText(SLOT) ?? "") ?? [];

const textOf = (casos) => JSON.stringify({ casos }, null, 1);

// Keeps these cases, and says so in every part that shows them.
function keep(casos, said, undo) {
  const done = casos.length <= MOST && keepText(SLOT, textOf(casos));
  places.forEach((place) => place.show(done ? said : casos.length > MOST
    ? `São casos demais: cabem ${MOST}. Exporte ou exclua alguns; nada se perdeu.`
    : "Este navegador não deixa guardar nada aqui. Exporte os casos para um arquivo.", done ? undo : undefined));
  announce(said);
  return done;
}

function download() {
  const url = URL.createObjectURL(new Blob([textOf(keptCases())], { type: "application/json" }));
  h("a", { href: url, download: "casos-taxd.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

async function upload(file, say) {
  const found = file.size <= MOST_BYTES ? casesOf(await file.text()) : null;
  if (!found) return say("Este arquivo não é uma lista de casos desta página. Os que você tem continuam aqui.");
  const now = keptCases();
  const fresh = found.filter((one) => !now.some(({ nome, endereco }) => nome === one.nome && endereco === one.endereco));
  return keep([...now, ...fresh], `${fresh.length} de ${found.length} casos do arquivo foram acrescentados.`);
}

function row(one, at) {
  // At the address of the case already, the form may have been changed since: the case is opened again.
  const open = () => {
    if (location.hash === one.endereco) history.replaceState(null, "", one.endereco.split("?")[0]);
  };
  const name = h("a", { href: one.endereco, click: open }, one.nome);
  const rename = () => {
    const input = h("input", { type: "text", maxlength: String(LONGEST), "aria-label": `Novo nome de ${one.nome}` });
    input.value = one.nome;
    const done = (event) => {
      event.preventDefault();
      const nome = input.value.trim();
      const list = line.parentNode;
      if (isCase({ ...one, nome }) && keep(keptCases().with(at, { ...one, nome }), "Caso renomeado.")) list.children[at].querySelector("a").focus();
    };
    const leave = (event) => {
      if (event.key !== "Escape") return;
      put(line, shown);
      shown[1].focus();
    };
    put(line, h("form", { class: "com-botao", submit: done, keydown: leave }, input, button("Mudar", undefined, { type: "submit" })));
    input.select();
  };
  const remove = () => {
    const before = keptCases();
    const said = line.parentNode.previousElementSibling;
    keep(before.toSpliced(at, 1), `“${one.nome}” foi excluído.`, () => keep(before, "O caso voltou."));
    said.querySelector("button")?.focus();
  };
  const shown = [name,
    button("Renomear", rename, { "aria-label": `Renomear ${one.nome}` }),
    button("Excluir", remove, { "aria-label": `Excluir ${one.nome}` })];
  const line = h("li", { class: "guardado" }, shown);
  return line;
}

// Shows the cases in `place`. `address` gives that of the case in the form.
export function mountSaved(place, address) {
  const id = `${place.id}-nome`;
  const said = h("p", { class: "ajuda", role: "status" });
  const list = h("ul", { class: "guardados" });
  const name = h("input", { id, type: "text", maxlength: String(LONGEST) });
  const file = h("input", { id: `${place.id}-arquivo`, type: "file", accept: ".json,application/json", hidden: true });
  const title = h("summary", {});
  const show = (text, undo) => {
    const casos = keptCases();
    title.textContent = casos.length === 0 ? "Casos guardados" : `Casos guardados (${casos.length})`;
    put(list, casos.map(row));
    put(said, text, undo ? [" ", button("Desfazer", () => {
      undo();
      list.querySelector("a").focus();
    })] : null);
  };
  const save = (event) => {
    event.preventDefault();
    const one = { nome: name.value.trim(), endereco: address() };
    if (looksSecret(one.nome)) return show(SECRET);
    if (!isCase(one)) return show("Dê um nome ao caso, de até 120 letras.");
    if (keep([...keptCases(), one], `“${one.nome}” foi guardado neste navegador.`)) name.value = "";
    return undefined;
  };
  file.addEventListener("change", async () => {
    if (file.files[0]) await upload(file.files[0], show);
    file.value = "";
  });
  places.push({ show });
  put(place, h("details", { class: "so-tela" }, title,
    h("form", { class: "guardar", submit: save, novalidate: true }, h("label", { for: id }, "Guardar este caso com o nome"), h("div", { class: "com-botao" }, name, button("Guardar", undefined, { type: "submit" }))),
    said, list,
    h("div", { class: "botoes" }, button("Exportar para arquivo", download), button("Importar de arquivo", () => file.click()), file),
    h("p", { class: "ajuda" }, "Ficam só neste navegador, sem a chave.")));
  show();
}

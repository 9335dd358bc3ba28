// Files that go to the service and come from it. The key goes in a header, so no plain link can fetch one.

import { keyHeaders, noReply, replyOf, withQuery } from "./api.js";
import { fileName } from "./clients.js";
import { button, h, put } from "./dom.js";
import { showProblem } from "./problem.js";

// Posts a file and gives `take` each line of JSON of the answer as it comes, with its text. Resolves with the reply of
// a refusal; with status 200 at the end, also of an answer that was cut off or stopped.
export async function postForLines(path, body, take, signal) {
  const started = performance.now();
  try {
    const response = await fetch(path, { method: "POST", body, headers: keyHeaders(), cache: "no-store", signal });
    if (!response.ok) return await replyOf(response, started);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split("\n");
      rest = lines.pop();
      for (const line of lines) take(JSON.parse(line), line);
    }
    return { status: 200, body: {}, headers: response.headers, ms: performance.now() - started };
  } catch {
    return signal?.aborted ? { ...noReply(started), status: 200 } : noReply(started);
  }
}

function saveBlob(name, blob) {
  const href = URL.createObjectURL(blob);
  const link = h("a", { href, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

export const saveText = (name, text, type) => saveBlob(name, new Blob([text], { type }));

// Fetches a file and saves it under that name. Resolves with the reply of a refusal, or null.
export async function save(name, path, options = {}) {
  const started = performance.now();
  try {
    const response = await fetch(path, { ...options, headers: keyHeaders(), cache: "no-store" });
    if (!response.ok) return await replyOf(response, started);
    saveBlob(name, await response.blob());
    return null;
  } catch {
    return noReply(started);
  }
}

// A table as lines of JSON, compressed: a long one has the same texts in every row.
function packed(lines) {
  const table = new Blob(lines);
  return new Response(table.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

// Buttons that save a table as a spreadsheet. `table()` gives, at once or later, its columns, {nome, tipo}, its rows of cells (a text as the
// service writes it, null for none, or the text of the cells as JSON), and perhaps the lines of worksheets before and after
// it, and a file name of its own. A refusal is shown in `out`.
export function saveButtons(name, table, out, sheet = name) {
  const saving = (label, formato) => {
    const made = button(label, async () => {
      if (made.getAttribute("aria-disabled")) return;
      made.setAttribute("aria-disabled", "true");
      const { linhas, antes = [], depois = [], arquivo: file = name, ...head } = await table();
      const body = await packed([...antes, head, ...linhas, ...depois].map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`));
      // The report on documents is named by the company that they are of.
      const refused = await save(`${file.startsWith("conferencia") ? file : fileName(file)}.${formato}`, withQuery("/sandbox/v1/planilha", { formato, nome: sheet }), { method: "POST", body });
      made.removeAttribute("aria-disabled");
      if (refused) showProblem(out, refused);
      else put(out);
    });
    return made;
  };
  return [saving("Baixar XLSX", "xlsx"), saving("Baixar CSV", "csv")];
}

// The sandbox page: picks a tax, sends the payload with the caller's key, shows the answer.
// The key lives in the input of this tab and nowhere else. Whatever the service answers is
// set as text, never as markup.

const byId = (id) => document.getElementById(id);
const taxes = await (await fetch("/sandbox/tributos.json")).json();

function element(name, text, className) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}

function chooseTax() {
  const tax = taxes.find((t) => t.tributo === byId("tributo").value);
  byId("corpo").value = tax.exemplo;
  byId("campos").replaceChildren(...tax.campos.map((field) => {
    const row = element("tr");
    const meaning = field.valores ? `${field.rotulo} (${field.valores.join(", ")})` : field.rotulo;
    const cells = [field.nome, meaning, field.obrigatorio ? "sim" : "não", field.padrao ?? ""];
    row.append(...cells.map((text) => element("td", text)));
    return row;
  }));
}

function pairs(entries) {
  const list = element("dl");
  for (const [name, value] of entries) {
    if (value === null || value === undefined || value === "") continue;
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    list.append(element("dt", name), element("dd", text));
  }
  return list;
}

function ruleOf(rule) {
  if (!rule) return [];
  return [
    ["regra", rule.rule_id],
    ["citação", rule.citacao_legal],
    ["vigência", `de ${rule.vigente_de}${rule.vigente_ate ? ` até a véspera de ${rule.vigente_ate}` : ", em vigor"}`],
  ];
}

function show(status, answer, elapsedMs) {
  const out = byId("resumo");
  if (status === 200) {
    out.replaceChildren(
      element("p", `R$ ${answer.valor}`, "valor"),
      element("p", `${answer.tributo} · ${answer.cached ? "do cache" : "calculado agora"} · ${elapsedMs} ms`, "leve"),
      pairs([...ruleOf(answer.regra), ...Object.entries(answer.detalhes).filter(([name]) => name !== "memoria")]),
      ...(answer.avisos ?? []).map((text) => element("p", text, "leve")),
    );
  } else {
    const faults = (answer.erros ?? []).map((e) => [e.campo, e.detail]);
    out.replaceChildren(
      element("p", `${status} · ${answer.title ?? "erro"}`, "erro"),
      element("p", answer.detail ?? ""),
      pairs([["código", answer.codigo], ...ruleOf(answer.regra), ...faults, ["request_id", answer.request_id]]),
    );
  }
  byId("json").hidden = false;
  byId("json").textContent = JSON.stringify(answer, null, 2);
}

async function send(event) {
  event.preventDefault();
  const button = event.submitter ?? document.querySelector("button");
  button.disabled = true;
  const started = performance.now();
  try {
    const query = byId("memoria").checked ? "?memoria=true" : "";
    const response = await fetch(`/v1/calculate${query}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-API-Key": byId("chave").value.trim() },
      body: byId("corpo").value,
    });
    show(response.status, await response.json(), Math.round(performance.now() - started));
  } catch (error) {
    byId("json").hidden = true;
    byId("resumo").replaceChildren(element("p", `A chamada não chegou ao serviço: ${error.message}`, "erro"));
  } finally {
    button.disabled = false;
  }
}

byId("tributo").replaceChildren(...taxes.map((t) => {
  const option = element("option", t.tributo);
  option.value = t.tributo;
  return option;
}));
byId("tributo").addEventListener("change", chooseTax);
byId("pedido").addEventListener("submit", send);
byId("tributo").value = "icms";
chooseTax();

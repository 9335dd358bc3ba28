//! What the law and the rules say is on the page letter by letter, figures as people write them.

use serde_json::{Value, json};
use taxd::core::rulesets::BUNDLES;

use super::page::{EXPORTS_OF, Page};
use super::support::examples;

/// How many cases one script of the browser goes through.
const CASES_AT_ONCE: usize = 400;

/// Asks for each of `cases`, shows the answer as the page does, and notes what it shows otherwise than
/// the service said it.
const SWEEP: &str = r#"
const [cases, key, done] = arguments;
const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const figure = (word) => word.replace(/^(\(?)(\d+)\.(\d+)(%?[),]*)$/, (_, before, whole, rest, after) => `${before}${Number(whole).toLocaleString("pt-BR")},${rest}${after}`);
const isWord = (text) => /^[a-z]+(_[a-z0-9]+)*$/.test(text);
const leaves = (value) => (value !== null && typeof value === "object" ? Object.values(value).flatMap(leaves) : [value]);
// Without what was written into a field: a refusal repeats it as it is.
const bareOfEcho = (text) => text.replace(/"[^"]*"/g, "");
const isFigure = (text) => /^-?\d+\.\d{2,}$/.test(text);
(async () => {
  const [{ showAnswer }, { showProblem }, { keyHeaders, replyOf }] = await Promise.all(["answer", "problem", "api"].map(exportsOf));
  const out = document.getElementById("resposta");
  const texts = (css) => [...out.querySelectorAll(css)].map((node) => node.textContent);
  const grades = { texto_legal: "Texto ou tabela oficial lida", fontes_concordes: "Fontes concordes", fonte_unica: "Fonte única" };
  const grade = () => [...out.querySelectorAll(".regra dl div")].find((pair) => pair.firstChild.textContent === "Conferência")?.lastChild.textContent ?? texts(".regra .ajuda")[0].split(":")[0];
  // Letter by letter but for names of the contract, dates and percentages: for these people have other words.
  const reasonOf = (detail) => new RegExp(`^${detail.split(/(`[^`]+`|\b[a-z]+(?:_[a-z0-9]+)+\b|\b\d{4}-\d\d-\d\d\b|\d+\.\d+%|\btrue\b|\bfalse\b)/).map((part, i) => {
    if (i % 2 === 0) return escape(part);
    const day = /^(\d{4})-(\d\d)-(\d\d)$/.exec(part);
    if (day) return `${day[3]}/${day[2]}/${day[1]}`;
    if (part.endsWith("%")) return escape(`${part.replace(".", ",").slice(0, -1)} %`);
    return part === "true" ? "sim" : part === "false" ? "não" : "[^_`]+";
  }).join("")}$`);
  const wrong = [];
  const seen = {};
  // Words of the declarations that people do not write in that way: `gnv`, `eletrico`.
  const bare = (text) => text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "");
  const { tributos, palavras: labels } = await (await fetch("/sandbox/dados.json")).json();
  const taxes = tributos.map((tax) => tax.tributo);
  const raw = Object.keys(labels).filter((word) => labels[word].toLowerCase() !== word && (bare(labels[word]) === word || labels[word].startsWith(word.toUpperCase())));
  const rawWord = new RegExp(`(?<![\\p{L}\\d])(?:${[...raw, ...taxes].join("|")})(?![\\p{L}\\d])`, "u");
  // What a reader sees on screen without what only developers see, the code of the rule, and the names that stand for labels here.
  const readByPeople = () => {
    const copy = out.cloneNode(true);
    copy.querySelectorAll(".tecnico, .regra dl, .so-papel, h3, .falhas a").forEach((node) => node.remove());
    return bareOfEcho(copy.textContent);
  };
  const speaksPlainly = (payload) => {
    const text = readByPeople();
    seen.plain = (seen.plain ?? 0) + 1;
    for (const pattern of [/\S*[a-z]_[a-z]\S*/, /`/, /\b(?:19|20)\d\d-\d\d(?:-\d\d)?\b/, /\b(?:true|false|null|undefined)\b/, rawWord]) {
      const found = pattern.exec(text);
      if (found) wrong.push({ what: "not in people's words", shown: text.slice(Math.max(0, found.index - 60), found.index + 60), payload });
    }
  };
  for (const payload of cases) {
    const same = (what, shown, said) => {
      seen[what] = (seen[what] ?? 0) + 1;
      if (shown !== said) wrong.push({ what, shown, said, payload });
    };
    const headers = { ...keyHeaders(), "X-API-Key": key, "Content-Type": "application/json" };
    const response = await fetch("/v1/calculate?memoria=true", { method: "POST", body: JSON.stringify(payload), headers });
    const reply = await replyOf(response, 0);
    const { body, said } = reply;
    const sent = { path: "/v1/calculate", payload, fragment: "" };
    if (response.status !== 200) {
      const field = (name) => ({ label: name, input: { id: name }, sentence: (fault) => fault.detail });
      showProblem(out, reply, { sent, field });
      if (body.regra) same("citation of a refusal", texts(".regra .citacao")[0], body.regra.citacao_legal);
      if (body.regra) same("grade of a refusal", grade(), grades[body.regra.conferencia]);
      const reasons = [said.detail, said.sem_candidatos, said.partes?.[0], said.erros?.[0]?.detail];
      if ((body.erros ?? []).length < 2) same("reason", reasons.includes(texts(".razao")[0]), true);
      if (/`|\d{4}-\d\d-\d\d|\d\.\d+%|[a-z]_[a-z]/.test(bareOfEcho(texts(".razao")[0] ?? ""))) wrong.push({ what: "the contract's writing", shown: texts(".razao")[0], payload });
      const kind = { falta_dado: /Informe o que falta/, fora_do_escopo: /não há o que corrigir/, valor_nao_estabelecido: /em vez de um zero/, dado_invalido: /Corrija/ }[body.tipo_recusa];
      if (kind) same(body.tipo_recusa, kind.test(texts(".conselho")[0]), true);
      if (body.codigo.endsWith("_ausente") || body.codigo === "campo_obrigatorio") {
        same("missing", texts("h3")[0].replaceAll("?", ""), `Falta informar: ${body.erros.map((erro) => erro.campo).join("; ")}`);
        if (/em vez de um zero/.test(texts(".conselho")[0])) wrong.push({ what: "advice", shown: texts(".conselho")[0], payload });
      }
      speaksPlainly(payload);
      continue;
    }
    showAnswer(out, reply, sent);
    speaksPlainly(payload);
    const { memoria, excecoes_nao_avaliadas, ...detalhes } = body.detalhes;
    same("citation", texts(".regra .citacao")[0], body.regra.citacao_legal);
    const warnings = texts(".aviso.alerta li span");
    same("warnings", warnings.length, (body.avisos ?? []).length);
    // People read the texts of tariff exceptions beside their numbers.
    const around = (text) => text.replace(/ com Ex .*(?=: informe)/, " com Ex");
    (body.avisos ?? []).forEach((text, i) => same("warnings", reasonOf(around(text)).test(around(warnings[i])) || warnings[i], true));
    same("conditions", texts(".aviso.alerta li strong").length, (body.condicoes_dos_avisos ?? []).filter(Boolean).length);
    same("grade", grade(), grades[body.regra.conferencia]);
    const exceptions = (excecoes_nao_avaliadas ?? []).map((one) => `${one.descricao} (${one.citacao})`);
    same("exceptions", texts(".aviso.neutro li").join("\n"), exceptions.join("\n"));
    const cells = Object.fromEntries([...out.querySelectorAll(".componentes tr")].map((row) => [row.querySelector("code").textContent, row.querySelector("td")]));
    for (const [name, value] of Object.entries(detalhes)) {
      // Of another rule the law is shown, and what is among the warnings is not said again.
      const said = name === "regras_auxiliares" ? value.map((rule) => rule.citacao_legal)
        : Array.isArray(value) ? value.filter((one) => !(body.avisos ?? []).includes(one)) : value;
      for (const text of leaves(said).filter((one) => typeof one === "string")) {
        const shown = [cells[name], ...cells[name].querySelectorAll("li, dd, a")].map((node) => node.textContent.replace(/^R\$\u00a0| %$/g, ""));
        const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
        const quantity = name === "quantidade";
        const verbatim = name === "item_lista_servico" || !(isWord(text) || text in labels || isFigure(text) || day || quantity);
        const wanted = verbatim ? text : quantity ? Number(text).toLocaleString("pt-BR", { maximumFractionDigits: 10 }) : day ? `${day[3]}/${day[2]}/${day[1]}` : isFigure(text) ? figure(text) : null;
        if (wanted !== null) same(verbatim ? "text" : "figure", shown.includes(wanted) ? wanted : shown[0], wanted);
      }
    }
    memoria.forEach((step, i) => {
      const item = out.querySelectorAll(".memoria li")[i];
      same("formula", item.querySelector(".formula").textContent, step.formula);
      // What is the rule's own law, or is named by the step's note, is not said again.
      const noted = item.querySelector(".observacao")?.textContent.includes(step.fundamento) ? step.fundamento : null;
      same("ground", item.querySelector(".ajuda")?.textContent ?? noted ?? body.regra.citacao_legal, step.fundamento);
      if (/\d\/|nº|§/.test(step.formula)) wrong.push({ what: "law in a formula", shown: step.formula, payload });
    });
  }
  done({ wrong, seen });
})().catch((error) => done({ wrong: [String(error)] }));
"#;

/// The payloads of all worked examples of the built-in rules.
fn worked_examples() -> Vec<Value> {
    let mut found = Vec::new();
    for (_, text) in BUNDLES {
        let bundle: Value = serde_json::from_str(text).unwrap();
        for part in ["regras", "tabelas"].iter().flat_map(|member| bundle[*member].as_array().into_iter().flatten()) {
            found.extend(part["exemplos"].as_array().into_iter().flatten().map(|example| example["payload"].clone()));
        }
    }
    found
}

/// The examples of all taxes with one field left out, one of a wrong kind and, of a list, a word that it has not, and on a
/// day and for a product without rules.
fn refused(server: &super::support::Server) -> Vec<Value> {
    let mut found = Vec::new();
    for example in examples(server) {
        let names: Vec<String> =
            example.as_object().unwrap().keys().filter(|name| *name != "tributo").cloned().collect();
        for name in names {
            let mut without = example.clone();
            without.as_object_mut().unwrap().remove(&name);
            found.push(without);
            for value in [json!("nenhum destes"), json!(-1), json!("1990-01-01"), json!("99999999")] {
                let mut other = example.clone();
                other[&name] = value;
                found.push(other);
            }
        }
    }
    found
}

/// The page once wrote "Decreto nº 12,955/2026": it took the number of a law for a figure.
#[test]
fn every_citation_is_shown_letter_by_letter_and_every_figure_in_brazilian() {
    let Some((server, page)) = Page::served() else { return };
    let cases: Vec<Value> = worked_examples().into_iter().chain(examples(&server)).chain(refused(&server)).collect();
    assert!(cases.len() > 3_000, "{} cases", cases.len());
    let mut seen = std::collections::BTreeMap::<String, u64>::new();
    for some in cases.chunks(CASES_AT_ONCE) {
        let found = page.run_later_with(&format!("{EXPORTS_OF}{SWEEP}"), &[json!(some), json!(server.key)]);
        assert_eq!(found["wrong"], json!([]), "{:#}", found["wrong"]);
        for (what, count) in found["seen"].as_object().unwrap() {
            *seen.entry(what.clone()).or_default() += count.as_u64().unwrap();
        }
    }
    let kinds = [
        "falta_dado",
        "fora_do_escopo",
        "valor_nao_estabelecido",
        "citation",
        "citation of a refusal",
        "conditions",
        "exceptions",
        "figure",
        "formula",
        "grade",
        "grade of a refusal",
        "ground",
        "missing",
        "plain",
        "reason",
        "text",
        "warnings",
    ];
    assert!(kinds.iter().all(|what| seen.get(*what).is_some_and(|count| *count > 40)), "{seen:?}");
}

/// In a rule, too, only what is declared a figure is written as one.
#[test]
fn rules_show_their_texts_as_they_are() {
    let Some((server, page)) = Page::served() else { return };
    // Of each version, the newest first.
    let shown = |label: &str| {
        let script = "return [...document.querySelectorAll('.ficha dt')].filter((one) => one.textContent === arguments[0]).map((one) => one.nextElementSibling.textContent)";
        page.run(script, &[json!(label)])
    };
    page.go("#regras?rule_code=icms-sp-geral", ".ficha");
    assert_eq!(shown("Alíquota da operação"), json!(["18,00 %"]));
    page.go("#regras?rule_code=icms-st-am-0600101-pauta", ".ficha");
    let listed = server.get_own("/v1/regras?rule_code=icms-st-am-0600101-pauta&limit=500").json();
    let contents: Vec<&Value> =
        listed["regras"].as_array().unwrap().iter().rev().map(|rule| &rule["conteudo"]).collect();
    assert!(contents.len() > 10, "{listed}");
    let all = |written: fn(&Value) -> Value| contents.iter().copied().map(written).collect::<Value>();
    assert_eq!(shown("Mercadoria a que o CEST ou item se refere"), all(|conteudo| conteudo["descricao"].clone()));
    assert_eq!(shown("Unidade da pauta"), all(|conteudo| conteudo["unidade"].clone()));
    let price =
        |conteudo: &Value| conteudo["pauta"].as_str().map_or("não estabelecido".to_owned(), |p| p.replace('.', ","));
    assert_eq!(shown("Preço de pauta por unidade"), contents.iter().map(|conteudo| price(conteudo)).collect::<Value>());
}

/// The page once said of every missing datum that the rule "supports no value".
#[test]
fn a_missing_datum_is_named_and_asked_for() {
    let Some((server, page)) = Page::served() else { return };
    page.visit("#calcular?tributo=itcmd&uf=SP&fato_gerador=doacao&valor_base=150000.00&data_fato_gerador=2020-05-20");
    page.give_key(&server.key);
    page.calculate();
    assert_eq!(page.answer()["codigo"], "unidade_fiscal_ausente");
    let label = page.text("document.querySelector('label[for=campo-valor_unidade_fiscal]').textContent.trim()");
    assert_eq!(page.shown("#resposta h3"), format!("Falta informar: {label}"));
    assert!(page.shown(".conselho").contains("Informe o que falta e calcule"), "{}", page.shown(".conselho"));
    assert_eq!(page.text("document.activeElement.id"), "campo-valor_unidade_fiscal");

    page.visit(
        "#calcular?tributo=icms&uf_origem=SP&uf_destino=SP&valor_produto=1000.00&ncm=22090000&data_operacao=2026-03-10",
    );
    page.give_key(&server.key);
    page.calculate();
    assert_eq!(page.answer()["codigo"], "regra_sem_conteudo");
    assert!(page.shown(".conselho").contains("em vez de um zero"), "{}", page.shown(".conselho"));
    page.assert_clean("refusals");
}

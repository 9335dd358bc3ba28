//! `supondo`: a figure supposed in the place of that of the rule, which nothing takes for law.

use serde_json::{Value, json};

use crate::correcoes::looked_through;
use crate::support::{DataDir, OwnRules, Server, rule, taxd, taxd_with_input, with};

fn car() -> Value {
    json!({"tributo": "ipva", "uf": "AC", "categoria_veiculo": "automovel", "valor_venal": "1000.00",
           "data_fato_gerador": "2026-01-01"})
}

fn of_rate(version: &str, rate: &Value) -> Value {
    let base = rule("t-ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": rate}));
    with(&base, &json!({"versao": version, "motivo": "A alíquota não foi conferida."}))
}

const SUPPOSING: &str = "/v1/calculate?supondo=ipva.aliquota:3.5";

#[test]
fn a_supposed_figure_is_answered_as_such_and_the_law_stays_as_it_was() {
    let own = OwnRules::of(&[of_rate("1.0", &Value::Null)]);
    let server = own.serve();
    let law = server.calculate(&car()).problem(422, "regra_sem_conteudo");
    for _ in 0..2 {
        let answer = server.post(SUPPOSING, car().to_string()).envelope();
        assert_eq!((&answer["valor"], &answer["cached"]), (&json!("35.00"), &json!(false)), "{answer}");
        let figure = json!([{"campo": "ipva.aliquota", "valor": "3.5", "regras": ["t-ipva-ac-v1.0"]}]);
        assert_eq!(answer["suposicoes"], figure);
        let first = answer["avisos"][0].as_str().unwrap();
        assert!(first.starts_with("Suposição, não é a lei: ipva.aliquota = 3.5"), "{first}");
        assert_eq!(answer["condicoes_dos_avisos"][0], "conferencia");
    }
    let again = server.calculate(&car()).problem(422, "regra_sem_conteudo");
    assert_eq!(again["detail"], law["detail"]);

    let refused = |query: &str, says: &str| {
        let reply = server.post(&format!("/v1/calculate?{query}"), car().to_string());
        let problem = reply.refuses_field("parametro_invalido", "supondo");
        let said = problem["detail"].as_str().unwrap();
        assert!(said.contains(says), "{said}");
    };
    refused("supondo=ipva.aliquota:3.5&prova=true", "não tem prova");
    refused("supondo=ipva.aliquot:3.5", "ipva.aliquota");
    refused("supondo=ipva.aliquota:3,5", "TRIBUTO.CAMPO:VALOR");
    refused("supondo=ipva.aliquota:-1", "ipva.aliquota");
    refused("supondo=ipva.aliquota:1,ipva.aliquota:2", "mais de uma vez");
}

#[test]
fn a_supposed_call_is_counted_and_marked_and_no_impact_takes_it_for_law() {
    let own = OwnRules::of(&[of_rate("1.0", &json!("2.00"))]);
    let server = own.serve();
    let before = server.usage(&own.key, 1)["total_chamadas"].as_u64().unwrap();
    assert_eq!(server.calculate(&car()).envelope()["valor"], "20.00");
    assert_eq!(server.post(SUPPOSING, car().to_string()).envelope()["valor"], "35.00");
    assert_eq!(server.post("/sandbox/v1/operacao?supondo=icms.aliquota:1", "{}").status, 422);
    own.dir.wait_until_logged();
    let usage = server.usage(&own.key, 4);
    assert_eq!(usage["total_chamadas"].as_u64().unwrap() - before, 4, "{usage:#}");
    let recent = |path: &str| {
        let recent = usage["recentes"].as_array().unwrap().iter();
        recent.filter(|call| call["resumo"].as_str().unwrap().starts_with(path)).cloned().collect::<Vec<_>>()
    };
    let marked = recent("POST /v1/calculate?supondo");
    assert_eq!(marked.len(), 1, "{usage:#}");
    assert_eq!(
        (&marked[0]["rule_id"], &marked[0]["resumo"]),
        (&json!(""), &json!("POST /v1/calculate?supondo (ipva)"))
    );
    assert_eq!(recent("POST /sandbox/v1/operacao?supondo").len(), 1, "{usage:#}");

    let supposed = taxd(&own.dir, ["impact", "--supondo", "ipva.aliquota:3.5", "--json"]).ok().json();
    assert_eq!(supposed["suposicoes"], json!(["ipva.aliquota:3.5"]), "{supposed:#}");
    let calls = &supposed["chamadas"];
    assert_eq!((&calls["registradas"], &calls["alteradas"]), (&json!(1), &json!(1)), "{supposed:#}");
    let line = &supposed["linhas"][0];
    assert_eq!((&line["valor_antes"], &line["valor_depois"]), (&json!("20.00"), &json!("35.00")));
    let csv = taxd(&own.dir, ["impact", "--supondo", "ipva.aliquota:3.5", "--csv"]).ok().stdout;
    assert!(csv.lines().next().unwrap().ends_with(";suposicao"), "{csv}");
    assert!(csv.lines().nth(1).unwrap().ends_with(";ipva.aliquota:3.5"), "{csv}");
    let text = taxd(&own.dir, ["impact", "--supondo", "ipva.aliquota:3.5"]).ok().stdout;
    assert!(text.starts_with("Suposição, não é a lei: o que mudaria com ipva.aliquota:3.5"), "{text}");
    let wrong = taxd(&own.dir, ["impact", "--supondo", "ipva.aliquota:3.5", "--since", "2026-01-01"]);
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);

    let file = own.dir.write("novo.json", crate::support::bundle(&[of_rate("1.1", &json!("4.00"))]));
    let published = taxd(&own.dir, ["impact", file.to_str().unwrap(), "--json"]).ok().json();
    assert_eq!(published["chamadas"]["registradas"], 1, "only the call of the law: {published:#}");
    own.import(&file, &[]).ok();
    let corrected = looked_through(&server);
    assert_eq!(corrected["correcoes"][0]["chamadas"]["alteradas"], 1, "only the call of the law: {corrected:#}");
}

/// What the car is answered with the figure that [`no_way_in_takes_a_supposed_figure_for_law`] supposes, and by the law.
const AS_SUPPOSED: &str = "35.70";
const BY_LAW: &str = "20.00";
const FIGURE: &str = "ipva.aliquota:3.57";

/// Every way in, with the figure: what each answers.
fn supposed_by_every_way(dir: &DataDir, server: &Server) -> Vec<(&'static str, String)> {
    let payload = car().to_string();
    let post = |query: &str| {
        let reply = server.post(&format!("/v1/calculate?supondo={FIGURE}{query}"), payload.clone());
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.text()
    };
    let table = "uf;categoria_veiculo;valor_venal;data_fato_gerador\nAC;automovel;1000,00;01/01/2026\n";
    let list = dir.write("carros.csv", table);
    let list = list.to_str().unwrap();
    let calc = |more: &[&str], input: &str| {
        let args = ["calc", "--supondo", FIGURE].into_iter().chain(more.iter().copied());
        taxd_with_input(dir, args, input.as_bytes()).ok().stdout.replace("35,70", AS_SUPPOSED)
    };
    let mcp = |tool: &str| {
        let arguments = json!({"name": tool, "arguments": {"pedido": car(), "supondo": FIGURE}});
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}).to_string();
        taxd_with_input(dir, ["mcp"], line.as_bytes()).ok().stdout
    };
    let known_at = server.changelog("limit=1")[0]["publicado_em"].as_str().unwrap().to_owned();
    let of_page = server.post(&format!("/sandbox/v1/lista?tributo=ipva&supondo={FIGURE}"), table).text();
    vec![
        ("API", post("")),
        ("API again", post("")),
        ("API, each step", post("&memoria=true")),
        ("API, of today", post(&format!("&conhecido_em={known_at}"))),
        ("page, list", of_page.replace("35,70", AS_SUPPOSED)),
        ("calc", calc(&[], &payload)),
        ("calc, each step", calc(&["--memoria"], &payload)),
        ("calc, many", calc(&[], &format!("{payload}\n{payload}\n"))),
        ("calc, list", calc(&[list, "--tributo", "ipva"], "")),
        ("assistant", mcp("calculate")),
        ("assistant, explained", mcp("explain")),
    ]
}

#[test]
fn no_way_in_takes_a_supposed_figure_for_law() {
    let dir = DataDir::ready();
    // First without a server: each command is a process of its own.
    let alone = taxd_with_input(&dir, ["calc", "--supondo", FIGURE], car().to_string().as_bytes()).ok().stdout;
    assert!(alone.contains(AS_SUPPOSED) && alone.contains("suposicoes"), "{alone}");
    let server = dir.serve(&[]);
    let law = || with(&server.calculate(&car()).envelope(), &json!({"cached": null}));
    let fresh = || server.calculate(&with(&car(), &json!({"valor_venal": "2000.00"}))).envelope();
    let before = law();
    assert_eq!(before["valor"], BY_LAW);
    let cache = || {
        let metrics = taxd(&dir, ["metrics"]).ok().stdout;
        let of_cache = metrics.lines().filter(|line| line.starts_with("taxd_cache_")).map(str::to_owned);
        of_cache.collect::<Vec<_>>()
    };
    let cached = cache();
    for (way, answer) in supposed_by_every_way(&dir, &server) {
        assert!(answer.contains(AS_SUPPOSED), "{way}: {answer}");
        let says = answer.contains("Suposição, não é a lei") || answer.contains("suposicao");
        assert!(says && !answer.contains("\"prova\""), "{way}: {answer}");
    }
    let facts = server.get("/sandbox/operacao.json", &[]).json()["exemplo"].to_string();
    let operation = server.post("/sandbox/v1/operacao?supondo=pis.aliquota:1.11", facts.clone()).json();
    let alone =
        taxd_with_input(&dir, ["calc", "--operacao", "--supondo", "pis.aliquota:1.11"], facts.as_bytes()).json();
    for answer in [operation, alone] {
        assert_eq!(answer["suposicoes"][0]["campo"], "pis.aliquota", "{answer:#}");
    }
    dir.wait_until_logged();
    let impact = taxd(&dir, ["impact", "--supondo", FIGURE, "--json"]).ok().json();
    assert_eq!(impact["chamadas"]["registradas"], 1, "only the call of the law: {impact:#}");
    assert_eq!(cache(), cached, "no cache has or answered what is supposed");
    assert_eq!(law(), before, "the law is as it was");
    assert_eq!((&fresh()["valor"], &fresh()["cached"]), (&json!("40.00"), &json!(true)), "also for another amount");

    dir.wait_until_logged();
    let usage = server.usage(&server.key, 50);
    let calls: Vec<&Value> = usage["recentes"].as_array().unwrap().iter().collect();
    let answered = calls.iter().filter(|call| call["rule_id"] != "").count();
    assert_eq!(answered, 4, "four calls of the law have a rule: {usage:#}");
    let marked = calls.iter().filter(|call| call["resumo"].as_str().unwrap().contains("?supondo")).count();
    assert!(marked >= 5, "{usage:#}");
}

#[test]
fn the_command_line_supposes_here_and_by_the_server_and_lists_have_a_column() {
    let dir = DataDir::ready();
    let payload = car().to_string();
    let list = dir
        .write("carros.csv", "uf;categoria_veiculo;valor_venal;data_fato_gerador\nAC;automovel;1000,00;01/01/2026\n");
    let calc = |supondo: &str| taxd_with_input(&dir, ["calc", "--supondo", supondo], payload.as_bytes());
    // A row that depends on no supposed figure is that of the law.
    let mixed = dir.write(
        "mista.csv",
        "tributo;uf;categoria_veiculo;valor_venal;data_fato_gerador;uf_origem;uf_destino;valor_produto;data_operacao\n\
         ipva;AC;automovel;1000,00;01/01/2026;;;;\nicms;;;;;SP;SP;1000,00;10/03/2026\n",
    );
    let of_list = |args: &[&str]| {
        let args = [&["calc", "--supondo", "ipva.aliquota:3.5"], args].concat();
        taxd(&dir, args).ok().stdout
    };
    let all = || {
        let lists = [of_list(&[list.to_str().unwrap(), "--tributo", "ipva"]), of_list(&[mixed.to_str().unwrap()])];
        (calc("ipva.aliquota:3.5").ok().stdout, lists)
    };
    let here = all();
    let server = dir.serve(&[]);
    assert_eq!(all(), here);
    assert_eq!(here.1[1].matches(";calculado;").count(), 2, "{}", here.1[1]);
    let answer: Value = serde_json::from_str(&here.0).unwrap();
    assert_eq!(answer["valor"], "35.00");
    assert_eq!(answer["suposicoes"][0]["campo"], "ipva.aliquota");

    let mut lines = here.1[0].trim_start_matches('\u{feff}').lines().map(|line| line.split(';').collect::<Vec<_>>());
    let (head, row) = (lines.next().unwrap(), lines.next().unwrap());
    let cell = |name: &str| row[head.iter().position(|one| *one == name).unwrap_or_else(|| panic!("{name}: {head:?}"))];
    assert_eq!((cell("taxd_valor"), cell("taxd_suposicao")), ("35,00", "ipva.aliquota = 3.5"));

    let stored = format!("{{\"payload\":{payload},\"resposta\":{}}}", here.0.trim());
    let verified = taxd_with_input(&dir, ["verify", "--json"], stored.as_bytes());
    assert!(verified.stdout.contains("ilegivel"), "{}", verified.stdout);
    for (args, says) in [
        (["calc", "--supondo", "ipva.x:1"], "pode-se supor"),
        (["calc", "--supondo", "cbs.aliquota:1,cbs.aliquota:2"], "mais de uma vez"),
    ] {
        let wrong = taxd_with_input(&dir, args, payload.as_bytes());
        assert!(wrong.code != 0 && wrong.stderr.contains(says), "{} {}", wrong.code, wrong.stderr);
    }

    let without_effect = calc("icms.aliquota:3.5");
    assert!(without_effect.code == 1 && without_effect.stdout.contains("não depende"), "{}", without_effect.stdout);
    let rows = server.post("/sandbox/v1/lista?tributo=ipva&supondo=ipva.aliquota:3.5", std::fs::read(&list).unwrap());
    assert!(rows.text().contains("IPVA, Alíquota da categoria: 3,5"), "{}", rows.text());
    let facts = server.get("/sandbox/operacao.json", &[]).json()["exemplo"].to_string();
    let apuracao = server.post("/sandbox/v1/operacao?supondo=pis.aliquota:1.00", facts).json();
    assert_eq!(apuracao["suposicoes"][0]["campo"], "pis.aliquota", "{apuracao:#}");
}

#[test]
fn a_proof_and_a_kept_list_suppose_nothing() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let payload = car().to_string();
    for path in ["/v1/calculate", "/sandbox/v1/operacao"] {
        let proof = server.post(&format!("{path}?supondo={FIGURE}&prova=true"), payload.clone());
        proof.refuses_field("parametro_invalido", "supondo");
    }
    let with_proof = taxd_with_input(&dir, ["calc", "--prova", "--supondo", FIGURE], payload.as_bytes());
    assert!(with_proof.code != 0 && !with_proof.stdout.contains(AS_SUPPOSED), "{}", with_proof.stdout);
    let keep =
        |query: &str, line: &Value| server.put_as(&server.key, &format!("/v1/listas/carros{query}"), line.to_string());
    assert_eq!(keep(&format!("?supondo={FIGURE}"), &car()).status, 422);
    assert_eq!(keep("", &json!({"payload": car(), "supondo": FIGURE})).status, 422);
    assert_eq!(server.get_own("/v1/listas").json()["listas"], json!([]));
    let named_so = with(&car(), &json!({ "supondo": FIGURE }));
    assert_eq!(server.calculate(&named_so).envelope()["valor"], BY_LAW, "a field of that name is no supposition");
    assert_eq!(keep("", &named_so).status, 200);
    let kept = server.get_own("/v1/listas/carros").json();
    assert_eq!(kept["itens"][0]["respostas"][0]["resposta"]["valor"], BY_LAW, "{kept:#}");
}

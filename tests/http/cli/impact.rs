//! `taxd impact`: what bundles would change, and what was changed, in the calls of the log.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{DataDir, Done, OwnRules, bundle, rule, taxd, with};

fn rate(version: &str, from: &str, rate: &str) -> Value {
    let general = rule("geral-sp", "icms", &json!({"uf": "SP"}), &json!({"aliquota": rate}));
    with(&general, &json!({"versao": version, "vigente_de": from, "motivo": "Figura não conferida."}))
}

fn sale(day: &str, amount: &str) -> Value {
    json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": amount, "data_operacao": day})
}

fn to_rio(day: &str) -> Value {
    with(&sale(day, "100.00"), &json!({"uf_origem": "RJ", "uf_destino": "RJ"}))
}

fn cbs() -> Value {
    json!({"tributo": "cbs", "valor_operacao": "1000.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
        "valor_cofins": "0", "valor_ipi": "0", "cumpre_obrigacoes_acessorias": false, "optante_simples": false,
        "data_operacao": "2026-03-10"})
}

fn impact(dir: &DataDir, more: &[&str]) -> Done {
    taxd(dir, ["impact"].iter().chain(more))
}

fn of_file(dir: &DataDir, file: &Path, more: &[&str]) -> Done {
    let file = file.to_str().unwrap();
    impact(dir, &[&[file], more].concat())
}

/// Change, month, rules, calls and amounts of a line.
fn short(line: &Value) -> Value {
    let names = ["nome", "situacao", "mes", "regra_antes", "regra_depois", "codigo_antes", "codigo_depois", "chamadas"];
    let amounts = ["valor_antes", "valor_depois", "diferenca"];
    Value::Array(names.iter().chain(&amounts).map(|name| line[name].clone()).collect())
}

/// Two accounts and a test key whose calls were answered and refused.
fn logged() -> OwnRules {
    let national = rule("cbs", "cbs", &json!({}), &json!({"aliquota": "0.90"}));
    let own =
        OwnRules::of(&[rate("1.0", "2020-01-01", "18.00"), with(&national, &json!({"vigente_ate": "2027-01-01"}))]);
    let other = own.dir.account("Filial Norte", &["--plan", "enterprise"]);
    let test = own.dir.new_key(&other.client_id, "test");
    let server = own.serve();
    let ask = |key: &str, payload: &Value| server.post_as(key, "/v1/calculate", payload.to_string()).status;
    let statuses = [
        ask(&own.key, &sale("2026-03-10", "100.00")),
        ask(&own.key, &sale("2026-04-10", "200.00")),
        ask(&own.key, &sale("2026-04-10", "200.00")),
        ask(&own.key, &sale("2026-05-10", "0.10")),
        ask(&other.live.key, &sale("2026-04-11", "1000.00")),
        ask(&own.key, &to_rio("2026-04-10")),
        ask(&own.key, &with(&sale("2026-04-10", "300.00"), &json!({"valor_produto": "três"}))),
        ask(&own.key, &cbs()),
        // Refused for a field that the log does not keep.
        ask(&own.key, &with(&cbs(), &json!({"apelido": "x"}))),
        ask(&test.key, &sale("2026-04-10", "999.00")),
    ];
    assert_eq!(statuses, [200, 200, 200, 200, 200, 404, 422, 200, 422, 200]);
    own.dir.wait_until_logged();
    drop(server);
    own
}

#[test]
fn a_bundle_that_is_not_published_is_compared_with_the_rules_in_force() {
    let own = logged();
    let rio = rule("geral-rj", "icms", &json!({"uf": "RJ"}), &json!({"aliquota": "20.00"}));
    let unknown = with(&rate("1.2", "2026-05-01", "18.00"), &json!({"conteudo": {"aliquota": null}}));
    let file = own.dir.write("plano.json", bundle(&[rate("1.1", "2026-04-01", "19.00"), unknown, rio]));
    let alone = of_file(&own.dir, &file, &["--json"]).ok().json();
    let lines: Vec<Value> = alone["linhas"].as_array().unwrap().iter().map(short).collect();
    let wanted = json!([
        [
            "Filial Norte",
            "valor_muda",
            "2026-04",
            "geral-sp-v1.0",
            "geral-sp-v1.1",
            null,
            null,
            1,
            "180.00",
            "190.00",
            "10.00"
        ],
        [
            "Testes",
            "passa_a_responder",
            "2026-04",
            null,
            "geral-rj-v1.0",
            "regra_inexistente",
            null,
            1,
            null,
            "20.00",
            null
        ],
        ["Testes", "valor_muda", "2026-04", "geral-sp-v1.0", "geral-sp-v1.1", null, null, 2, "72.00", "76.00", "4.00"],
        [
            "Testes",
            "passa_a_recusar",
            "2026-05",
            "geral-sp-v1.0",
            "geral-sp-v1.2",
            null,
            "regra_sem_conteudo",
            1,
            "0.02",
            null,
            null
        ],
    ]);
    let mut sorted = lines.clone();
    sorted.sort_by_key(|line| (line[0].to_string(), line[2].to_string(), line[1].to_string()));
    assert_eq!(Value::Array(sorted), wanted, "{alone:#}");
    let calls = &alone["chamadas"];
    // The call with the amount in words looks up nothing, and cbs is not touched.
    let counted = ["registradas", "de_teste", "alcancadas", "alteradas", "sem_comparacao"].map(|n| calls[n].clone());
    assert_eq!(counted.to_vec(), [9, 1, 6, 5, 0].map(|n| json!(n)), "{calls}");
    assert_eq!((&alone["publicadas"], &alone["substituidas"]), (&json!(3), &json!(2)));
}

#[test]
fn beside_a_server_the_report_is_the_same_and_nothing_is_published() {
    let own = logged();
    let file = own.dir.write("plano.json", bundle(&[rate("1.1", "2026-04-01", "19.00")]));
    let alone = of_file(&own.dir, &file, &["--json"]).ok().json();
    let server = own.serve();
    assert_eq!(server.calculate(&sale("2026-04-10", "200.00")).envelope()["valor"], "36.00");
    own.dir.wait_until_logged();
    let beside = of_file(&own.dir, &file, &["--json"]).ok().json();
    assert_eq!(beside["chamadas"]["registradas"], 10, "the call to this server");
    assert_eq!(beside["linhas"].as_array().unwrap().len(), 3, "{beside:#}");
    let calls = |report: &Value| report["linhas"][1]["chamadas"].as_u64().unwrap();
    assert_eq!((calls(&alone), calls(&beside)), (2, 3), "{beside:#}");
    let text = of_file(&own.dir, &file, &[]).ok().stdout;
    assert!(text.contains("nada foi publicado") && text.contains("Filial Norte"), "{text}");
    let csv = of_file(&own.dir, &file, &["--csv"]).ok().stdout;
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(csv.contains(";1;180,00;190,00;10,00"), "{csv}");
}

#[test]
fn what_was_published_since_an_instant_is_compared_with_what_was_known_then() {
    let own = logged();
    let known = taxd(&own.dir, ["rules", "show", "geral-sp-v1.0", "--json"]).ok().json();
    let known = known["regras"][0]["publicado_em"].as_str().unwrap().to_owned();
    let none = impact(&own.dir, &["--since", &known, "--json"]).ok().json();
    assert_eq!((&none["publicadas"], &none["linhas"]), (&json!(0), &json!([])));
    own.publish(&[rate("1.1", "2026-04-01", "19.00")]);
    let since = impact(&own.dir, &["--since", &known, "--json"]).ok().json();
    assert_eq!((&since["desde"], &since["publicadas"], &since["substituidas"]), (&json!(known), &json!(1), &json!(1)));
    let amounts: Vec<&Value> = since["linhas"].as_array().unwrap().iter().map(|line| &line["diferenca"]).collect();
    // 0.10 x 19 % is 0.02 like 0.10 x 18 %: the rule changes and the amount does not.
    assert_eq!(amounts, [&json!("10.00"), &json!("4.00"), &json!("0.00")], "{since:#}");
    assert_eq!(since["linhas"][2]["situacao"], "regra_muda");
}

/// Calls made after the publication, and calls that asked for the rules of before, were counted as changed. What was
/// answered between two publications is compared with what was answered then.
#[test]
fn a_call_is_compared_with_what_it_was_answered() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let known = taxd(&own.dir, ["rules", "show", "geral-sp-v1.0", "--json"]).ok().json();
    let known = known["regras"][0]["publicado_em"].as_str().unwrap().to_owned();
    let sale = sale("2026-04-10", "100.00");
    let ask = |queries: &[&str]| {
        let server = own.serve();
        for query in queries {
            assert_eq!(server.post(&format!("/v1/calculate{query}"), sale.to_string()).status, 200);
        }
        own.dir.wait_until_logged();
    };
    let past = format!("?conhecido_em={known}");
    ask(&["", "", &past]);
    own.publish(&[rate("1.1", "2026-04-01", "19.00")]);
    ask(&["", &past]);
    own.publish(&[rate("1.2", "2026-04-01", "20.00")]);
    ask(&["", "", "", "", &past]);
    let report = impact(&own.dir, &["--since", &known, "--json"]).ok().json();
    let calls = &report["chamadas"];
    let counted = ["registradas", "alcancadas", "alteradas", "ja_respondidas", "de_outro_instante", "sem_comparacao"];
    assert_eq!(counted.map(|name| calls[name].as_u64().unwrap()), [10, 10, 4, 4, 2, 0], "{report:#}");
    let line = |line: &Value| ["regra_antes", "chamadas", "valor_antes", "valor_depois"].map(|name| line[name].clone());
    let lines: Vec<_> = report["linhas"].as_array().unwrap().iter().map(line).collect();
    let wanted = [
        [json!("geral-sp-v1.0"), json!(3), json!("54.00"), json!("60.00")],
        [json!("geral-sp-v1.1"), json!(1), json!("19.00"), json!("20.00")],
    ];
    assert_eq!(lines, wanted, "{report:#}");
    // What is not published has answered nobody: all calls are compared with it.
    let file = own.dir.write("plano.json", bundle(&[rate("1.3", "2026-04-01", "21.00")]));
    let planned = of_file(&own.dir, &file, &["--json"]).ok().json();
    assert_eq!(planned["chamadas"]["alteradas"], 10, "{planned:#}");
    let text = impact(&own.dir, &["--since", &known]).ok().stdout;
    for part in ["Já respondidos pelas regras de agora: 4.", "fora da comparação: 2 (", "\n04/2026 "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let day = known.split('T').next().unwrap().split('-').rev().collect::<Vec<_>>().join("/");
    assert!(text.starts_with(&format!("O que foi publicado depois de {day} ")), "{text}");
}

/// The text had sums that the JSON did not have.
#[test]
fn the_totals_are_the_sums_of_the_lines() {
    let own = logged();
    let file = own.dir.write("plano.json", bundle(&[rate("1.1", "2026-04-01", "19.00")]));
    let report = of_file(&own.dir, &file, &["--json"]).ok().json();
    let geral = &report["totais"]["geral"];
    assert_eq!(
        *geral,
        json!({"nome": "", "chamadas": 4, "valor_antes": "252.02", "valor_depois": "266.02", "diferenca": "14.00",
            "passam_a_responder": 0, "passam_a_recusar": 0}),
        "{report:#}"
    );
    for group in ["situacao", "conta", "tributo", "mes", "regra"] {
        let totals = report["totais"][group].as_array().unwrap();
        let calls: u64 = totals.iter().map(|total| total["chamadas"].as_u64().unwrap()).sum();
        assert_eq!(calls, 4, "{group}: {report:#}");
    }
    assert_eq!(report["totais"]["mes"][0]["nome"], "2026-04");
    assert_eq!(report["totais"]["regra"][0]["nome"], "geral-sp-v1.0 -> geral-sp-v1.1");
}

/// The log keeps the fields of the tax. The call was refused for another one, and what is left of it would be
/// answered, so it says nothing.
#[test]
fn a_call_that_was_refused_for_what_the_log_does_not_keep_is_not_compared() {
    let own = logged();
    let higher = rule("cbs", "cbs", &json!({}), &json!({"aliquota": "1.00"}));
    let dates = json!({"versao": "1.1", "vigente_de": "2026-01-01", "vigente_ate": "2027-01-01"});
    let file = own.dir.write("cbs.json", bundle(&[with(&higher, &dates)]));
    let report = of_file(&own.dir, &file, &["--json"]).ok().json();
    let calls = &report["chamadas"];
    assert_eq!((&calls["alteradas"], &calls["sem_comparacao"]), (&json!(1), &json!(1)), "{report:#}");
    assert_eq!(report["linhas"][0]["diferenca"], "1.00");
}

#[test]
fn faults_and_instants_without_rules_are_refused() {
    let own = logged();
    let fault =
        own.dir.write("falha.json", bundle(&[with(&rate("1.1", "2026-04-01", "19.00"), &json!({"tributo": "x"}))]));
    let refused = of_file(&own.dir, &fault, &[]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    assert!(refused.stderr.contains("falha.json"), "{refused:?}");
    for (since, words) in [("2001-01-01", "nothing to compare"), ("2999-01-01", "future"), ("ontem", "not an instant")]
    {
        let refused = impact(&own.dir, &["--since", since]);
        assert!(refused.code == 1 && refused.stderr.contains(words), "{refused:?}");
    }
    assert_eq!(impact(&own.dir, &[]).code, 2);
}

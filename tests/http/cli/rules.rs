//! `taxd rules list | show | history | coverage`: what the analyst reads.

use serde_json::{Value, json};

use crate::support::{Done, OwnRules, ids, rule, taxd, with};

/// One code with three versions, another with one that was replaced entirely.
fn own_rules() -> OwnRules {
    let icms = rule("icms-rj", "icms", &json!({"uf": "RJ"}), &json!({"aliquota": "18.00", "fcp": "2.00"}));
    let ipva = rule("ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    let ipva = with(&ipva, &json!({"conferencia": "fonte_unica"}));
    let own = OwnRules::of(&[icms.clone(), ipva.clone()]);
    own.publish(&[with(
        &icms,
        &json!({
        "versao": "1.1", "vigente_de": "2024-03-13", "conteudo": {"aliquota": "19.50", "fcp": "2.00"}}),
    )]);
    own.publish(&[
        with(&icms, &json!({
            "versao": "1.2", "vigente_de": "2099-01-01", "citacao_legal": "Lei de amanhã", "conteudo": {"aliquota": null},
            "motivo": "A alíquota não foi fixada."})),
        with(&ipva, &json!({"versao": "1.1"})),
    ]);
    own
}

fn rules(own: &OwnRules, args: &[&str]) -> Done {
    taxd(&own.dir, ["rules"].iter().chain(args))
}

/// Runs the check on the file, and then beside a server.
fn stopped_and_running(own: &OwnRules, check: impl Fn(&str)) {
    check("stopped");
    let _server = own.serve();
    check("running");
}

#[test]
fn the_history_says_in_words_what_changed_from_one_version_to_the_next() {
    let own = own_rules();
    stopped_and_running(&own, |place| {
        let history = rules(&own, &["history", "icms-rj", "--json"]).ok().json();
        assert_eq!(history["rule_code"], "icms-rj", "{place}");
        let versions = history["versoes"].as_array().unwrap();
        assert_eq!(ids(versions), ["icms-rj-v1.0", "icms-rj-v1.1", "icms-rj-v1.2"]);
        assert_eq!(versions[0]["mudancas"], json!([]));
        assert_eq!(versions[1]["mudancas"], json!(["Alíquota da operação: 18,00 % -> 19,50 % a partir de 13/03/2024"]));
        let last: Vec<&str> = versions[2]["mudancas"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
        assert_eq!(last.len(), 4, "{last:?}");
        for words in [
            "Citação legal: Lei de teste de icms-rj -> Lei de amanhã a partir de 01/01/2099",
            "Alíquota da operação: 19,50 % -> (não estabelecido) a partir de 01/01/2099",
            "Adicional do fundo de combate à pobreza: 2,00 % -> (ausente) a partir de 01/01/2099",
            "Motivo: (ausente) -> A alíquota não foi fixada. a partir de 01/01/2099",
        ] {
            assert!(last.contains(&words), "{words}: {last:?}");
        }
        let text = rules(&own, &["history", "icms-rj"]).ok().stdout;
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for line in [
            "icms-rj-v1.0  2020-01-01 -> 2024-03-13  encerrada",
            "icms-rj-v1.1  2024-03-13 -> 2099-01-01  vigente",
            "icms-rj-v1.2  2099-01-01 -> open  futura",
            "superseded by icms-rj-v1.1",
            "Alíquota da operação: 18,00 % -> 19,50 % a partir de 13/03/2024",
        ] {
            assert!(lines.contains(&line), "{place}: {line}\n{text}");
        }
    });
}

#[test]
fn a_change_of_scope_is_listed_too() {
    let own = OwnRules::of(&[rule("t-ipva", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}))]);
    own.publish(&[with(
        &rule("t-ipva", "ipva", &json!({"uf": "AC", "categoria_veiculo": "taxi"}), &json!({"aliquota": "2.00"})),
        &json!({"versao": "1.1", "vigente_de": "2024-01-01"}),
    )]);
    let history = rules(&own, &["history", "t-ipva", "--json"]).ok().json();
    let changes = &history["versoes"][1]["mudancas"];
    assert_eq!(*changes, json!(["Palavra ou palavras do pedido: (ausente) -> Táxi a partir de 01/01/2024"]));
}

#[test]
fn versions_are_listed_in_the_order_of_their_numbers_also_beyond_nine() {
    let ipva = rule("t-ipva", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "1.00"}));
    let own = OwnRules::of(&[with(&ipva, &json!({"versao": "1.9"}))]);
    for (versao, de, rate) in [("1.10", "2022-01-01", "2.00"), ("2.0", "2021-01-01", "3.00")] {
        let next = json!({"versao": versao, "vigente_de": de, "conteudo": {"aliquota": rate}});
        own.publish(&[with(&ipva, &next)]);
    }
    let versions = rules(&own, &["history", "t-ipva", "--json"]).ok().json()["versoes"].clone();
    assert_eq!(ids(versions.as_array().unwrap()), ["t-ipva-v1.9", "t-ipva-v1.10", "t-ipva-v2.0"]);
    // Version 1.10 never answers: on the first day of 2.0 it was 1.9 that answered before.
    assert_eq!(versions[2]["mudancas"], json!(["Alíquota da categoria: 1,00 % -> 3,00 % a partir de 01/01/2021"]));
    assert_eq!(
        (&versions[1]["situacao"], &versions[1]["substituida_por"]),
        (&json!("substituida"), &json!("t-ipva-v2.0"))
    );
}

#[test]
fn the_list_takes_the_filters_of_the_listing() {
    let own = own_rules();
    let server = own.serve();
    for (args, query) in [
        (vec![], ""),
        (vec!["--tributo", "ipva"], "tributo=ipva"),
        (vec!["--uf", "RJ"], "uf=RJ"),
        (vec!["--situacao", "substituida"], "situacao=substituida"),
        (vec!["--vigente-em", "2024-03-12"], "vigente_em=2024-03-12"),
        (vec!["--q", "amanha"], "q=amanha"),
        (vec!["--conferencia", "fonte_unica"], "conferencia=fonte_unica"),
        (vec!["--ncm", "22030000"], "ncm=22030000"),
        (vec!["--item-lista-servico", "1.01"], "item_lista_servico=1.01"),
        (vec!["--municipio", "Niterói"], "municipio=niteroi"),
        (vec!["--tributo", "icms", "--situacao", "vigente", "--uf", "RJ"], "tributo=icms&situacao=vigente&uf=RJ"),
    ] {
        let words: Vec<&str> = ["list", "--json"].into_iter().chain(args.iter().copied()).collect();
        let listed = rules(&own, &words).ok().json();
        assert_eq!(listed["regras"], Value::Array(server.regras(query)), "{args:?}");
        assert_eq!(listed["mais"], false);
    }
    drop(server);
    let text = rules(&own, &["list"]).ok().stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6, "a heading and the versions:\n{text}");
    for cell in ["icms-rj-v1.1", "2024-03-13", "2099-01-01", "vigente", "Lei de teste de icms-rj"] {
        assert!(lines.iter().any(|l| l.starts_with("icms-rj-v1.1") && l.contains(cell)), "{cell}:\n{text}");
    }
    assert!(lines.iter().any(|l| l.starts_with("ipva-ac-v1.1") && l.contains(" fonte_unica ")), "{text}");
    // Cut short, it says so.
    let cut = rules(&own, &["list", "--limit", "2", "--json"]).ok().json();
    assert_eq!((cut["regras"].as_array().map(Vec::len), &cut["mais"]), (Some(2), &json!(true)));
    let text = rules(&own, &["list", "--limit", "2"]).ok().stdout;
    assert!(text.lines().count() == 4 && text.contains("more"), "{text}");
    assert_eq!(rules(&own, &["list", "--limit", "5", "--json"]).ok().json()["mais"], false);
}

#[test]
fn a_version_or_all_versions_of_a_code_are_shown() {
    let own = own_rules();
    stopped_and_running(&own, |place| {
        let one = rules(&own, &["show", "icms-rj-v1.1", "--json"]).ok().json();
        assert_eq!(ids(one["regras"].as_array().unwrap()), ["icms-rj-v1.1"], "{place}");
        assert_eq!(one["regras"][0]["conteudo"], json!({"aliquota": "19.50", "fcp": "2.00"}));
        let all = rules(&own, &["show", "icms-rj", "--json"]).ok().json();
        assert_eq!(ids(all["regras"].as_array().unwrap()), ["icms-rj-v1.0", "icms-rj-v1.1", "icms-rj-v1.2"]);
        let text = rules(&own, &["show", "icms-rj-v1.1"]).ok().stdout;
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), one["regras"][0]);
    });
}

#[test]
fn without_a_data_directory_the_coverage_is_that_of_the_built_in_rules() {
    let done = crate::support::taxd_nowhere(["rules", "coverage", "--vigente-em", "2026-11-01"], b"").ok();
    let kept = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/rulesets/COBERTURA.md")).unwrap();
    assert_eq!(done.stdout, kept);
    assert!(done.stderr.contains("contam as regras embutidas"), "{done:?}");
    let named = taxd(&crate::support::DataDir::empty(), ["rules", "coverage"]);
    assert!(named.code == 1 && named.stderr.contains("there is no taxd data in"), "{named:?}");
}

/// The hint for `is` was once `iss`.
#[test]
fn the_imposto_seletivo_is_named_where_a_tax_is_asked_for() {
    let own = OwnRules::of(&[rule("geral-sp", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"}))]);
    let listed = rules(&own, &["list", "--tributo", "is"]);
    assert!(listed.code == 1 && listed.stderr.contains("Imposto Seletivo (LC 214/2025, arts. 409 ff.)"), "{listed:?}");
    let file = own.dir.write("lista.csv", "tributo;valor_operacao\nIS;100\n");
    let list = taxd(&own.dir, ["calc".as_ref(), file.as_os_str()]);
    let said = list.stdout + &list.stderr;
    assert!(said.contains("Imposto Seletivo (LC nº 214/2025, arts. 409 e seguintes)"), "{said}");
}

//! Values as people type them: commands take several forms, the HTTP API one.

use serde_json::{Value, json};

use crate::support::{DataDir, OwnRules, ids, rule, taxd};

fn own_rules() -> OwnRules {
    let st = json!({"criterio": "mva", "descricao": "Cerveja", "mva": "40.00", "aliquota_interna": "18.00"});
    OwnRules::of(&[
        rule("t-icms-sp", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"})),
        rule("t-st-sp", "icms_st", &json!({"uf": "SP", "ncm": "2203"}), &st),
    ])
}

#[test]
fn filters_of_rules_are_taken_as_they_are_typed() {
    let own = own_rules();
    let listed = |args: &[&str]| {
        let done = taxd(&own.dir, ["rules", "list", "--json"].iter().chain(args)).ok().json();
        done["regras"].as_array().unwrap().clone()
    };
    let check = || {
        for (typed, exact) in [
            (["--uf", "sp"], ["--uf", "SP"]),
            (["--tributo", "ICMS-ST"], ["--tributo", "icms_st"]),
            (["--tributo", "Icms"], ["--tributo", "icms"]),
            (["--ncm", "2203.00.00"], ["--ncm", "22030000"]),
            (["--vigente-em", "01/01/2020"], ["--vigente-em", "2020-01-01"]),
            (["--vigente-em", "31/12/2019"], ["--vigente-em", "2019-12-31"]),
            (["--vigente-em", "1/1/2020"], ["--vigente-em", "2020-01-01"]),
            (["--vigente-em", "1/1/20"], ["--vigente-em", "2020-01-01"]),
            (["--vigente-em", "31.12.69"], ["--vigente-em", "2069-12-31"]),
            (["--vigente-em", "31-12-70"], ["--vigente-em", "1970-12-31"]),
            (["--vigente-em", "01012020"], ["--vigente-em", "2020-01-01"]),
            (["--situacao", "Vigente"], ["--situacao", "vigente"]),
        ] {
            assert_eq!(listed(&typed), listed(&exact), "{typed:?}");
        }
        assert_eq!(ids(&listed(&["--tributo", "ICMS-ST", "--uf", "sp", "--ncm", "2203.00.00"])), ["t-st-sp-v1.0"]);
        assert_eq!(listed(&["--vigente-em", "31/12/2019"]), Vec::<Value>::new());
    };
    check();
    let server = own.serve();
    check();
    for query in ["uf=sp", "tributo=ICMS", "ncm=2203.00.00", "vigente_em=01/01/2020"] {
        assert_eq!(server.get_own(&format!("/v1/regras?{query}")).status, 422, "the API is exact: {query}");
    }
}

#[test]
fn a_day_that_is_none_is_refused_as_it_was_typed() {
    let own = own_rules();
    for day in ["32/01/2026", "2026/01/31", "01/31/2026", "31/01/026", "1/2", "/ /2026", "20260131"] {
        let done = taxd(&own.dir, ["rules", "list", "--vigente-em", day]);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{day}: {done:?}");
        assert!(done.stderr.contains("--vigente-em"), "{done:?}");
    }
}

/// The history of a version answered with a message for the author of a bundle.
#[test]
fn the_id_of_a_version_is_taken_for_its_code() {
    let own = own_rules();
    let exact = taxd(&own.dir, ["rules", "history", "t-icms-sp", "--json"]).ok().json();
    for typed in ["t-icms-sp-v1.0", "T-ICMS-SP", " t-icms-sp-v9.9 "] {
        assert_eq!(taxd(&own.dir, ["rules", "history", typed, "--json"]).ok().json(), exact, "{typed}");
    }
    let shown = taxd(&own.dir, ["rules", "show", "T-Icms-SP-v1.0", "--json"]).ok().json();
    assert_eq!(ids(shown["regras"].as_array().unwrap()), ["t-icms-sp-v1.0"]);
    for (command, typed) in [("history", "nada"), ("history", "nada-v1.0"), ("history", "NÃO SERVE"), ("show", "É?")]
    {
        let done = taxd(&own.dir, ["rules", command, typed]);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{command} {typed}: {done:?}");
        assert!(done.stderr.contains("there is no rule \"") && done.stderr.contains("taxd rules list"), "{done:?}");
    }
}

/// `taxd changes --since 1/11/26` was refused, although the page takes that day.
#[test]
fn a_day_of_changes_is_read_as_the_page_reads_it() {
    let own = own_rules();
    let since = |day: &str| taxd(&own.dir, ["changes", "--since", day, "--json"]).ok().json();
    let exact = since("2026-11-01");
    for typed in ["1/11/26", "01/11/2026", "1.11.26", "01112026"] {
        assert_eq!(since(typed), exact, "{typed}");
    }
}

/// A misspelt municipality, and a rule that there is not, were refused without a word on what was meant.
#[test]
fn a_misspelt_municipality_or_rule_is_suggested() {
    let own = OwnRules::of(&[
        rule(
            "t-ipva-sp-automovel",
            "ipva",
            &json!({"uf": "SP", "categoria_veiculo": ["automovel"]}),
            &json!({"aliquota": "4.00"}),
        ),
        rule(
            "t-ipva-sp-taxi",
            "ipva",
            &json!({"uf": "SP", "categoria_veiculo": ["taxi"]}),
            &json!({"aliquota": "4.00"}),
        ),
        rule("t-icms-mg", "icms", &json!({"uf": "MG"}), &json!({"aliquota": "18.00"})),
    ]);
    let refused = |args: &[&str]| {
        let done = taxd(&own.dir, args);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{args:?}: {done:?}");
        done.stderr
    };
    for (command, typed, near) in [
        ("show", "t-ipva-sp-auto", "did you mean t-ipva-sp-automovel?"),
        ("show", "T-IPVA-SP-TAXY-v1.0", "did you mean t-ipva-sp-taxi?"),
        ("history", "t-ipva-sp", "did you mean t-ipva-sp-automovel, t-ipva-sp-taxi?"),
        ("history", "t-icsm-mg", "did you mean t-icms-mg?"),
    ] {
        let told = refused(&["rules", command, typed]);
        assert!(
            told.contains("there is no rule \"") && told.contains(&format!("; {near} `taxd rules list`")),
            "{told}"
        );
    }
    assert!(!refused(&["rules", "show", "nada-parecido"]).contains("did you mean"));
    for (args, near) in [
        (&["--municipio", "Sao Paolo"][..], "did you mean \"São Paulo\" (SP)?"),
        (&["--uf", "mg", "--municipio", "Uberabba"], "did you mean \"Uberaba\" (MG)?"),
        (&["--uf", "RJ", "--municipio", "Niteroy"], "did you mean \"Niterói\" (RJ)?"),
        (&["--municipio", "Xyzzyx"], "official name"),
    ] {
        let told = refused(&[&["rules", "list"], args].concat());
        assert!(told.contains("--municipio") && told.contains(near), "{told}");
    }
}

#[test]
fn filters_of_subscriptions_and_the_day_of_a_replay_are_taken_as_they_are_typed() {
    let own = own_rules();
    let run = |args: &[&str]| taxd(&own.dir, args.iter().chain(&["--json"])).ok().json();
    let base = ["subscription", "create", "--account", "Testes", "--url", "https://erp.example/taxd"];
    let typed = ["--tributo", "ICMS-ST", "--uf-origem", "mg", "--uf-destino", "sp"];
    let made = run(&[base.as_slice(), &typed].concat());
    let filters = (&made["tributo"], &made["uf_origem"], &made["uf_destino"]);
    assert_eq!(filters, (&json!("icms_st"), &json!("MG"), &json!("SP")));
    let replay = ["outbox", "replay", "--subscription", "sub_1", "--failed-since"];
    for day in ["10/03/2026", "2026-03-10", "2026-03-10T12:00:00Z"] {
        assert_eq!(run(&[replay.as_slice(), &[day]].concat())["replayed"], 0, "{day}");
    }
}

/// `ncm` and `codigos` were answered with `restore` and `completions`, or with nothing.
#[test]
fn a_portuguese_word_in_the_place_of_a_command_has_the_command_that_it_means() {
    let dir = DataDir::empty();
    for (typed, meant) in [
        ("calcular", "'calc'"),
        ("ncm", "'codes WORDS --tabela ncm'"),
        ("cest", "'codes WORDS --tabela cest'"),
        ("codigos", "'codes'"),
        ("Códigos", "'codes'"),
        ("auditar", "'audit'"),
        ("conferir", "'verify'"),
        ("calendario", "'rules upcoming'"),
    ] {
        let done = taxd(&dir, [typed]);
        assert!(done.code == 2 && done.stderr.contains(&format!("exists: {meant}\n")), "{typed}: {done:?}");
    }
}

#[test]
fn coverage_and_upcoming_take_a_tax_and_a_uf_by_letters_or_name() {
    let own = own_rules();
    let run = |args: &[&str]| taxd(&own.dir, ["rules"].iter().chain(args)).ok().json();
    let counted = run(&["coverage", "--json", "--uf", "são paulo", "--tributo", "ICMS-ST"]);
    assert_eq!((&counted["uf"], &counted["tributo"]), (&json!("SP"), &json!("icms_st")));
    assert_eq!(counted["totais"].as_array().unwrap().len(), 1);
    assert_eq!(counted["totais"][0]["sim"], 1);
    let none = run(&["coverage", "--json", "--uf", "RJ", "--tributo", "icms_st"]);
    assert_eq!((&none["totais"][0]["sim"], &none["linhas"]), (&json!(0), &json!([])));
    let since = ["upcoming", "--json", "--desde", "2019-12-31", "--days", "2"];
    let begun = |more: &[&str]| run(&[&since[..], more].concat())["resumo"]["comecam"].clone();
    assert_eq!(begun(&[]), 2);
    assert_eq!(begun(&["--tributo", "icms"]), 1);
    assert_eq!(begun(&["--uf", "SP"]), 2);
    assert_eq!(begun(&["--uf", "Rio de Janeiro"]), 0);
    let refused = taxd(&own.dir, ["rules", "upcoming", "--uf", "Mina Gerais"]);
    assert!(refused.code == 1 && refused.stderr.contains("did you mean MG?"), "{refused:?}");
    let refused = taxd(&own.dir, ["rules", "coverage", "--tributo", "icm"]);
    assert!(refused.code == 1 && refused.stderr.contains("did you mean icms?"), "{refused:?}");
}

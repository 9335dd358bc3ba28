//! What `taxd import` shows: before anything happens with `--dry-run`, and after.

use std::ffi::OsStr;

use serde_json::{Value, json};

use crate::support::{DataDir, Done, OwnRules, bundle, ids, rule, taxd, with};

/// A bundle that does everything at once to what `start` published: a later version, a
/// retroactive one, one with an end, and a new code.
fn everything() -> Vec<Value> {
    let ipva = |uf: &str| {
        let code = format!("ipva-{}", uf.to_lowercase());
        rule(&code, "ipva", &json!({"uf": uf}), &json!({"aliquota": "3.00"}))
    };
    vec![
        with(&ipva("AC"), &json!({"versao": "1.1", "vigente_de": "2024-01-01"})),
        with(&ipva("AL"), &json!({"versao": "1.1", "vigente_de": "2019-01-01"})),
        with(&ipva("AM"), &json!({"versao": "1.1", "vigente_de": "2022-01-01", "vigente_ate": "2023-01-01"})),
        ipva("BA"),
    ]
}

fn start() -> OwnRules {
    let ipva = |uf: &str| {
        let code = format!("ipva-{}", uf.to_lowercase());
        rule(&code, "ipva", &json!({"uf": uf}), &json!({"aliquota": "2.00"}))
    };
    OwnRules::of(&["AC", "AL", "AM"].map(ipva))
}

fn listed(own: &OwnRules) -> Value {
    taxd(&own.dir, ["rules", "list", "--json"]).ok().json()
}

#[test]
fn a_dry_run_reports_what_the_import_then_does_and_writes_nothing() {
    for running in [false, true] {
        let own = start();
        let server = running.then(|| own.serve());
        let file = own.dir.write("all.json", bundle(&everything()));
        let before = listed(&own);
        let dry = own.import(&file, &["--dry-run", "--json"]).ok().json();
        own.import(&file, &["--dry-run"]).ok();
        assert_eq!(listed(&own), before, "nothing was written, running: {running}");
        if let Some(server) = &server {
            assert_eq!(server.changelog("").len(), 3);
        }
        let done = own.import(&file, &["--json"]).ok().json();
        assert_eq!((&dry["dry_run"], &done["dry_run"]), (&json!(true), &json!(false)));
        assert_eq!(with(&dry, &json!({"dry_run": null})), with(&done, &json!({"dry_run": null})), "running: {running}");
        assert_eq!(
            ids(done["publicadas"].as_array().unwrap()),
            ["ipva-ac-v1.1", "ipva-al-v1.1", "ipva-am-v1.1", "ipva-ba-v1.0"]
        );
        let moved: Vec<Value> = done["substituidas"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| {
                json!([
                    r["rule_id"],
                    r["tipo"],
                    r["substituida_por"],
                    r["vigente_ate_anterior"],
                    r["vigente_ate"],
                    r["lacuna_de"]
                ])
            })
            .collect();
        assert_eq!(
            moved,
            [
                json!(["ipva-ac-v1.0", "substituicao", "ipva-ac-v1.1", null, "2024-01-01", null]),
                json!(["ipva-al-v1.0", "substituicao_retroativa", "ipva-al-v1.1", null, "2019-01-01", null]),
                json!(["ipva-am-v1.0", "substituicao", "ipva-am-v1.1", null, "2022-01-01", "2023-01-01"]),
            ]
        );
    }
}

#[test]
fn a_dry_run_before_there_is_a_data_directory_makes_none() {
    let dir = DataDir::empty();
    let file = dir.write("all.json", bundle(&everything()));
    let import =
        |more: &[&str]| taxd(&dir, ["import", file.to_str().unwrap(), "--json"].iter().chain(more)).ok().json();
    let dry = import(&["--dry-run"]);
    assert!(!dir.path().exists());
    std::fs::create_dir(dir.path()).unwrap();
    assert_eq!(import(&["--dry-run"]), dry);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nor anything in an empty one");
    assert_eq!(with(&import(&[]), &json!({"dry_run": null})), with(&dry, &json!({"dry_run": null})));
}

#[test]
fn people_get_the_dates_as_tables() {
    let own = start();
    let file = own.dir.write("all.json", bundle(&everything()));
    let dry = own.import(&file, &["--dry-run"]).ok().stdout;
    let line = |first: &str| dry.lines().find(|l| l.starts_with(first)).unwrap_or_else(|| panic!("no {first}:\n{dry}"));
    let has = |first: &str, cells: &[&str]| {
        let line = line(first);
        assert!(cells.iter().all(|c| line.contains(c)), "{cells:?}: {line}");
    };
    has("NEW VERSION", &["TAX", "FROM", "UNTIL"]);
    has("ipva-ac-v1.1", &["ipva", "2024-01-01", "open"]);
    has("ipva-am-v1.1", &["2022-01-01", "2023-01-01"]);
    has("SUPERSEDED", &["HOW", "BY", "END"]);
    has("ipva-ac-v1.0", &["substituicao ", "ipva-ac-v1.1", "open -> 2024-01-01"]);
    has("ipva-al-v1.0", &["substituicao_retroativa", "ipva-al-v1.1", "open -> 2019-01-01"]);
    has("ipva-am-v1.0", &["ipva-am-v1.1", "open -> 2022-01-01", "NO RULE from 2023-01-01"]);
    has("dry run, nothing written: 4 new, 3 superseded, 0 already there", &[]);
    let done = own.import(&file, &[]).ok().stdout;
    assert_eq!(done, dry.replace("dry run, nothing written: ", ""));
}

#[test]
fn a_dry_run_refuses_what_the_import_would_refuse() {
    let own = start();
    let wrong = with(&everything()[0], &json!({"versao": "0.9"}));
    let example = json!({"exemplos": [{"payload": {
        "tributo": "ipva", "uf": "BA", "categoria_veiculo": "automovel", "valor_venal": "100.00",
        "data_fato_gerador": "2026-01-01"}, "valor": "9.99"}]});
    let false_example = with(&everything()[3], &example);
    let tie = with(&everything()[3], &json!({"rule_code": "outra", "escopo": {"uf": "AC"}}));
    for rule in [wrong, false_example, tie] {
        let file = own.dir.write("wrong.json", bundle(&[rule]));
        let (dry, done) = (own.import(&file, &["--dry-run"]), own.import(&file, &[]));
        assert_eq!((dry.code, done.code), (1, 1), "{dry:?}");
        assert_eq!(dry.stderr, done.stderr);
    }
}

#[test]
fn running_or_stopped_the_messages_are_the_same() {
    let (stopped, running) = (start(), start());
    let _server = running.serve();
    let texts = [bundle(&everything()), bundle(&everything()), bundle(&[json!({"rule_code": "x"})]), "{".to_owned()];
    for (i, text) in texts.iter().enumerate() {
        for more in [[].as_slice(), &["--json"], &["--dry-run"], &["--require-signature"]] {
            let [a, b] = [&stopped, &running].map(|own| {
                let file = own.dir.write(&format!("b{i}.json"), text);
                let done = own.import(&file, more);
                let bare = |text: &str| text.replace(&file.display().to_string(), "FILE");
                (done.code, bare(&done.stdout), bare(&done.stderr))
            });
            assert_eq!(a, b, "{i} {more:?}");
        }
    }
}

#[test]
fn the_built_in_bundles_come_by_their_own_option_and_once() {
    let own = start();
    let first = taxd(&own.dir, ["import", "--builtin", "--json"]).ok().json();
    assert!(first["publicadas"].as_array().unwrap().len() > 10_000);
    assert!(
        first["pacotes"].as_array().unwrap().iter().all(|a| a["assinado_por"] == "taxd (built in)"),
        "{}",
        first["pacotes"]
    );
    let again = taxd(&own.dir, ["import", "--builtin", "--json"]).ok().json();
    assert_eq!(again["publicadas"], json!([]));
    assert_eq!(again["inalteradas"], json!(first["publicadas"].as_array().unwrap().len()));
    // Imported, or loaded by a first run.
    for dir in [&own.dir, &DataDir::ready()] {
        let history = taxd(dir, ["rules", "history", "icms-sp-geral", "--json"]).ok().json();
        let bundle = &history["versoes"][0]["pacote"];
        assert_eq!(
            (&bundle["assinado_por"], &bundle["key_id"]),
            (&json!("taxd (built in)"), &Value::Null),
            "{history}"
        );
        assert_eq!(bundle["file"], "rulesets/estadual/SP.json");
    }
    assert_eq!(taxd(&own.dir, ["import"]).code, 2, "nothing to import");
}

/// It was imported without a word, and the operations that it was made for were then refused.
#[test]
fn a_rule_of_substitution_without_its_interstate_rate_is_shown_as_a_warning() {
    let content = json!({"criterio": "mva", "descricao": "Cerveja", "mva": "40.00", "aliquota_interna": "18.00"});
    let escopo = json!({"ncm": "2203", "uf_origem": "MG", "uf_destino": "SP"});
    // A server without rules would load the built-in ones, which have the rate.
    let own = OwnRules::of(&[rule("t-ipva", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}))]);
    let file = own.dir.write("st.json", bundle(&[rule("t-st", "icms_st", &escopo, &content)]));
    let warning = "st.json: t-st-v1.0 needs a rule of icms from MG to SP beside it, and there is none on 2020-01-01";
    let check = |done: &Done, json: bool| {
        assert!(done.stderr.starts_with("taxd: warning: ") && done.stderr.contains(warning), "{done:?}");
        if json {
            let avisos = done.json()["avisos"].clone();
            assert!(avisos.as_array().is_some_and(|a| a.len() == 1), "{avisos}");
            assert!(avisos[0].as_str().is_some_and(|aviso| aviso.contains(warning)), "{avisos}");
        }
    };
    let checked = [OsStr::new("bundle"), OsStr::new("check"), file.as_os_str()];
    check(&taxd(&own.dir, checked).ok(), false);
    check(&own.import(&file, &["--dry-run", "--json"]).ok(), true);
    let _server = own.serve();
    check(&own.import(&file, &["--dry-run"]).ok(), false);
    check(&own.import(&file, &["--json"]).ok(), true);
    let rate = rule("t-senado", "icms", &json!({"uf_origem": "MG", "uf_destino": "SP"}), &json!({"aliquota": "12.00"}));
    let again = own.import(&own.dir.write("rate.json", bundle(&[rate])), &["--json"]).ok();
    assert_eq!((again.stderr.as_str(), &again.json()["avisos"]), ("", &json!([])));
}

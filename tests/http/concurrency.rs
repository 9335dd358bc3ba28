//! Many callers at once, and rules that change under them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::support::{DataDir, bundle, rule, taxd, with};

#[test]
fn each_of_many_callers_gets_the_figure_of_its_own_payload() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--cache-entries", "64"]);
    thread::scope(|scope| {
        for caller in 0..8_usize {
            let server = &server;
            scope.spawn(move || {
                for i in 0..150 {
                    // Half of the payloads are the same for all callers, and so come from memory.
                    let reais = if i % 2 == 0 { i } else { 1_000 * (caller + 1) + i };
                    let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP",
                                         "valor_produto": reais.to_string(), "data_operacao": "2026-03-10"});
                    let due = format!("{}.{:02}", 18 * reais / 100, 18 * reais % 100);
                    assert_eq!(server.calculate(&payload).envelope()["valor"], due.as_str());
                }
            });
        }
    });
}

#[test]
fn no_answer_of_an_old_version_outlives_the_import_of_a_new_one() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    // A case that no shipped rule answers.
    let scope = json!({"uf": "AM", "categoria_veiculo": ["locadora"]});
    let first = rule("t-ipva-ac", "ipva", &scope, &json!({"aliquota": "1.00"}));
    let car = json!({"tributo": "ipva", "uf": "AM", "categoria_veiculo": "locadora", "valor_venal": "100.00",
                     "data_fato_gerador": "2026-01-01"});
    let import = |version: usize| {
        let rate = json!({"aliquota": format!("{version}.00")});
        let next = with(&first, &json!({"versao": format!("1.{version}"), "conteudo": rate}));
        let file = dir.write("next.json", bundle(&[next]));
        taxd(&dir, ["import".as_ref(), file.as_os_str()]).ok();
    };
    import(1);
    let (published, over) = (AtomicUsize::new(1), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    let at_least = published.load(Ordering::SeqCst);
                    let answer = server.calculate(&car).envelope();
                    let version = version_of(&answer);
                    assert!(version >= at_least, "{at_least} was published, and then {version} answered");
                    assert_eq!(answer["valor"], format!("{version}.00"), "figure and citation are of one version");
                }
            });
        }
        for version in 2..=25 {
            import(version);
            published.store(version, Ordering::SeqCst);
            let answer = server.calculate(&car).envelope();
            assert_eq!(version_of(&answer), version, "{answer}");
        }
        over.store(true, Ordering::SeqCst);
    });
}

fn version_of(answer: &Value) -> usize {
    let id = answer["regra"]["rule_id"].as_str().unwrap();
    id.rsplit('.').next().unwrap().parse().unwrap()
}

#[test]
fn commands_beside_each_other_all_reach_the_running_server() {
    let dir = DataDir::ready();
    let _server = dir.serve(&[]);
    thread::scope(|scope| {
        for i in 0..8 {
            let dir = &dir;
            scope.spawn(move || taxd(dir, ["account", "create", &format!("Conta {i}")]).ok());
        }
    });
    let accounts = taxd(&dir, ["account", "list", "--json"]).ok().json();
    assert_eq!(accounts.as_array().map(Vec::len), Some(10), "beside the first account and the one of the tests");
}

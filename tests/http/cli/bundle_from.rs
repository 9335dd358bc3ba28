//! `taxd bundle from`: an official table becomes rules that answer, once.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{DataDir, Done, taxd, taxd_with_input};

const TABLE: &str = "codigo_ibge;uf;nome_municipio;codigo_servico;incidencia;aliquota;dt_ini;dt_fim\n\
    3524402;SP;Jacareí;01.09.01.000;01.09.01.000;2,5;2025-01-01T00:00:00;\n\
    3524402;SP;Jacareí;01.09.02.000;01.09.02.000;5;2025-01-01T00:00:00;\n\
    3524402;SP;Jacareí;17.01.01.000;17.01.01.000;3;2025-01-01T00:00:00;2026-06-30T00:00:00\n\
    3524402;SP;Jacareí;17.01.01.000;17.01.01.000;4;2026-07-01T00:00:00;\n\
    3550308;SP;São Paulo;01.01.01.000;01.01.01.000;5;2025-01-01T00:00:00;\n\
    1;SP;Lugar nenhum;01.01.01.000;01.01.01.000;5;2025-01-01T00:00:00;\n";

/// The file of that name beside the data directory.
fn beside(dir: &DataDir, name: &str) -> PathBuf {
    dir.path().with_file_name(name)
}

fn from(dir: &DataDir, table: &str, out: &str, more: &[&str]) -> Done {
    let (table, out) = (dir.write("tabela.csv", table), beside(dir, out));
    let (table, out) = (table.to_str().unwrap().to_owned(), out.to_str().unwrap().to_owned());
    taxd(dir, [&["bundle", "from", "iss-nacional", &table, "--out", &out], more].concat())
}

fn answer(dir: &DataDir, item: &str, code: Option<&str>, day: &str) -> Value {
    let payload = json!({
        "tributo": "iss", "uf": "SP", "municipio": "3524402", "item_lista_servico": item,
        "codigo_tributacao_nacional": code, "preco_servico": "1000.00", "data": day,
    });
    serde_json::from_str(&taxd_with_input(dir, ["calc"], payload.to_string().as_bytes()).stdout).unwrap()
}

#[test]
fn the_national_table_of_iss_becomes_rules_that_answer_once() {
    let dir = DataDir::ready();
    let done = from(&dir, TABLE, "iss.json", &[]).ok();
    assert!(done.stdout.contains("6 lines of 2 municipalities, 1 faulty"), "{}", done.stdout);
    assert!(done.stdout.contains("tabela.csv:7: O IBGE não tem município com o código \"1\"."), "{}", done.stdout);
    // An answer by its own rule of São Paulo stays; the table is compared with it.
    assert!(done.stdout.contains("other rules answer for 1 services"), "{}", done.stdout);
    let refused = from(&dir, TABLE, "iss.json", &[]);
    assert!(refused.code == 1 && refused.stderr.contains("already exists"), "{refused:?}");

    taxd(&dir, ["import".as_ref(), beside(&dir, "iss.json").as_os_str()]).ok();
    let found = answer(&dir, "17.01", None, "2026-06-30");
    assert_eq!((&found["valor"], &found["detalhes"]["municipio"]), (&json!("30.00"), &json!("Jacareí")), "{found}");
    assert_eq!(found["regra"]["rule_id"], "iss-nacional-3524402-v1.0");
    assert_eq!(found["regra"]["conferencia"], "fonte_unica");
    assert_eq!(answer(&dir, "17.01", None, "2026-07-01")["valor"], "40.00");
    assert_eq!(answer(&dir, "1.09", Some("010901"), "2026-07-01")["valor"], "25.00");
    let refused = answer(&dir, "1.09", None, "2026-07-01");
    assert_eq!(refused["codigo"], "regra_sem_conteudo");
    assert!(refused["detail"].as_str().unwrap().contains("codigo_tributacao_nacional"), "{refused}");
    assert_eq!(answer(&dir, "1.09", Some("170101"), "2026-07-01")["codigo"], "item_servico_invalido");

    let again = from(&dir, TABLE, "again.json", &["--json"]).ok().json();
    assert_eq!((&again["pacote"], &again["versoes"]), (&Value::Null, &json!(0)), "{again}");
    assert!(!beside(&dir, "again.json").exists());
    // A later table ends one rate and begins another: one version more.
    let later = TABLE.replace("4;2026-07-01T00:00:00;", "4;2026-07-01T00:00:00;2026-12-31T00:00:00")
        + "3524402;SP;Jacareí;17.01.01.000;17.01.01.000;2;2027-01-01T00:00:00;\n";
    assert_eq!(from(&dir, &later, "later.json", &["--json"]).ok().json()["versoes"], 1);
    taxd(&dir, ["import".as_ref(), beside(&dir, "later.json").as_os_str()]).ok();
    assert_eq!(answer(&dir, "17.01", None, "2026-12-31")["valor"], "40.00");
    assert_eq!(answer(&dir, "17.01", None, "2027-01-01")["valor"], "20.00");
}

#[test]
fn a_file_that_is_no_such_table_is_refused_with_what_it_lacks() {
    let dir = DataDir::ready();
    for (text, message) in [
        ("a;b\n1;2\n", "has no column codigo_ibge"),
        (TABLE.lines().next().unwrap(), "has no line that can be used"),
        ("PK\u{3}\u{4}", "cannot read"),
    ] {
        let refused = from(&dir, text, "iss.json", &[]);
        assert!(refused.code == 1 && refused.stderr.contains(message), "{refused:?}");
        assert!(!beside(&dir, "iss.json").exists());
    }
}

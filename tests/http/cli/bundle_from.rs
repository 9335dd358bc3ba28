//! `taxd bundle from`: an official table becomes rules that answer, once.

use std::fmt::Write as _;
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
    from_source(dir, "iss-nacional", table, out, more)
}

fn from_source(dir: &DataDir, source: &str, table: &str, out: &str, more: &[&str]) -> Done {
    let (table, out) = (dir.write("tabela.csv", table), beside(dir, out));
    let (table, out) = (table.to_str().unwrap().to_owned(), out.to_str().unwrap().to_owned());
    taxd(dir, [&["bundle", "from", source, &table, "--out", &out], more].concat())
}

/// The answer to a payload, or the refusal.
fn calculated(dir: &DataDir, payload: &Value) -> Value {
    serde_json::from_str(&taxd_with_input(dir, ["calc"], payload.to_string().as_bytes()).stdout).unwrap()
}

fn answer(dir: &DataDir, item: &str, code: Option<&str>, day: &str) -> Value {
    let payload = json!({
        "tributo": "iss", "uf": "SP", "municipio": "3524402", "item_lista_servico": item,
        "codigo_tributacao_nacional": code, "preco_servico": "1000.00", "data": day,
    });
    calculated(dir, &payload)
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
fn a_file_that_is_not_such_a_table_is_refused_with_what_it_lacks() {
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

/// The whole TIPI of the data directory in the form of the spreadsheet, without one line and with these further ones, and
/// how many lines have a rate that no rule has.
fn tipi(dir: &DataDir, without: &str, lines: &str) -> (String, usize) {
    let listed =
        taxd(dir, ["rules", "list", "--tributo", "ipi", "--vigente-em", "2026-11-22", "--limit", "100000", "--json"]);
    let mut text = String::from(
        "\"TIPI\n(Aprovada pelo Decreto nº 11.158, de 29 de julho de 2022)\";;;\nNCM ;EX;DESCRICAO ;ALÍQUOTA (%)\n22.03;;Cervejas;\n",
    );
    let mut nulls = 0;
    for rule in listed.ok().json()["regras"].as_array().unwrap() {
        let ncm = rule["ncm"][0].as_str().unwrap();
        let rate = match rule["conteudo"]["situacao"].as_str().unwrap() {
            "nao_tributado" => "NT",
            "aliquota_zero" => "0",
            _ => rule["conteudo"]["aliquota"].as_str().unwrap_or("300"),
        };
        nulls += usize::from(rule["conteudo"].get("aliquota").is_some_and(Value::is_null));
        if ncm != without {
            let ex = rule["ex"].as_str().unwrap_or_default();
            writeln!(text, "{}.{}.{};{ex};x;{rate}", &ncm[..4], &ncm[4..6], &ncm[6..]).unwrap();
        }
    }
    (text + lines, nulls)
}

#[test]
fn the_tipi_becomes_versions_and_ends_once() {
    let dir = DataDir::ready();
    let day = ["--a-partir-de", "01/12/2026"];
    let missing = from_source(&dir, "tipi", "x", "tipi.json", &[]);
    assert!(missing.code == 2 && missing.stderr.contains("--a-partir-de"), "{missing:?}");
    let (table, nulls) = tipi(&dir, "01012100", "9999.99.98;;Novo;6,5\n9999.99.97;;Errada;ver nota\n");
    let table = table.replace("2203.00.00;;x;3.90", "2203.00.00;;x;7,8");
    let done = from_source(&dir, "tipi", &table, "tipi.json", &day).ok();
    assert!(done.stdout.contains("1 new codes, 1 changed, 1 ended"), "{}", done.stdout);
    assert!(
        done.stdout.contains("1 faulty") && done.stdout.contains("\"ver nota\" não é um número"),
        "{}",
        done.stdout
    );
    taxd(&dir, ["import".as_ref(), beside(&dir, "tipi.json").as_os_str()]).ok();
    let due = |ncm: &str, day: &str| {
        let payload = json!({"tributo": "ipi", "ncm": ncm, "valor_produto": "1000.00", "data_operacao": day});
        let found = calculated(&dir, &payload);
        found["valor"].as_str().or(found["codigo"].as_str()).unwrap().to_owned()
    };
    for (ncm, found) in [
        ("22030000", ["39.00", "78.00", "0.00"]),
        ("99999998", ["regra_inexistente", "65.00", "regra_sem_conteudo"]),
        ("01012100", ["0.00", "regra_inexistente", "regra_inexistente"]),
    ] {
        assert_eq!(["2026-11-30", "2026-12-01", "2027-01-01"].map(|day| due(ncm, day)), found, "{ncm}");
    }
    let again = from_source(&dir, "tipi", &table, "again.json", &[&day[..], &["--json"]].concat()).ok().json();
    assert_eq!(
        (&again["pacote"], &again["versoes"], &again["divergem"]),
        (&Value::Null, &json!(0), &json!(nulls)),
        "{again}"
    );
    assert!(!beside(&dir, "again.json").exists());
    for (text, message) in [("a;b\n1;2\n", "NCM, EX, DESCRIÇÃO, ALÍQUOTA (%)"), ("PK\u{3}\u{4}", "não é um XLSX")]
    {
        let refused = from_source(&dir, "tipi", text, "again.json", &day);
        assert!(refused.code == 1 && refused.stderr.contains(message), "{refused:?}");
    }
}

#[test]
fn the_table_of_classifications_becomes_rules_of_both_taxes_once() {
    let dir = DataDir::ready();
    let table = "CST-IBS/CBS;cClassTrib;Nome cClassTrib;LC 214/25;Tipo de Alíquota;pRedIBS;pRedCBS;dIniVig;dFimVig;ANEXO\n\
        200;200901;Nova;Art. 125;Padrão;60;60;01/12/2026;;\n410;410001;Bonificações;Art. 5º;Sem alíquota;0;0;01/01/2026;30/11/2026;\n";
    let done = from_source(&dir, "cclasstrib", table, "classes.json", &[]).ok();
    assert!(done.stdout.contains("2 new codes, 0 changed, 2 ended"), "{}", done.stdout);
    taxd(&dir, ["import".as_ref(), beside(&dir, "classes.json").as_os_str()]).ok();
    let answer = |codigo: &str, day: &str| {
        let payload = json!({
            "tributo": "cbs", "valor_operacao": "1000.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
            "valor_cofins": "0", "valor_ipi": "0", "cumpre_obrigacoes_acessorias": false, "optante_simples": false,
            "classificacao_tributaria": codigo, "data_operacao": day,
        });
        let found = calculated(&dir, &payload);
        found["valor"].as_str().or(found["codigo"].as_str()).unwrap().to_owned()
    };
    let unknown = "classificacao_tributaria_desconhecida";
    assert_eq!([answer("200901", "2026-11-30"), answer("200901", "2026-12-01")], [unknown, "3.60"]);
    assert_eq!([answer("410001", "2026-11-30"), answer("410001", "2026-12-01")], ["0.00", unknown]);
    let again = from_source(&dir, "cclasstrib", table, "again.json", &["--json"]).ok().json();
    assert_eq!((&again["pacote"], &again["versoes"]), (&Value::Null, &json!(0)), "{again}");
    let refused = from_source(&dir, "cclasstrib", "NCM;EX\n1;2\n", "again.json", &[]);
    assert!(refused.code == 1 && refused.stderr.contains("cClassTrib, Nome cClassTrib"), "{refused:?}");
}

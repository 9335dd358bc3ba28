//! `taxd bundle template` and `taxd bundle from-sheet`: rules in a spreadsheet, from a file to an answer.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{DataDir, Done, taxd, taxd_with_input};

/// Every tax; the list is checked against the help of the command by its refusal.
const TRIBUTOS: [&str; 20] = [
    "icms_st",
    "icms",
    "ipva",
    "itcmd",
    "iss",
    "iptu",
    "itbi",
    "ipi",
    "pis",
    "cofins",
    "cbs",
    "ibs",
    "icms_consumidor_final",
    "simples_nacional",
    "irrf_servicos",
    "csll_retida",
    "pis_retido",
    "cofins_retida",
    "inss_retido",
    "iss_retido",
];

/// The file of that name beside the data directory.
fn beside(dir: &DataDir, name: &str) -> String {
    let path: PathBuf = dir.path().with_file_name(name);
    path.to_str().unwrap().to_owned()
}

fn from_sheet(dir: &DataDir, file: &str, out: &str, more: &[&str]) -> Done {
    let (file, out) = (beside(dir, file), beside(dir, out));
    taxd(dir, [&["bundle", "from-sheet", &file, "--out", &out], more].concat())
}

/// Two brackets of ITBI, in the hand of Excel: `;`, decimal comma, Windows-1252.
const ITBI: &[u8] = b"rule_code;versao;tributo;escopo.uf;escopo.municipio;vigente_de;citacao_legal;conteudo.metodo;conteudo.faixas[].ate;conteudo.faixas[].aliquota;exemplos[].payload.uf;exemplos[].payload.municipio;exemplos[].payload.valor_transacao;exemplos[].payload.data;exemplos[].valor\r\n\
# um coment\xe1rio;;;;;;;;;;;;;;\r\n\
minha-itbi;1.0;itbi;SP;Jacare\xed;01/01/2020;Lei n\xba 1, de transmiss\xe3o;marginal;1.000,00;2%;SP;Jacare\xed;1.500,00;15/06/2020;40,00\r\n\
;;;;;;;;null;4,00;SP;Jacare\xed;500,00;15/06/2020;10,00\r\n";

#[test]
fn the_rules_of_a_template_come_back_and_are_already_there() {
    let dir = DataDir::ready();
    for tributo in TRIBUTOS {
        for ending in ["xlsx", "csv"] {
            let (sheet, bundle) = (format!("{tributo}.{ending}"), format!("{tributo}-{ending}.json"));
            let file = beside(&dir, &sheet);
            let made = taxd(&dir, ["bundle", "template", tributo, "--out", &file, "--json"]).ok().json();
            let rules = made["regras"].as_array().unwrap().len();
            assert!((1..=2).contains(&rules), "{made}");
            let read = from_sheet(&dir, &sheet, &bundle, &["--json"]).ok().json();
            assert_eq!((&read["regras"], &read["novas"]), (&json!(rules), &json!(0)), "{sheet}");
            taxd(&dir, ["bundle", "format", "--check", &beside(&dir, &bundle)]).ok();
        }
        let again = taxd(&dir, ["bundle", "template", tributo, "--out", &beside(&dir, &format!("{tributo}.csv"))]);
        assert!(again.stderr.contains("already exists; choose another name") && again.code == 1, "{again:?}");
    }
}

#[test]
fn a_filled_in_sheet_becomes_rules_that_answer() {
    let dir = DataDir::ready();
    fs::write(beside(&dir, "itbi.csv"), ITBI).unwrap();
    let done = from_sheet(&dir, "itbi.csv", "minhas-regras.json", &["--descricao", "Transmissões"]).ok();
    assert!(done.stdout.contains("1 rule versions, 1 of them new; 2 worked examples"), "{}", done.stdout);
    let bundle = beside(&dir, "minhas-regras.json");
    let written: Value = serde_json::from_str(&fs::read_to_string(&bundle).unwrap()).unwrap();
    assert_eq!((&written["pacote"], &written["descricao"]), (&json!("minhas-regras"), &json!("Transmissões")));
    assert_eq!(written["regras"][0]["citacao_legal"], "Lei nº 1, de transmissão");
    taxd(&dir, ["bundle", "format", "--check", &bundle]).ok();
    taxd(&dir, ["import", &bundle]).ok();
    let payload = json!({
        "tributo": "itbi", "uf": "SP", "municipio": "Jacareí", "valor_transacao": "2000.00", "data": "2026-02-01",
    });
    let answer: Value =
        serde_json::from_str(&taxd_with_input(&dir, ["calc"], payload.to_string().as_bytes()).stdout).unwrap();
    assert_eq!(
        (&answer["valor"], &answer["regra"]["rule_id"]),
        (&json!("60.00"), &json!("minha-itbi-v1.0")),
        "{answer}"
    );
    let again = from_sheet(&dir, "itbi.csv", "minhas-regras.json", &[]);
    assert!(again.code == 1 && again.stderr.contains("already exists"), "{again:?}");
}

/// Faults of cells, and then those that only an import finds: a word of no list, a wrong example.
#[test]
fn faults_have_their_row_and_column_and_nothing_is_written() {
    let dir = DataDir::ready();
    let text: String = ITBI.iter().map(|byte| char::from(*byte)).collect();
    let attempt = |changes: &[(&str, &str)]| {
        let changed = changes.iter().fold(text.clone(), |text, (from, to)| text.replacen(from, to, 1));
        fs::write(beside(&dir, "errada.csv"), &changed).unwrap();
        let refused = from_sheet(&dir, "errada.csv", "errada.json", &["--json"]);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(!PathBuf::from(beside(&dir, "errada.json")).exists());
        refused.json()["faults"].as_array().unwrap().clone()
    };
    let place = |fault: &Value| (fault["line"].as_u64().unwrap(), fault["path"].as_str().unwrap().to_owned());
    let found = attempt(&[("1.000,00", "1.000"), (";4,00;", ";quatro;")]);
    let places: Vec<_> = found.iter().map(place).collect();
    let ate = (3, "coluna I (conteudo.faixas[].ate)".to_owned());
    assert_eq!(places, [ate, (4, "coluna J (conteudo.faixas[].aliquota)".to_owned())], "{found:#?}");
    assert!(found[0]["detail"].as_str().unwrap().contains("escreva 1000 se"), "{found:#?}");

    let found = attempt(&[(";marginal;", ";ao acaso;"), ("itbi;SP;", "itbi;XX;")]);
    let mut places: Vec<_> = found.iter().map(place).collect();
    places.sort();
    assert_eq!(
        places,
        [(3, "coluna D (escopo.uf)".to_owned()), (3, "coluna H (conteudo.metodo)".to_owned())],
        "{found:#?}"
    );

    let found = attempt(&[(";10,00\r\n", ";11,00\r\n")]);
    assert_eq!(place(&found[0]), (4, "coluna O (exemplos[].valor)".to_owned()), "{found:#?}");
    assert!(found[0]["detail"].as_str().unwrap().contains("o cálculo dá 10.00"), "{found:#?}");
    // A member that the table lacks has the row of its rule.
    let found = attempt(&[(";citacao_legal;", ";# citacao;")]);
    assert_eq!(place(&found[0]), (3, "citacao_legal (sem coluna)".to_owned()), "{found:#?}");
}

#[test]
fn a_file_that_is_not_a_table_is_refused() {
    let dir = DataDir::ready();
    for (bytes, message) in [
        (b"PK\x03\x04 truncated".as_slice(), "XLSX"),
        (b"rule_code;\0", "byte nulo"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".xls"),
        (b"", "taxd bundle template"),
        (b"a;b\n1;2\n", "taxd bundle template"),
    ] {
        fs::write(beside(&dir, "hostil.xlsx"), bytes).unwrap();
        let refused = from_sheet(&dir, "hostil.xlsx", "hostil.json", &[]);
        assert!(refused.code == 1 && refused.stderr.contains(message), "{message}: {refused:?}");
    }
    // A few bytes a row made rows of 16,384 cells, which took all memory of the machine.
    let wide = format!("{}x\n", ";".repeat(16_383)).repeat(300);
    fs::write(beside(&dir, "larga.csv"), wide).unwrap();
    let refused = from_sheet(&dir, "larga.csv", "hostil.json", &[]);
    assert!(refused.code == 1 && refused.stderr.contains("64 MiB of cells"), "{refused:?}");
    let unknown = taxd(&dir, ["bundle", "template", "icmss", "--out", &beside(&dir, "x.xlsx")]);
    assert!(TRIBUTOS.iter().all(|tributo| unknown.stderr.contains(tributo)), "{unknown:?}");
    let ending = taxd(&dir, ["bundle", "template", "icms", "--out", &beside(&dir, "x.ods")]);
    assert!(ending.code == 1 && ending.stderr.contains(".xlsx or .csv"), "{ending:?}");
}

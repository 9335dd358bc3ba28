//! Values of single fields: each is refused by name, in every tax that has such a field.

use serde_json::{Value, json};

use super::{good, still_well};
use crate::support::{DataDir, Server, declared_taxes, with};

/// The value in each field of each tax whose name `chosen` picks; all must be refused alike.
#[track_caller]
fn refused_everywhere(server: &Server, chosen: impl Fn(&str) -> bool, bad: &[(Value, &str)]) {
    let mut tried = 0;
    for tax in declared_taxes(server) {
        let example = &tax["exemplo"];
        let names = tax["campos"].as_array().unwrap().iter().map(|f| f["nome"].as_str().unwrap());
        // A rule of substitution without a price list ignores the quantity, whatever it is.
        let is_ignored = |name: &str| name == "quantidade" && tax["tributo"] == "icms_st";
        for name in names.filter(|n| chosen(n) && !is_ignored(n)) {
            for (value, codigo) in bad {
                let mut payload = example.clone();
                payload[name] = value.clone();
                let answer = server.calculate(&payload);
                assert!((400..500).contains(&answer.status), "{} {name}={value}: {}", tax["tributo"], answer.text());
                answer.refuses_field(codigo, name);
                tried += 1;
            }
        }
    }
    assert!(tried >= bad.len(), "no tax has such a field");
    still_well(server);
}

fn is_amount(name: &str) -> bool {
    name.starts_with("valor_") || matches!(name, "preco_servico" | "frete" | "despesas" | "ipi" | "quantidade")
}

#[test]
fn decimals() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let form = [
        "1e3",
        "1E3",
        "1,00",
        "1.000,00",
        "1,000.00",
        "NaN",
        "Infinity",
        "-Infinity",
        "",
        " ",
        " 1.00",
        "1.00 ",
        "+1.00",
        ".5",
        "1.",
        "1..0",
        "1.0.0",
        "0x10",
        "1_000",
        "R$ 1,00",
        "--1",
        "-",
        "１.00",
        "1.00\n",
        "1.0\u{0}",
        "½",
    ];
    let long = [
        "1234567890123456789012345678",
        "1000000000000000",
        "0.12345678901",
        "0.00000000000",
        "00000000000000001",
        "99999999999999999999999999999999999999999999999999",
    ];
    let negative = ["-0", "-0.00", "-1", "-0.01"];
    let mut bad: Vec<(Value, &str)> = Vec::new();
    bad.extend(form.iter().chain(&long).map(|v| (json!(v), "decimal_invalido")));
    bad.extend(negative.iter().map(|v| (json!(v), "valor_negativo")));
    let wrong = [
        json!(1000),
        json!(1000.5),
        json!(0),
        json!(-1),
        json!(1e300),
        json!(true),
        json!([]),
        json!(["1.00"]),
        json!({}),
        json!({"valor": "1.00"}),
    ];
    bad.extend(wrong.into_iter().map(|v| (v, "tipo_invalido")));
    refused_everywhere(&server, is_amount, &bad);
}

#[test]
fn decimals_at_the_edge_are_read_exactly() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    // 18% by hand; half a cent goes away from zero.
    let cases = [
        ("0", "0.00"),
        ("0.0000000000", "0.00"),
        ("1", "0.18"),
        ("1.0", "0.18"),
        ("0.0277777778", "0.01"),
        ("0.0277777777", "0.00"),
        ("0.025", "0.00"),
        ("00000001.50", "0.27"),
        ("0.25", "0.05"),
        ("0.75", "0.14"),
        ("123456789012345.67", "22222222022222.22"),
        ("999999999999999.9999999999", "180000000000000.00"),
        ("0.3611111111", "0.06"),
        ("0.3611111112", "0.07"),
    ];
    for (value, due) in cases {
        let answer = server.calculate(&with(&good(), &json!({"valor_produto": value}))).envelope();
        assert_eq!(answer["valor"], due, "18% of {value}");
    }
}

#[test]
fn dates() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let bad = [
        "2026-02-30",
        "2026-02-29",
        "2025-02-29",
        "2100-02-29",
        "2026-04-31",
        "2026-13-01",
        "2026-00-10",
        "2026-01-00",
        "2026-1-1",
        "26-01-01",
        "2026-01-01T00:00:00Z",
        "2026-01-01 ",
        " 2026-01-01",
        "01/01/2026",
        "20260101",
        "",
        "0000-00-00",
        "0000-01-01",
        "10000-01-01",
        "2026-0a-01",
        "+026-01-01",
        "-026-01-01",
        "2026_01_01",
        "２０２６-01-01",
        "hoje",
        "2026-W01-1",
        "2026-001",
    ];
    let mut bad: Vec<(Value, &str)> = bad.iter().map(|v| (json!(v), "data_invalida")).collect();
    bad.extend([json!(20_260_101), json!(true), json!([2026, 1, 1]), json!({})].map(|v| (v, "tipo_invalido")));
    refused_everywhere(&server, |name| name.starts_with("data"), &bad);
    let leap = with(&good(), &json!({"data_operacao": "2024-02-29"}));
    assert_eq!(server.calculate(&leap).status, 200);
}

#[test]
fn exercises() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let far = [json!(0), json!(-2026), json!(10_000), json!(99_999), json!(i64::MAX), json!(i64::MIN)];
    let wrong = [json!("2026"), json!(2026.5), json!(u64::MAX), json!(null), json!(true)];
    let mut bad: Vec<(Value, &str)> = far.into_iter().map(|v| (v, "fora_do_intervalo")).collect();
    bad.extend(wrong.into_iter().map(|v| if v.is_null() { (v, "campo_obrigatorio") } else { (v, "tipo_invalido") }));
    refused_everywhere(&server, |name| name == "exercicio", &bad);
}

#[test]
fn codes_and_words() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let texts = |values: &[&str], codigo| values.iter().map(|v| (json!(v), codigo)).collect::<Vec<_>>();
    let not_text = [json!(35), json!(true), json!(["SP"]), json!({})].map(|v| (v, "tipo_invalido"));
    let and = |mut bad: Vec<(Value, &'static str)>| {
        bad.extend(not_text.clone());
        bad
    };
    let ufs = texts(&["sp", "Sp", "XX", "S", "", "SP ", "São Paulo", "SPX", "35", "\u{0}\u{0}"], "uf_invalida");
    refused_everywhere(&server, |name| name.starts_with("uf_"), &and(ufs));
    let ncms = texts(
        &["2203", "2203.00.00", "22030000 ", "abcdefgh", "220300000", "", "２２０３００００", "-2203000"],
        "ncm_invalido",
    );
    refused_everywhere(&server, |name| name == "ncm", &and(ncms));
    let exs = texts(&["0000", "00 ", "1000", "a", "-1", "", "1.0", "01 "], "ex_invalido");
    refused_everywhere(&server, |name| name == "ex", &and(exs));
    let cests = texts(&["170530", "17.053.00", "17053000", "", "abcdefg"], "cest_invalido");
    refused_everywhere(&server, |name| name == "cest", &and(cests));
    let items = texts(
        &["1", "1.1", "1.001", "0.01", "1.00", "100.01", "1,01", "a.bc", "", "1.01.01", "-1.01"],
        "item_servico_invalido",
    );
    refused_everywhere(&server, |name| name == "item_lista_servico", &and(items));
    let words = ["", "x", "AUTOMOVEL", "automóvel", "automovel ", "normal\u{0}", "'; drop table regras; --"];
    let vocabulary = |name: &str| {
        matches!(
            name,
            "categoria_veiculo"
                | "combustivel"
                | "fato_gerador"
                | "uso_imovel"
                | "regime_apuracao"
                | "papel_na_cadeia"
                | "venda_a"
                | "regime"
                | "origem_mercadoria"
        )
    };
    refused_everywhere(&server, vocabulary, &and(texts(&words, "valor_invalido")));
    let flags = [json!("true"), json!("false"), json!("sim"), json!(1), json!(0), json!([]), json!({})];
    let flags: Vec<(Value, &str)> = flags.into_iter().map(|v| (v, "tipo_invalido")).collect();
    let flag = |name: &str| {
        name.starts_with("destin")
            || name.starts_with("optante")
            || name.starts_with("cumpre")
            || name.starts_with("regime_simples")
            || name == "regime_especial"
            || name == "financiado_sfh"
    };
    refused_everywhere(&server, flag, &flags);
    let towns =
        texts(&["", " ", "Nárnia", "\u{0}", "São Paulo; DROP", "%s%s%n", "../../etc/passwd"], "municipio_desconhecido");
    refused_everywhere(&server, |name| name == "municipio", &and(towns));
}

#[test]
fn every_faulty_field_is_named_at_once() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let payload = json!({"tributo": "icms", "uf_origem": "sp", "uf_destino": 1, "valor_produto": "1e3", "frete": "-1",
                         "data_operacao": "2026-02-30", "destinatario_contribuinte": "sim"});
    let problem = server.calculate(&payload).problem(422, "payload_invalido");
    let named: Vec<(&str, &str)> = problem["erros"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (e["campo"].as_str().unwrap(), e["codigo"].as_str().unwrap()))
        .collect();
    assert_eq!(
        named,
        [
            ("uf_origem", "uf_invalida"),
            ("uf_destino", "tipo_invalido"),
            ("valor_produto", "decimal_invalido"),
            ("frete", "valor_negativo"),
            ("data_operacao", "data_invalida"),
            ("destinatario_contribuinte", "tipo_invalido")
        ]
    );
    assert!(problem.get("campo").is_none(), "no single field is at fault");
    let detail = problem["detail"].as_str().unwrap();
    assert!(named.iter().all(|(campo, _)| detail.contains(campo)), "{detail}");
}

#[test]
fn the_tax_itself() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let cases = [
        (json!(null), "campo_obrigatorio"),
        (json!("iof"), "valor_invalido"),
        (json!("ICMS"), "valor_invalido"),
        (json!(""), "valor_invalido"),
        (json!("icms "), "valor_invalido"),
        (json!(7), "tipo_invalido"),
        (json!(["icms"]), "tipo_invalido"),
    ];
    for (tributo, codigo) in cases {
        let mut payload = good();
        payload["tributo"] = tributo;
        let problem = server.calculate(&payload).refuses_field(codigo, "tributo");
        assert!(problem["detail"].as_str().unwrap().contains("icms_st"), "the taxes are listed: {problem}");
    }
    server.calculate(&json!({})).refuses_field("campo_obrigatorio", "tributo");
    server.calculate(&json!({"Tributo": "icms"})).refuses_field("campo_obrigatorio", "tributo");
}

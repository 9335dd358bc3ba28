//! `taxd calc --operacao`: every tax of an operation, by the binary.

use serde_json::{Value, json};

use crate::support::{DataDir, taxd_nowhere, taxd_with_input, with};

/// A sale whose every tax a built-in rule answers.
fn sale() -> Value {
    json!({
        "data_operacao": "2026-03-10", "valor_produto": "1000.00", "uf_origem": "SP", "uf_destino": "SP",
        "ncm": "39241000", "papel_na_cadeia": "fabricante_importador", "substituicao_tributaria": false,
        "regime_apuracao": "nao_cumulativo", "cumpre_obrigacoes_acessorias": true
    })
}

fn without(facts: &Value, name: &str) -> Value {
    let mut facts = facts.clone();
    facts.as_object_mut().unwrap().remove(name);
    facts
}

/// The difference of rates is the buyer's, so its unread base hinders nothing of the seller: all taxes but it were lost.
#[test]
fn a_sale_to_a_taxpayer_of_another_state_that_consumes_has_every_tax_of_the_seller() {
    let facts = json!({
        "data_operacao": "2026-03-10", "valor_produto": "1000.00", "uf_origem": "SP", "uf_destino": "MG",
        "ncm": "39241000", "destinatario_consumidor_final": true, "destinatario_contribuinte": true,
        "papel_na_cadeia": "revenda", "contribuinte_ipi": false, "regime_apuracao": "nao_cumulativo",
        "cumpre_obrigacoes_acessorias": true, "substituicao_tributaria": false
    });
    // The total of all taxes lacks the difference, which is not zero.
    let done = taxd_nowhere(["calc", "--operacao"], facts.to_string().as_bytes());
    assert_eq!(done.code, 1, "{done:?}");
    let answer = done.json();
    let of =
        |tributo: &str| answer["tributos"].as_array().unwrap().iter().find(|tax| tax["tributo"] == tributo).unwrap();
    // (1000 − 120) × 1.65% and 7.6%; (1000 − 120 − 14.52 − 66.88) × 0.9%.
    for (tributo, valor) in [("icms_consumidor_final", "120.00"), ("pis", "14.52"), ("cofins", "66.88")] {
        assert_eq!(of(tributo)["valor"], valor, "{}", of(tributo));
    }
    assert_eq!(of("cbs")["resposta"]["detalhes"]["base_calculo"], "798.60");
    assert_eq!(of("icms_consumidor_final")["comprador_incerto"], true);
    assert_eq!(of("icms_consumidor_final").get("valor_comprador"), None);
    let whole = json!({"valor": "201.40", "completo": true, "faltam": []});
    let lacking = |valor: &str| json!({"valor": valor, "completo": false, "faltam": ["icms_consumidor_final"]});
    let totais = &answer["totais"];
    assert_eq!((&totais["recolhido_pelo_vendedor"], &totais["tributos"]), (&whole, &lacking("201.40")));
    assert_eq!(totais["recolhido_pelo_comprador"], lacking("0.00"));
    assert_eq!(totais["valor_documento"], json!({"valor": "1000.00", "completo": true, "faltam": []}));

    // In a list the total stays empty, and the reason is the buyer's part.
    let names: Vec<&str> = facts.as_object().unwrap().keys().map(String::as_str).collect();
    let cells =
        facts.as_object().unwrap().values().map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
    let cells: Vec<String> = cells.map(|cell| cell.replace("true", "sim").replace("false", "não")).collect();
    let list = format!("{}\n{}\n", names.join(";"), cells.join(";"));
    let done = taxd_nowhere(["calc", "--operacao", "--list"], list.as_bytes());
    assert!(done.stdout.contains("falta o valor de icms_consumidor_final (a parte do comprador)"), "{done:?}");
}

#[test]
fn the_taxes_of_a_sale_on_the_built_in_rules() {
    let done = taxd_nowhere(["calc", "--operacao"], sale().to_string().as_bytes()).ok();
    let answer = done.json();
    // IPI 6.5% (TIPI, 3924.10.00); ICMS 18% without the IPI; (1000 − 180) × 1.65% and 7.6%.
    let amounts: Vec<(&str, &Value)> = answer["tributos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tax| (tax["tributo"].as_str().unwrap(), &tax["valor"]))
        .collect();
    let wanted = [
        ("ipi", json!("65.00")),
        ("icms", json!("180.00")),
        ("icms_st", Value::Null),
        ("pis", json!("13.53")),
        ("cofins", json!("62.32")),
        ("cbs", json!("0.00")),
        ("ibs", json!("0.00")),
    ];
    assert_eq!(amounts, wanted.each_ref().map(|(name, valor)| (*name, valor)));
    assert_eq!(answer["totais"]["valor_documento"], json!({"valor": "1065.00", "completo": true, "faltam": []}));

    // What was asked can be asked again, and gives the same bytes.
    for tax in answer["tributos"].as_array().unwrap().iter().filter(|tax| tax.get("pedido").is_some()) {
        let again = taxd_nowhere(["calc"], tax["pedido"].to_string().as_bytes()).ok();
        assert_eq!(again.json(), tax["resposta"], "{}", tax["tributo"]);
    }
}

#[test]
fn lines_are_answered_in_order_and_alike_with_the_server() {
    let dir = DataDir::ready();
    let line = |price: i32| {
        let mut facts = sale();
        facts["valor_produto"] = json!(format!("{price}.00"));
        facts.to_string()
    };
    let lines = (1..=200).map(line).collect::<Vec<_>>().join("\n");
    let by_file = taxd_with_input(&dir, ["calc", "--operacao"], lines.as_bytes()).ok();
    for (price, answer) in (1..).zip(by_file.json_lines()) {
        let cents = 18 * price;
        let icms = &answer["tributos"][1];
        assert_eq!(icms["valor"], format!("{}.{:02}", cents / 100, cents % 100), "line {price}");
    }
    let server = dir.serve(&[]);
    let running = taxd_with_input(&dir, ["calc", "--operacao"], lines.as_bytes()).ok();
    assert_eq!(running.stdout, by_file.stdout);
    drop(server);
}

#[test]
fn exit_1_if_an_operation_is_refused_or_incomplete() {
    let incomplete = without(&sale(), "regime_apuracao");
    let refused = without(&sale(), "uf_destino");
    for (facts, complete, codigo) in
        [(incomplete, json!(false), Value::Null), (refused, Value::Null, json!("campo_obrigatorio"))]
    {
        let done = taxd_nowhere(["calc", "--operacao"], facts.to_string().as_bytes());
        assert_eq!(done.code, 1, "{done:?}");
        let answer = done.json();
        assert_eq!((&answer["completo"], &answer["codigo"]), (&complete, &codigo), "{answer}");
    }
}

#[test]
fn the_page_for_people_has_the_amounts_the_reasons_and_the_totals() {
    let input = format!("{}\n{}\n", sale(), without(&sale(), "regime_apuracao"));
    let done = taxd_nowhere(["calc", "--operacao", "--format", "text"], input.as_bytes());
    assert_eq!(done.code, 1, "the second is incomplete: {done:?}");
    for part in [
        "TRIBUTO",
        "1.000,00  6,50%",
        "icms_st: A operação informa que a mercadoria não está sujeita.",
        "cbs: a destacar 6,70",
        "Total do documento         1.065,00\n",
        "pis, cofins: O campo `regime_apuracao` é obrigatório",
        "(incompleto: falta pis, cofins, cbs, ibs)",
    ] {
        assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    }
    let elsewhere = with(&sale(), &json!({"uf_destino": "RJ", "destinatario_contribuinte": false})).to_string();
    let done = taxd_nowhere(["calc", "--operacao", "--format", "text"], elsewhere.as_bytes());
    let row = done.stdout.lines().find(|line| line.starts_with("icms_consumidor_final ")).unwrap();
    assert!(!row.contains('%'), "it is due to two States, at a rate of each: {row}");
    let lacking = without(&without(&sale(), "regime_apuracao"), "cumpre_obrigacoes_acessorias").to_string();
    let done = taxd_nowhere(["calc", "--operacao", "--format", "text"], lacking.as_bytes());
    for part in ["cbs, ibs: Depende de pis, cofins", "cbs, ibs: O campo `cumpre_obrigacoes_acessorias` é obrigatório"]
    {
        assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    }
    let refused = without(&sale(), "uf_destino").to_string();
    let done = taxd_nowhere(["calc", "--operacao", "--format", "text"], refused.as_bytes());
    assert!(done.stdout.contains("uf_destino: O campo `uf_destino` é obrigatório"), "{done:?}");
}

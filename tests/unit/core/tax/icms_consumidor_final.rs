//! Sales to the final consumer by hand: what each member of a rule does to the amount, and what a bundle must say.

use serde_json::{Value, json};
use taxd_base::problem::ErrorCode;

use crate::support::{calculate, engine, engine_with, publish, rule};

const TAX: &str = "icms_consumidor_final";

fn sale(buyer_is_taxpayer: bool) -> Value {
    json!({
        "tributo": TAX, "uf_origem": "SP", "uf_destino": "MG", "valor_produto": "1000.00",
        "data_operacao": "2026-03-10", "destinatario_contribuinte": buyer_is_taxpayer
    })
}

fn between(law_of_mg: &Value) -> Vec<Value> {
    let unica = json!({"base_difal": "unica"});
    vec![
        rule("geral", "icms", &json!({"uf": "MG"}), &json!({"aliquota": "18.00", "fcp": "2.00"})),
        rule("tabela", "icms", &json!({"uf_origem": "SP", "uf_destino": "MG"}), &json!({"aliquota": "12.00"})),
        rule("nacional", TAX, &json!({"operacao": "interestadual_nao_contribuinte"}), &unica),
        rule("de-mg", TAX, &json!({"uf_destino": "MG", "operacao": "interestadual_contribuinte"}), law_of_mg),
    ]
}

/// By hand: 1000 − 120 = 880; 880 ÷ 0.82 = 1073.1707; × 18 % − 120 = 73.17; × 2 % = 21.46. With the FCP inside, 880 ÷
/// 0.80 = 1100; × 18 % − 120 = 78.00; × 2 % = 22.00.
#[test]
fn a_taxpayer_owes_the_difference_himself_on_the_base_of_his_state() {
    for (law, base, difal, fcp, valor) in [
        (json!({"base_difal": "unica"}), "1000.00", "60.00", "20.00", "200.00"),
        (json!({"base_difal": "dupla"}), "1073.17", "73.17", "21.46", "214.63"),
        (json!({"base_difal": "dupla", "fcp_na_base": true}), "1100.00", "78.00", "22.00", "220.00"),
    ] {
        let engine = engine_with(&between(&law));
        let answer = calculate(&engine, &sale(true)).unwrap();
        let detalhes = &answer["detalhes"];
        assert_eq!(answer["regra"]["rule_id"], "de-mg-v1.0");
        assert_eq!(detalhes["responsavel_difal"], "destinatario");
        let shown = ["base_calculo_difal", "valor_difal", "valor_fcp"].map(|name| detalhes[name].as_str().unwrap());
        assert_eq!((shown, answer["valor"].as_str().unwrap()), ([base, difal, fcp], valor), "{law}");
        // The rule of the taxpayer is not that of other buyers.
        let other = calculate(&engine, &sale(false)).unwrap();
        assert_eq!((&other["regra"]["rule_id"], &other["valor"]), (&json!("nacional-v1.0"), &json!("200.00")));
    }
}

/// The sentences of a rule of `icms` are about a sale between taxpayers: "this surcharge does not apply here".
#[test]
fn the_sentences_of_a_rule_of_the_consumer_replace_those_of_the_rule_of_icms() {
    let with = |mut rule: Value, sentence: &str| {
        rule["avisos"] = json!([sentence]);
        rule
    };
    let general =
        with(rule("geral", "icms", &json!({"uf": "MG"}), &json!({"aliquota": "18.00"})), "entre contribuintes");
    let own = with(rule("proprio", TAX, &json!({"uf": "MG"}), &json!({"fcp": "2.00"})), "ao consumidor");
    let law = rule("interna", TAX, &json!({"operacao": "interna"}), &json!({}));
    let mut payload = sale(false);
    payload["uf_origem"] = json!("MG");
    let sentences = |rules: &[Value]| calculate(&engine_with(rules), &payload).unwrap()["avisos"].clone();
    assert_eq!(sentences(&[general.clone(), law.clone()]), json!(["entre contribuintes"]));
    assert_eq!(sentences(&[general, law, own]), json!(["ao consumidor"]));
}

#[test]
fn a_rule_is_a_law_of_an_operation_or_a_rate_of_a_uf() {
    let faults = |escopo: Value, content: Value| -> Vec<(String, ErrorCode)> {
        let faults = publish(&engine(0), &[rule("regra", TAX, &escopo, &content)]).unwrap_err();
        faults.iter().map(|fault| (fault.path.clone(), fault.codigo)).collect()
    };
    let at = |member: &str, codigo: ErrorCode| vec![(format!("regras[0].{member}"), codigo)];
    let law = json!({"operacao": "interestadual_nao_contribuinte"});
    assert_eq!(faults(law.clone(), json!({})), at("conteudo.base_difal", ErrorCode::CampoObrigatorio));
    let both = json!({"base_difal": "unica", "fcp": "2.00"});
    assert_eq!(faults(law, both), at("conteudo.aliquota", ErrorCode::ValorInvalido));
    let of_uf = json!({"base_difal": "unica", "fcp": "2.00"});
    assert_eq!(faults(json!({"uf": "MG"}), of_uf), at("conteudo.base_difal", ErrorCode::ValorInvalido));
    assert_eq!(faults(json!({"uf": "MG"}), json!({})), at("conteudo.aliquota", ErrorCode::ValorInvalido));
    assert_eq!(faults(json!({"ncm": "2203"}), json!({"fcp": "2.00"})), at("escopo", ErrorCode::ValorInvalido));
    let of_goods = json!({"operacao": "interna", "ncm": "2203"});
    assert_eq!(faults(of_goods, json!({})), at("escopo", ErrorCode::ValorInvalido));
}

/// São Paulo taxes meat at 12 % on a sale to a final consumer and at 7 % on others, and exempts rice for the consumer
/// alone. Between UFs the benefit is refused.
#[test]
fn a_product_has_a_benefit_of_its_own_on_a_sale_to_the_consumer() {
    let taxed = json!({"aliquota": "18.00", "carga_efetiva": "12.00"});
    let exempt = json!({"isento": true, "isencao_base_legal": "Lei de teste"});
    let mut rules = between(&json!({"base_difal": "unica"}));
    rules.push(rule("interna", TAX, &json!({"operacao": "interna"}), &json!({})));
    rules.push(rule("carne", "icms", &json!({"uf": "MG", "ncm": "0201"}), &json!({"aliquota": null})));
    rules.push(rule("carne-consumidor", TAX, &json!({"uf": "MG", "ncm": "0201"}), &taxed));
    rules.push(rule("arroz-consumidor", TAX, &json!({"uf": "MG", "ncm": "1006"}), &exempt));
    let engine = engine_with(&rules);
    let sold = |ncm: &str, uf_origem: &str| {
        let mut payload = sale(false);
        payload["ncm"] = json!(ncm);
        payload["uf_origem"] = json!(uf_origem);
        calculate(&engine, &payload)
    };
    let meat = sold("02013000", "MG").unwrap();
    assert_eq!((&meat["valor"], &meat["detalhes"]["base_calculo"]), (&json!("120.00"), &json!("666.67")));
    assert_eq!(meat["detalhes"]["aliquota_interna"], "18.00");
    let rice = sold("10063021", "MG").unwrap();
    assert_eq!((&rice["valor"], &rice["detalhes"]["isencao_base_legal"]), (&json!("0.00"), &json!("Lei de teste")));
    for (ncm, by) in [("02013000", "carne-consumidor-v1.0"), ("10063021", "arroz-consumidor-v1.0")] {
        let refused = sold(ncm, "SP").unwrap_err();
        assert_eq!(refused.codigo, ErrorCode::RegraSemConteudo);
        assert_eq!(refused.regra.as_ref().unwrap().rule_id.to_string(), by);
    }
}

#[test]
fn a_benefit_to_the_consumer_is_of_a_product_and_complete() {
    let faults = |escopo: Value, content: Value| -> Vec<(String, ErrorCode)> {
        let faults = publish(&engine(0), &[rule("regra", TAX, &escopo, &content)]).unwrap_err();
        faults.iter().map(|fault| (fault.path.clone(), fault.codigo)).collect()
    };
    let at = |member: &str, codigo: ErrorCode| vec![(format!("regras[0].conteudo{member}"), codigo)];
    let of_product = json!({"uf": "MG", "ncm": "0201"});
    let reduced = |aliquota: Value, carga: &str| json!({"aliquota": aliquota, "carga_efetiva": carga});
    let cases = [
        (json!({"uf": "MG"}), reduced(json!("18.00"), "12.00"), at("", ErrorCode::ValorInvalido)),
        (of_product.clone(), reduced(json!("18.00"), "18.01"), at(".carga_efetiva", ErrorCode::ForaDoIntervalo)),
        (of_product.clone(), reduced(json!("0.00"), "0.00"), at(".aliquota", ErrorCode::ValorZero)),
        (
            of_product.clone(),
            json!({"carga_efetiva": "7.00", "fcp": "2.00"}),
            at(".aliquota", ErrorCode::CampoObrigatorio),
        ),
        (of_product.clone(), json!({"isento": true}), at(".isencao_base_legal", ErrorCode::CampoObrigatorio)),
        (
            of_product,
            json!({"isento": true, "isencao_base_legal": "Lei", "aliquota": "18.00"}),
            at(".isento", ErrorCode::ValorInvalido),
        ),
    ];
    for (escopo, content, expected) in cases {
        assert_eq!(faults(escopo, content.clone()), expected, "{content}");
    }
}

//! Codes of products in requests: an exception that means none, and a code that the nomenclature of the day lacks.

use serde_json::{Value, json};

use crate::support::{DataDir, OwnRules, Server, declared_taxes, ids, rule, with};

/// What an answer says in its notices, or a refusal in its sentence.
fn said(server: &Server, payload: &Value) -> (u16, String) {
    let reply = server.calculate(payload);
    let json = reply.json();
    (reply.status, [json["avisos"].to_string(), json["detail"].to_string()].concat())
}

/// The example of every tax that takes an NCM.
fn taxes_with_ncm(server: &Server) -> Vec<Value> {
    let takes = |tax: &Value| tax["campos"].as_array().unwrap().iter().any(|field| field["nome"] == "ncm");
    let taxes: Vec<Value> =
        declared_taxes(server).into_iter().filter(takes).map(|tax| tax["exemplo"].clone()).collect();
    assert!(taxes.len() >= 8, "icms, icms_st, icms_consumidor_final, ipi, pis, cofins, cbs and ibs");
    taxes
}

/// COFINS of 0302.89.00 was zero by the rule of a whole heading, and the general rates of other taxes answered it too,
/// without a word.
#[test]
fn every_tax_says_that_the_nomenclature_of_the_day_lacks_the_code() {
    let server = DataDir::served();
    for example in taxes_with_ncm(&server) {
        let of = |ncm: &str, day: &str| {
            said(&server, &with(&example, &json!({"ncm": ncm, "cest": null, "data_operacao": day})))
        };
        for (ncm, pointed) in [("03028900", "0302.89.00"), ("99999999", "9999.99.99"), ("22030001", "2203.00.01")] {
            let (status, text) = of(ncm, "2026-06-10");
            let wanted =
                format!("Na TIPI de 10/06/2026 o taxd não encontra o NCM {pointed}: confira o código do produto.");
            assert!(text.contains(&wanted), "{} {ncm} {status}: {text}", example["tributo"]);
        }
        // 5903.90.00 was divided on 2026-02-01.
        let before = of("59039000", "2026-01-31").1;
        assert!(!before.contains("não encontra o NCM"), "{}: {before}", example["tributo"]);
        let after = of("59039000", "2026-02-01").1;
        assert!(after.contains("não encontra o NCM 5903.90.00"), "{}: {after}", example["tributo"]);
        assert_eq!(after.matches("informe 59039010 ou 59039090").count(), 1, "{}: {after}", example["tributo"]);
        for ncm in ["22030000", "03028910", "39241000", "59039010"] {
            let text = of(ncm, "2026-06-10").1;
            assert!(!text.contains("não encontra o NCM"), "{} {ncm}: {text}", example["tributo"]);
        }
    }
    let fish = json!({"tributo": "cofins", "regime_apuracao": "nao_cumulativo", "ncm": "03028900",
        "valor_operacao": "1000.00", "valor_icms_destacado": "0", "data_operacao": "2026-06-10"});
    let answer = server.calculate(&fish).envelope();
    assert_eq!(
        (&answer["valor"], answer["condicoes_dos_avisos"].as_array().unwrap().last()),
        (&json!("0.00"), Some(&json!("campo")))
    );
}

/// A server with rules of its own has no nomenclature to compare with, unless it has the whole TIPI.
#[test]
fn nothing_is_said_of_a_code_without_the_tipi_of_the_day() {
    let line = json!({"situacao": "nao_tributado", "aliquota": null, "tabela_versao": "TIPI de teste"});
    let own = OwnRules::of(&[
        rule("t-geral", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"})),
        with(&rule("t-cavalo", "ipi", &json!({"ncm": "01012100"}), &line), &json!({"vigente_de": "2020-01-01"})),
    ]);
    let server = own.serve();
    let sale = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "ncm": "99999999",
        "valor_produto": "1.00", "data_operacao": "2026-06-10"});
    assert!(!said(&server, &sale).1.contains("não encontra o NCM"));
    drop(server);
    own.publish(&[with(
        &rule("t-antiguidade", "ipi", &json!({"ncm": "97069000"}), &line),
        &json!({"vigente_de": "2026-06-10"}),
    )]);
    let server = own.serve();
    assert!(said(&server, &sale).1.contains("não encontra o NCM 9999.99.99"));
    assert!(!said(&server, &with(&sale, &json!({"data_operacao": "2026-06-09"}))).1.contains("não encontra o NCM"));
}

/// Fiscal documents write `EXTIPI` as `000` if a product has no exception.
#[test]
fn an_exception_of_zeros_is_not_an_exception() {
    let server = DataDir::served();
    let takes = |tax: &Value| tax["campos"].as_array().unwrap().iter().any(|field| field["nome"] == "ex");
    let taxes: Vec<Value> = declared_taxes(&server).into_iter().filter(takes).collect();
    assert!(taxes.len() >= 3, "ipi, pis and cofins");
    for tax in taxes {
        // 2106.90.10 has two exceptions.
        let plain = with(&tax["exemplo"], &json!({"ncm": "21069010", "ex": null}));
        let mut wanted = server.calculate(&plain).envelope();
        for ex in ["0", "00", "000"] {
            let mut answer = server.calculate(&with(&plain, &json!({"ex": ex}))).envelope();
            for answer in [&mut wanted, &mut answer] {
                answer["cached"] = json!(false);
            }
            assert_eq!(answer, wanted, "{} {ex}", tax["tributo"]);
        }
        for ex in ["", "0000", "-0", "Ex 00"] {
            server.calculate(&with(&plain, &json!({"ex": ex}))).refuses_field("ex_invalido", "ex");
        }
    }
}

#[test]
fn a_listing_for_no_exception_has_the_rules_that_name_none() {
    let line = |code: &str, scope: Value| {
        rule(
            code,
            "ipi",
            &scope,
            &json!({"situacao": "tributado", "aliquota": "1.00", "tabela_versao": "TIPI de teste"}),
        )
    };
    let own = OwnRules::of(&[
        line("t-linha", json!({"ncm": "21069010"})),
        line("t-ex", json!({"ncm": "21069010", "ex": "01"})),
        rule("t-geral", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"})),
    ]);
    let server = own.serve();
    for ex in ["0", "00", "000"] {
        assert_eq!(ids(&server.regras(&format!("ex={ex}"))), ["t-linha-v1.0"], "{ex}");
        assert_eq!(ids(&server.regras(&format!("ncm=21069010&tributo=ipi&ex={ex}"))), ["t-linha-v1.0"], "{ex}");
    }
    assert_eq!(ids(&server.regras("ncm=21069010&tributo=ipi&ex=1")), ["t-ex-v1.0", "t-linha-v1.0"]);
}

/// The contract: "ignored by MVA-only rules".
#[test]
fn a_rule_without_a_price_list_ignores_the_quantity_whatever_it_is() {
    let margin = json!({"criterio": "mva", "descricao": "de teste", "mva": "40.00", "aliquota_interna": "18.00"});
    let list = json!({"criterio": "pauta", "descricao": "de teste", "pauta": "2.00", "unidade": "litro",
        "aliquota_interna": "18.00"});
    let outside =
        json!({"criterio": "nao_sujeito", "descricao": "de teste", "nao_sujeicao_base_legal": "Ato de teste"});
    let of = |code: &str, ncm: &str, content: &Value| {
        rule(code, "icms_st", &json!({"uf_destino": "SP", "ncm": ncm}), content)
    };
    let own = OwnRules::of(&[
        of("t-mva", "99010000", &margin),
        of("t-pauta", "99020000", &list),
        of("t-fora", "99030000", &outside),
    ]);
    let server = own.serve();
    let sale = json!({"tributo": "icms_st", "uf_origem": "SP", "uf_destino": "SP", "ncm": "99010000",
        "valor_produto": "1000.00", "data_operacao": "2026-06-10"});
    let faulty = [
        (json!("abc"), "decimal_invalido"),
        (json!("-1"), "valor_negativo"),
        (json!(10), "tipo_invalido"),
        (json!({"litros": ["1"]}), "tipo_invalido"),
        (json!([]), "tipo_invalido"),
        (json!(true), "tipo_invalido"),
        (json!("1234567890123456"), "decimal_invalido"),
    ];
    for (quantity, codigo) in &faulty {
        let with_quantity = |ncm: &str| with(&sale, &json!({"ncm": ncm, "quantidade": quantity}));
        for (ncm, valor) in [("99010000", "72.00"), ("99030000", "0.00")] {
            let answer = server.calculate(&with_quantity(ncm)).envelope();
            assert_eq!(answer["valor"], valor, "{quantity}");
            assert!(answer["avisos"][0].as_str().unwrap().contains("`quantidade`"), "{answer}");
        }
        let refused = server.calculate(&with_quantity("99020000")).refuses_field(codigo, "quantidade");
        assert_eq!(refused["regra"]["rule_id"], "t-pauta-v1.0");
    }
    for ignored in [json!("0"), json!("10"), Value::Null] {
        let answer = server.calculate(&with(&sale, &json!({"quantidade": ignored}))).envelope();
        assert_eq!((&answer["valor"], answer.get("avisos")), (&json!("72.00"), None), "{ignored}");
    }
    let absent = with(&sale, &json!({"ncm": "99020000"}));
    server.calculate(&absent).refuses_field("quantidade_ausente", "quantidade");
    // 1000 l × 2.00 × 18% − 180.00.
    assert_eq!(server.calculate(&with(&absent, &json!({"quantidade": "1000"}))).envelope()["valor"], "180.00");
}

/// It was the deducted amount, which the rule does not have.
#[test]
fn iptu_shows_the_deduction_of_the_law_also_if_it_exceeds_the_tax() {
    let bracket =
        |ate: Value, rate: &str, deduction: &str| json!({"ate": ate, "aliquota": rate, "parcela_deduzir": deduction});
    let content = json!({"modelo": "faixas_parcela_deduzir", "faixas": [
        bracket(json!("100000.00"), "0.50", "0.00"),
        bracket(Value::Null, "1.00", "3180.84"),
    ]});
    let own = OwnRules::of(&[rule("t-iptu", "iptu", &json!({"uf": "SP", "municipio": "Santos"}), &content)]);
    let server = own.serve();
    let house = json!({"tributo": "iptu", "uf": "SP", "municipio": "Santos", "uso_imovel": "residencial",
        "valor_venal": "190479.00", "exercicio": 2026});
    let below = server.calculate(&house).envelope();
    let wanted = json!({"faixa": 2, "aliquota": "1.00", "parcela_deduzir": "3180.84"});
    assert_eq!((&below["valor"], &below["detalhes"]["faixa_aplicada"]), (&json!("0.00"), &wanted));
    // 4000.00 − 3180.84.
    let above = server.calculate(&with(&house, &json!({"valor_venal": "400000.00"}))).envelope();
    assert_eq!((&above["valor"], &above["detalhes"]["faixa_aplicada"]), (&json!("819.16"), &wanted));
}

/// The general rate of the State answered for a medicine that agreements of all States exempt for some buyers.
#[test]
fn a_medicine_of_a_national_list_is_refused_where_the_state_has_no_rule_for_it() {
    let server = DataDir::served();
    let sale = json!({"tributo": "icms", "uf_origem": "MG", "uf_destino": "MG", "ncm": "30049099",
        "valor_produto": "1000.00", "data_operacao": "2026-06-10"});
    let ufs = [
        "AC", "AL", "AM", "AP", "BA", "CE", "DF", "ES", "GO", "MA", "MG", "MS", "MT", "PA", "PB", "PE", "PI", "PR",
        "RJ", "RN", "RO", "RR", "RS", "SC", "SE", "SP", "TO",
    ];
    let mut refused = 0;
    for uf in ufs {
        let inside = json!({"uf_origem": uf, "uf_destino": uf});
        let reply = server.calculate(&with(&sale, &inside));
        if reply.status == 200 {
            assert_ne!(reply.json()["detalhes"]["regra_casada"], "geral", "{uf}");
        } else {
            let problem = reply.problem(422, "regra_sem_conteudo");
            let rule = problem["regra"]["rule_id"].as_str().unwrap();
            assert!(rule.starts_with("icms-"), "{uf}: {problem}");
            refused += usize::from(rule.starts_with("icms-nacional-medicamentos-v"));
        }
        let consumer = with(&sale, &with(&inside, &json!({"tributo": "icms_consumidor_final"})));
        let consumer = server.calculate(&consumer);
        assert!(consumer.status == 422 || consumer.json()["detalhes"]["regra_casada"] != "geral", "{uf}");
    }
    assert!(refused > 0);
    // The Senate's table is of every product.
    let between = server.calculate(&with(&sale, &json!({"uf_destino": "SP"}))).envelope();
    assert_eq!(between["valor"], "120.00");
    // A code that no agreement names.
    let named = server.calculate(&with(&sale, &json!({"ncm": "39241000"}))).status;
    assert_eq!(named, 200);
}

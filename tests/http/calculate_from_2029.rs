//! `POST /v1/calculate` in the years from 2029 on, in which the IBS replaces ICMS and ISS, by the built-in rules.

use serde_json::{Value, json};

use crate::support::{DataDir, code_of, with};

/// ICMS of São Paulo was 180.00 and ISS 50.00 on 1,000.00 in 2029 and in 2033, by rates that the law has reduced and then
/// ended (LC 87/1996, art. 31-A; LC 116/2003, art. 8º-B; ADCT, arts. 128 and 129).
#[test]
fn icms_and_iss_from_2029_to_2033() {
    let server = DataDir::served();
    let sale = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1000.00"});
    let to_bahia = with(&sale, &json!({"uf_destino": "BA"}));
    let to_consumer = with(&to_bahia, &json!({"tributo": "icms_consumidor_final"}));
    let service = json!({"tributo": "iss", "uf": "SP", "municipio": "São Paulo", "item_lista_servico": "17.19",
        "preco_servico": "1000.00"});
    let st = json!({"tributo": "icms_st", "ncm": "40111000", "cest": "1600100", "uf_origem": "GO", "uf_destino": "GO",
        "valor_produto": "1000.00"});
    let on = |payload: &Value, day: &str| {
        let field = if payload["tributo"] == "iss" { "data" } else { "data_operacao" };
        with(payload, &json!({field: day}))
    };
    // 18 % and 7 %; 7 % to the origin and the rest of 20.5 % to Bahia; 5 %.
    let taxes = [
        (&sale, ["162.00", "144.00", "126.00", "108.00"]),
        (&to_bahia, ["63.00", "56.00", "49.00", "42.00"]),
        (&to_consumer, ["184.50", "164.00", "143.50", "123.00"]),
        (&service, ["45.00", "40.00", "35.00", "30.00"]),
    ];
    for (payload, amounts) in taxes {
        for (year, valor) in (2029..).zip(amounts) {
            for day in [format!("{year}-01-01"), format!("{year}-12-31")] {
                let answer = server.calculate(&on(payload, &day)).envelope();
                assert_eq!(answer["valor"], valor, "{answer}");
                let others = answer["detalhes"]["regras_auxiliares"].as_array().unwrap();
                let named = others.iter().filter(|rule| rule["rule_id"].as_str().unwrap().contains("-transicao-v1."));
                assert_eq!(named.count(), 1, "{answer}");
            }
        }
        let problem = server.calculate(&on(payload, "2033-01-01")).problem(422, "tributo_extinto");
        assert!(code_of(&problem).ends_with("-transicao"), "{problem}");
    }
    let problem = server.calculate(&on(&st, "2029-01-01")).problem(422, "regra_sem_conteudo");
    assert_eq!(code_of(&problem), "icms-st-transicao");
    server.calculate(&on(&st, "2033-01-01")).problem(422, "tributo_extinto");
    let book = with(&sale, &json!({"ncm": "49019900", "data_operacao": "2029-01-01"}));
    assert_eq!(code_of(&server.calculate(&book).problem(422, "regra_sem_conteudo")), "icms-transicao");
}

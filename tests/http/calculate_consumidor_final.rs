//! Sales to a final consumer on the built-in rules, figures by hand.

use serde_json::json;

use crate::calculate_taxes::check;
use crate::support::{DataDir, code_of, with};

#[test]
fn icms_of_a_final_consumer_inside_a_uf_and_in_another() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let interstate = json!({
        "tributo": "icms_consumidor_final", "uf_origem": "SP", "uf_destino": "RJ", "valor_produto": "1000.00",
        "frete": "50.00", "ipi": "11.11", "data_operacao": "2026-03-10"
    });
    // LC 87/1996, art. 13, X and § 7º: one base, the price with the IPI. 1061.11 × 12% = 127.3332; × (20% − 12%) =
    // 84.8888; × 2% = 21.2222.
    let wanted = json!({
        "tipo_operacao": "interestadual", "base_calculo": "1061.11", "aliquota_interna": "20.00",
        "aliquota_interestadual": "12.00", "valor_icms": "127.33", "base_difal": "unica",
        "base_calculo_difal": "1061.11", "valor_difal": "84.89", "aliquota_fcp": "2.00", "valor_fcp": "21.22",
        "responsavel_difal": "remetente", "isento": false, "regra_casada": "geral"
    });
    check(&server, &interstate, "233.44", "icms-consumidor-final-nao-contribuinte", &wanted);

    // Inside RJ: 1061.11 × 20% = 212.222; × 2% = 21.2222.
    let internal = with(&interstate, &json!({"uf_origem": "RJ"}));
    let wanted = json!({"valor_icms": "212.22", "valor_fcp": "21.22", "valor_difal": "0.00", "base_difal": null});
    check(&server, &internal, "233.44", "icms-consumidor-final-interna", &wanted);

    // Lei 10.297/1996 of SC, art. 19: 12% between taxpayers, 17% for the consumer. 1061.11 × 4% = 42.4444; × 13% =
    // 137.9443.
    let imported = with(&interstate, &json!({"uf_destino": "SC", "origem_mercadoria": "importada"}));
    let wanted = json!({"aliquota_interna": "17.00", "valor_icms": "42.44", "valor_difal": "137.94"});
    let answer = check(&server, &imported, "180.38", "icms-consumidor-final-nao-contribuinte", &wanted);
    let others: Vec<&str> = answer["detalhes"]["regras_auxiliares"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["rule_id"].as_str().unwrap())
        .collect();
    let names = ["icms-sc-geral-v1.0", "icms-consumidor-final-sc-v1.0", "icms-interestadual-importada-v1.0"];
    assert_eq!(others, names);
}

#[test]
fn icms_of_a_final_consumer_is_refused_when_the_law_was_not_read() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let sale = json!({
        "tributo": "icms_consumidor_final", "uf_origem": "SP", "uf_destino": "RJ", "valor_produto": "1000.00",
        "data_operacao": "2026-03-10"
    });
    for (change, codigo, reason) in [
        // It could not be charged before ninety days had passed.
        (json!({"data_operacao": "2022-04-04"}), "regra_sem_conteudo", "noventa dias"),
        (json!({"regime_simples_nacional": true}), "regime_simples_nacional", "ADI 5.464"),
        // Ceará reduces the base of rice; what São Paulo grants the consumer was read from 2025 on.
        (json!({"uf_destino": "CE", "ncm": "10063021"}), "regra_sem_conteudo", "Convênio ICMS 153/2015"),
        (
            json!({"uf_destino": "SP", "ncm": "10063021", "data_operacao": "2024-12-31"}),
            "regra_sem_conteudo",
            "arts. 168 e 169",
        ),
        (json!({"uf_destino": "PE", "ncm": "27101259"}), "regra_sem_conteudo", "por unidade"),
        (json!({"uf_destino": "MG", "ncm": "22030000"}), "regra_sem_conteudo", "Motivo"),
        (json!({"data_operacao": "2015-12-31"}), "regra_inexistente", "2016-01-01"),
    ] {
        let problem = server.calculate(&with(&sale, &change)).json();
        assert_eq!(problem["codigo"], codigo, "{change}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(reason), "{change}: {problem}");
    }
    assert_eq!(server.calculate(&with(&sale, &json!({"data_operacao": "2022-04-05"}))).envelope()["valor"], "200.00");
}

/// The base of the difference is the law of the buyer's State, which was not read; the seller's own ICMS does not depend
/// on it. All destinations were refused, and an operation lost its other taxes.
#[test]
fn a_sale_to_a_taxpayer_that_consumes_is_the_sellers_own_icms_and_a_difference_that_is_not_calculated() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let sale = json!({
        "tributo": "icms_consumidor_final", "uf_origem": "SP", "uf_destino": "MG", "valor_produto": "1000.00",
        "ncm": "39241000", "data_operacao": "2026-03-10", "destinatario_contribuinte": true
    });
    let ufs = [
        "AC", "AL", "AM", "AP", "BA", "CE", "DF", "ES", "GO", "MA", "MG", "MS", "MT", "PA", "PB", "PE", "PI", "PR",
        "RJ", "RN", "RO", "RR", "RS", "SC", "SE", "TO",
    ];
    for uf in ufs {
        let rate = if ["MG", "PR", "RJ", "RS", "SC"].contains(&uf) { "12.00" } else { "7.00" };
        for (origem, rate) in [("nacional", rate), ("importada", "4.00")] {
            let payload = with(&sale, &json!({"uf_destino": uf, "origem_mercadoria": origem}));
            let answer = server.calculate(&payload).envelope();
            let valor = format!("{}0.00", rate.split('.').next().unwrap());
            assert_eq!((&answer["valor"], code_of(&answer)), (&json!(valor), "icms-consumidor-final-contribuinte"));
            let detalhes = &answer["detalhes"];
            for name in ["valor_difal", "valor_fcp", "base_difal", "base_calculo_difal", "aliquota_interna"] {
                assert_eq!(detalhes[name], serde_json::Value::Null, "{uf}: {name}");
            }
            assert_eq!(detalhes["valor_icms"], json!(valor));
            assert_eq!(detalhes["aliquota_interestadual"], rate);
            assert_eq!(detalhes["responsavel_difal"], "destinatario");
            let avisos = answer["avisos"].to_string();
            assert!(avisos.contains("não foram calculados") && avisos.contains("art. 4º, § 2º, I"), "{avisos}");
        }
    }
    // Inside the UF there is no difference.
    let inside = server.calculate(&with(&sale, &json!({"uf_destino": "SP"}))).envelope();
    assert_eq!((&inside["valor"], &inside["detalhes"]["valor_difal"]), (&json!("180.00"), &json!("0.00")));
    // A book pays nothing, whatever the buyer is.
    let book = server.calculate(&with(&sale, &json!({"ncm": "49019900"}))).envelope();
    assert_eq!((&book["valor"], &book["detalhes"]["isento"]), (&json!("0.00"), &json!(true)));
}

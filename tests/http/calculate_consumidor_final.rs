//! Sales to a final consumer on the built-in rules, figures by hand.

use serde_json::json;

use crate::support::{DataDir, code_of, with};

/// The base of the difference is the law of the buyer's State, which was not read; the seller's own ICMS does not depend
/// on it. All destinations were refused, and an operation lost its other taxes.
#[test]
fn a_sale_to_a_taxpayer_that_consumes_is_the_sellers_own_icms_and_a_difference_that_is_not_calculated() {
    let server = DataDir::served();
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

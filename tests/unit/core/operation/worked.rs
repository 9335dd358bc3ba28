//! Operations worked by hand; the comments have the arithmetic.

use serde_json::{Value, json};

use super::rules::{SINGLE_PHASE, apuracao, sale, service, tax};
use crate::support::with;

/// Checks each tax in order, by its amount or else its situation, and the totals: on top, document, all taxes, paid by
/// the buyer.
#[track_caller]
fn check(facts: &Value, taxes: &[(&str, &str)], totals: [&str; 4]) -> Value {
    let apuracao = apuracao(facts);
    let shown = |tax: &Value| {
        let word = tax["valor"].as_str().or(tax["situacao"].as_str()).unwrap();
        (tax["tributo"].as_str().unwrap().to_owned(), word.to_owned())
    };
    let got: Vec<_> = apuracao["tributos"].as_array().unwrap().iter().map(shown).collect();
    let wanted: Vec<_> = taxes.iter().map(|(tributo, word)| ((*tributo).to_owned(), (*word).to_owned())).collect();
    assert_eq!(got, wanted, "{apuracao:#}");
    let names = ["tributos_por_fora", "valor_documento", "tributos", "recolhido_pelo_comprador"];
    let sums = names.map(|name| apuracao["totais"][name]["valor"].as_str().unwrap());
    assert_eq!(sums, totals, "{names:?}");
    apuracao
}

#[track_caller]
fn check_base(apuracao: &Value, tributo: &str, base: &str) {
    assert_eq!(tax(apuracao, tributo)["resposta"]["detalhes"]["base_calculo"], base, "{tributo}");
}

#[test]
fn a_sale_to_a_reseller_with_ipi_and_substitution() {
    // ICMS without the IPI: 1000 × 18%. ST: (1000 + 100) × 1.4 × 18% − 180 = 97.20. PIS: (1000 − 180) × 1.65%.
    // CBS: 1100 − 180 − 13.53 − 62.32 − 100.
    let taxes = [
        ("ipi", "100.00"),
        ("icms", "180.00"),
        ("icms_st", "97.20"),
        ("pis", "13.53"),
        ("cofins", "62.32"),
        ("cbs", "0.00"),
        ("ibs", "0.00"),
    ];
    let apuracao = check(&sale(), &taxes, ["197.20", "1197.20", "453.05", "0.00"]);
    check_base(&apuracao, "cbs", "744.15");
    assert_eq!(apuracao["completo"], true);
    assert_eq!(tax(&apuracao, "icms")["pedido"].get("ipi"), None);
}

#[test]
fn a_sale_to_another_uf_with_discount_freight_insurance_and_expenses() {
    // 900 + 50 + 10 + 40 = 1000. Adjusted margin: 1.4 × 0.88 ÷ 0.80 = 1.54; (1000 + 100) × 1.54 = 1694.00; × 20% − 120
    // = 218.80; FCP 33.88.
    let facts =
        json!({"uf_destino": "RJ", "desconto": "100.00", "frete": "50.00", "seguro": "10.00", "despesas": "40.00"});
    let taxes = [
        ("ipi", "100.00"),
        ("icms", "120.00"),
        ("icms_st", "252.68"),
        ("pis", "14.52"),
        ("cofins", "66.88"),
        ("cbs", "0.00"),
        ("ibs", "0.00"),
    ];
    let apuracao = check(&with(&sale(), &facts), &taxes, ["352.68", "1352.68", "554.08", "0.00"]);
    check_base(&apuracao, "cbs", "798.60");
    let asked = &tax(&apuracao, "icms_st")["pedido"];
    assert_eq!((&asked["valor_produto"], &asked["despesas"]), (&json!("900.00"), &json!("50.00")));
    assert!(tax(&apuracao, "icms_st")["avisos"].to_string().contains("desconto"));
}

#[test]
fn a_sale_to_a_consumer_in_another_uf_who_pays_no_icms_and_to_a_taxpayer_who_pays_the_difference() {
    // The IPI is in the base: 1100 × 12% = 132, × 8% = 88, × 2% = 22. PIS: (1000 − 132) × 1.65% = 14.322.
    let taxes = [
        ("ipi", "100.00"),
        ("icms_consumidor_final", "242.00"),
        ("icms_st", "nao_se_aplica"),
        ("pis", "14.32"),
        ("cofins", "65.97"),
        ("cbs", "0.00"),
        ("ibs", "0.00"),
    ];
    // CBS: 1100 − 242 − 14.32 − 65.97 − 100.
    let to_consumer = with(&sale(), &json!({"uf_destino": "RJ", "destinatario_contribuinte": false}));
    let apuracao = check(&to_consumer, &taxes, ["100.00", "1100.00", "422.29", "0.00"]);
    check_base(&apuracao, "cbs", "677.71");
    assert_eq!(tax(&apuracao, "pis")["pedido"]["venda_a"], "varejista_consumidor_final");
    assert!(tax(&apuracao, "pis")["avisos"].to_string().contains("Tema 1.372"));
    // 88 + 22 are the buyer's: only 132 leaves the base of CBS.
    let to_taxpayer = with(&sale(), &json!({"uf_destino": "RJ", "destinatario_consumidor_final": true}));
    let apuracao = check(&to_taxpayer, &taxes, ["100.00", "1100.00", "422.29", "110.00"]);
    assert_eq!(apuracao["totais"]["recolhido_pelo_vendedor"]["valor"], "312.29");
    check_base(&apuracao, "cbs", "787.71");
}

#[test]
fn imported_goods_to_another_uf_in_the_test_year_with_and_without_the_accessory_duties() {
    // 4%. PIS: 960 × 1.65%. CBS: 1100 − 40 − 15.84 − 72.96 − 100 = 871.20, × 0.9% = 7.8408.
    let imported = json!({"uf_destino": "RJ", "origem_mercadoria": "importada", "substituicao_tributaria": false});
    let taxes = |cbs, ibs| {
        [
            ("ipi", "100.00"),
            ("icms", "40.00"),
            ("icms_st", "nao_se_aplica"),
            ("pis", "15.84"),
            ("cofins", "72.96"),
            ("cbs", cbs),
            ("ibs", ibs),
        ]
    };
    let facts = with(&sale(), &imported);
    let waived = check(&facts, &taxes("0.00", "0.00"), ["100.00", "1100.00", "228.80", "0.00"]);
    check_base(&waived, "ibs", "871.20");
    // The total of the document leaves CBS and IBS out in 2026.
    let facts = with(&facts, &json!({"cumpre_obrigacoes_acessorias": false}));
    check(&facts, &taxes("7.84", "0.87"), ["100.00", "1100.00", "237.51", "0.00"]);
}

#[test]
fn retail_to_a_consumer_and_retail_of_goods_that_came_with_the_tax_withheld() {
    let retail =
        json!({"papel_na_cadeia": "revenda", "destinatario_contribuinte": false, "regime_apuracao": "cumulativo"});
    let facts = with(&sale(), &retail);
    let taxes = [
        ("ipi", "nao_se_aplica"),
        ("icms_consumidor_final", "180.00"),
        ("icms_st", "nao_se_aplica"),
        ("pis", "5.33"),
        ("cofins", "24.60"),
        ("cbs", "0.00"),
        ("ibs", "0.00"),
    ];
    let apuracao = check(&facts, &taxes, ["0.00", "1000.00", "209.93", "0.00"]);
    check_base(&apuracao, "cbs", "790.07");

    // (1000 − 72) × 0.65% = 6.032; CBS: 928 − 6.03 − 27.84.
    let taxes = [
        ("ipi", "nao_se_aplica"),
        ("icms_consumidor_final", "nao_se_aplica"),
        ("icms_st", "nao_se_aplica"),
        ("pis", "6.03"),
        ("cofins", "27.84"),
        ("cbs", "0.00"),
        ("ibs", "0.00"),
    ];
    let withheld = with(&facts, &json!({"valor_icms_st_retido": "72.00"}));
    let apuracao = check(&withheld, &taxes, ["0.00", "1000.00", "33.87", "0.00"]);
    check_base(&apuracao, "cbs", "894.13");
}

#[test]
fn a_service_and_a_service_whose_iss_the_customer_withholds() {
    let taxes = |iss, pis, cofins| [("iss", iss), ("pis", pis), ("cofins", cofins), ("cbs", "0.00"), ("ibs", "0.00")];
    let apuracao = check(&service(), &taxes("290.00", "65.00", "300.00"), ["0.00", "10000.00", "655.00", "0.00"]);
    // The ISS stays in the base of PIS and COFINS; all three leave that of CBS and IBS.
    check_base(&apuracao, "pis", "10000.00");
    for tributo in ["pis", "cofins"] {
        assert!(tax(&apuracao, tributo)["avisos"].to_string().contains("Tema 118"), "{tributo}");
        assert_eq!(tax(&apuracao, tributo)["condicoes_dos_avisos"], json!(["conferencia"]));
    }
    check_base(&apuracao, "cbs", "9345.00");
    // 9000 × 5%, 0.65% and 3%.
    let withheld = with(&service(), &json!({"item_lista_servico": "7.02", "desconto": "1000.00"}));
    let apuracao = check(&withheld, &taxes("450.00", "58.50", "270.00"), ["0.00", "9000.00", "778.50", "450.00"]);
    assert_eq!(apuracao["totais"]["recolhido_pelo_vendedor"]["valor"], "328.50");
}

#[test]
fn a_society_of_one_profession_pays_iss_by_period_and_not_by_service() {
    let facts = with(&service(), &json!({"regime": "sociedade_uniprofissional"}));
    let taxes = [("iss", "nao_se_aplica"), ("pis", "65.00"), ("cofins", "300.00"), ("cbs", "0.00"), ("ibs", "0.00")];
    let apuracao = check(&facts, &taxes, ["0.00", "10000.00", "365.00", "0.00"]);
    check_base(&apuracao, "cbs", "9635.00");
}

#[test]
fn in_2027_pis_and_cofins_have_ended_and_ibs_is_on_top() {
    // 1000 − 180 = 820; × 0.05% twice = 0.82. The rate of CBS is not fixed.
    let facts = json!({"data_operacao": "2027-01-04", "substituicao_tributaria": false, "regime_apuracao": null});
    let taxes = [
        ("ipi", "0.00"),
        ("icms", "180.00"),
        ("icms_st", "nao_se_aplica"),
        ("pis", "nao_se_aplica"),
        ("cofins", "nao_se_aplica"),
        ("cbs", "recusado"),
        ("ibs", "0.82"),
    ];
    let apuracao = check(&with(&sale(), &facts), &taxes, ["0.82", "1000.82", "180.82", "0.00"]);
    assert_eq!(apuracao["completo"], false);
    for total in ["tributos_por_fora", "valor_documento", "tributos"] {
        assert_eq!(apuracao["totais"][total]["faltam"], json!(["cbs"]), "{total}");
    }
}

#[test]
fn single_phase_goods_by_the_maker_and_by_a_reseller() {
    // 820 × 2.2% and 10.3%; CBS: 820 − 18.04 − 84.46.
    let facts = with(&sale(), &json!({"ncm": SINGLE_PHASE, "substituicao_tributaria": false}));
    let taxes = |ipi, pis, cofins| {
        [
            ("ipi", ipi),
            ("icms", "180.00"),
            ("icms_st", "nao_se_aplica"),
            ("pis", pis),
            ("cofins", cofins),
            ("cbs", "0.00"),
            ("ibs", "0.00"),
        ]
    };
    let maker = check(&facts, &taxes("0.00", "18.04", "84.46"), ["0.00", "1000.00", "282.50", "0.00"]);
    check_base(&maker, "cbs", "717.50");
    let reseller = with(&facts, &json!({"papel_na_cadeia": "revenda"}));
    check(&reseller, &taxes("nao_se_aplica", "0.00", "0.00"), ["0.00", "1000.00", "180.00", "0.00"]);
}

#[test]
fn a_seller_in_the_simples_nacional_pays_the_substitution_beside_the_unified_regime() {
    // 1000 × 1.4 × 18% − 180 = 72.
    let taxes = |icms_st, cbs| {
        [
            ("ipi", "regime_unificado"),
            ("icms", "regime_unificado"),
            ("icms_st", icms_st),
            ("pis", "regime_unificado"),
            ("cofins", "regime_unificado"),
            ("cbs", cbs),
            ("ibs", cbs),
        ]
    };
    let simples = with(&sale(), &json!({"regime_simples_nacional": true, "regime_apuracao": "simples"}));
    let apuracao = check(&simples, &taxes("72.00", "nao_se_aplica"), ["72.00", "1072.00", "72.00", "0.00"]);
    assert_eq!(apuracao["completo"], true);
    // To another UF the margin is the original one of 40 %: 1400.00 × 20 % less 120.00, and 2 % of FCP.
    let to_rj = with(&simples, &json!({"uf_destino": "RJ"}));
    check(&to_rj, &taxes("188.00", "nao_se_aplica"), ["188.00", "1188.00", "188.00", "0.00"]);
    // Who has chosen the ordinary regime of CBS and IBS takes out of the base amounts that are not known here.
    let regular = with(&simples, &json!({"data_operacao": "2027-01-04", "optante_simples": false}));
    let apuracao = super::rules::apuracao(&regular);
    assert_eq!(tax(&apuracao, "ibs")["problema"]["campo"], "optante_simples");
    assert_eq!(tax(&apuracao, "pis")["situacao"], "nao_se_aplica");
}

#[test]
fn goods_for_industry_and_dates_before_cbs_and_ibs() {
    let facts = json!({"destinado_industrializacao": true, "data_operacao": "2025-12-31"});
    let taxes = [
        ("ipi", "100.00"),
        ("icms", "180.00"),
        ("icms_st", "nao_se_aplica"),
        ("pis", "13.53"),
        ("cofins", "62.32"),
        ("cbs", "nao_se_aplica"),
        ("ibs", "nao_se_aplica"),
    ];
    check(&with(&sale(), &facts), &taxes, ["100.00", "1100.00", "355.85", "0.00"]);
}

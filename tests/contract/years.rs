//! The built-in rules on dates of 2025, 2026, 2027, 2029 and 2033 (sections 1, 2.3, 3 and 7).
//!
//! The figures are those of the law that nobody disputes: from 2029 to 2032 ICMS and ISS are due at 9/10 to 6/10 of their
//! rates (LC 87/1996, art. 31-A; LC 116/2003, art. 8-B), and from 2033 they are extinct; PIS and COFINS are extinct
//! from 2027.

use serde_json::{Value, json};

use crate::decided::problem;
use crate::envelope::{has_version, is_date};
use crate::errors::in_year;
use crate::service::{figures, law};
use crate::support::with;
use crate::taxes::payload_of;

const YEARS: [u16; 5] = [2025, 2026, 2027, 2029, 2033];

/// What a year answers.
enum Year {
    /// 200 with this amount.
    Amount(&'static str),
    /// Refused with this status.
    Refused(u16),
}
use Year::{Amount, Refused};

/// Asserts what each of [`YEARS`] answers.
#[track_caller]
fn check(payload: &Value, wanted: [Year; 5]) {
    for (year, wanted) in YEARS.into_iter().zip(wanted) {
        let answer = law().calculate(&in_year(payload, year));
        match wanted {
            Amount(valor) => assert_eq!(answer.ok()["valor"], valor, "{year}: {}", answer.json()),
            Refused(status) => {
                answer.refused(status);
            }
        }
    }
}

fn sale() -> Value {
    json!({
        "tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1000.00",
        "data_operacao": "2026-06-10"
    })
}

fn contribution(tributo: &str) -> Value {
    json!({
        "tributo": tributo, "regime_apuracao": "nao_cumulativo", "valor_operacao": "1000.00",
        "valor_icms_destacado": "180.00", "data_operacao": "2026-06-10"
    })
}

fn reform(tributo: &str) -> Value {
    json!({
        "tributo": tributo, "valor_operacao": "1000.00", "valor_icms": "180.00", "valor_iss": "0", "valor_pis": "0",
        "valor_cofins": "0", "valor_ipi": "0", "cumpre_obrigacoes_acessorias": false, "optante_simples": false,
        "data_operacao": "2026-06-10"
    })
}

fn service() -> Value {
    json!({
        "tributo": "iss", "uf": "SP", "municipio": "São Paulo", "item_lista_servico": "17.19",
        "preco_servico": "1000.00", "data": "2026-06-10"
    })
}

/// A payload of each other tax, whose answers are checked for their form alone.
fn others() -> Vec<Value> {
    vec![
        json!({
            "tributo": "icms_st", "ncm": "19053100", "cest": "1705300", "uf_origem": "MG", "uf_destino": "SP",
            "data_operacao": "2026-06-10", "valor_produto": "1000.00"
        }),
        json!({
            "tributo": "ipva", "uf": "SP", "categoria_veiculo": "automovel", "valor_venal": "50000.00",
            "data_fato_gerador": "2026-01-01", "combustivel": "gasolina"
        }),
        json!({
            "tributo": "itcmd", "uf": "SP", "fato_gerador": "doacao", "valor_base": "200000.00",
            "data_fato_gerador": "2026-05-10", "valor_unidade_fiscal": "38.42"
        }),
        json!({
            "tributo": "iptu", "uf": "SP", "municipio": "São Paulo", "uso_imovel": "residencial", "exercicio": 2026,
            "valor_venal": "300000.00"
        }),
        json!({
            "tributo": "itbi", "uf": "SP", "municipio": "São Paulo", "valor_transacao": "500000.00",
            "valor_venal_referencia": "450000.00", "data": "2026-06-10"
        }),
        json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "1000.00", "data_operacao": "2026-06-10"}),
    ]
}

#[test]
fn icms_inside_sp() {
    check(&sale(), [Amount("180.00"), Amount("180.00"), Amount("180.00"), Amount("162.00"), Refused(422)]);
}

#[test]
fn icms_from_sp_to_ba() {
    let interstate = with(&sale(), &json!({"uf_destino": "BA"}));
    check(&interstate, [Amount("70.00"), Amount("70.00"), Amount("70.00"), Amount("63.00"), Refused(422)]);
}

#[test]
fn icms_of_imported_goods_between_ufs() {
    let imported = with(&sale(), &json!({"uf_destino": "BA", "origem_mercadoria": "importada"}));
    check(&imported, [Amount("40.00"), Amount("40.00"), Amount("40.00"), Amount("36.00"), Refused(422)]);
}

#[test]
fn icms_by_tenths_from_2029_to_2032() {
    for (year, valor) in [(2028, "180.00"), (2029, "162.00"), (2030, "144.00"), (2031, "126.00"), (2032, "108.00")] {
        assert_eq!(law().envelope(&in_year(&sale(), year))["valor"], valor, "{year}");
    }
}

// 1000 × 1.5967 × 0.88 ÷ 0.82 × 18% − 120.00 = 188.435...
#[test]
fn icms_by_substitution_answers_no_repealed_law() {
    assert_eq!(law().envelope(&others()[0])["valor"], "188.44");
    for year in [2029, 2030, 2032, 2033, 2040] {
        assert_eq!(law().status(&in_year(&others()[0], year)) / 100, 4, "{year}");
    }
}

// Rules of one's own do not bring back the law that was repealed.
#[test]
fn no_rule_answers_repealed_law_from_2029_on() {
    for payload in [payload_of("icms_st"), payload_of("icms"), payload_of("iss")] {
        assert_eq!(figures().status(&in_year(&payload, 2028)), 200, "{payload}");
        for year in [2029, 2032, 2033, 2040] {
            assert_eq!(figures().status(&in_year(&payload, year)) / 100, 4, "{year}: {payload}");
        }
    }
}

#[test]
fn iss_of_accounting_in_sao_paulo() {
    check(&service(), [Amount("50.00"), Amount("50.00"), Amount("50.00"), Amount("45.00"), Refused(422)]);
}

#[test]
fn iss_by_tenths_from_2029_to_2032() {
    for (year, valor) in [(2028, "50.00"), (2029, "45.00"), (2030, "40.00"), (2031, "35.00"), (2032, "30.00")] {
        assert_eq!(law().envelope(&in_year(&service(), year))["valor"], valor, "{year}");
    }
}

#[test]
fn pis_and_cofins_are_extinct_from_2027() {
    for (tax, valor) in [("pis", "13.53"), ("cofins", "62.32")] {
        check(&contribution(tax), [Amount(valor), Amount(valor), Refused(422), Refused(422), Refused(422)]);
    }
}

#[test]
fn iptu_of_a_year_whose_values_are_not_set_is_refused() {
    for place in [json!({}), json!({"uf": "RJ", "municipio": "Rio de Janeiro"})] {
        for year in [2027, 2029, 2033] {
            let home = with(&in_year(&others()[3], year), &place);
            assert_eq!(law().status(&home) / 100, 4, "{year}: {place}");
        }
    }
}

#[test]
fn ipi_of_beer_in_2026() {
    assert_eq!(law().envelope(&others()[5])["valor"], "39.00");
}

// Section 1, principles 1 to 3, on any day: an answer is by a rule in force, or a refusal.
#[test]
fn whatever_answers_is_in_force_on_that_day() {
    let taxes = [sale(), service(), contribution("pis"), contribution("cofins"), reform("cbs"), reform("ibs")];
    for payload in taxes.into_iter().chain(others()) {
        for year in YEARS {
            let payload = in_year(&payload, year);
            let answer = law().calculate(&payload);
            if answer.status != 200 {
                assert!(matches!(answer.status, 404 | 422), "{payload}: {}", answer.json());
                continue;
            }
            let envelope = answer.ok();
            let rule = &envelope["regra"];
            let date = payload.as_object().unwrap().values().find(|value| is_date(value)).cloned();
            let day = date.unwrap_or_else(|| json!(format!("{year}-01-01")));
            let (day, from) = (day.as_str().unwrap(), rule["vigente_de"].as_str().unwrap());
            assert!(from <= day && rule["vigente_ate"].as_str().is_none_or(|until| day <= until), "{envelope}");
            assert!(has_version(&rule["rule_id"]) && rule["citacao_legal"].is_string(), "{envelope}");
        }
    }
}

#[test]
fn an_extinct_tax_says_so() {
    let sale = json!({
        "tributo": "pis", "regime_apuracao": "cumulativo", "valor_operacao": "1000.00", "valor_icms_destacado": "0",
        "data_operacao": "2027-01-01"
    });
    problem(&law().calculate(&sale), 422, "tributo_extinto");
    let icms = json!({
        "tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1000.00",
        "data_operacao": "2033-01-01"
    });
    problem(&law().calculate(&icms), 422, "tributo_extinto");
    let iss = json!({
        "tributo": "iss", "uf": "SP", "municipio": "São Paulo", "item_lista_servico": "17.19",
        "preco_servico": "1000.00", "data": "2033-01-01"
    });
    problem(&law().calculate(&iss), 422, "tributo_extinto");
}

//! Discounts of who pays early, exemptions of ITBI, and the taxes by unit: what answers, steps and refusals say.

use serde_json::{Value, json};
use taxd_core::engine::Engine;

use crate::support::{built_in_engine, calculate, engine, engine_with, publish, rule, with};

fn steps(engine: &Engine, payload: &Value) -> Vec<(String, String, String)> {
    let answer = engine.calculate(payload.to_string().as_bytes(), true).unwrap();
    let answer: Value = serde_json::from_slice(&answer.to_json()).unwrap();
    let steps = answer["detalhes"]["memoria"].as_array().unwrap().clone();
    let text = |step: &Value, name: &str| step[name].as_str().unwrap().to_owned();
    steps.iter().map(|s| (text(s, "nome"), text(s, "formula"), text(s, "resultado"))).collect()
}

fn discount(percent: &str) -> Value {
    json!({"percentual": percent, "condicao": "em cota única", "base_legal": "Lei 2, art. 3º"})
}

fn faults(tributo: &str, scope: &Value, content: &Value) -> String {
    format!("{:?}", publish(&engine(0), &[rule("regra", tributo, scope, content)]).unwrap_err())
}

/// A payload does not say when the tax is paid, so `valor` never has the discount.
#[test]
fn a_discount_is_shown_beside_the_ordinary_tax_with_its_step_and_its_sentence() {
    let scope = json!({"uf": "SP"});
    let content = json!({"aliquota": "4.00", "descontos": [discount("3.00"), discount("10.00")]});
    let engine = engine_with(&[rule("ipva", "ipva", &scope, &content)]);
    let payload = json!({"tributo": "ipva", "uf": "SP", "categoria_veiculo": "automovel", "valor_venal": "12345.67",
        "data_fato_gerador": "2026-01-01"});
    let answer = calculate(&engine, &payload).unwrap();
    assert_eq!(answer["valor"], "493.83");
    let shown = |i: usize, name: &str| answer["detalhes"]["descontos"][i][name].as_str().unwrap();
    assert_eq!(
        (shown(0, "desconto"), shown(0, "valor"), shown(0, "base_legal")),
        ("14.81", "479.02", "Lei 2, art. 3º")
    );
    assert_eq!((shown(1, "desconto"), shown(1, "valor")), ("49.38", "444.45"));
    let sentences = answer["avisos"].to_string();
    assert!(sentences.contains("Pago em cota única, há desconto de 3.00% (Lei 2, art. 3º)"), "{sentences}");
    let written = steps(&engine, &payload);
    let step = |name: &str, formula: &str, result: &str| (name.to_owned(), formula.to_owned(), result.to_owned());
    assert!(
        written.contains(&step("valor_com_desconto", "493,83 − arredonda(493,83 × 3,00%; 2)", "479.02")),
        "{written:?}"
    );
}

#[test]
fn a_discount_of_nothing_of_more_than_all_or_in_another_unit_is_refused_at_import() {
    let city = json!({"uf": "SP", "municipio": "São Paulo"});
    for percent in ["0.00", "100.01"] {
        let content = json!({"modelo": "unica", "aliquota": "1.00", "descontos": [discount(percent)]});
        assert!(faults("iptu", &city, &content).contains("descontos[0].percentual"), "{percent}");
    }
    let in_units = with(&discount("3.00"), &json!({"base_ate": "10.00", "unidade": "unidade_fiscal"}));
    let content = json!({"modelo": "unica", "aliquota": "1.00", "descontos": [in_units]});
    assert!(faults("iptu", &city, &content).contains("é em BRL"));
    let exemption = json!({"limite": "10.00", "unidade": "unidade_fiscal", "modo": "total", "base_legal": "Lei"});
    assert!(faults("itbi", &city, &json!({"aliquota": "2.00", "isencao": exemption})).contains("A isenção do ITBI"));
}

/// A city is known to give a discount, but not of how much. The tax without it is certain, so nothing is refused.
#[test]
fn a_discount_of_unknown_percentage_is_said_and_refuses_nothing() {
    let unknown = with(&discount("3.00"), &json!({"percentual": null, "condicao": "antes do vencimento"}));
    let content = json!({"modelo": "unica", "aliquota": "1.00", "descontos": [unknown, discount("3.00")]});
    let scope = json!({"uf": "SP", "municipio": "São Paulo"});
    let engine = engine_with(&[rule("iptu", "iptu", &scope, &content)]);
    let payload = json!({"tributo": "iptu", "uf": "SP", "municipio": "São Paulo", "uso_imovel": "residencial",
        "valor_venal": "100000.00", "exercicio": 2026});
    let answer = calculate(&engine, &payload).unwrap();
    let shown = answer["detalhes"]["descontos"].as_array().unwrap();
    assert_eq!((&answer["valor"], shown.len(), &shown[0]["valor"]), (&json!("1000.00"), 1, &json!("970.00")));
    assert_eq!(
        answer["avisos"][0],
        "Pago antes do vencimento, há desconto, de percentual não conferido (Lei 2, art. 3º): o valor da resposta é o sem desconto."
    );
    let nothing = calculate(&engine, &with(&payload, &json!({"valor_venal": "0.00"}))).unwrap();
    assert!(nothing.get("avisos").is_none(), "{nothing}");
}

/// An exemption that is certain answers although the rate above it is not established.
#[test]
fn an_exempt_transfer_pays_nothing_whatever_its_rate_and_financing() {
    let exemption = json!({"limite": "100000.00", "modo": "total", "base_legal": "Lei 1, art. 5º"});
    let content = json!({"aliquota": null, "isencao": exemption});
    let scope = json!({"uf": "SP", "municipio": "São Paulo"});
    let engine =
        engine_with(&[with(&rule("itbi", "itbi", &scope, &content), &json!({"motivo": "Alíquota não lida."}))]);
    let payload = json!({"tributo": "itbi", "uf": "SP", "municipio": "São Paulo", "valor_transacao": "100000.00",
        "financiado_sfh": true, "valor_financiado": "50000.00", "data": "2026-03-10"});
    let answer = calculate(&engine, &payload).unwrap();
    assert_eq!((&answer["valor"], &answer["detalhes"]["isento"]), (&json!("0.00"), &json!(true)));
    assert_eq!(answer["detalhes"]["isencao_base_legal"], "Lei 1, art. 5º");
    let above = with(&payload, &json!({"valor_transacao": "100000.01"}));
    assert_eq!(calculate(&engine, &above).unwrap_err().codigo.as_str(), "regra_sem_conteudo");
}

fn fuel(members: &Value) -> Value {
    let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "ncm": "27101259",
        "valor_produto": "5000.00", "quantidade": "1000", "papel_na_cadeia": "fabricante_importador",
        "data_operacao": "2026-03-10"});
    with(&payload, members)
}

/// Fuels of one code were refused in every UF although their tax by unit is the same in all of them.
#[test]
fn gasoline_diesel_and_gas_pay_by_unit_in_every_uf_and_between_ufs() {
    let engine = built_in_engine();
    let due =
        [("27101259", "1570.00", "litro"), ("27101921", "1170.00", "litro"), ("27111910", "1470.00", "quilograma")];
    for (ncm, valor, unit) in due {
        for ufs in [("SP", "SP"), ("AC", "AC"), ("RJ", "MG")] {
            let payload = fuel(&json!({"ncm": ncm, "uf_origem": ufs.0, "uf_destino": ufs.1}));
            let answer = calculate(engine, &payload).unwrap();
            assert_eq!(
                (&answer["valor"], &answer["detalhes"]["unidade"]),
                (&json!(valor), &json!(unit)),
                "{ncm} {ufs:?}"
            );
            let resold = calculate(engine, &with(&payload, &json!({"papel_na_cadeia": "revenda"}))).unwrap();
            assert_eq!(resold["valor"], "0.00");
            assert!(resold["detalhes"]["motivo_zero"].as_str().unwrap().contains("uma só vez"));
        }
    }
    let written = steps(engine, &fuel(&json!({})));
    assert_eq!(written[0].1, "1.000 × 1,57");
}

/// Codes that hold other goods too, and days whose amount was not read, are refused.
#[test]
fn a_fuel_that_the_code_does_not_decide_and_a_day_without_figure_are_refused() {
    let engine = built_in_engine();
    let refused = |members: &Value| calculate(engine, &fuel(members)).unwrap_err().codigo.as_str().to_owned();
    for ncm in ["38260000", "22071010", "27101922", "27112100"] {
        assert_eq!(refused(&json!({"ncm": ncm})), "regra_sem_conteudo", "{ncm}");
    }
    for day in ["2022-06-10", "2023-05-31", "2027-01-01"] {
        assert_eq!(refused(&json!({"data_operacao": day})), "regra_sem_conteudo", "{day}");
    }
    assert_eq!(refused(&json!({"quantidade": null})), "quantidade_ausente");
    assert_eq!(refused(&json!({"quantidade": "0"})), "valor_zero");
    assert_eq!(refused(&json!({"papel_na_cadeia": null})), "papel_na_cadeia_ausente");
    let both = json!({"aliquota": "18.00", "por_unidade": {"valor": "1.00", "unidade": "litro", "motivo_zero_revenda": "Lei"}});
    assert!(faults("icms", &json!({"ncm": "27101259"}), &both).contains("não usa `aliquota`"));
}

fn contribution(tributo: &str, ncm: &str, members: &Value) -> Value {
    let payload = json!({"tributo": tributo, "regime_apuracao": "nao_cumulativo", "ncm": ncm,
        "valor_operacao": "5000.00", "valor_icms_destacado": "0", "papel_na_cadeia": "fabricante_importador",
        "data_operacao": "2026-03-10"});
    with(&payload, members)
}

/// Refineries opt for an amount a cubic metre. Without the option in the payload, PIS and COFINS of fuels were refused.
#[test]
fn fuels_pay_pis_and_cofins_by_unit_or_by_rate_as_the_maker_opted() {
    let engine = built_in_engine();
    // Decreto 5.059/2004 × 10 m³; 5000.00 by the rate.
    let due = [
        ("pis", "27101259", "1411.00", "254.00"),
        ("cofins", "27101259", "6514.00", "1172.00"),
        ("pis", "27101921", "626.10", "210.50"),
        ("cofins", "27101911", "585.10", "1160.00"),
    ];
    for (tributo, ncm, by_unit, by_rate) in due {
        let opted = contribution(tributo, ncm, &json!({"regime_especial": true, "quantidade": "10"}));
        let answer = calculate(engine, &opted).unwrap();
        let shown = &answer["detalhes"];
        assert_eq!((&answer["valor"], &shown["unidade"]), (&json!(by_unit), &json!("metro cúbico")), "{tributo} {ncm}");
        assert_eq!((&shown["aliquota_aplicada"], &shown["base_calculo"]), (&Value::Null, &json!("5000.00")));
        let not = calculate(engine, &with(&opted, &json!({"regime_especial": false}))).unwrap();
        assert_eq!(not["valor"], by_rate, "{tributo} {ncm}");
        assert!(not["detalhes"].get("quantidade").is_none());
    }
    let written =
        steps(engine, &contribution("pis", "27101259", &json!({"regime_especial": true, "quantidade": "10"})));
    assert_eq!(written[1].1, "10 × 141,10");
}

#[test]
fn a_contribution_by_unit_needs_the_option_and_the_quantity_and_a_figure_of_the_day() {
    let engine = built_in_engine();
    let refused = |ncm: &str, members: &Value| {
        calculate(engine, &contribution("pis", ncm, members)).unwrap_err().codigo.as_str().to_owned()
    };
    let opted = json!({"regime_especial": true, "quantidade": "10"});
    assert_eq!(refused("27101259", &json!({})), "regime_especial_ausente");
    assert_eq!(refused("27101259", &json!({"regime_especial": true})), "quantidade_ausente");
    assert_eq!(refused("27101259", &with(&opted, &json!({"quantidade": "0"}))), "valor_zero");
    // Gas in domestic cylinders is zero and other gas is not; biodiesel depends on the seal.
    assert_eq!(refused("27111910", &opted), "regra_sem_conteudo");
    assert_eq!(refused("38260000", &opted), "regra_sem_conteudo");
    for day in ["2022-06-23", "2023-06-30", "2026-08-27"] {
        assert_eq!(refused("27101259", &with(&opted, &json!({"data_operacao": day}))), "regra_sem_conteudo", "{day}");
    }
    // Of diesel the decree states the coefficient from March to May, and not the amount.
    for day in ["2026-03-12", "2026-05-31", "2026-08-27"] {
        assert_eq!(refused("27101921", &with(&opted, &json!({"data_operacao": day}))), "regra_sem_conteudo", "{day}");
    }
    assert_eq!(refused("27101259", &with(&opted, &json!({"data_operacao": "2027-01-01"}))), "tributo_extinto");
}

/// The option belongs to rules that have it: elsewhere the answer says that it changed nothing.
#[test]
fn an_option_that_the_rule_does_not_have_is_ignored_aloud() {
    let members = json!({"regime_especial": true, "venda_a": "demais"});
    let answer = calculate(built_in_engine(), &contribution("pis", "22030000", &members)).unwrap();
    assert_eq!(answer["valor"], "116.00");
    assert!(answer["avisos"].to_string().contains("`regime_especial` foi ignorado"), "{answer}");
}

#[test]
fn a_rule_by_unit_is_single_phase_by_one_rate_and_above_zero() {
    let scope = json!({"ncm": "27101259"});
    let by_unit = |valor: &str| json!({"valor": valor, "unidade": "litro"});
    let reduced = json!({"tipo": "aliquota_reduzida", "aliquota": "1.00", "por_unidade": by_unit("1.00")});
    assert!(faults("pis", &scope, &reduced).contains("não usa `por_unidade`"));
    let buyers = json!({"tipo": "monofasico", "motivo_zero_revenda": "Lei", "por_unidade": by_unit("1.00"),
        "por_comprador": {"varejista_consumidor_final": "1.00", "demais": "2.00"}});
    assert!(faults("pis", &scope, &buyers).contains("não usa `por_comprador` com `por_unidade`"));
    let nothing = json!({"tipo": "monofasico", "motivo_zero_revenda": "Lei", "aliquota": "1.00",
        "por_unidade": by_unit("0.00")});
    assert!(faults("pis", &scope, &nothing).contains("por_unidade.valor"));
}

/// Cigarettes were refused: 300 % of the TIPI is not on the value of the product.
#[test]
fn cigarettes_pay_on_a_part_of_the_retail_price_or_by_pack_as_the_maker_opted() {
    let engine = built_in_engine();
    let packs = json!({"tributo": "ipi", "ncm": "24022000", "valor_produto": "2000.00", "preco_venda_varejo": "9999.90",
        "quantidade": "1000.5", "regime_especial": true, "data_operacao": "2026-03-10"});
    // 9999.90 × 15 % = 1499.985; × 66.70 % = 1000.489995, and 1000.5 × 2.25 = 2251.125: each is shown, so each is rounded.
    let answer = calculate(engine, &packs).unwrap();
    let shown = |name: &str| answer["detalhes"][name].as_str().unwrap();
    assert_eq!((answer["valor"].as_str().unwrap(), shown("base_calculo")), ("3251.62", "1499.99"));
    assert_eq!((shown("parcela_ad_valorem"), shown("parcela_por_unidade")), ("1000.49", "2251.13"));
    let names: Vec<String> = steps(engine, &packs).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["base_calculo", "parcela_ad_valorem", "parcela_por_unidade", "valor"]);
    let general = with(&packs, &json!({"regime_especial": false, "quantidade": null}));
    assert_eq!(calculate(engine, &general).unwrap()["valor"], "4499.96");
    let refused = |members: &Value| calculate(engine, &with(&packs, members)).unwrap_err();
    assert_eq!(refused(&json!({"regime_especial": null})).codigo.as_str(), "regime_especial_ausente");
    let problem = refused(&json!({"preco_venda_varejo": null}));
    assert_eq!((problem.codigo.as_str(), problem.campo.as_deref()), ("campo_obrigatorio", Some("preco_venda_varejo")));
    assert_eq!(refused(&json!({"data_operacao": "2026-04-01"})).codigo.as_str(), "regra_sem_conteudo");
    // Made by hand: outside of the special articles, and not read.
    assert_eq!(refused(&json!({"ex": "01"})).codigo.as_str(), "regra_sem_conteudo");
    let beer = json!({"ncm": "22030000", "data_operacao": "2026-03-10"});
    let answer = calculate(engine, &with(&packs, &beer)).unwrap();
    assert_eq!(answer["valor"], "78.00");
    assert!(answer["avisos"].to_string().contains("`regime_especial` foi ignorado"), "{answer}");
}

#[test]
fn only_a_taxed_line_has_a_base_at_retail_and_a_special_regime() {
    let special = json!({"aliquota": "66.70", "valor": "2.25", "unidade": "vintena"});
    for (name, member) in [("percentual_varejo", json!("15.00")), ("regime_especial", special)] {
        let mut content = json!({"situacao": "aliquota_zero", "tabela_versao": "T"});
        content[name] = member;
        assert!(faults("ipi", &json!({"ncm": "24022000"}), &content).contains(&format!("não usa `{name}`")), "{name}");
    }
}

/// Without `financiado_sfh`, which is false by default, the financed amount does not count, and the answer says so.
#[test]
fn a_financed_amount_without_its_kind_is_answered_with_a_warning() {
    let city = |uf: &str, name: &str, more: Value| {
        let payload = json!({"tributo": "itbi", "uf": uf, "municipio": name, "valor_transacao": "600000.00",
            "valor_financiado": "300000.00", "data": "2026-03-20"});
        calculate(built_in_engine(), &with(&payload, &more))
    };
    for (unsaid, is_said) in
        [(json!({}), false), (json!({"financiado_sfh": null}), false), (json!({"financiado_sfh": false}), true)]
    {
        let answer = city("SP", "São Paulo", unsaid).unwrap();
        assert_eq!((&answer["valor"], &answer["detalhes"]["sfh_aplicado"]), (&json!("18000.00"), &json!(false)));
        let avisos = answer["avisos"].as_array().unwrap();
        let place =
            avisos.iter().position(|aviso| aviso.as_str().unwrap().starts_with("O valor financiado não contou"));
        // The default of the contract decided the amount: that comes before the sentences of the rule.
        assert!(avisos.len() > 1 && if is_said { place > Some(0) } else { place == Some(0) }, "{avisos:?}");
        assert_eq!(answer["condicoes_dos_avisos"][place.unwrap()], "campo");
        assert_eq!(answer["condicoes_dos_avisos"].as_array().unwrap().len(), avisos.len());
    }
    let scope = json!({"uf": "MG", "municipio": "Uberaba"});
    let own = engine_with(&[rule("itbi", "itbi", &scope, &json!({"aliquota": "2.00"}))]);
    let payload = json!({"tributo": "itbi", "uf": "MG", "municipio": "Uberaba", "valor_transacao": "600000.00",
        "valor_financiado": "300000.00", "data": "2026-03-20"});
    assert_eq!(calculate(&own, &payload).unwrap()["valor"], "12000.00");
}

/// A rule that says that the contribution is extinct has a reason in the place of its figures, and is of a regime.
#[test]
fn an_extinct_contribution_has_its_reason_and_no_figure() {
    let regime = json!({"regime_apuracao": ["cumulativo"]});
    let extinct = json!({"tipo": "extinto", "motivo_extincao": "Lei"});
    for (conteudo, wanted) in [
        (json!({"tipo": "extinto"}), "precisa de `motivo_extincao`"),
        (with(&extinct, &json!({"aliquota": "1.00"})), "não usa `aliquota`"),
        (json!({"tipo": "ordinario", "aliquota": "1.00", "motivo_extincao": "Lei"}), "não usa `motivo_extincao`"),
    ] {
        assert!(faults("pis", &regime, &conteudo).contains(wanted), "{conteudo}");
    }
    assert!(faults("pis", &json!({"ncm": "2203"}), &extinct).contains("e nenhum NCM"));
}

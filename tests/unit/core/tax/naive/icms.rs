//! Own ICMS: the tax is inside the price, less any reduction; the Senate's table between UFs.

use num_traits::{One, Zero};
use proptest::prelude::*;
use serde_json::{Value, json};
use taxd_base::problem::ErrorCode;

use super::expect::{Answer, Expected, NO_FIGURE, check, figure, flag, given, needed, word};
use super::generate as make;
use super::number::{Q, amount, percent, rounded, sum};
use super::transicao;
use crate::property::cases;
use crate::support::{engine_with, rule};

/// The rules of SP, a product of it, a product with one rule in every UF, and the two tables
/// between UFs.
struct Rules {
    general: Value,
    product: Value,
    national: Value,
    table: Value,
    imported: Value,
}

fn naive(rules: &Rules, p: &Value) -> Expected {
    let share = transicao::share(p, "data_operacao")?;
    let operation = sum(p, &["valor_produto", "frete", "despesas"]);
    let is_product = word(p, "ncm", "").starts_with("2203");
    let internal = p["uf_origem"] == p["uf_destino"];
    let operation_word = match (internal, word(p, "origem_mercadoria", "nacional")) {
        (true, _) => "interna",
        (false, "importada") => "interestadual_importada",
        (false, _) => "interestadual",
    };
    // A national rule that lists operations answers for those alone.
    let reached = &rules.national["operacoes"];
    let is_national = word(p, "ncm", "").starts_with("2710")
        && reached.as_array().is_none_or(|list| list.contains(&json!(operation_word)));
    if !internal && !is_national {
        return between(rules, p, is_product, (&operation, &share));
    }
    let (content, matched) = match (is_product, is_national) {
        (true, _) => (&rules.product, json!("produto")),
        (_, true) => (&rules.national, json!("produto_nacional")),
        _ => (&rules.general, json!("geral")),
    };
    if let Some(by_unit) = content.get("por_unidade") {
        return by_the_unit(by_unit, p, (&operation, &share));
    }
    transicao::refused_beside(&share, transicao::has_more(content))?;
    if flag(content, "isento", false) {
        return Ok(Answer::due(&Q::zero())
            .amount("base_calculo", &operation)
            .amount("valor_icms", &Q::zero())
            .amount("valor_fcp", &Q::zero())
            .other("isento", &json!(true))
            .other("isencao_base_legal", &content["isencao_base_legal"])
            .other("regra_casada", &matched));
    }
    // The general rule says so if it answers for a product that no rule names.
    let unnamed = !is_product && !is_national && given(p, "ncm");
    let found = if unnamed { json!("nenhuma") } else { Value::Null };
    let rate = needed(content, "aliquota")? * &share;
    // The final burden is a percentage of the operation; the base is what gives it at the rate.
    let base = match (figure(content, "carga_efetiva")?, figure(content, "reducao_base")?) {
        (Some(burden), _) => &operation * burden / &rate,
        (None, Some(cut)) => &operation * (Q::one() - percent(&cut)),
        (None, None) => operation,
    };
    let fund = figure(content, "fcp")?.unwrap_or_else(Q::zero);
    let (icms, fcp) = (&base * percent(&rate), &base * percent(&fund));
    Ok(Answer::due(&(rounded(&icms, 2) + rounded(&fcp, 2)))
        .other("tipo_operacao", &json!(if internal { "interna" } else { "interestadual" }))
        .amount("base_calculo", &base)
        .rate("aliquota_aplicada", &rate)
        .amount("valor_icms", &icms)
        .amount("valor_fcp", &fcp)
        .other("isento", &json!(false))
        .other("conferencia_produto", &found)
        .others(transicao::code(p, "data_operacao").as_slice())
        .other("regra_casada", &matched))
}

/// Who makes or imports pays so much a unit; who resells pays nothing.
fn by_the_unit(by_unit: &Value, p: &Value, (operation, share): (&Q, &Q)) -> Expected {
    let answer = |due: &Q| {
        Answer::due(due)
            .amount("valor_icms", due)
            .amount("valor_fcp", &Q::zero())
            .amount("base_calculo", operation)
            .other("aliquota_aplicada", &Value::Null)
            .other("papel_na_cadeia", &p["papel_na_cadeia"])
    };
    match word(p, "papel_na_cadeia", "") {
        "" => Err("papel_na_cadeia_ausente"),
        _ if *share < Q::one() => Err(NO_FIGURE),
        "revenda" => Ok(answer(&Q::zero()).other("motivo_zero", &by_unit["motivo_zero_revenda"])),
        _ => {
            let a_unit = needed(by_unit, "valor")?;
            let quantity = amount(p, "quantidade");
            match given(p, "quantidade") {
                false => Err("quantidade_ausente"),
                true if quantity.is_zero() => Err("valor_zero"),
                true => Ok(answer(&(a_unit * quantity))
                    .other("unidade", &json!("litro"))
                    .other("motivo_zero", &Value::Null)),
            }
        }
    }
}

fn between(rules: &Rules, p: &Value, is_product: bool, (operation, share): (&Q, &Q)) -> Expected {
    let imported = word(p, "origem_mercadoria", "nacional") == "importada";
    let (table, code) = if imported { (&rules.imported, "importada") } else { (&rules.table, "tabela") };
    let rate = needed(table, "aliquota")?;
    let due = &rate * share;
    let icms = operation * percent(&due);
    let answer = Answer::due(&icms)
        .other("tipo_operacao", &json!("interestadual"))
        .amount("base_calculo", operation)
        .rate("aliquota_aplicada", &due)
        .amount("valor_icms", &icms)
        .amount("valor_fcp", &Q::zero())
        .other("conferencia_produto", &Value::Null)
        .other("citacao_interestadual", &json!(format!("Lei de {code}")));
    let stated = figure(&rules.product, "aliquota_interestadual").ok().flatten().filter(|_| is_product);
    Ok(match stated {
        Some(stated) if stated != rate => answer.object(
            "divergencia_interestadual",
            Answer::default().rate("aliquota_tabela", &rate).rate("aliquota_regra_produto", &stated),
        ),
        _ => answer.other("divergencia_interestadual", &Value::Null),
    })
}

fn content() -> BoxedStrategy<Value> {
    let taxed =
        (make::figure(make::rate()), 0..3u8, make::rate(), make::rate(), make::perhaps(make::figure(make::rate())))
            .prop_map(|(rate, kind, cut, other, fcp)| {
                let mut content = json!({"aliquota": rate, "aliquota_interestadual": other});
                if let Some(fcp) = fcp {
                    content["fcp"] = fcp;
                }
                // A final burden lies below the rate, and a rate of zero has none.
                let fits =
                    rate.as_str().map(super::number::q).filter(|r| *r > Q::zero() && super::number::q(&cut) <= *r);
                match kind {
                    0 => content["reducao_base"] = json!(cut),
                    1 if fits.is_some() => content["carga_efetiva"] = json!(cut),
                    _ => {}
                }
                content
            });
    let exempt = Just(json!({"isento": true, "isencao_base_legal": "Convênio de teste"}));
    let by_unit = make::figure(make::positive()).prop_map(
        |valor| json!({"por_unidade": {"valor": valor, "unidade": "litro", "motivo_zero_revenda": "Já cobrado"}}),
    );
    prop_oneof![9 => taxed, 1 => exempt, 2 => by_unit].boxed()
}

/// The content of a national rule: of all operations, or of some of them.
fn national() -> BoxedStrategy<Value> {
    let words = ["interna", "interestadual", "interestadual_importada"];
    let some = proptest::sample::subsequence(words.to_vec(), 1..=3).prop_map(|words| json!(words));
    (content(), proptest::option::of(some))
        .prop_map(|(mut content, operations)| {
            if let Some(operations) = operations {
                content["operacoes"] = operations;
            }
            content
        })
        .boxed()
}

fn payload() -> BoxedStrategy<Value> {
    let optional = || make::perhaps(make::text(make::amount()));
    make::object(vec![
        ("tributo", make::fixed(json!("icms"))),
        ("uf_origem", make::fixed(json!("SP"))),
        ("uf_destino", make::always(make::one_of(&["SP", "SP", "MG"]))),
        ("data_operacao", make::always(transicao::day())),
        ("ncm", make::perhaps(make::one_of(&["22030000", "22030000", "27101259", "10063021"]))),
        ("valor_produto", make::always(make::text(make::amount()))),
        ("frete", optional()),
        ("despesas", optional()),
        ("origem_mercadoria", make::perhaps(make::one_of(&["nacional", "importada"]))),
        (
            "papel_na_cadeia",
            make::perhaps(make::one_of(&["fabricante_importador", "fabricante_importador", "revenda"])),
        ),
        ("quantidade", optional()),
    ])
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn own_icms_is_the_naive_icms(
        contents in (content(), content(), national()),
        rates in (make::figure(make::rate()), make::figure(make::rate())),
        payloads in proptest::collection::vec(payload(), 16..24),
    ) {
        let rules = Rules {
            general: contents.0, product: contents.1, national: contents.2,
            table: json!({"aliquota": rates.0}), imported: json!({"aliquota": rates.1}),
        };
        let published = [
            rule("geral", "icms", &json!({"uf": "SP"}), &rules.general),
            rule("produto", "icms", &json!({"uf": "SP", "ncm": "2203"}), &rules.product),
            rule("nacional", "icms", &json!({"ncm": "2710"}), &rules.national),
            rule("tabela", "icms", &json!({"uf_origem": "SP", "uf_destino": "MG"}), &rules.table),
            rule("importada", "icms", &json!({"origem_mercadoria": "importada"}), &rules.imported),
        ];
        let engine = engine_with(&[&published[..], &transicao::rules("icms")[..]].concat());
        for payload in &payloads {
            check(&engine, payload, naive(&rules, payload))?;
        }
    }
}

/// Rice in MG was answered at 18 % without a word: a caller took the general rate for the rate of rice.
#[test]
fn a_general_rate_for_a_product_that_no_rule_names_says_that_none_was_found() {
    let engine = engine_with(&[
        rule("geral", "icms", &json!({"uf": "MG"}), &json!({"aliquota": "18.00"})),
        rule("produto", "icms", &json!({"uf": "MG", "ncm": "2203"}), &json!({"aliquota": "23.00"})),
        rule("nacional", "icms", &json!({"ncm": "4901"}), &json!({"isento": true, "isencao_base_legal": "Lei"})),
        rule("tabela", "icms", &json!({"uf_origem": "MG", "uf_destino": "SP"}), &json!({"aliquota": "12.00"})),
    ]);
    let ask = |destino: &str, ncm: Option<&str>| {
        let payload = json!({"tributo": "icms", "uf_origem": "MG", "uf_destino": destino, "ncm": ncm,
            "valor_produto": "1000.00", "data_operacao": "2026-03-10"});
        crate::support::calculate(&engine, &payload).unwrap()
    };
    let rice = ask("MG", Some("10063021"));
    assert_eq!((&rice["valor"], &rice["detalhes"]["regra_casada"]), (&json!("180.00"), &json!("geral")));
    assert_eq!(rice["detalhes"]["conferencia_produto"], "nenhuma");
    assert_eq!(rice["condicoes_dos_avisos"], json!(["beneficio"]));
    let sentence = rice["avisos"][0].as_str().unwrap();
    assert!(sentence.contains("NCM 10063021") && sentence.contains("em MG"), "{sentence}");
    // Without a product nothing was searched, and the answer says that an NCM leads to other rules.
    let unnamed = ask("MG", None);
    assert_eq!(unnamed["detalhes"].get("conferencia_produto"), None);
    assert_eq!(
        unnamed["avisos"],
        json!(["Há regra mais específica por NCM em MG: informe `ncm`, se couber à operação."])
    );
    // By the rule of the product, or between UFs, there is nothing to add.
    for silent in [ask("MG", Some("22030000")), ask("MG", Some("49011000")), ask("SP", Some("10063021"))] {
        let said = (silent["detalhes"].get("conferencia_produto"), silent.get("avisos"));
        assert_eq!(said, (None, None), "{silent}");
    }
}

/// A final burden at a rate of zero would divide by that rate.
#[test]
fn a_final_burden_at_a_rate_of_zero_is_refused_at_import() {
    let engine = crate::support::engine(0);
    let content = json!({"aliquota": "0.00", "carga_efetiva": "0.00"});
    let faults =
        crate::support::publish(&engine, &[rule("geral", "icms", &json!({"uf": "SP"}), &content)]).unwrap_err();
    let found: Vec<_> = faults.iter().map(|fault| (fault.path.as_str(), fault.codigo)).collect();
    assert_eq!(found, [("regras[0].conteudo.aliquota", ErrorCode::ValorZero)]);
}

/// A limit on operations is for national rules alone: elsewhere the scope already says the operation.
#[test]
fn only_a_national_rule_is_limited_to_some_operations() {
    let engine = crate::support::engine(0);
    let content = json!({"aliquota": "18.00", "operacoes": ["interna"]});
    let faults =
        crate::support::publish(&engine, &[rule("geral", "icms", &json!({"uf": "SP"}), &content)]).unwrap_err();
    let found: Vec<_> = faults.iter().map(|fault| (fault.path.as_str(), fault.codigo)).collect();
    assert_eq!(found, [("regras[0].conteudo.operacoes", ErrorCode::ValorInvalido)]);
}

/// A benefit agreed for internal operations leaves the Senate's table as it is, and a wider immunity still answers.
#[test]
fn a_national_rule_of_internal_operations_lets_the_next_rule_answer_between_ufs() {
    let refused = json!({"aliquota": null, "operacoes": ["interna"]});
    let engine = engine_with(&[
        rule("tabela", "icms", &json!({"uf_origem": "SP", "uf_destino": "MG"}), &json!({"aliquota": "12.00"})),
        rule("cesta", "icms", &json!({"ncm": "10063021"}), &refused),
        rule("cesta-larga", "icms", &json!({"ncm": "4901"}), &json!({"isento": true, "isencao_base_legal": "Lei"})),
        rule("cesta-estreita", "icms", &json!({"ncm": "49011000"}), &refused),
    ]);
    let payload = |destino: &str, ncm: &str| {
        json!({
            "tributo": "icms", "uf_origem": "SP", "uf_destino": destino, "ncm": ncm,
            "valor_produto": "1000.00", "data_operacao": "2026-03-10"
        })
    };
    let between = crate::support::calculate(&engine, &payload("MG", "10063021")).unwrap();
    assert_eq!(between["valor"], "120.00");
    let inside = crate::support::calculate(&engine, &payload("SP", "10063021")).unwrap_err();
    assert_eq!(inside.codigo, ErrorCode::RegraSemConteudo);
    let immune = crate::support::calculate(&engine, &payload("MG", "49011000")).unwrap();
    assert_eq!(immune["valor"], "0.00");
}

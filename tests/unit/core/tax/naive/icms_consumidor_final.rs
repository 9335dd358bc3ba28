//! Sales to the final consumer: the tax of the destination inside it, and between UFs the Senate's rate and the
//! difference, on one base or on two.

use num_traits::{One, Zero};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::expect::{Answer, Expected, NO_FIGURE, check, figure, flag, needed, word};
use super::generate as make;
use super::number::{Q, percent, rounded, sum};
use super::transicao;
use crate::property::cases;
use crate::support::{engine_with, rule};

/// The rules of MG as a destination (of `icms`: general, beer, books in every UF; of the final consumer: of all goods,
/// of beer and shirts), the beer of SP as the origin, the two tables between UFs, and the law.
struct Rules {
    general: Value,
    beer: Value,
    books: Value,
    of_all: Value,
    of_product: Value,
    beer_of_origin: Value,
    table: Value,
    imported: Value,
    law: Value,
}

/// The first of these figures that a rule has.
fn first(candidates: &[(&Value, &str)]) -> Result<Option<Q>, &'static str> {
    for (content, name) in candidates {
        if let Some(found) = figure(content, name)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The code of the first rule that has this figure.
fn stating(candidates: &[(&Value, &'static str)], name: &str) -> Option<&'static str> {
    candidates.iter().find(|(content, _)| content.get(name).is_some()).map(|(_, code)| *code)
}

/// How MG taxes the goods inside it.
struct Inside<'a> {
    matched: &'static str,
    /// `None` if they are exempt.
    rate: Option<Q>,
    fund: Q,
    /// The content of the rule that states the rate or exempts: its benefit counts.
    treating: &'a Value,
    /// True if a rule states an FCP.
    has_fund: bool,
    /// The codes of the rules that it comes from, each once.
    codes: Vec<&'static str>,
}

fn inside<'a>(rules: &'a Rules, ncm: &str) -> Result<Inside<'a>, &'static str> {
    let none: &Value = &Value::Null;
    let (goods, matched, code) = match ncm {
        "22030000" => (&rules.beer, "produto", "cerveja"),
        "49019900" => (&rules.books, "produto_nacional", "livros"),
        _ => (&rules.general, "geral", "geral"),
    };
    let is_general = matched == "geral";
    let of_product = if ["22030000", "61091000"].contains(&ncm) { &rules.of_product } else { none };
    // The exemption of a product needs no rate, of whatever rule.
    let exempt = flag(of_product, "isento", false);
    let of_all = if is_general && !exempt { &rules.of_all } else { none };
    let own_rate = first(&[(of_product, "aliquota"), (of_all, "aliquota")])?;
    let by_product = ["aliquota", "isento"].iter().any(|name| of_product.get(name).is_some());
    let treating = match &own_rate {
        _ if by_product => of_product,
        Some(_) => &rules.of_all,
        None => goods,
    };
    if flag(treating, "isento", false) {
        let codes = if by_product { vec![code, "consumidor-produto"] } else { vec![code] };
        return Ok(Inside { treating, matched, rate: None, fund: Q::zero(), has_fund: false, codes });
    }
    let rate = own_rate.map_or_else(|| needed(goods, "aliquota"), Ok)?;
    let fund = if is_general {
        first(&[(of_product, "fcp"), (&rules.of_all, "fcp"), (goods, "fcp")])?
    } else {
        first(&[(of_product, "fcp"), (goods, "fcp"), (&rules.of_all, "fcp")])?
    };
    let (product, uf) = ((of_product, "consumidor-produto"), (&rules.of_all, "consumidor"));
    let of_rate = if is_general { stating(&[product, uf], "aliquota") } else { stating(&[product], "aliquota") };
    let in_order = if is_general { [product, uf, (goods, code)] } else { [product, (goods, code), uf] };
    let mut codes = vec![code];
    let has_fund = stating(&in_order, "fcp").is_some();
    for one in [of_rate, stating(&in_order, "fcp")].into_iter().flatten() {
        if !codes.contains(&one) {
            codes.push(one);
        }
    }
    Ok(Inside { treating, matched, codes, rate: Some(rate), fund: fund.unwrap_or_else(Q::zero), has_fund })
}

fn naive(rules: &Rules, p: &Value) -> Expected {
    let share = transicao::share(p, "data_operacao")?;
    let operation = sum(p, &["valor_produto", "frete", "despesas", "ipi"]);
    let is_internal = p["uf_origem"] == "MG";
    let to_taxpayer = flag(p, "destinatario_contribuinte", false);
    if !is_internal && rules.law["base_difal"].is_null() {
        return if to_taxpayer { of_seller(rules, p, (&operation, &share)) } else { Err(NO_FIGURE) };
    }
    transicao::refused_beside(&share, !is_internal && rules.law["base_difal"] == "dupla")?;
    let mut mg = inside(rules, word(p, "ncm", ""))?;
    let has_benefit = ["reducao_base", "carga_efetiva", "isento"].iter().any(|name| mg.treating.get(name).is_some());
    let has_more = mg.has_fund || has_benefit;
    transicao::refused_beside(&share, has_more)?;
    mg.rate = mg.rate.map(|rate| rate * &share);
    mg.codes.splice(0..0, transicao::code(p, "data_operacao"));
    let Some(rate) = &mg.rate else {
        // Of the exemptions, only that of a national rule is one of both UFs.
        if !is_internal && (mg.matched != "produto_nacional" || !std::ptr::eq(mg.treating, &raw const rules.books)) {
            return Err(NO_FIGURE);
        }
        return Ok(Answer::due(&Q::zero())
            .amount("base_calculo", &operation)
            .amount("valor_icms", &Q::zero())
            .amount("valor_difal", &Q::zero())
            .amount("valor_fcp", &Q::zero())
            .other("isento", &json!(true))
            .other("isencao_base_legal", &mg.treating["isencao_base_legal"])
            .others(&mg.codes)
            .other("responsavel_difal", &Value::Null)
            .other("regra_casada", &json!(mg.matched)));
    };
    if !is_internal {
        return to_mg(rules, p, &mg, (rate, &share), &operation);
    }
    let base = match (figure(mg.treating, "carga_efetiva")?, figure(mg.treating, "reducao_base")?) {
        (Some(burden), _) => &operation * burden / rate,
        (None, Some(cut)) => &operation * (Q::one() - percent(&cut)),
        _ => operation,
    };
    Ok(answer(&mg, rate, &[&base * percent(rate), Q::zero(), &base * percent(&mg.fund)])
        .others(&mg.codes)
        .other("tipo_operacao", &json!("interna"))
        .amount("base_calculo", &base)
        .other("base_calculo_difal", &Value::Null))
}

/// The answer with these parts: ICMS, difference, FCP.
fn answer(mg: &Inside<'_>, rate: &Q, parts: &[Q; 3]) -> Answer {
    let due = parts.iter().fold(Q::zero(), |due, part| due + rounded(part, 2));
    Answer::due(&due)
        .rate("aliquota_interna", rate)
        .amount("valor_icms", &parts[0])
        .amount("valor_difal", &parts[1])
        .amount("valor_fcp", &parts[2])
        .other("isento", &json!(false))
        .other("regra_casada", &json!(mg.matched))
}

/// The own ICMS of a seller to a taxpayer, if the base of the difference is not established. A national rule that
/// reaches the operation exempts it, if MG taxes by the same rule; otherwise it is refused.
fn of_seller(rules: &Rules, p: &Value, (operation, share): (&Q, &Q)) -> Expected {
    if word(p, "ncm", "") == "49019900" {
        transicao::refused_beside(share, true)?;
        let mg = inside(rules, "49019900")?;
        return match mg.rate {
            None => Ok(Answer::due(&Q::zero()).amount("valor_icms", &Q::zero()).other("isento", &json!(true))),
            Some(_) => Err(NO_FIGURE),
        };
    }
    let inter = rate_between(rules, p)? * share;
    let icms = rounded(&(operation * percent(&inter)), 2);
    let is_imported = word(p, "origem_mercadoria", "nacional") == "importada";
    Ok(Answer::due(&icms)
        .amount("valor_icms", &icms)
        .amount("base_calculo", operation)
        .rate("aliquota_interestadual", &inter)
        .other("valor_difal", &Value::Null)
        .other("valor_fcp", &Value::Null)
        .other("base_calculo_difal", &Value::Null)
        .other("aliquota_interna", &Value::Null)
        .other("responsavel_difal", &json!("destinatario"))
        .other("regra_casada", &json!(if is_imported { "interestadual_importada" } else { "interestadual" })))
}

/// The rate between the UFs. Fails if it is not established, or if the rule of the origin's beer leaves its own so.
fn rate_between(rules: &Rules, p: &Value) -> Result<Q, &'static str> {
    let is_imported = word(p, "origem_mercadoria", "nacional") == "importada";
    let inter = needed(if is_imported { &rules.imported } else { &rules.table }, "aliquota")?;
    if word(p, "ncm", "") == "22030000" {
        figure(&rules.beer_of_origin, "aliquota_interestadual")?;
    }
    Ok(inter)
}

fn to_mg(rules: &Rules, p: &Value, mg: &Inside<'_>, (rate, share): (&Q, &Q), operation: &Q) -> Expected {
    // A benefit of the destination, or a national rule other than an immunity.
    let is_reduced = ["reducao_base", "carga_efetiva"].iter().any(|name| mg.treating.get(name).is_some());
    if mg.matched == "produto_nacional" || is_reduced {
        return Err(NO_FIGURE);
    }
    let is_imported = word(p, "origem_mercadoria", "nacional") == "importada";
    let inter = needed(if is_imported { &rules.imported } else { &rules.table }, "aliquota")?;
    let mut codes = mg.codes.clone();
    codes.push(if is_imported { "importada" } else { "tabela" });
    if word(p, "ncm", "") == "22030000"
        && figure(&rules.beer_of_origin, "aliquota_interestadual")?.is_some_and(|stated| stated != inter)
    {
        codes.push("cerveja-origem");
    }
    let inter = inter * share;
    let icms = rounded(&(operation * percent(&inter)), 2);
    let is_double = rules.law["base_difal"] == "dupla";
    let (base, difal) = if is_double {
        let fund = if flag(&rules.law, "fcp_na_base", false) { mg.fund.clone() } else { Q::zero() };
        let net = Q::one() - percent(&(rate + fund));
        if net <= Q::zero() {
            return Err("resultado_fora_do_alcance");
        }
        let base = (operation - &icms) / net;
        let difal = &base * percent(rate) - &icms;
        (base, difal)
    } else {
        (operation.clone(), operation * (percent(rate) - percent(&inter)))
    };
    let fcp = &base * percent(&mg.fund);
    Ok(answer(mg, rate, &[icms, difal.max(Q::zero()), fcp])
        .others(&codes)
        .other("tipo_operacao", &json!("interestadual"))
        .amount("base_calculo", operation)
        .amount("base_calculo_difal", &base)
        .rate("aliquota_interestadual", &inter)
        .other("base_difal", &rules.law["base_difal"])
        .other(
            "responsavel_difal",
            &json!(if flag(p, "destinatario_contribuinte", false) { "destinatario" } else { "remetente" }),
        ))
}

/// The content of a rule of `icms`.
fn of_icms() -> BoxedStrategy<Value> {
    let taxed = (make::figure(make::rate()), 0..6u8, make::rate(), make::perhaps(make::figure(make::rate()))).prop_map(
        |(rate, kind, cut, fcp)| {
            let mut content = json!({"aliquota": rate});
            if let Some(fcp) = fcp {
                content["fcp"] = fcp;
            }
            let rate = content["aliquota"].as_str().map(super::number::q);
            match kind {
                0 => content["reducao_base"] = json!(cut),
                1 if rate.is_some_and(|rate| rate > Q::zero() && super::number::q(&cut) <= rate) => {
                    content["carga_efetiva"] = json!(cut);
                }
                _ => {}
            }
            content
        },
    );
    let exempt = Just(json!({"isento": true, "isencao_base_legal": "Convênio de teste"}));
    prop_oneof![5 => taxed, 1 => exempt].boxed()
}

/// The content of a rule of the final consumer for a product: also an exemption, or a burden under the rate.
fn of_product() -> BoxedStrategy<Value> {
    let burden = |(mut content, burden): (Value, String)| {
        let rate = content["aliquota"].as_str().map(super::number::q);
        if rate.is_some_and(|rate| rate > Q::zero() && super::number::q(&burden) <= rate) {
            content["carga_efetiva"] = json!(burden);
        }
        content
    };
    let exempt = json!({"isento": true, "isencao_base_legal": "Lei de teste"});
    let reduced = (of_consumer(), make::rate()).prop_map(burden);
    prop_oneof![3 => of_consumer(), 3 => reduced, 1 => Just(exempt)].boxed()
}

/// The content of a rule of the final consumer for all goods: a rate, an FCP, or both.
fn of_consumer() -> BoxedStrategy<Value> {
    let rates = (make::figure(make::rate()), make::figure(make::rate()), 0..3u8);
    rates
        .prop_map(|(rate, fcp, kind)| match kind {
            0 => json!({"aliquota": rate}),
            1 => json!({"fcp": fcp}),
            _ => json!({"aliquota": rate, "fcp": fcp}),
        })
        .boxed()
}

fn law() -> BoxedStrategy<Value> {
    let base = prop_oneof![8 => Just(json!("unica")), 8 => Just(json!("dupla")), 1 => Just(Value::Null)];
    (base, any::<bool>()).prop_map(|(base, inside)| json!({"base_difal": base, "fcp_na_base": inside})).boxed()
}

fn payload() -> BoxedStrategy<Value> {
    let optional = || make::perhaps(make::text(make::amount()));
    make::object(vec![
        ("tributo", make::fixed(json!("icms_consumidor_final"))),
        ("uf_origem", make::always(make::one_of(&["MG", "SP", "SP"]))),
        ("uf_destino", make::fixed(json!("MG"))),
        ("data_operacao", make::always(transicao::day())),
        ("ncm", make::perhaps(make::one_of(&["22030000", "22030000", "61091000", "49019900", "84713012"]))),
        ("valor_produto", make::always(make::text(make::amount()))),
        ("frete", optional()),
        ("despesas", optional()),
        ("ipi", optional()),
        ("origem_mercadoria", make::perhaps(make::one_of(&["nacional", "importada"]))),
        ("destinatario_contribuinte", make::perhaps(make::flags())),
    ])
}

const TAX: &str = "icms_consumidor_final";

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn the_tax_on_a_final_consumer_is_the_naive_one(
        of_icms in (of_icms(), of_icms(), of_icms()),
        of_consumer in (of_consumer(), of_product()),
        between in (make::figure(make::rate()), make::figure(make::rate()), make::figure(make::rate())),
        law in law(),
        payloads in proptest::collection::vec(payload(), 16..24),
    ) {
        let rules = Rules {
            general: of_icms.0, beer: of_icms.1, books: of_icms.2,
            of_all: of_consumer.0, of_product: of_consumer.1,
            beer_of_origin: json!({"aliquota": "18.00", "aliquota_interestadual": between.2}),
            table: json!({"aliquota": between.0}), imported: json!({"aliquota": between.1}),
            law,
        };
        let published = [
            rule("geral", "icms", &json!({"uf": "MG"}), &rules.general),
            rule("cerveja", "icms", &json!({"uf": "MG", "ncm": "2203"}), &rules.beer),
            rule("livros", "icms", &json!({"ncm": "4901"}), &rules.books),
            rule("cerveja-origem", "icms", &json!({"uf": "SP", "ncm": "2203"}), &rules.beer_of_origin),
            rule("tabela", "icms", &json!({"uf_origem": "SP", "uf_destino": "MG"}), &rules.table),
            rule("importada", "icms", &json!({"origem_mercadoria": "importada"}), &rules.imported),
            rule("consumidor", TAX, &json!({"uf": "MG"}), &rules.of_all),
            rule("consumidor-produto", TAX, &json!({"uf": "MG", "ncm": ["2203", "61"]}), &rules.of_product),
            rule("interna", TAX, &json!({"operacao": "interna"}), &json!({})),
            rule("diferenca", TAX, &json!({"operacao": "interestadual_nao_contribuinte"}), &rules.law),
            rule("do-comprador", TAX, &json!({"operacao": "interestadual_contribuinte"}), &rules.law),
        ];
        let engine = engine_with(&[&published[..], &transicao::rules(TAX)[..]].concat());
        for payload in &payloads {
            check(&engine, payload, naive(&rules, payload))?;
        }
    }
}

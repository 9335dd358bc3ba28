//! For any facts, on the built-in rules: the answers inside are those of the taxes asked alone, and the totals are sums.

use proptest::prelude::{ProptestConfig, Strategy, any, proptest};
use proptest::sample::select;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::rules::{apuracao, sale, text_by};
use crate::support::{built_in_engine, with};

#[derive(Deserialize)]
struct Line<'a> {
    tributo: &'a str,
    situacao: &'a str,
    valor: Option<&'a str>,
    valor_comprador: Option<&'a str>,
    #[serde(borrow)]
    pedido: Option<&'a RawValue>,
    #[serde(borrow)]
    resposta: Option<&'a RawValue>,
    #[serde(borrow)]
    problema: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    tributos: Vec<Line<'a>>,
    totais: Value,
}

/// An amount with two places, in cents.
fn cents(amount: &str) -> i64 {
    amount.replace('.', "").parse().unwrap()
}

fn amount() -> impl Strategy<Value = String> {
    (0..2_000_000_i64).prop_map(|cents| format!("{}.{:02}", cents / 100, cents % 100))
}

fn goods() -> impl Strategy<Value = Value> {
    let places = (select(vec!["SP", "MG", "RJ", "SC"]), select(vec!["SP", "RJ", "BA"]));
    let ncm =
        select(vec!["39241000", "22030000", "33030010", "87083090", "10063021", "84713012", "19053100", "96089999"]);
    let date = select(vec!["2025-06-30", "2026-03-10", "2026-11-22", "2027-01-04"]);
    let words = (select(vec!["fabricante_importador", "revenda"]), select(vec!["cumulativo", "nao_cumulativo"]));
    let flags = any::<[bool; 6]>();
    (places, ncm, date, words, flags, [amount(), amount(), amount(), amount()]).prop_map(
        |((origem, destino), ncm, date, (papel, regime), flags, [preco, frete, seguro, desconto])| {
            let [contribuinte, simples, duties, imported, industry, listed] = flags;
            let price = 20_000 + cents(&preco);
            json!({
                "data_operacao": date, "valor_produto": format!("{}.{:02}", price / 100, price % 100),
                "desconto": if cents(&desconto) > price { "0.00".to_owned() } else { desconto },
                "frete": frete, "seguro": seguro, "uf_origem": origem, "uf_destino": destino, "ncm": ncm,
                "papel_na_cadeia": papel, "regime_apuracao": if simples { "simples" } else { regime }, "cumpre_obrigacoes_acessorias": duties,
                "destinatario_contribuinte": contribuinte, "regime_simples_nacional": simples,
                "origem_mercadoria": if imported { "importada" } else { "nacional" },
                "destinado_industrializacao": industry && contribuinte,
                "substituicao_tributaria": if listed { Value::Null } else { json!(false) }
            })
        },
    )
}

fn check(facts: &Value) {
    let engine = built_in_engine();
    let text = text_by(engine, facts).unwrap_or_else(|problem| panic!("{facts}: {problem:?}"));
    let answer: Answer<'_> = serde_json::from_str(&text).unwrap();
    let (mut all, mut on_top, mut by_buyer) = (0, 0, 0);
    for line in &answer.tributos {
        if let Some(pedido) = line.pedido {
            let alone = match engine.calculate(pedido.get().as_bytes(), false) {
                Ok(answer) => String::from_utf8(answer.to_json().into()).unwrap(),
                Err(problem) => serde_json::to_string(&problem.document(None)).unwrap(),
            };
            let inside = line.resposta.or(line.problema).unwrap().get();
            assert_eq!(inside, alone, "{}: {facts}", line.tributo);
        }
        assert_eq!(line.valor.is_some(), line.situacao == "calculado", "{}: {facts}", line.tributo);
        let valor = line.valor.map_or(0, cents);
        all += valor;
        by_buyer += line.valor_comprador.map_or(0, cents);
        let counts = match line.tributo {
            "ipi" | "icms_st" => true,
            "cbs" | "ibs" => facts["data_operacao"].as_str().unwrap() >= "2027",
            _ => false,
        };
        on_top += if counts { valor } else { 0 };
    }
    let stated = |name: &str| facts[name].as_str().map_or(0, cents);
    let price = stated("valor_produto") - stated("desconto") + stated("frete") + stated("seguro");
    for (total, wanted) in [
        ("tributos", all),
        ("tributos_por_fora", on_top),
        ("valor_documento", price + on_top),
        ("recolhido_pelo_comprador", by_buyer),
        ("recolhido_pelo_vendedor", all - by_buyer),
    ] {
        assert_eq!(cents(answer.totais[total]["valor"].as_str().unwrap()), wanted, "{total}: {facts}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_answer_is_that_of_its_tax_asked_alone_and_every_total_is_a_sum(facts in goods()) {
        check(&facts);
    }
}

#[test]
fn an_amount_passes_to_the_taxes_as_it_was_written() {
    let written =
        json!({"valor_produto": "1000", "frete": "0.125", "quantidade": "3.0", "substituicao_tributaria": false});
    let apuracao = apuracao(&with(&sale(), &written));
    let asked = &apuracao["tributos"][1]["pedido"];
    assert_eq!((&asked["valor_produto"], &asked["frete"]), (&json!("1000"), &json!("0.125")));
    assert_eq!(asked["quantidade"], "3.0");
}

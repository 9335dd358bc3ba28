//! The end of a tax by law, as the rules ahead and the coverage show it.

use serde_json::{Value, json};
use taxd::features::calendar::report::{groups, rules_of, to_text};

use crate::support::{day, engine_with, rule, with};

const END: &str = "2024-07-01";

/// The rules of an extinct tax end with it, and nothing is missed: neither a figure nor a successor.
#[test]
fn a_tax_that_the_law_ends_is_an_end_of_its_own_kind() {
    let regime = json!({"regime_apuracao": ["cumulativo"]});
    let of = |code: &str, escopo: &Value, conteudo: Value| {
        with(&rule(code, "pis", escopo, &conteudo), &json!({"vigente_ate": END}))
    };
    let mut extinct = rule(
        "pis",
        "pis",
        &regime,
        &json!({"tipo": "extinto", "motivo_extincao": "O PIS está extinto: a CBS está em seu lugar."}),
    );
    extinct["versao"] = "2.0".into();
    extinct["vigente_de"] = END.into();
    extinct["citacao_legal"] = "Lei da extinção".into();
    let zero = json!({"tipo": "aliquota_zero", "motivo_zero": "Lei"});
    let product = json!({"ncm": "2203", "regime_apuracao": ["cumulativo"]});
    let engine = engine_with(&[
        of("pis", &regime, json!({"tipo": "ordinario", "aliquota": "0.65"})),
        of("cerveja", &product, zero),
        extinct,
    ]);
    let upcoming = engine.upcoming(day("2024-06-01"), day("2024-07-31")).unwrap();
    let counts = upcoming.resumo;
    assert_eq!((counts.terminam, counts.fins.extintas, counts.fins.total()), (2, 2, 2));
    assert!(upcoming.regras.iter().all(|regra| !regra.leaves_no_answer()));
    let groups = groups(&upcoming);
    let shown: Vec<(&str, &str)> =
        groups.iter().map(|group| (group.que.as_str(), group.citacao_legal.as_str())).collect();
    assert_eq!(shown, [("termina: tributo extinto", "Lei da extinção")], "one group of both");
    assert_eq!(rules_of(&upcoming, &groups[0]).count(), 2);
    let text = to_text(&upcoming);
    assert!(
        text.contains("por extinção do tributo: 2") && text.contains("O PIS está extinto: a CBS está em seu lugar."),
        "{text}"
    );
    let coverage = engine.coverage(day(END)).unwrap();
    let pis = coverage.totais.iter().find(|total| total.tributo == "pis").unwrap();
    assert_eq!((pis.regras.extinto, pis.regras.nulo), (1, 0));
}

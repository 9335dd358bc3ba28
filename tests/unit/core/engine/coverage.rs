//! What the coverage says of rules: read from their figures, never from their names.

use std::sync::Arc;

use serde_json::{Value, json};
use taxd_base::value::Date;
use taxd_core::engine::Engine;
use taxd_core::engine::coverage::{Coverage, StateCounts};

use crate::support::{engine_with, rule};

const NONE: StateCounts = StateCounts { sim: 0, em_parte: 0, nulo: 0, recusa: 0, extinto: 0 };
const ANSWERS: StateCounts = StateCounts { sim: 1, ..NONE };
const PARTLY: StateCounts = StateCounts { em_parte: 1, ..NONE };
const REFUSES: StateCounts = StateCounts { nulo: 1, ..NONE };

fn on(engine: &Engine, day: &str) -> Arc<Coverage> {
    engine.coverage(Date::parse(day).unwrap()).unwrap()
}

/// The state of the one rule with this content.
fn state(tributo: &str, escopo: &Value, conteudo: &Value) -> StateCounts {
    let coverage = on(&engine_with(&[rule("t-uma", tributo, escopo, conteudo)]), "2026-01-01");
    assert_eq!(coverage.linhas.len(), 1, "{coverage:?}");
    coverage.linhas[0].regras
}

#[test]
fn a_rule_answers_if_all_its_figures_are_established() {
    let ac = json!({"uf": "AC", "categoria_veiculo": "automovel"});
    let fuel = |rate: Value| json!([{"combustivel": "eletrico", "aliquota": rate}]);
    let exempt = json!({"limite": "1000.00", "modo": "total", "base_legal": "Lei 1, art. 1º"});
    for (conteudo, wanted) in [
        (json!({"aliquota": "2.00"}), ANSWERS),
        (json!({"aliquota": null}), REFUSES),
        (json!({"aliquota": "2.00", "combustiveis": fuel(json!("1.00"))}), ANSWERS),
        (json!({"aliquota": "2.00", "combustiveis": fuel(Value::Null)}), PARTLY),
        (json!({"aliquota": null, "combustiveis": fuel(json!("1.00"))}), PARTLY),
        (json!({"aliquota": null, "combustiveis": fuel(Value::Null)}), REFUSES),
        (json!({"aliquota": null, "isencao": exempt}), PARTLY),
    ] {
        assert_eq!(state("ipva", &ac, &conteudo), wanted, "{conteudo}");
    }
}

#[test]
fn the_open_end_of_the_last_bracket_is_not_a_null_figure() {
    let doacao = json!({"uf": "AC", "fato_gerador": "doacao"});
    let brackets = |rates: [Value; 2]| {
        let [first, last] = rates;
        let faixas = json!([{"ate": "1000.00", "aliquota": first}, {"ate": null, "aliquota": last}]);
        json!({"metodo": "marginal", "faixas": faixas})
    };
    assert_eq!(state("itcmd", &doacao, &brackets([json!("2.00"), json!("4.00")])), ANSWERS);
    assert_eq!(state("itcmd", &doacao, &brackets([json!("2.00"), Value::Null])), PARTLY);
    assert_eq!(state("itcmd", &doacao, &brackets([Value::Null, Value::Null])), REFUSES);
}

#[test]
fn a_member_that_answers_without_the_rate_leaves_the_rule_answering_in_part() {
    let resale = json!({"tipo": "monofasico", "aliquota": null, "motivo_zero_revenda": "Lei 1, art. 2º"});
    assert_eq!(state("pis", &json!({"ncm": "3303"}), &resale), PARTLY);
    let financed = json!({"aliquota": "2.00", "base": "valor_transacao", "sfh": {"aliquota": null}});
    assert_eq!(state("itbi", &json!({"uf": "SP", "municipio": "Santos"}), &financed), PARTLY);
}

/// A rate is of no use beside brackets that are all null.
/// The law of sales to taxpayers was counted as one that refuses, although the seller's own ICMS is answered.
#[test]
fn a_sale_to_a_taxpayer_is_answered_in_part_without_the_base_of_the_difference_and_another_sale_is_not() {
    let of = |operacao: &str, base: Value| {
        state("icms_consumidor_final", &json!({"operacao": [operacao]}), &json!({"base_difal": base}))
    };
    let none = StateCounts::default();
    assert_eq!(of("interestadual_contribuinte", Value::Null), StateCounts { em_parte: 1, ..none });
    assert_eq!(of("interestadual_nao_contribuinte", Value::Null), StateCounts { nulo: 1, ..none });
    assert_eq!(of("interestadual_contribuinte", json!("dupla")), StateCounts { sim: 1, ..none });
}

#[test]
fn a_list_of_brackets_without_a_figure_refuses_whatever_is_beside_it() {
    let fixo = json!({"uf": "SP", "municipio": "Santos", "regime": "sociedade_uniprofissional"});
    let faixas = json!([{"ate": null, "base_presumida": null}]);
    let conteudo =
        json!({"fixo": {"periodicidade": "mensal", "metodo": "marginal", "aliquota": "5.00", "faixas": faixas}});
    assert_eq!(state("iss", &fixo, &conteudo), REFUSES);
}

#[test]
fn a_line_of_the_tipi_that_is_not_taxed_has_no_rate_to_establish() {
    let line = |situacao: &str| json!({"situacao": situacao, "aliquota": null, "tabela_versao": "TIPI"});
    assert_eq!(state("ipi", &json!({"ncm": "01012100"}), &line("nao_tributado")), ANSWERS);
    assert_eq!(state("ipi", &json!({"ncm": "01012100"}), &line("tributado")), REFUSES);
}

#[test]
fn a_refusal_by_name_is_not_a_null_figure() {
    let hipotese = json!({"reducao": "60.00", "anexo": "Anexo II", "descricao": "Serviços de educação"});
    let escopo = json!({"item_lista_servico": ["8.01"]});
    let found = state("cbs", &escopo, &json!({"recusa": {"hipoteses": [hipotese]}}));
    assert_eq!(found, StateCounts { recusa: 1, ..NONE });
}

//! The law after the test year, which `transicao` asks for. Without the field a day after 2026 has no rule, as the
//! contract says (sections 2.3 and 7), and the 404 says what the law of the day would answer.

use super::{Detalhes, Payload};
use crate::base::document::{Faults, Path};
use crate::base::problem::{Candidato, ErrorCode, Exclusao, Problem};
use crate::base::sentence::{Reader, Sentence};
use crate::base::value::{Amount, RegraCitada, Tributo, percent, with_separators};
use crate::rule::RuleResult;
use crate::tax::calculation::Calculated;
use crate::tax::reforma::{TEST_YEAR, TRANSITION, is_in_test_year};

/// Adds the faults of the Imposto Seletivo: it is asked for with the later law, and is not collected in the test year.
pub(super) fn check(p: &Payload, faults: &mut Faults) {
    let Some(amount) = p.valor_is else { return };
    let here = Path::ROOT;
    let here = here.key("valor_is");
    if !p.transicao {
        let detail = Sentence::of(|to| {
            let asked = to.either("`transicao: true`", "`transicao` sim");
            format!(
                "`valor_is` só se aceita com {asked}, que pede a lei de 2027 em diante: informe os dois, ou tire este campo."
            )
        });
        faults.add(&here, ErrorCode::CampoDesconhecido, detail);
    } else if is_in_test_year(p.data_operacao) && amount > Amount::ZERO {
        let detail =
            "O Imposto Seletivo é cobrado desde 2027 (ADCT, art. 126, I, b): corrija a data ou tire este campo.";
        faults.add(&here, ErrorCode::ValorInvalido, detail);
    }
}

/// The 404 of a payload that does not ask for the law of its day; `answer` is what that law says. Without a rule on the
/// day, and if the service failed, that refusal itself.
pub(super) fn not_asked(tributo: Tributo, p: &Payload, answer: RuleResult<Calculated<Detalhes>>) -> Box<Problem> {
    let (answers, regra) = match answer {
        Ok(Calculated { valor, regra, detalhes }) => {
            let amount = |to: Reader| {
                let valor =
                    to.either(format!("`valor` {valor}"), format!("R$ {}", with_separators(&valor.to_string())));
                format!("responde {valor}: {}", treatment(&detalhes, to))
            };
            (Sentence::of(amount), Some(regra.citada()))
        }
        Err(refusal) if refusal.codigo.status() != 422 => return refusal,
        Err(refusal) => {
            let why = |to: Reader| {
                let codigo = to.either(format!(" com `{}`", refusal.codigo.as_str()), String::new());
                format!("recusa{codigo}: {}", refusal.detail.read_by(to).trim_end_matches('.'))
            };
            (Sentence::of(why), refusal.regra)
        }
    };
    let detail = Sentence::of(|to| {
        let by = regra.as_ref().map_or_else(String::new, |regra| format!(" ({})", named(regra, to)));
        let [day, first, last] = [p.data_operacao, TEST_YEAR, TRANSITION.previous_day()].map(|day| day.read_by(to));
        let asked = to.either("Com `transicao: true`", "Com `transicao` sim");
        format!(
            "Nenhuma regra de `{tributo}` vale em {day} sem `transicao`: as do ano-teste vão de {first} a {last}. {asked}, a lei da data{by} {}.",
            answers.read_by(to)
        )
    });
    let candidato = regra.map(|regra| Candidato {
        valores: Vec::new(),
        descricao: Sentence::both("responde com `transicao: true`", "responde com `transicao` sim"),
        fora_da_substituicao: false,
        exclusao: Some(Exclusao { por: vec!["transicao"], regra }),
    });
    let candidatos = candidato.into_iter().collect();
    Box::new(Problem { candidatos, ..Problem::new(ErrorCode::RegraInexistente, detail) })
}

/// The rates of an answer, and what the tax classification makes of them.
fn treatment(detalhes: &Detalhes, to: Reader) -> String {
    let mut said = match (&detalhes.parcela_estadual.0, &detalhes.parcela_municipal.0) {
        (Some(state), Some(town)) => {
            let [state, town] = [state.aliquota, town.aliquota].map(|rate| percent(rate, to));
            format!("alíquota de {state} do Estado e {town} do Município")
        }
        _ => format!("alíquota de {}", percent(detalhes.aliquota_aplicada, to)),
    };
    if let Some(codigo) = detalhes.classificacao_tributaria.0 {
        let reduced = match detalhes.percentual_reducao.0 {
            Some(reducao) => format!("com redução de {}", percent(reducao, to)),
            None => "sem alíquota".to_owned(),
        };
        said = format!("{said}, {reduced} na classificação tributária {codigo}");
    }
    said
}

fn named(regra: &RegraCitada, to: Reader) -> String {
    let days = match regra.vigente_ate {
        Some(ate) => format!("de {} a {}", regra.vigente_de.read_by(to), ate.previous_day().read_by(to)),
        None => format!("desde {}", regra.vigente_de.read_by(to)),
    };
    format!("{}, {}, que vale {days}", regra.rule_id, regra.citacao_legal.as_str())
}

//! Discounts of who pays early or at once. The payload does not say when the tax is paid, so `valor` is always the
//! ordinary tax, and the answer shows the discounted one beside it.

use super::calculation::Calculation;
use super::figures::Money;
use super::formula::Formula;
use super::isencao::Unidade;
use crate::base::document::{Faults, Path};
use crate::base::problem::ErrorCode;
use crate::base::sentence::{Reader, Sentence};
use crate::base::value::{Amount, Exact, Figura, Rate, Text};
use crate::rule::{Condicao, RuleResult};

taxd_base::document! {
    /// A discount of who pays early or at once.
    pub struct Desconto {
        percentual: Figura<Rate>, "Percentual do imposto que se desconta" + "; nulo se há o desconto e o percentual não foi estabelecido";
        condicao: Text, "Quem o tem" + ", como em: em cota única, até o vencimento";
        base_ate: Option<Amount>, "Base acima da qual não há desconto";
        unidade: Unidade = "BRL", "Unidade de `base_ate`";
        base_legal: Text, "Dispositivo do desconto";
    }
}

taxd_base::components! {
    pub struct Descontado {
        percentual: Rate, "Percentual descontado";
        desconto: Money, "Desconto";
        valor: Money, "Imposto de quem tem o desconto";
        condicao: Text, "Quem tem o desconto";
        base_legal: Text, "Dispositivo do desconto";
    }
}

/// Adds a fault for each discount that is not above 0 and at most 100 percent, and, if the tax has no fiscal unit, for
/// each limit that is not in BRL.
pub fn check(descontos: &[Desconto], only_brl: bool, at: &Path<'_>, faults: &mut Faults) {
    let list = at.key("descontos");
    let possible = |percent: Rate| {
        let above_zero = matches!(percent.points().is_positive(), Ok(true));
        above_zero && matches!((Exact::ONE - percent.fraction()).is_negative(), Ok(false))
    };
    for (i, desconto) in descontos.iter().enumerate() {
        if !desconto.percentual.established().is_none_or(possible) {
            let detail = "O desconto é maior que 0 e vai até 100.";
            faults.add(&list.index(i).key("percentual"), ErrorCode::ForaDoIntervalo, detail);
        }
        if only_brl && desconto.unidade != Unidade::Brl {
            let detail = "Neste tributo, o limite do desconto é em BRL.";
            faults.add(&list.index(i).key("unidade"), ErrorCode::ValorInvalido, detail);
        }
    }
}

/// True when a null in this place of a rule that has discounts must be explained in `motivo`. A percentage that is not
/// established refuses nothing: the answer has the tax without the discount, and says that there is one.
pub fn null_needs_motivo(campo: &str) -> bool {
    campo != "ate" && campo != "percentual"
}

/// The discounts of a tax of `valor` on `base`, and a sentence for each; `None` if nothing is due or no discount of a
/// known percentage reaches the base. `fiscal_unit` is the value in BRL of a fiscal unit.
pub(super) fn apply(
    descontos: &[Desconto],
    (valor, base): (Money, &Formula),
    fiscal_unit: Option<Amount>,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Option<Vec<Descontado>>> {
    let mut shown = Vec::new();
    if valor.decimal().is_zero() {
        return Ok(None);
    }
    let whole = calculation.formula(valor);
    for desconto in descontos {
        if let Some(limit) = desconto.base_ate
            && base.exact().compare(desconto.unidade.in_brl(base.beside(limit), fiscal_unit).exact())?
                == std::cmp::Ordering::Greater
        {
            continue;
        }
        let Some(percent) = desconto.percentual.established() else {
            let sentence = format!(
                "Pago {}, há desconto, de percentual não conferido ({}): o valor da resposta é o sem desconto.",
                desconto.condicao.as_str(),
                desconto.base_legal.as_str()
            );
            calculation.warn(Condicao::Beneficio, sentence);
            continue;
        };
        // Both parts are shown, so the discount is rounded before it is deducted.
        let cut = (&whole * percent).rounded(2);
        let discounted = calculation.step("valor_com_desconto", &desconto.base_legal, &whole - &cut)?.shown;
        let what = |to: Reader| format!("há desconto de {}", crate::base::value::percent(percent, to));
        let sentence = early(&desconto.condicao, &what, &desconto.base_legal, "descontos", "sem desconto");
        calculation.warn(Condicao::Beneficio, sentence);
        shown.push(Descontado {
            percentual: percent,
            desconto: Money::rounded(cut.exact())?,
            valor: discounted,
            condicao: desconto.condicao.clone(),
            base_legal: desconto.base_legal.clone(),
        });
    }
    Ok(Some(shown).filter(|shown| !shown.is_empty()))
}

/// The sentence on a tax that is lower for who pays under a condition: what it is, where it is shown, and what `valor` is.
pub fn early(
    condicao: &Text,
    what: &dyn Fn(Reader) -> String,
    base_legal: &Text,
    shown_in: &str,
    valor_is: &str,
) -> Sentence {
    let (condicao, law) = (condicao.as_str(), base_legal.as_str());
    Sentence::of(|to| {
        format!("Pago {condicao}, {} ({law}): veja `{shown_in}`; o valor da resposta é o {valor_is}.", what(to))
    })
}

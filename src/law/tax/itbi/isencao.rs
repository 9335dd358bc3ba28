//! The exemption by value, and the answer of a transfer that is exempt.

use super::{BaseItbi, Conteudo, Detalhes, Payload, remarks};
use crate::base::document::Sometimes;
use crate::base::value::Text;
use crate::rule::{Regra, RuleResult};
use crate::tax::calculation::{Calculated, Calculation};
use crate::tax::figures::Money;
use crate::tax::formula::Formula;
use crate::tax::isencao::Efeito;

/// The limit of the rule's exemption, if it has one, and its effect on the base.
pub(super) fn effect(regra: &Regra, c: &Conteudo, base: &Formula) -> RuleResult<(Option<Money>, Efeito)> {
    let Some(isencao) = &c.isencao else { return Ok((None, Efeito::Nenhum)) };
    let limite = regra.figura("isencao.limite", isencao.limite)?;
    Ok((Some(Money::rounded(limite.exact())?), isencao.apply(base, limite, None)?))
}

/// The legal ground of the exemption.
pub(super) fn ground(c: &Conteudo) -> Option<Text> {
    c.isencao.as_ref().map(|isencao| isencao.base_legal.clone())
}

/// The answer of a transfer whose base does not exceed the limit.
pub(super) fn answer(
    p: &Payload,
    regra: &Regra,
    c: &Conteudo,
    (base, base_metodo): (Formula, BaseItbi),
    limite: Option<Money>,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Calculated<Detalhes>> {
    let base_calculo = calculation.step("base_calculo", &regra.citacao_legal, base)?.shown;
    let nothing = calculation.formula(0).noting(|| "isento: a base não passa do limite".to_owned());
    let zero = calculation.step("valor", &regra.citacao_legal, nothing)?.shown;
    let detalhes = Detalhes {
        base_calculo,
        base_metodo,
        isento: true,
        isencao_base_legal: Sometimes(ground(c)),
        limite_isencao: Sometimes(limite),
        aliquota_aplicada: None,
        financiado_sfh: p.financiado_sfh,
        sfh_aplicado: false,
        aliquota_sfh: None,
        base_sfh: zero,
        imposto_sfh: zero,
        base_restante: zero,
        imposto_restante: zero,
        observacoes: remarks(regra, c),
        municipio: p.municipio.name(),
        faixas: Sometimes(None),
        pagamento_antecipado: Sometimes(None),
    };
    Ok(Calculated { valor: zero, regra: regra.clone(), detalhes })
}

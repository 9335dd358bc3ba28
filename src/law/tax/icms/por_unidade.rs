//! Tax by the unit: the fuels that pay once, at an amount a litre or a kilogram that is the same in every UF
//! (CF, art. 155, § 2º, XII, h, and § 4º, IV; LC 192/2022).

use super::{Conteudo, Detalhes, Payload, PorUnidade};
use crate::base::document::{Faults, Path, Sometimes};
use crate::base::problem::ErrorCode;
use crate::rule::{Regra, RuleResult};
use crate::tax::calculation::{Calculated, Calculation};
use crate::tax::monofasico::{Papel, by_quantity, needed_quantity, needed_role};

/// Adds a fault for each member that belongs to a tax by rate.
pub(super) fn check(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
    let others = [
        ("aliquota", c.aliquota.is_some()),
        ("fcp", c.fcp.is_some()),
        ("reducao_base", c.reducao_base.is_some()),
        ("carga_efetiva", c.carga_efetiva.is_some()),
        ("isento", c.isento),
    ];
    for (name, _) in others.into_iter().filter(|(_, stated)| *stated) {
        let detail = format!("O imposto por unidade não usa `{name}`.");
        faults.add(&at.key(name), ErrorCode::ValorInvalido, detail);
    }
}

/// The amount a unit times the quantity; zero for a reseller. `exempt` has the components of an answer of zero.
pub(super) fn answer(
    p: &Payload,
    regra: &Regra,
    by_unit: &PorUnidade,
    nothing_due: Detalhes,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Calculated<Detalhes>> {
    let papel = needed_role(p.papel_na_cadeia, regra)?;
    calculation.refuse_in_transition(Some("o imposto por unidade"), regra)?;
    let unit = by_unit.unidade.as_str();
    let mut detalhes = Detalhes { papel_na_cadeia: Sometimes(Some(papel)), ..nothing_due };
    if papel == Papel::Revenda {
        let nothing = calculation.formula(0).noting(|| "revenda: imposto já cobrado na cadeia".to_owned());
        calculation.step("valor_icms", &regra.citacao_legal, nothing)?;
        detalhes.motivo_zero = Sometimes(Some(by_unit.motivo_zero_revenda.clone()));
        return Ok(Calculated { valor: detalhes.valor_icms, regra: regra.clone(), detalhes });
    }
    let a_unit = regra.figura("por_unidade.valor", by_unit.valor)?;
    let quantity = needed_quantity(p.quantidade, "O imposto desta regra é por unidade", unit, regra)?;
    let due = by_quantity(a_unit, quantity, &by_unit.unidade, calculation);
    let valor = calculation.step("valor_icms", &regra.citacao_legal, due)?.shown;
    detalhes.valor_icms = valor;
    detalhes.quantidade = Sometimes(Some(quantity));
    detalhes.valor_por_unidade = Sometimes(Some(a_unit));
    detalhes.unidade = Sometimes(Some(by_unit.unidade.clone()));
    Ok(Calculated { valor, regra: regra.clone(), detalhes })
}

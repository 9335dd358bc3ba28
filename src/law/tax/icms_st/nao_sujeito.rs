//! Goods that the UF is known not to put under substitution. Zero is due, which a missing rule (404) does not say.

use super::{Conteudo, Detalhes};
use crate::base::document::{Faults, Path, Sometimes};
use crate::base::problem::ErrorCode;
use crate::rule::{Regra, RuleResult};
use crate::tax::calculation::{Calculated, Calculation};

/// Adds a fault if the legal ground is missing, and for each figure of a calculation that never takes place.
pub(super) fn check(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
    if c.nao_sujeicao_base_legal.is_none() {
        let detail = "O critério `nao_sujeito` precisa do dispositivo: informe `nao_sujeicao_base_legal`.";
        faults.add(&at.key("nao_sujeicao_base_legal"), ErrorCode::CampoObrigatorio, detail);
    }
    let figures = [
        ("mva", c.mva.is_some()),
        ("pauta", c.pauta.is_some()),
        ("aliquota_interna", c.aliquota_interna.is_some()),
        ("fcp", c.fcp.is_some()),
        ("aliquota_propria", c.aliquota_propria.is_some()),
        ("reducao_base", c.reducao_base.is_some()),
        ("reducao_base_propria", c.reducao_base_propria.is_some()),
        ("percentual_pauta", c.percentual_pauta.is_some()),
    ];
    for (name, _) in figures.into_iter().filter(|(_, stated)| *stated) {
        let detail = format!("Com o critério `nao_sujeito` nada se calcula: retire `{name}`.");
        faults.add(&at.key(name), ErrorCode::ValorInvalido, detail);
    }
}

/// The answer of zero, with its legal ground.
pub(super) fn answer(
    regra: &Regra,
    conteudo: &Conteudo,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Calculated<Detalhes>> {
    let Some(ground) = &conteudo.nao_sujeicao_base_legal else {
        return Err(regra.sem_conteudo("nao_sujeicao_base_legal"));
    };
    let nothing = calculation.formula(0).noting(|| "mercadoria não sujeita à substituição tributária".to_owned());
    let zero = calculation.step("icms_st", ground, nothing)?.shown;
    let detalhes = Detalhes {
        base_calculo_st: zero,
        icms_proprio: None,
        icms_st: zero,
        aliquota_interna: None,
        aliquota_interestadual: None,
        aliquota_propria: None,
        mva_aplicada: None,
        mva_original: Sometimes(None),
        base_metodo: None,
        base_calculo_propria: Sometimes(None),
        reducao_base_propria: Sometimes(None),
        fcp_st: Sometimes(None),
        aliquota_fcp: Sometimes(None),
        nao_sujeito: Sometimes(Some(true)),
        nao_sujeicao_base_legal: Sometimes(Some(ground.clone())),
        cest: regra.escopo.cest.map(|c| c.to_string()),
        mercadoria: conteudo.descricao.clone(),
        citacao_interestadual: Sometimes(None),
        regras_auxiliares: Sometimes(None),
    };
    Ok(Calculated { valor: zero, regra: regra.clone(), detalhes })
}

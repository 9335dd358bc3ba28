//! What a rule takes off the tax of its goods: an exemption, or a reduction of the base.

use crate::base::document::{Faults, Path};
use crate::base::problem::ErrorCode;
use crate::base::value::{Exact, Figura, Rate, Text};
use crate::rule::{Regra, RuleResult};
use crate::tax::formula::Formula;

/// The benefit that a rule states; the default is none.
#[derive(Clone, Default)]
pub(in crate::tax) struct Beneficio {
    pub(in crate::tax) isento: bool,
    pub(in crate::tax) isencao_base_legal: Option<Text>,
    /// Percentage points that leave the base.
    pub(in crate::tax) reducao_base: Option<Figura<Rate>>,
    /// What the reduced base makes of the rate, in percentage points of the operation.
    pub(in crate::tax) carga_efetiva: Option<Figura<Rate>>,
}

impl Beneficio {
    /// Its name in Portuguese; `None` if the rule states none.
    pub(in crate::tax) fn name(&self) -> Option<&'static str> {
        if self.isento {
            Some("a isenção")
        } else if self.reducao_base.is_some() || self.carga_efetiva.is_some() {
            Some("a redução da base")
        } else {
            None
        }
    }

    /// The base of an operation after the reduction. Refuses in the name of `regra`, which states it, if it is not
    /// established.
    pub(in crate::tax) fn reduced(&self, regra: &Regra, operation: Formula, aliquota: Rate) -> RuleResult<Formula> {
        if let Some(carga) = self.carga_efetiva {
            return Ok(operation * regra.figura("carga_efetiva", carga)? / aliquota);
        }
        match self.reducao_base {
            Some(reducao) => Ok(operation.reduced_by(regra.figura("reducao_base", reducao)?)),
            None => Ok(operation),
        }
    }

    /// Checks the benefit beside the rate of the same content.
    pub(in crate::tax) fn check(&self, aliquota: Option<Figura<Rate>>, at: &Path<'_>, faults: &mut Faults) {
        let aliquota = aliquota.and_then(Figura::established);
        if self.isento && self.isencao_base_legal.is_none() {
            let detail = "Uma regra isenta precisa dizer o dispositivo da isenção.";
            faults.add(&at.key("isencao_base_legal"), ErrorCode::CampoObrigatorio, detail);
        }
        if self.reducao_base.is_some() && self.carga_efetiva.is_some() {
            let detail = "Use `reducao_base` ou `carga_efetiva`, não as duas.";
            faults.add(&at.key("carga_efetiva"), ErrorCode::ValorInvalido, detail);
        }
        let zero = |rate: Rate| matches!(rate.points().is_positive(), Ok(false));
        if self.carga_efetiva.is_some() && aliquota.is_some_and(zero) {
            let detail = "Uma carga efetiva precisa de alíquota maior que zero; se nada é devido, use `isento`.";
            faults.add(&at.key("aliquota"), ErrorCode::ValorZero, detail);
        }
        let carga = self.carga_efetiva.and_then(Figura::established);
        if aliquota.zip(carga).is_some_and(|(aliquota, carga)| carga > aliquota) {
            let detail = "A carga efetiva não pode passar da alíquota.";
            faults.add(&at.key("carga_efetiva"), ErrorCode::ForaDoIntervalo, detail);
        }
        check_reduction(self.reducao_base, &at.key("reducao_base"), faults);
    }
}

/// Adds a fault if a reduction is above 100 percent.
pub(in crate::tax) fn check_reduction(reducao: Option<Figura<Rate>>, at: &Path<'_>, faults: &mut Faults) {
    if let Some(reducao) = reducao.and_then(Figura::established)
        && matches!((Exact::ONE - reducao.fraction()).is_negative(), Ok(true))
    {
        faults.add(at, ErrorCode::ForaDoIntervalo, "A redução da base vai de 0 a 100.");
    }
}

//! The taxes of a service.

use rust_decimal::Decimal;

use super::apuracao::ISS;
use super::federal::{self, Revenue};
use super::worksheet::{Outcome, PayloadValue, Worksheet};
use crate::base::problem::Problem;
use crate::law::tax::Regime;

/// Notes every tax of the service.
pub(super) fn taxes(w: &mut Worksheet<'_>) -> Result<(), Box<Problem>> {
    let iss = iss(w)?.fed(|iss| iss.valor);
    let none = || Ok(Decimal::ZERO);
    let revenue = Revenue { valor: w.facts.revenue()?, ipi: none(), icms_destacado: none(), icms: none(), iss };
    federal::taxes(w, &revenue, false)
}

fn iss(w: &mut Worksheet<'_>) -> Result<Outcome, Box<Problem>> {
    let facts = w.facts;
    if facts.regime_simples_nacional {
        return Ok(w.unify(ISS, "O Simples Nacional inclui o ISS (LC 123/2006, art. 13, VIII)."));
    }
    if facts.regime == Regime::SociedadeUniprofissional {
        let motivo = "A sociedade uniprofissional paga um valor fixo por profissional e período, e não por serviço (Decreto-Lei 406/1968, art. 9º, § 3º): calcule-o com o tributo `iss`.";
        return Ok(w.skip(ISS, motivo));
    }
    w.ask(
        ISS,
        &[
            ("preco_servico", PayloadValue::Amount(Ok(facts.net_price()?))),
            ("data", PayloadValue::Text(facts.data_operacao.to_string())),
        ],
    )
}

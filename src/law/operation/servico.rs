//! The taxes of a service.

use rust_decimal::Decimal;

use super::apuracao::{ISS, ISS_RETIDO, RETENCOES};
use super::federal::{self, Revenue};
use super::worksheet::{Outcome, PayloadValue, Worksheet};
use crate::base::problem::Problem;
use crate::tax::{FormaContratacao, Regime, ServicoCedido};

/// Notes every tax of the service.
pub(super) fn taxes(w: &mut Worksheet<'_>) -> Result<(), Box<Problem>> {
    let iss = iss(w)?.fed(|iss| iss.valor);
    let none = || Ok(Decimal::ZERO);
    let revenue = Revenue { valor: w.facts.revenue()?, ipi: none(), icms_destacado: none(), icms: none(), iss };
    federal::taxes(w, &revenue, false)?;
    if w.facts.tomador.is_some() { withholdings(w) } else { Ok(()) }
}

/// Notes what the taker withholds, each by its own rule.
fn withholdings(w: &mut Worksheet<'_>) -> Result<(), Box<Problem>> {
    let facts = w.facts;
    let price = facts.net_price()?;
    for tributo in RETENCOES {
        let prices = ["valor_servico", "valor_nota", "preco_servico"];
        let mut fields = Vec::from(prices.map(|name| (name, PayloadValue::Amount(Ok(price)))));
        let paid = facts.data_pagamento.unwrap_or(facts.data_operacao);
        fields.push(("data_pagamento", PayloadValue::Text(paid.to_string())));
        fields.push(("data", PayloadValue::Text(facts.data_operacao.to_string())));
        fields.extend(facts.provider().map(|regime| ("regime_prestador", PayloadValue::Word(regime.as_str()))));
        if facts.servico_cedido.is_none() && facts.forma_contratacao == Some(FormaContratacao::SemCessao) {
            fields.push(("servico_cedido", PayloadValue::Word(ServicoCedido::ForaDasListas.as_str())));
        }
        if tributo == ISS_RETIDO && facts.regime == Regime::SociedadeUniprofissional {
            let motivo = "A sociedade uniprofissional paga um valor fixo por profissional e período, e não por serviço (Decreto-Lei 406/1968, art. 9º, § 3º).";
            w.skip(tributo, motivo);
        } else {
            w.ask(tributo, &fields)?;
        }
    }
    Ok(())
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

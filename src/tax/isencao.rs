//! Exemption by value: of the whole, or of the part below the limit.

use crate::rule::RuleResult;
use crate::value::{Amount, Exact, Figura, Text};

crate::vocabulary! {
    /// What is exempt above the limit.
    pub enum Modo {
        Total = "total",
        Excedente = "excedente",
    }

    /// Unit of the limits of a rule.
    pub enum Unidade {
        Brl = "BRL",
        UnidadeFiscal = "unidade_fiscal",
    }
}

crate::document! {
    /// Up to `limite` nothing is due. Above it all is due (`total`) or what exceeds it
    /// (`excedente`, and above `teto` all again).
    pub struct Isencao {
        limite: Figura<Amount>, "Limite da isenção";
        unidade: Unidade = "BRL", "Unidade do limite";
        modo: Modo, "total: acima do limite tudo paga; excedente: só o que passa";
        teto: Option<Amount>, "Valor acima do qual a isenção não vale, na mesma unidade";
        base_legal: Text, "Dispositivo da isenção";
    }
}

/// The effect of an exemption on a base.
pub enum Efeito {
    /// Nothing is due.
    Isento,
    /// Part of the base is exempt; this rest is taxed.
    Parcial(Exact),
    /// The exemption does not apply.
    Nenhum,
}

impl Isencao {
    /// The effect on `base`. `unidade` is the value in BRL of the unit of the limit and the ceiling.
    pub fn apply(&self, base: Exact, limite: Amount, unidade: Exact) -> RuleResult<Efeito> {
        use std::cmp::Ordering::Greater;
        let limite = limite.exact() * unidade;
        if base.compare(limite)? != Greater {
            return Ok(Efeito::Isento);
        }
        if let Some(teto) = self.teto
            && base.compare(teto.exact() * unidade)? == Greater
        {
            return Ok(Efeito::Nenhum);
        }
        Ok(match self.modo {
            Modo::Total => Efeito::Nenhum,
            Modo::Excedente => Efeito::Parcial(base - limite),
        })
    }
}

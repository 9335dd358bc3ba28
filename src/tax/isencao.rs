//! Exemption by value: of the whole, or of the part below the limit.

use crate::rule::RuleResult;
use crate::value::{Amount, Exact, Figura, Text};

crate::vocabulary! {
    /// What an exemption frees above its limit.
    pub enum Modo {
        Total = "total",
        Excedente = "excedente",
    }
}

crate::vocabulary! {
    /// What the limits of a rule are counted in.
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

/// What an exemption leaves to be taxed.
pub enum Efeito {
    /// Nothing is due.
    Isento,
    /// This base is taxed, and the exemption took part of it away.
    Parcial(Exact),
    /// The exemption does not reach the value.
    Nenhum,
}

impl Isencao {
    /// The effect on `base`, with the limit and the ceiling worth `unidade` each in BRL.
    pub fn aplicar(&self, base: Exact, limite: Amount, unidade: Exact) -> RuleResult<Efeito> {
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

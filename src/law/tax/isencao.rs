//! Exemption by value: of the whole, or of the part below the limit.

use super::formula::Formula;
use crate::base::value::{Amount, Figura, Text};
use crate::rule::RuleResult;

taxd_base::vocabulary! {
    /// What is exempt above the limit.
    pub enum Modo {
        Total = "total" => "Acima do limite, paga sobre tudo",
        Excedente = "excedente" => "Acima do limite, paga sobre o excedente",
    }

    /// Unit of the limits of a rule.
    pub enum Unidade {
        Brl = "BRL" => "R$",
        UnidadeFiscal = "unidade_fiscal" => "Unidade fiscal",
    }
}

taxd_base::document! {
    /// Up to `limite` nothing is due. Above it all is due (`total`) or what exceeds it
    /// (`excedente`, and above `teto` all again).
    pub struct Isencao {
        limite: Figura<Amount>, "Limite da isenção";
        unidade: Unidade = "BRL", "Unidade do limite";
        modo: Modo, "Como a isenção conta" + "; total: acima do limite tudo paga; excedente: só o que passa";
        teto: Option<Amount>, "Valor acima do qual a isenção não vale, na mesma unidade";
        base_legal: Text, "Dispositivo da isenção";
    }
}

impl Unidade {
    /// An amount in this unit as one in BRL. `fiscal_unit` is the value of a fiscal unit; a calculation that needs it
    /// refuses a payload without it before.
    pub(super) fn in_brl(self, amount: Formula, fiscal_unit: Option<Amount>) -> Formula {
        match fiscal_unit.filter(|_| self == Unidade::UnidadeFiscal) {
            Some(value) => amount * value,
            None => amount,
        }
    }
}

/// The effect of an exemption on a base.
pub enum Efeito {
    /// Nothing is due.
    Isento,
    /// Part of the base is exempt; this rest is taxed.
    Parcial(Formula),
    /// The exemption does not apply.
    Nenhum,
}

impl Isencao {
    /// The effect on `base`. `fiscal_unit` is the value in BRL of a fiscal unit.
    pub(super) fn apply(&self, base: &Formula, limite: Amount, fiscal_unit: Option<Amount>) -> RuleResult<Efeito> {
        use std::cmp::Ordering::Greater;
        let in_brl = |amount| self.unidade.in_brl(base.beside(amount), fiscal_unit);
        let limite = in_brl(limite);
        if base.exact().compare(limite.exact())? != Greater {
            return Ok(Efeito::Isento);
        }
        if let Some(teto) = self.teto
            && base.exact().compare(in_brl(teto).exact())? == Greater
        {
            return Ok(Efeito::Nenhum);
        }
        Ok(match self.modo {
            Modo::Total => Efeito::Nenhum,
            Modo::Excedente => Efeito::Parcial(base - limite),
        })
    }
}

//! What the components of a result look like: declared once for each tax, for the API description,
//! and held against every result in builds that check themselves.

use super::detalhes::{Dado, Detalhes};

/// What a component holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Forma {
    /// Yes or no.
    Logico,
    /// A count.
    Inteiro,
    /// An amount in BRL with two places.
    Valor,
    /// A rate in percent points with two places or more.
    Aliquota,
    /// A calendar day, `YYYY-MM-DD`.
    Data,
    /// Words.
    Texto,
    /// One of the listed words.
    Word(&'static [&'static str]),
    /// Several of a kind.
    Lista(&'static Forma),
    /// Components of a component.
    Objeto(&'static [Componente]),
    /// That, or null where it does not apply.
    OuNulo(&'static Forma),
}

/// One declared component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Componente {
    /// Name in the answer.
    pub nome: &'static str,
    /// What it means, in Portuguese.
    pub rotulo: &'static str,
    /// What it holds.
    pub forma: Forma,
    /// False for one that some results do not have.
    pub sempre: bool,
}

impl Componente {
    /// A component that every result has.
    #[must_use]
    pub const fn sempre(nome: &'static str, forma: Forma, rotulo: &'static str) -> Componente {
        Componente { nome, rotulo, forma, sempre: true }
    }

    /// A component that some results have.
    #[must_use]
    pub const fn algumas(nome: &'static str, forma: Forma, rotulo: &'static str) -> Componente {
        Componente { nome, rotulo, forma, sempre: false }
    }

    /// True where a result's components are these: none undeclared, none missing, each of its kind.
    #[must_use]
    pub fn admitem(declared: &[Componente], detalhes: &Detalhes) -> bool {
        let named = |name: &str| declared.iter().find(|c| c.nome == name);
        let known = detalhes.iter().all(|(name, dado)| named(name).is_some_and(|c| c.forma.admite(dado)));
        known && declared.iter().filter(|c| c.sempre).all(|c| detalhes.iter().any(|(name, _)| *name == c.nome))
    }
}

impl Forma {
    /// True where the value is of this kind.
    fn admite(&self, dado: &Dado) -> bool {
        match (self, dado) {
            (Forma::OuNulo(forma), dado) => *dado == Dado::Nulo || forma.admite(dado),
            (Forma::Word(palavras), Dado::Texto(text)) => palavras.contains(&text.as_ref()),
            (Forma::Data, Dado::Texto(text)) => crate::value::Date::parse(text).is_ok(),
            // A rate that a rule states is shown as the rule writes it.
            (Forma::Aliquota, Dado::Texto(text)) => crate::value::parse_decimal(text).is_ok(),
            (Forma::Lista(forma), Dado::Lista(items)) => items.iter().all(|item| forma.admite(item)),
            (Forma::Objeto(declared), Dado::Objeto(members)) => Componente::admitem(declared, members),
            (Forma::Logico, Dado::Logico(_))
            | (Forma::Inteiro, Dado::Inteiro(_))
            | (Forma::Valor, Dado::Valor(_))
            | (Forma::Aliquota, Dado::Aliquota(_))
            | (Forma::Texto, Dado::Texto(_)) => true,
            _ => false,
        }
    }
}

//! The place of a scope.

use std::fmt;

use super::Escopo;
use crate::base::value::{Municipio, Uf};

/// Where a rule applies. It is shown as people write it: `São Paulo/SP`, `SP`, `SP a RJ`, `país`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Local {
    Municipio(Municipio),
    /// In a UF, or between any UF and it.
    Uf(Uf),
    /// Between two UFs: of origin and of destination.
    Interestadual(Uf, Uf),
    Pais,
}

impl Escopo {
    pub fn local(&self) -> Local {
        match (self.municipio, self.uf_origem, self.uf_destino) {
            (Some(municipio), ..) => Local::Municipio(municipio),
            (None, Some(origem), Some(destino)) if origem != destino => Local::Interestadual(origem, destino),
            (None, Some(uf), _) | (None, None, Some(uf)) => Local::Uf(uf),
            (None, None, None) => Local::Pais,
        }
    }
}

impl Local {
    /// None for the country.
    pub fn ufs(self) -> impl Iterator<Item = Uf> {
        let (one, other) = match self {
            Local::Municipio(municipio) => (Some(municipio.uf()), None),
            Local::Uf(uf) => (Some(uf), None),
            Local::Interestadual(origem, destino) => (Some(origem), Some(destino)),
            Local::Pais => (None, None),
        };
        one.into_iter().chain(other)
    }

    pub fn municipio(self) -> Option<&'static str> {
        if let Local::Municipio(municipio) = self { Some(municipio.name()) } else { None }
    }
}

impl fmt::Display for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Local::Municipio(municipio) => write!(f, "{}/{}", municipio.name(), municipio.uf()),
            Local::Uf(uf) => uf.fmt(f),
            Local::Interestadual(origem, destino) => write!(f, "{origem} a {destino}"),
            Local::Pais => f.write_str("país"),
        }
    }
}

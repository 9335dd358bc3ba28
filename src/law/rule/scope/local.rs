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
    #[must_use]
    pub fn local(&self) -> Local {
        match (self.municipio, self.uf_origem, self.uf_destino) {
            (Some(municipio), ..) => Local::Municipio(municipio),
            (None, Some(origem), Some(destino)) if origem != destino => Local::Interestadual(origem, destino),
            (None, Some(uf), _) | (None, None, Some(uf)) => Local::Uf(uf),
            (None, None, None) => Local::Pais,
        }
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

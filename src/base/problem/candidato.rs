//! What would resolve a refusal.

use serde::Serialize;
use serde::ser::SerializeMap;

use crate::sentence::Sentence;
use crate::value::RegraCitada;

/// A value of a further field that would resolve a refusal (422), or a rule that came near the one that was looked for
/// (404).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidato {
    /// Fields, and the value of each with which the candidate would answer. None if only the day is another.
    pub valores: Vec<(&'static str, String)>,
    /// What the candidate is, in Portuguese.
    pub descricao: Sentence,
    /// The goods of that CEST are not under substitution, and no rule answers for the other goods of the NCM.
    pub fora_da_substituicao: bool,
    /// Of a 404: the rule, and what ruled it out.
    pub exclusao: Option<Exclusao>,
}

/// The member of a candidate whose goods are not under substitution.
pub const OUTSIDE: &str = "fora_da_substituicao";

/// A rule that did not answer, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclusao {
    /// What ruled it out: `data`, `ncm_exceto`, or fields of its scope.
    pub por: Vec<&'static str>,
    pub regra: RegraCitada,
}

impl Candidato {
    /// A value of a further field, and what it means.
    pub fn of_field(campo: &'static str, valor: &impl ToString, descricao: impl Into<Sentence>) -> Candidato {
        let valores = vec![(campo, valor.to_string())];
        Candidato { valores, descricao: descricao.into(), fora_da_substituicao: false, exclusao: None }
    }

    /// The value of its first field.
    pub fn valor(&self) -> &str {
        self.valores.first().map_or("", |(_, valor)| valor)
    }
}

impl Serialize for Candidato {
    /// An object with each field by its name, `descricao`, [`OUTSIDE`] if it is so, and, of a rule, `excluida_por` and
    /// `regra`.
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut members = s.serialize_map(None)?;
        for (campo, valor) in &self.valores {
            members.serialize_entry(campo, valor)?;
        }
        members.serialize_entry("descricao", &self.descricao)?;
        if self.fora_da_substituicao {
            members.serialize_entry(OUTSIDE, &true)?;
        }
        if let Some(Exclusao { por, regra }) = &self.exclusao {
            members.serialize_entry("excluida_por", por)?;
            members.serialize_entry("regra", regra)?;
        }
        members.end()
    }
}

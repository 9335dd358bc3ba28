//! A refusal in the words of a person.

use serde::Serialize;

use super::{Candidato, FieldError, Problem};
use crate::sentence::{Reader, Sentence};

/// What a person reads in the place of members of the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForPerson {
    detail: String,
    /// The same without its list of candidates, for a person who sees them beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    sem_candidatos: Option<String>,
    /// Its parts one by one, without that list: the first says what is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    partes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    erros: Vec<FieldError>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidatos: Vec<Candidato>,
}

impl Problem {
    /// The same refusal with its sentences as that reader reads them, who sees no field beside them. Names stay in backquotes.
    pub fn read_by(mut self, reader: Reader) -> Problem {
        for erro in &mut self.erros {
            erro.detail = erro.detail.of_field(&erro.campo).read_by(reader).into();
        }
        let of_candidates = self.candidatos.iter_mut().map(|candidato| &mut candidato.descricao);
        for sentence in of_candidates.chain([&mut self.detail]) {
            *sentence = sentence.of_reader(reader);
        }
        self
    }

    /// The same refusal, whose document has a member for a person, who calls a name what `named` gives.
    pub fn for_person(mut self, named: &dyn Fn(&str) -> String) -> Problem {
        let said = |sentence: &Sentence| sentence.for_person(named);
        let erros = self.erros.iter().map(|erro| FieldError { detail: said(&erro.detail).into(), ..erro.clone() });
        let candidatos =
            self.candidatos.iter().map(|one| Candidato { descricao: said(&one.descricao).into(), ..one.clone() });
        self.leitor = Some(Box::new(ForPerson {
            detail: said(&self.detail),
            sem_candidatos: self.detail.beside_candidates(named),
            partes: self.detail.parts_beside_candidates(named),
            erros: erros.collect(),
            candidatos: candidatos.collect(),
        }));
        self
    }
}

//! The fields at fault of a refusal, all of them at once.

use super::{ErrorCode, FieldError, Problem, TipoRecusa};
use crate::document::Faults;
use crate::sentence::Sentence;
use crate::value::shorten;

/// Most faulty fields that one document lists: more than a payload of the contract has.
const MAX_LISTED_FAULTS: usize = 50;

impl Problem {
    /// All faults of a payload in one refusal. Its code is that of the faults if they have the same one, or else
    /// `payload_invalido`.
    pub fn from_faults(faults: Faults) -> Self {
        let found = faults.into_list();
        let unlisted = found.len().saturating_sub(MAX_LISTED_FAULTS);
        let erros: Vec<FieldError> = found
            .into_iter()
            .take(MAX_LISTED_FAULTS)
            .map(|f| FieldError { campo: shorten(&f.path_text()), codigo: f.codigo, detail: f.detail })
            .collect();
        Problem::listing(erros, unlisted)
    }

    /// The same refusal for want of fields, with the further fields that `other` lacks: a caller corrects a payload once.
    pub fn lacking_also(self, other: &Problem) -> Self {
        let is_new = |erro: &&FieldError| {
            erro.codigo.tipo_recusa() == Some(TipoRecusa::FaltaDado)
                && self.erros.iter().all(|own| own.campo != erro.campo)
        };
        let further: Vec<FieldError> = other.erros.iter().filter(is_new).cloned().collect();
        if further.is_empty() {
            return self;
        }
        let erros = [self.erros, further].concat();
        Problem { codigo: self.codigo, tributo: self.tributo, ..Problem::listing(erros, 0) }
    }

    /// These faults; `unlisted` are left out.
    fn listing(erros: Vec<FieldError>, unlisted: usize) -> Self {
        match erros.as_slice() {
            [one] => {
                let (codigo, detail, campo) = (one.codigo, one.detail.of_field(&one.campo), one.campo.clone());
                Problem { campo: Some(campo), erros, ..Problem::new(codigo, detail) }
            }
            [first, rest @ ..] => {
                let same = rest.iter().all(|e| e.codigo == first.codigo);
                let codigo = if same { first.codigo } else { ErrorCode::PayloadInvalido };
                let more = if unlisted > 0 { format!(" e mais {unlisted}") } else { String::new() };
                let detail = Sentence::of(|to| {
                    let name = |e: &FieldError| to.either(e.campo.clone(), format!("`{}`", e.campo));
                    let names = erros.iter().map(name).collect::<Vec<_>>().join(", ");
                    let count = erros.len() + unlisted;
                    let why = to.either(" O motivo de cada um está em `erros`.", "");
                    format!("Corrija {count} campos e repita o pedido: {names}{more}.{why}")
                });
                let only_missing = erros.iter().all(|e| e.codigo.tipo_recusa() == Some(TipoRecusa::FaltaDado));
                let tipo = if only_missing { TipoRecusa::FaltaDado } else { TipoRecusa::DadoInvalido };
                Problem { erros, ..Problem::new(codigo, detail).because(tipo) }
            }
            [] => Problem::new(ErrorCode::PayloadInvalido, "O pedido não pôde ser lido."),
        }
    }

    /// The fields that would resolve a refusal for want of data: those of its candidates, or else those at fault.
    pub fn missing_fields(&self) -> Vec<&str> {
        if self.tipo_recusa != Some(TipoRecusa::FaltaDado) {
            return Vec::new();
        }
        let chosen = self.candidatos.first().map_or(&[][..], |candidate| &candidate.valores);
        if chosen.is_empty() {
            return self.erros.iter().map(|erro| erro.campo.as_str()).collect();
        }
        chosen.iter().map(|(campo, _)| campo.as_ref()).collect()
    }
}

//! The envelope of a result (contract, section 2.2), as bytes.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::problem::{Codigo, Problem};
use crate::rule::Resposta;
use crate::tax::{Dado, Passo, Resultado};
use crate::value::{RuleId, Texto, Tributo};

/// An answer: the envelope but for its last member, `cached`, which depends on the occasion.
#[derive(Debug, Clone)]
pub struct Answer {
    body: Arc<[u8]>,
    /// The rule that answered.
    pub rule_id: Arc<str>,
    /// True when it came from memory.
    pub cached: bool,
}

impl Answer {
    pub(super) fn fresh(body: Vec<u8>, rule_id: &RuleId) -> Answer {
        Answer { body: body.into(), rule_id: Arc::from(rule_id.to_string()), cached: false }
    }

    /// The same answer, given again.
    pub(super) fn again(mut self) -> Answer {
        self.cached = true;
        self
    }

    /// How much memory its envelope takes.
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    /// The whole envelope as JSON.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        let last: &[u8] = if self.cached { b",\"cached\":true}" } else { b",\"cached\":false}" };
        let open = self.body.strip_suffix(b"}").unwrap_or(&self.body);
        [open, last].concat()
    }
}

struct Envelope<'a> {
    tributo: Tributo,
    resultado: &'a Resultado,
    detalhes: Dado,
    avisos: Vec<&'a str>,
}

impl Serialize for Envelope<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("tributo", &self.tributo)?;
        map.serialize_entry("valor", &Dado::Valor(self.resultado.valor))?;
        map.serialize_entry("regra", &self.resultado.regra.citada())?;
        map.serialize_entry("detalhes", &self.detalhes)?;
        if !self.avisos.is_empty() {
            map.serialize_entry("avisos", &self.avisos)?;
        }
        map.end()
    }
}

/// Writes the envelope.
pub(super) fn envelope(
    tributo: Tributo,
    resultado: &Resultado,
    passos: Option<Vec<Passo>>,
    avisos: &[String],
) -> Resposta<Answer> {
    let mut detalhes = resultado.detalhes.clone();
    if let Some(passos) = passos {
        detalhes.push(("memoria", Dado::Lista(passos.into_iter().map(step).collect())));
    }
    let detalhes = Dado::Objeto(detalhes);
    let avisos = resultado.regra.avisos.iter().map(Texto::as_str).chain(avisos.iter().map(String::as_str)).collect();
    let body = serde_json::to_vec(&Envelope { tributo, resultado, detalhes, avisos })
        .map_err(|e| Box::new(Problem::new(Codigo::ErroInterno, e.to_string())))?;
    Ok(Answer::fresh(body, &resultado.regra.rule_id))
}

fn step(passo: Passo) -> Dado {
    Dado::Objeto(vec![
        ("nome", passo.nome.into()),
        ("formula", passo.formula.into()),
        ("resultado", passo.resultado),
        ("fundamento", passo.fundamento.into()),
    ])
}

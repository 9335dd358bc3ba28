//! The answer of a tax: typed within this program, and written as JSON (contract, section 2.2) here alone.

use std::borrow::Cow;
use std::sync::Arc;

use rust_decimal::Decimal;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::{Calculated, Entry, FiguraSuposta, Money, Note, Notes, sentence_of_suposicoes};
use crate::base::document::{AnyComponents, Field, Node, Role, Shape, Shown, WriteResult, write_list};
use crate::base::problem::Problem;
use crate::base::sentence::{Reader, in_words};
use crate::base::value::{Date, RegraCitada, Text, Tributo};
use crate::rule::{Aviso, Condicao, Escrito, Regra, RuleResult};

/// What a tax answers to a payload.
#[derive(Debug)]
pub struct TaxAnswer {
    pub tributo: Tributo,
    /// Amount due.
    pub valor: Money,
    regra: Regra,
    /// The components that the tax declares, and those of this answer.
    declared: &'static [Field],
    detalhes: Box<dyn AnyComponents>,
    /// What the calculation noted: its sentences, its steps, and the other rules that it used.
    notes: Notes,
    /// True if `notes` have the sentences of the rule too, with what people call the names in them.
    in_words: bool,
    /// The supposed figures that it depends on: with one it is not law.
    pub suposicoes: Vec<FiguraSuposta>,
    /// The proof as JSON, if it was asked for.
    pub prova: Option<Box<RawValue>>,
    /// What a person reads beside it as JSON, if it was asked for; after the proof, which does not cover it. No list has it.
    pub leitor: Option<Box<RawValue>>,
    /// True if it came from the cache.
    pub cached: bool,
}

impl TaxAnswer {
    /// The result of a calculation.
    pub fn of(entry: &'static Entry, calculated: Calculated, notes: Notes) -> TaxAnswer {
        let Calculated { valor, regra, detalhes } = calculated;
        let (tributo, declared) = (entry.tributo, declared(entry));
        let suposicoes = Vec::new();
        let (prova, leitor) = (None, None);
        let [in_words, cached] = [false; 2];
        TaxAnswer { tributo, valor, regra, declared, detalhes, notes, in_words, suposicoes, prova, leitor, cached }
    }

    /// Makes it one that depends on these supposed figures. Its first sentence says so.
    pub fn suppose(&mut self, figures: Vec<FiguraSuposta>, leitor: Reader) {
        if !figures.is_empty() {
            let said = sentence_of_suposicoes(&figures);
            let pessoa = Some(said.read_by(Reader::Person).to_owned().into());
            let (condicao, texto) = (Some(Condicao::Conferencia), said.into_read_by(leitor).into());
            self.notes.primeiros.insert(0, Note { condicao, texto, pessoa, codigo: None });
            self.suposicoes = figures;
        }
    }

    /// That which answered, with its content.
    pub fn rule(&self) -> &Regra {
        &self.regra
    }

    /// The same as an answer names it.
    pub fn regra(&self) -> RegraCitada {
        self.regra.citada()
    }

    /// Code and version of the rule that answered.
    pub fn rule_id(&self) -> &Arc<str> {
        &self.regra.escrito.rule_id
    }

    /// The validity of each rule that it depends on, the one that answered first.
    pub fn periods(&self) -> Vec<(Date, Option<Date>)> {
        self.used().map(|regra| (regra.vigencia.de, regra.vigencia.ate)).collect()
    }

    /// The rules that it used: the one that answered, then the others in the order of their use.
    pub fn used(&self) -> impl Iterator<Item = &Regra> {
        std::iter::once(&self.regra).chain(&self.notes.auxiliares)
    }

    /// A component; `None` if this answer leaves it out.
    pub fn get(&self, name: &str) -> Option<Node<'_>> {
        self.detalhes.component(name)
    }

    /// A component that is an amount or a rate; `None` if it is null or left out.
    pub fn figure(&self, name: &str) -> Option<Decimal> {
        self.get(name)?.figure()
    }

    /// The figures of that role that the answer states, in the order of their declaration.
    pub fn figures(&self, role: Role) -> impl Iterator<Item = Decimal> {
        self.in_role(role).filter_map(|name| self.figure(name))
    }

    /// The names of the components of that role.
    pub fn in_role(&self, role: Role) -> impl Iterator<Item = &'static str> {
        self.declared.iter().filter(move |field| field.role == Some(role)).map(|field| field.name)
    }

    /// All its sentences: those without which the amount is misread, those of the rule, and the others.
    pub fn avisos(&self) -> impl Iterator<Item = Note> {
        let Notes { primeiros, avisos, .. } = &self.notes;
        primeiros.iter().cloned().chain(self.of_rule().map(Note::of)).chain(avisos.iter().cloned())
    }

    /// The same without what they depend on.
    pub fn sentences(&self) -> impl Iterator<Item = &str> {
        let Notes { primeiros, avisos, .. } = &self.notes;
        let of_rule = self.of_rule().map(|aviso| &aviso.texto);
        let texts =
            primeiros.iter().map(|note| &note.texto).chain(of_rule).chain(avisos.iter().map(|note| &note.texto));
        texts.map(Text::as_str)
    }

    /// The sentences of the rule, but for those that the payload has answered.
    fn of_rule(&self) -> impl Iterator<Item = &Aviso> + Clone {
        let of_rule = if self.in_words { &[] } else { &self.regra.escrito.avisos[..] };
        of_rule.iter().filter(|aviso| self.notes.sem.is_none() || aviso.condicao != self.notes.sem)
    }

    /// Its sentences for a person; `named` is what they call a name of the contract.
    pub fn said(&self, named: &dyn Fn(&str) -> String) -> Vec<String> {
        let said = |note: Note| in_words(note.pessoa.unwrap_or(note.texto).as_str(), named);
        self.avisos().map(said).collect()
    }

    /// The same answer with what people call the names in its sentences.
    pub fn in_words(mut self, named: &dyn Fn(&str) -> String) -> TaxAnswer {
        let said = |note: Note| Note { texto: in_words(note.texto.as_str(), named).into(), pessoa: None, ..note };
        (self.notes.avisos, self.notes.primeiros) = (self.avisos().map(said).collect(), Vec::new());
        TaxAnswer { in_words: true, ..self }
    }

    /// The calculation step by step, as JSON.
    pub fn memoria(&self) -> Option<&Arc<RawValue>> {
        self.notes.memoria.as_ref()
    }

    /// Writes the envelope, without its last member, `cached`, which differs from one call to the next.
    pub fn write_body(&self, out: &mut Vec<u8>) -> RuleResult<()> {
        self.write_members(out).map_err(Problem::unwritten)
    }

    fn write_members(&self, out: &mut Vec<u8>) -> WriteResult {
        let Notes { primeiros, avisos, memoria, sem, .. } = &self.notes;
        out.extend_from_slice(b"{\"tributo\":");
        self.tributo.as_str().write(out)?;
        out.extend_from_slice(b",\"valor\":");
        self.valor.write(out)?;
        out.extend_from_slice(b",\"regra\":");
        self.regra.write(out)?;
        let [sentences, conditions] = match sem {
            _ if self.in_words => [&[][..]; 2].map(Cow::Borrowed),
            None => self.regra.escrito.frases.each_ref().map(|items| Cow::Borrowed(&**items)),
            Some(_) => Escrito::items(self.of_rule())?.map(Cow::Owned),
        };
        out.extend_from_slice(b",\"detalhes\":");
        self.detalhes.write_json(out)?;
        if let Some(steps) = memoria {
            out.pop();
            for part in [",\"memoria\":", steps.get(), "}"] {
                out.extend_from_slice(part.as_bytes());
            }
        }
        // As many conditions as sentences, in the same order; null for a sentence whose rule gives no condition.
        if !(primeiros.is_empty() && sentences.is_empty() && avisos.is_empty()) {
            out.extend_from_slice(b",\"avisos\":");
            write_around(out, [primeiros, avisos], &sentences, |note, out| note.texto.write(out))?;
            out.extend_from_slice(b",\"condicoes_dos_avisos\":");
            write_around(out, [primeiros, avisos], &conditions, |note, out| note.condicao.write(out))?;
        }
        if !self.suposicoes.is_empty() {
            out.extend_from_slice(b",\"suposicoes\":");
            Shown::write(&self.suposicoes, out)?;
        }
        if let Some(prova) = &self.prova {
            out.extend_from_slice(b",\"prova\":");
            out.extend_from_slice(prova.get().as_bytes());
        }
        if let Some(said) = &self.leitor {
            out.extend_from_slice(b",\"leitor\":");
            out.extend_from_slice(said.get().as_bytes());
        }
        out.push(b'}');
        Ok(())
    }
}

/// Writes a list: what `write` writes of the first notes, the items `of_rule`, which are JSON, and the other notes.
fn write_around(
    out: &mut Vec<u8>,
    [first, own]: [&[Note]; 2],
    of_rule: &[u8],
    write: impl Fn(&Note, &mut Vec<u8>) -> WriteResult,
) -> WriteResult {
    let of_rule = Some(of_rule).filter(|items| !items.is_empty()).map(Err);
    write_list(out, first.iter().map(Ok).chain(of_rule).chain(own.iter().map(Ok)), |item, out| match item {
        Ok(note) => write(note, out),
        Err(items) => {
            out.extend_from_slice(items);
            Ok(())
        }
    })
}

/// The last member of an envelope, and its end.
pub const fn end_of(cached: bool) -> &'static str {
    if cached { ",\"cached\":true}" } else { ",\"cached\":false}" }
}

impl Shown for TaxAnswer {
    const SHAPE: Shape = Shape::Document(&[]);

    /// The whole envelope: the body and `cached`.
    fn write(&self, out: &mut Vec<u8>) -> WriteResult {
        self.write_members(out)?;
        out.pop();
        out.extend_from_slice(end_of(self.cached).as_bytes());
        Ok(())
    }
}

impl Serialize for TaxAnswer {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let json = String::from_utf8(self.to_json().map_err(S::Error::custom)?).map_err(S::Error::custom)?;
        RawValue::from_string(json).map_err(S::Error::custom)?.serialize(s)
    }
}

fn declared(entry: &Entry) -> &'static [Field] {
    if let Shape::Document(fields) = entry.detalhes { fields } else { &[] }
}

//! The answer of a tax: typed within this program, and written and read as JSON (contract, section 2.2) here alone.

use std::borrow::Cow;
use std::sync::Arc;

use rust_decimal::Decimal;
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::{Calculated, Entry, FiguraSuposta, Money, Note, NoteCode, Notes, parse, sentence_of_suposicoes};
use crate::base::document::{AnyComponents, Field, Node, Object, Role, Shape, Shown, WriteResult, write_list};
use crate::base::problem::Problem;
use crate::base::sentence::{Reader, in_words};
use crate::base::value::{Date, RegraCitada, Text, Tributo};
use crate::law::rule::{Aviso, Condicao, Escrito, Regra, RuleResult};

/// A sentence of an answer by which the program decides. JSON does not have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodedNote {
    /// Its place in `avisos`.
    pub place: usize,
    /// What it says.
    pub code: NoteCode,
}

/// The rule that answered.
#[derive(Debug)]
enum Answering {
    /// Of this process.
    Version(Regra),
    /// As JSON named it. Its sentences are among those of the calculation.
    Read(Box<RegraCitada>),
}

/// What a tax answers to a payload.
#[derive(Debug, Deserialize)]
#[serde(try_from = "ReadAnswer")]
pub struct TaxAnswer {
    pub tributo: Tributo,
    /// Amount due.
    pub valor: Money,
    regra: Answering,
    /// The components that the tax declares, and those of this answer.
    declared: &'static [Field],
    detalhes: Box<dyn AnyComponents>,
    /// What the calculation noted: its sentences, its steps, and the other rules that it used.
    notes: Notes,
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
        let regra = Answering::Version(regra);
        let (tributo, declared) = (entry.tributo, declared(entry));
        let suposicoes = Vec::new();
        let (prova, leitor) = (None, None);
        TaxAnswer { tributo, valor, regra, declared, detalhes, notes, suposicoes, prova, leitor, cached: false }
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

    /// The same answer, with what JSON does not have of its sentences.
    pub fn with_codes(mut self, codes: &[CodedNote]) -> TaxAnswer {
        for CodedNote { place, code } in codes {
            if let Some(note) = self.notes.avisos.get_mut(*place) {
                note.codigo = Some(*code);
            }
        }
        self
    }

    /// The rule that answered.
    pub fn regra(&self) -> Cow<'_, RegraCitada> {
        match &self.regra {
            Answering::Version(regra) => Cow::Owned(regra.citada()),
            Answering::Read(cited) => Cow::Borrowed(cited),
        }
    }

    /// Code and version of the rule that answered.
    pub fn rule_id(&self) -> Arc<str> {
        match &self.regra {
            Answering::Version(regra) => Arc::clone(&regra.escrito.rule_id),
            Answering::Read(cited) => cited.rule_id.to_string().into(),
        }
    }

    /// The validity of each rule that it depends on, the one that answered first.
    pub fn periods(&self) -> Vec<(Date, Option<Date>)> {
        let first = self.regra();
        let mut periods = vec![(first.vigente_de, first.vigente_ate)];
        if let Answering::Version(_) = &self.regra {
            periods.extend(self.notes.auxiliares.iter().map(|regra| (regra.vigencia.de, regra.vigencia.ate)));
        } else if let Some(Node::List(others)) = self.get("regras_auxiliares") {
            let day = |other: &Object<'_>, name| Date::parse(other.text(name)?).ok();
            let objects = others.iter().filter_map(|other| if let Node::Object(of) = other { Some(of) } else { None });
            periods.extend(objects.filter_map(|of| Some((day(of, "vigente_de")?, day(of, "vigente_ate")))));
        }
        periods
    }

    /// The rules of this process that it used: the one that answered, then the others in the order of their use.
    pub fn used(&self) -> impl Iterator<Item = &Regra> {
        let first = if let Answering::Version(regra) = &self.regra { Some(regra) } else { None };
        first.into_iter().chain(&self.notes.auxiliares)
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

    /// The sentences of the rule, but for those that the payload has answered.
    fn of_rule(&self) -> impl Iterator<Item = &Aviso> + Clone {
        let of_rule = if let Answering::Version(regra) = &self.regra { &regra.escrito.avisos[..] } else { &[] };
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
        TaxAnswer { regra: Answering::Read(Box::new(self.regra().into_owned())), ..self }
    }

    /// The sentences that have a code. Most answers have none.
    pub fn coded(&self) -> Vec<CodedNote> {
        let of_rule = self.of_rule().count();
        let [first, own] = [&self.notes.primeiros, &self.notes.avisos].map(|list| list.iter().map(|note| note.codigo));
        let all = first.chain(std::iter::repeat_n(None, of_rule)).chain(own).enumerate();
        all.filter_map(|(place, code)| Some(CodedNote { place, code: code? })).collect()
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
        let [sentences, conditions] = match &self.regra {
            Answering::Version(regra) => {
                regra.write(out)?;
                regra.escrito.frases.each_ref().map(|items| Cow::Borrowed(&**items))
            }
            Answering::Read(cited) => {
                Shown::write(&**cited, out)?;
                [&[][..]; 2].map(Cow::Borrowed)
            }
        };
        let [sentences, conditions] = match sem {
            None => [sentences, conditions],
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
pub(crate) const fn end_of(cached: bool) -> &'static str {
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
        let mut json = Vec::new();
        self.write(&mut json).map_err(S::Error::custom)?;
        let json = String::from_utf8(json).map_err(S::Error::custom)?;
        RawValue::from_string(json).map_err(S::Error::custom)?.serialize(s)
    }
}

fn declared(entry: &Entry) -> &'static [Field] {
    if let Shape::Document(fields) = entry.detalhes { fields } else { &[] }
}

/// An answer as JSON shows it.
#[derive(Deserialize)]
struct ReadAnswer {
    tributo: String,
    valor: Money,
    regra: RegraCitada,
    detalhes: Object<'static>,
    #[serde(default)]
    avisos: Vec<Text>,
    #[serde(default)]
    condicoes_dos_avisos: Vec<Option<Condicao>>,
    #[serde(default)]
    suposicoes: Vec<FiguraSuposta>,
    prova: Option<Box<RawValue>>,
    #[serde(default)]
    cached: bool,
}

impl TryFrom<ReadAnswer> for TaxAnswer {
    type Error = String;

    fn try_from(read: ReadAnswer) -> Result<TaxAnswer, String> {
        let entry = parse(&read.tributo)?;
        let ReadAnswer { valor, regra, mut detalhes, avisos, condicoes_dos_avisos, suposicoes, prova, cached, .. } =
            read;
        let memoria = detalhes.take("memoria").and_then(|steps| to_raw_value(&steps).ok()).map(Arc::from);
        let conditions = condicoes_dos_avisos.into_iter().chain(std::iter::repeat(None));
        let note = |(texto, condicao)| Note { condicao, texto, pessoa: None, codigo: None };
        let avisos = avisos.into_iter().zip(conditions).map(note).collect();
        Ok(TaxAnswer {
            tributo: entry.tributo,
            valor,
            regra: Answering::Read(Box::new(regra)),
            declared: declared(entry),
            detalhes: Box::new(detalhes),
            notes: Notes { primeiros: Vec::new(), avisos, auxiliares: Vec::new(), memoria, sem: None },
            suposicoes,
            prova,
            leitor: None,
            cached,
        })
    }
}

//! The answer of a tax: typed within this program, and written and read as JSON (contract, section 2.2) here alone.

use std::borrow::Cow;
use std::sync::Arc;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::calculation::unwritten;
use super::{Calculated, Entry, Money, Note, NoteCode, Notes, find};
use crate::base::document::{
    AnyComponents, Field, Node, Object, Role, Shape, Shown, WriteResult, write_list, write_text,
};
use crate::base::value::{Exact, RegraCitada, Tributo};
use crate::law::rule::{Condicao, Regra, RuleResult};

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
    Read(RegraCitada),
}

/// What a tax answers to a payload.
#[derive(Debug)]
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
    /// The proof as JSON, if it was asked for.
    pub prova: Option<Box<str>>,
    /// True if it came from the cache.
    pub cached: bool,
}

impl TaxAnswer {
    /// The result of a calculation.
    #[must_use]
    pub fn of(entry: &'static Entry, calculated: Calculated, notes: Notes) -> TaxAnswer {
        let Calculated { valor, regra, detalhes } = calculated;
        let regra = Answering::Version(regra);
        let (tributo, declared) = (entry.tributo, declared(entry));
        TaxAnswer { tributo, valor, regra, declared, detalhes, notes, prova: None, cached: false }
    }

    /// Reads an answer as [`write`](Self::write) writes it; `codes` has what JSON does not have of its sentences. `None`
    /// if the object is not an answer.
    #[must_use]
    pub fn read(answer: Object<'_>, codes: &[CodedNote]) -> Option<TaxAnswer> {
        let mut answer = answer.into_owned();
        let entry = find(answer.text("tributo")?)?;
        let valor = Money::rounded(Exact::from(answer.get("valor")?.figure()?)).ok()?;
        let Node::Object(mut detalhes) = answer.take("detalhes")? else { return None };
        let Node::Object(regra) = answer.get("regra")? else { return None };
        let text = |node: Node<'_>| serde_json::to_string(&node).ok();
        let list = |name: &str| if let Some(Node::List(items)) = answer.get(name) { items.as_slice() } else { &[] };
        let condicoes = list("condicoes_dos_avisos");
        let note = |(place, texto): (usize, &Node<'_>)| Note {
            condicao: condicoes.get(place).and_then(Node::text).and_then(Condicao::from_word),
            texto: texto.text().unwrap_or_default().to_owned(),
            codigo: codes.iter().find(|note| note.place == place).map(|note| note.code),
        };
        let avisos = list("avisos").iter().enumerate().map(note).collect();
        let memoria = detalhes.take("memoria").and_then(text).map(Arc::from);
        Some(TaxAnswer {
            tributo: entry.tributo,
            valor,
            regra: Answering::Read(RegraCitada::read(regra)?),
            declared: declared(entry),
            detalhes: Box::new(detalhes),
            notes: Notes { primeiros: Vec::new(), avisos, auxiliares: Vec::new(), memoria },
            prova: answer.take("prova").and_then(text).map(String::into_boxed_str),
            cached: matches!(answer.get("cached"), Some(Node::Bool(true))),
        })
    }

    /// The rule that answered.
    #[must_use]
    pub fn regra(&self) -> Cow<'_, RegraCitada> {
        match &self.regra {
            Answering::Version(regra) => Cow::Owned(regra.citada()),
            Answering::Read(cited) => Cow::Borrowed(cited),
        }
    }

    /// Code and version of the rule that answered.
    #[must_use]
    pub fn rule_id(&self) -> Arc<str> {
        match &self.regra {
            Answering::Version(regra) => Arc::clone(&regra.escrito.rule_id),
            Answering::Read(cited) => cited.rule_id.to_string().into(),
        }
    }

    /// The rules of this process that it used: the one that answered, then the others in the order of their use.
    pub fn used(&self) -> impl Iterator<Item = &Regra> {
        let first = if let Answering::Version(regra) = &self.regra { Some(regra) } else { None };
        first.into_iter().chain(&self.notes.auxiliares)
    }

    /// A component; `None` if this answer leaves it out.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Node<'_>> {
        self.detalhes.get(name)
    }

    /// A component that is an amount or a rate; `None` if it is null or left out.
    #[must_use]
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
        let of_rule = if let Answering::Version(regra) = &self.regra { Some(&regra.escrito) } else { None };
        let of_rule = of_rule.into_iter().flat_map(|escrito| {
            let pairs = escrito.condicoes.iter().copied().zip(escrito.frases());
            pairs.map(|(condicao, texto)| Note { condicao, texto, codigo: None })
        });
        primeiros.iter().cloned().chain(of_rule).chain(avisos.iter().cloned())
    }

    /// The sentences that have a code. Most answers have none.
    #[must_use]
    pub fn coded(&self) -> Vec<CodedNote> {
        let Notes { primeiros, avisos, .. } = &self.notes;
        if primeiros.iter().chain(avisos).all(|note| note.codigo.is_none()) {
            return Vec::new();
        }
        let coded = |(place, note): (usize, Note)| Some(CodedNote { place, code: note.codigo? });
        self.avisos().enumerate().filter_map(coded).collect()
    }

    /// The calculation step by step, as JSON.
    #[must_use]
    pub fn memoria(&self) -> Option<&Arc<str>> {
        self.notes.memoria.as_ref()
    }

    /// Writes the envelope, without its last member, `cached`, which differs from one call to the next.
    pub fn write(&self, out: &mut Vec<u8>) -> RuleResult<()> {
        self.write_members(out).map_err(|e| Box::new(unwritten(e)))
    }

    fn write_members(&self, out: &mut Vec<u8>) -> WriteResult {
        let Notes { primeiros, avisos, memoria, .. } = &self.notes;
        out.extend_from_slice(b"{\"tributo\":");
        self.tributo.as_str().write(out)?;
        out.extend_from_slice(b",\"valor\":");
        self.valor.write(out)?;
        out.extend_from_slice(b",\"regra\":");
        let (sentences, condicoes) = match &self.regra {
            Answering::Version(regra) => {
                write_cited(regra, out)?;
                (&*regra.escrito.avisos, &*regra.escrito.condicoes)
            }
            Answering::Read(cited) => {
                Shown::write(cited, out)?;
                Default::default()
            }
        };
        out.extend_from_slice(b",\"detalhes\":");
        self.detalhes.write(out)?;
        if let Some(steps) = memoria {
            out.pop();
            for part in [",\"memoria\":", steps, "}"] {
                out.extend_from_slice(part.as_bytes());
            }
        }
        // As many conditions as sentences, in the same order; null for a sentence whose rule gives no condition.
        if !(primeiros.is_empty() && sentences.is_empty() && avisos.is_empty()) {
            let of_rule = sentences.iter().map(|aviso| Sentence::Rule(aviso.get()));
            let [first, own] = [primeiros, avisos].map(|list| list.iter().map(|note| Sentence::Own(&note.texto)));
            out.extend_from_slice(b",\"avisos\":");
            write_list(out, first.chain(of_rule).chain(own), Sentence::write)?;
            let [first, own] = [primeiros, avisos].map(|list| list.iter().map(|note| note.condicao));
            let all = first.chain(condicoes.iter().copied()).chain(own);
            out.extend_from_slice(b",\"condicoes_dos_avisos\":");
            write_list(out, all, |condicao, out| condicao.write(out))?;
        }
        if let Some(prova) = &self.prova {
            out.extend_from_slice(b",\"prova\":");
            out.extend_from_slice(prova.as_bytes());
        }
        out.push(b'}');
        Ok(())
    }
}

fn declared(entry: &Entry) -> &'static [Field] {
    if let Shape::Document(fields) = entry.detalhes { fields } else { &[] }
}

/// Writes a rule as [`RegraCitada`] does, in a fraction of the time.
fn write_cited(regra: &Regra, out: &mut Vec<u8>) -> WriteResult {
    out.extend_from_slice(b"{\"rule_id\":");
    write_text(out, &regra.escrito.rule_id)?;
    out.extend_from_slice(b",\"citacao_legal\":");
    out.extend_from_slice(regra.escrito.citacao_legal.get().as_bytes());
    out.extend_from_slice(b",\"vigente_de\":");
    regra.vigencia.de.write(out)?;
    out.extend_from_slice(b",\"vigente_ate\":");
    regra.vigencia.ate.write(out)?;
    if let Some(conferencia) = regra.conferencia {
        out.extend_from_slice(b",\"conferencia\":");
        conferencia.write(out)?;
    }
    out.push(b'}');
    Ok(())
}

/// A sentence of the rule, as JSON, or one of this calculation.
enum Sentence<'a> {
    Rule(&'a str),
    Own(&'a str),
}

impl Sentence<'_> {
    fn write(self, out: &mut Vec<u8>) -> WriteResult {
        match self {
            Sentence::Rule(json) => {
                out.extend_from_slice(json.as_bytes());
                Ok(())
            }
            Sentence::Own(text) => write_text(out, text),
        }
    }
}

//! The sentences of the service, each in the words of who reads it.
//!
//! A program that writes payloads reads the contract's form of a value (`2026-11-20`, `18.00%`, `true`), a person the
//! Brazilian one (`20/11/2026`, `18,00 %`, `sim`). The maker of a sentence gives both forms at once, so that nothing later
//! looks for values in a text. The names of the contract are in backquotes in both: what people call them depends on the
//! form or the table that they read beside the sentence, which alone replaces them ([`Sentence::for_person`]).

use std::fmt::{self, Display, Write as _};
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// Who reads a sentence or a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Reader {
    /// A program: names and words of the contract.
    #[default]
    Program,
    /// A person: heads, words and values as people write them.
    Person,
}

impl Reader {
    /// The first for a program, the second for a person.
    pub fn either<T>(self, program: T, person: T) -> T {
        match self {
            Reader::Program => program,
            Reader::Person => person,
        }
    }
}

/// A sentence in Portuguese: what is said, and what to do. It is used like the text that a program reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sentence {
    program: String,
    /// `None` if a person reads the same.
    person: Option<Box<str>>,
    /// What a person reads who sees its list of candidates beside it; `None` if it has no list.
    beside: Option<Box<str>>,
    /// What it was made of, one after the other, for a person who sees its list beside it; empty if it is one part.
    parts: Vec<Box<str>>,
}

impl Sentence {
    /// The sentence that `say` makes for each reader.
    pub fn of(say: impl Fn(Reader) -> String) -> Sentence {
        let (program, person) = (say(Reader::Program), say(Reader::Person));
        let person = (person != program).then(|| person.into());
        Sentence { program, person, ..Sentence::default() }
    }

    /// A sentence that each of the two reads in words of its own.
    pub fn both(program: impl Into<String>, person: impl Into<Box<str>>) -> Sentence {
        Sentence { program: program.into(), person: Some(person.into()), ..Sentence::default() }
    }

    /// The same sentence, which ends in a list of candidates; `bare` is what it says without the list.
    pub fn listing(self, bare: impl Into<Sentence>) -> Sentence {
        Sentence { beside: Some(bare.into().read_by(Reader::Person).into()), ..self }
    }

    /// The text for a program.
    pub fn as_str(&self) -> &str {
        &self.program
    }

    /// The text for that reader. Names are in backquotes for both.
    pub fn read_by(&self, reader: Reader) -> &str {
        match reader {
            Reader::Program => &self.program,
            Reader::Person => self.person.as_deref().unwrap_or(&self.program),
        }
    }

    /// The same, taking the sentence apart.
    pub fn into_read_by(self, reader: Reader) -> String {
        match (reader, self.person) {
            (Reader::Person, Some(text)) => text.into(),
            _ => self.program,
        }
    }

    /// The same sentence for a reader who is known from here on.
    pub fn of_reader(&self, reader: Reader) -> Sentence {
        Sentence { program: self.read_by(reader).to_owned(), person: None, ..self.clone() }
    }

    /// The text for a person; `named` is what they call a name of the contract.
    pub fn for_person(&self, named: &dyn Fn(&str) -> String) -> String {
        in_words(self.read_by(Reader::Person), named)
    }

    /// The text for a person who sees the candidates beside it; `None` if it has no list of them.
    pub fn beside_candidates(&self, named: &dyn Fn(&str) -> String) -> Option<String> {
        self.beside.as_ref().map(|text| in_words(text, named))
    }

    /// The parts that were added one after the other, for a person who sees the candidates beside them; none if it is one part.
    pub fn parts_beside_candidates(&self, named: &dyn Fn(&str) -> String) -> Vec<String> {
        self.parts.iter().map(|part| in_words(part, named)).collect()
    }

    /// The same fault of one field, named: a person reads the sentence of a field beside it, and this one alone.
    pub fn of_field(&self, campo: &str) -> Sentence {
        Sentence { person: Some(format!("`{campo}`: {}", self.read_by(Reader::Person)).into()), ..self.clone() }
    }

    /// Parts with `between` between them.
    pub fn joined(parts: &[Sentence], between: &str) -> Sentence {
        Sentence::of(|to| parts.iter().map(|part| part.read_by(to)).collect::<Vec<_>>().join(between))
    }

    /// Adds another sentence after a space.
    pub fn add(&mut self, more: impl Into<Sentence>) {
        let more = more.into();
        let person = more.read_by(Reader::Person);
        let beside = self.beside.as_ref().map(|text| format!("{text} {person}").into());
        let mut parts = std::mem::take(&mut self.parts);
        if parts.is_empty() {
            parts.push(self.beside.as_deref().unwrap_or_else(|| self.read_by(Reader::Person)).into());
        }
        parts.push(person.into());
        *self = Sentence { beside, parts, ..Sentence::of(|to| format!("{} {}", self.read_by(to), more.read_by(to))) };
    }
}

/// A text with what people call each name that it has in backquotes. `faixas[0].ate` is "Último valor da faixa" of
/// "Faixas (1)". What is in backquotes and no name stays as it is.
pub fn in_words(text: &str, named: &dyn Fn(&str) -> String) -> String {
    let mut said = String::with_capacity(text.len());
    for (at, part) in text.split('`').enumerate() {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
        match at % 2 {
            0 => said.push_str(part),
            _ if !part.is_empty() && part.chars().all(is_name) => {
                let steps =
                    part.split('.').rev().map(|step| match step.strip_suffix(']').and_then(|s| s.split_once('[')) {
                        Some((name, place)) => {
                            let place =
                                place.parse::<usize>().map_or_else(|_| place.to_owned(), |at| (at + 1).to_string());
                            format!("{} ({place})", named(name))
                        }
                        None => named(step),
                    });
                said.push_str(&steps.collect::<Vec<_>>().join(" de "));
            }
            _ => drop(write!(said, "`{part}`")),
        }
    }
    said
}

impl From<String> for Sentence {
    fn from(text: String) -> Sentence {
        Sentence { program: text, ..Sentence::default() }
    }
}

impl From<&str> for Sentence {
    fn from(text: &str) -> Sentence {
        text.to_owned().into()
    }
}

impl From<&Sentence> for Sentence {
    fn from(sentence: &Sentence) -> Sentence {
        sentence.clone()
    }
}

impl From<Sentence> for String {
    fn from(sentence: Sentence) -> String {
        sentence.program
    }
}

impl Deref for Sentence {
    type Target = str;

    fn deref(&self) -> &str {
        &self.program
    }
}

impl Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.program)
    }
}

impl PartialEq<str> for Sentence {
    fn eq(&self, text: &str) -> bool {
        self.program == text
    }
}

impl PartialEq<&str> for Sentence {
    fn eq(&self, text: &&str) -> bool {
        self.program == *text
    }
}

impl<'de> Deserialize<'de> for Sentence {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Ok(String::deserialize(d)?.into())
    }
}

impl Serialize for Sentence {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.program)
    }
}

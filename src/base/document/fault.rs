//! Faults of a document: the place, the fault, and how to correct it.

use std::fmt::Write as _;

use crate::problem::ErrorCode;
use crate::sentence::Sentence;

/// One step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathStep {
    Key(String),
    /// The item at that index, from 0.
    Index(usize),
}

#[derive(Debug, Clone, Copy)]
enum StepRef<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

/// The place of a value in its document, kept on the stack while reading: it costs
/// nothing until a fault is found.
#[derive(Debug, Clone, Copy)]
pub struct Path<'a> {
    up: Option<&'a Path<'a>>,
    step: StepRef<'a>,
}

impl Path<'static> {
    pub const ROOT: Path<'static> = Path { up: None, step: StepRef::Root };
}

impl<'a> Path<'a> {
    /// The member `name` of the value here.
    pub fn key(&'a self, name: &'a str) -> Path<'a> {
        Path { up: Some(self), step: StepRef::Key(name) }
    }

    pub fn index(&'a self, i: usize) -> Path<'a> {
        Path { up: Some(self), step: StepRef::Index(i) }
    }

    fn steps(&self) -> Vec<PathStep> {
        let mut steps = self.up.map(Path::steps).unwrap_or_default();
        match self.step {
            StepRef::Root => {}
            StepRef::Key(name) => steps.push(PathStep::Key(name.to_owned())),
            StepRef::Index(i) => steps.push(PathStep::Index(i)),
        }
        steps
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub path: Vec<PathStep>,
    pub codigo: ErrorCode,
    /// The fault and how to correct it, in Portuguese.
    pub detail: Sentence,
}

impl Fault {
    /// The path as people write it: `regras[3].conteudo.aliquota`.
    pub fn path_text(&self) -> String {
        let mut text = String::new();
        for step in &self.path {
            match step {
                PathStep::Key(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(name);
                }
                PathStep::Index(i) => {
                    let _ = write!(text, "[{i}]");
                }
            }
        }
        text
    }
}

/// All faults of a document, in the order in which they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Adds a fault of the value at `path`.
    pub fn add(&mut self, path: &Path<'_>, codigo: ErrorCode, detail: impl Into<Sentence>) {
        self.0.push(Fault { path: path.steps(), codigo, detail: detail.into() });
    }

    /// Adds the faults of another list at the end.
    pub fn append(&mut self, mut more: Faults) {
        self.0.append(&mut more.0);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn into_list(self) -> Vec<Fault> {
        self.0
    }
}

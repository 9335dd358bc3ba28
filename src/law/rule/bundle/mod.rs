//! The document that rules come in: `pacote`, `versao`, `descricao`, and rules written out
//! (`regras`) or as lines of a table (`tabelas`). `rulesets/README.md` describes it for the
//! analyst who writes one. This module knows the form; the tax knows
//! what a scope and a content mean.
//!
//! A parsed rule takes many times the memory of its text. So rules are parsed one at a time, and
//! parsed again when they are needed again.

mod header;
mod layout;
mod raw;
mod rule;
mod table;

use std::borrow::Cow;

use serde_json::value::RawValue;

pub use header::{BundleHeader, TabelaOficial};
pub use raw::RawBundle;
pub use rule::{Esperado, RuleHeader};
use table::{RuleTable, read_table};

use crate::base::document::{
    Document, Faults, JsonFault, Node, Object, Path, PathStep, Placed, Shape, names, refuse_unknown, wrong_type,
};
use crate::base::problem::ErrorCode;

/// The place of a rule in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleLocation {
    /// An item of `regras`.
    Rule(usize),
    /// A line of a table.
    Line(usize, usize),
    /// A table as a whole.
    Table(usize),
}

impl RuleLocation {
    /// How many steps of a path lead to the list that holds the bundle's rules or lines.
    pub fn steps_to_list(path: &[PathStep]) -> usize {
        match path.first() {
            Some(PathStep::Key(name)) if name == "tabelas" => 3,
            _ => 1,
        }
    }

    /// Calls `f` with the path of the place.
    pub fn with_path<R>(self, f: impl FnOnce(&Path<'_>) -> R) -> R {
        let root = Path::ROOT;
        match self {
            RuleLocation::Rule(i) => f(&root.key("regras").index(i)),
            RuleLocation::Line(t, l) => f(&root.key("tabelas").index(t).key("linhas").index(l)),
            RuleLocation::Table(t) => f(&root.key("tabelas").index(t)),
        }
    }
}

/// One rule of a bundle, as far as it can be read without its tax.
#[derive(Debug)]
pub struct BundleRule<'a> {
    /// Its place, for the paths of faults.
    pub location: RuleLocation,
    /// The members that every rule has; `None` if one of them is at fault, which was reported.
    pub header: Option<RuleHeader>,
    /// The tax it names, which reads the rest.
    pub tributo: Option<Cow<'a, str>>,
    /// Its scope, not read yet.
    pub escopo: Object<'a>,
    /// Its content, not read yet.
    pub conteudo: Node<'a>,
    pub exemplos: Vec<Node<'a>>,
}

/// A bundle whose rules have been read once.
#[derive(Debug)]
pub struct Bundle<'a> {
    /// Its name and version; `None` if one of them is at fault, which was reported.
    pub header: Option<BundleHeader>,
    /// Worked examples of whole tables, each list with its table.
    pub exemplos: Vec<(RuleLocation, Vec<Node<'a>>)>,
    raw: RawBundle<'a>,
    /// What the lines of each table have in common.
    tabelas: Vec<RuleTable<'a>>,
}

/// Receives the rules of a bundle, one at a time.
pub type Taker<'t, 'a> = dyn FnMut(BundleRule<'a>, &mut Faults) + 't;

/// Reads a bundle: passes each rule to `take` and reports every fault of form, repeated keys before all
/// others. Fails if a part of it is not JSON, even if rules were passed on before that was found.
pub fn read<'a>(
    raw: RawBundle<'a>,
    faults: &mut Faults,
    take: &mut Taker<'_, 'a>,
) -> Result<Option<Bundle<'a>>, JsonFault> {
    let mut found = Faults::default();
    let read = read_all(raw, faults, &mut found, take);
    faults.append(found);
    read
}

/// Passes on each rule of a bundle without faults as it is written, or as a line of a table gives it.
pub fn written_out<'a>(raw: &RawBundle<'a>, take: &mut dyn FnMut(Object<'a>)) -> Result<(), JsonFault> {
    let mut faults = Faults::default();
    for text in &raw.regras {
        if let Node::Object(rule) = raw.node(text)? {
            take(rule);
        }
    }
    for (t, written) in raw.tabelas.iter().enumerate() {
        let table = read_table(t, &written.table, &mut Vec::new(), &mut faults);
        for text in &written.linhas {
            if let Some(rule) = table.rule(raw.node(text)?, &Path::ROOT, &mut faults) {
                take(rule);
            }
        }
    }
    Ok(())
}

fn read_all<'a>(
    raw: RawBundle<'a>,
    repeated: &mut Faults,
    faults: &mut Faults,
    take: &mut Taker<'_, 'a>,
) -> Result<Option<Bundle<'a>>, JsonFault> {
    let root = Path::ROOT;
    let Node::Object(object) = &raw.document else {
        wrong_type(&Shape::Document(BundleHeader::FIELDS), &raw.document, &root, faults);
        return Ok(None);
    };
    raw.document.refuse_repeated(&root, repeated);
    let lists = ["regras", "tabelas"];
    let placed = Placed::of(object, BundleHeader::FIELDS, &lists);
    refuse_unknown(&placed, &names(BundleHeader::FIELDS).chain(lists), &root, faults);
    let header = BundleHeader::read_checked(&placed, &root, faults);
    let mut hand_over =
        |location: RuleLocation, text: &'a RawValue, table: Option<&RuleTable<'a>>, faults: &mut Faults| {
            let node = raw.node(text)?;
            let read = location.with_path(|at| {
                node.refuse_repeated(at, repeated);
                read_item(location, node, table, at, faults)
            });
            if let Some(doc) = read {
                take(doc, faults);
            }
            Ok::<(), JsonFault>(())
        };

    let before = faults.len();
    list_of(object, "regras", &root, faults);
    for (i, text) in raw.regras.iter().enumerate() {
        hand_over(RuleLocation::Rule(i), text, None, faults)?;
    }
    list_of(object, "tabelas", &root, faults);
    let mut exemplos = Vec::new();
    let mut tabelas = Vec::with_capacity(raw.tabelas.len());
    for (t, written) in raw.tabelas.iter().enumerate() {
        let table = read_table(t, &written.table, &mut exemplos, faults);
        for (l, text) in written.linhas.iter().enumerate() {
            hand_over(RuleLocation::Line(t, l), text, Some(&table), faults)?;
        }
        tabelas.push(table);
    }
    for (t, written) in raw.tabelas.iter().enumerate() {
        RuleLocation::Table(t).with_path(|at| written.table.refuse_repeated(at, repeated));
    }
    // Lists that are at fault are reported as such; a bundle without rules is probably not the file that was meant.
    if raw.count() == 0 && faults.len() == before {
        let detail = "O pacote não traz nenhuma regra: escreva ao menos uma em `regras`, ou uma linha em `tabelas`.";
        faults.add(&root, ErrorCode::CampoObrigatorio, detail);
    }
    Ok(Some(Bundle { header, exemplos, raw, tabelas }))
}

impl<'a> Bundle<'a> {
    /// Reads a rule again. `None` if it had a fault, or does not exist.
    pub fn rule(&self, location: RuleLocation) -> Option<BundleRule<'a>> {
        let (text, table) = match location {
            RuleLocation::Rule(i) => (self.raw.regras.get(i)?, None),
            RuleLocation::Line(t, l) => (self.raw.tabelas.get(t)?.linhas.get(l)?, Some(self.tabelas.get(t)?)),
            RuleLocation::Table(_) => return None,
        };
        let node = self.raw.node(text).ok()?;
        location.with_path(|at| read_item(location, node, table, at, &mut Faults::default()))
    }
}

fn list_of<'n, 'a>(object: &'n Object<'a>, name: &str, at: &Path<'_>, faults: &mut Faults) -> &'n [Node<'a>] {
    match object.get(name) {
        Some(Node::List(items)) => items,
        None | Some(Node::Null) => &[],
        Some(other) => {
            wrong_type(&Shape::List(&Shape::Text), other, &at.key(name), faults);
            &[]
        }
    }
}

/// Reads an item of `regras`, or of the lines of a table.
fn read_item<'a>(
    location: RuleLocation,
    node: Node<'a>,
    table: Option<&RuleTable<'a>>,
    at: &Path<'_>,
    faults: &mut Faults,
) -> Option<BundleRule<'a>> {
    let rule = match (node, table) {
        (Node::Object(rule), None) => rule,
        (other, None) => {
            wrong_type(&Shape::Document(RuleHeader::FIELDS), &other, at, faults);
            return None;
        }
        (line, Some(table)) => table.rule(line, at, faults)?,
    };
    rule::read_rule(location, rule, at, faults)
}

//! A bundle split into the texts of its rules, which are parsed later, one at a time: a parsed rule
//! takes many times the memory of its text.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::base::document::{JsonFault, Node, Object, raw, text_of};

/// A document whose rules and lines were located and not parsed.
#[derive(Debug)]
pub struct RawBundle<'a> {
    text: &'a str,
    /// The document, with those lists empty.
    pub(super) document: Node<'a>,
    pub(super) regras: Vec<&'a RawValue>,
    pub(super) tabelas: Vec<RawTable<'a>>,
}

/// A table whose lines were not parsed.
#[derive(Debug)]
pub(super) struct RawTable<'a> {
    /// The table, with its list of lines empty.
    pub(super) table: Node<'a>,
    pub(super) linhas: Vec<&'a RawValue>,
}

impl<'a> RawBundle<'a> {
    /// Locates the rules and tables. Reports malformed JSON, except inside a rule, which is checked when
    /// that rule is parsed.
    pub fn read(bytes: &'a [u8]) -> Result<RawBundle<'a>, JsonFault> {
        let text = text_of(bytes)?;
        let mut raw = RawBundle { text, document: Node::Null, regras: Vec::new(), tabelas: Vec::new() };
        if !text.trim_ascii_start().starts_with('{') {
            // Not an object, so not a bundle: parse it whole; it is small.
            raw.document = Node::parse_text(text)?;
            return Ok(raw);
        }
        raw.fill()?;
        Ok(raw)
    }

    fn fill(&mut self) -> Result<(), JsonFault> {
        let text = self.text;
        let mut members = Vec::new();
        for (name, value) in members_of(text, text)? {
            // A repeated member is a fault; only the first one is read.
            let node = match name.as_str() {
                "regras" if is_list(value) => {
                    let items = items_of(text, value)?;
                    if self.regras.is_empty() {
                        self.regras = items;
                    }
                    Node::List(Vec::new())
                }
                "tabelas" if is_list(value) => {
                    let tables = items_of(text, value)?.into_iter().map(|table| RawTable::read(text, table));
                    let tables = tables.collect::<Result<Vec<_>, JsonFault>>()?;
                    if self.tabelas.is_empty() {
                        self.tabelas = tables;
                    }
                    Node::List(Vec::new())
                }
                _ => node_of(text, value.get())?,
            };
            members.push((Cow::Owned(name), node));
        }
        self.document = Node::Object(Object(members));
        Ok(())
    }

    /// Parses the text of a rule or of a line.
    pub(super) fn node(&self, text: &'a RawValue) -> Result<Node<'a>, JsonFault> {
        node_of(self.text, text.get())
    }

    /// How many rules and lines of tables there are, faulty ones included.
    pub fn count(&self) -> usize {
        self.regras.len() + self.tabelas.iter().map(|table| table.linhas.len()).sum::<usize>()
    }
}

impl<'a> RawTable<'a> {
    fn read(document: &str, table: &'a RawValue) -> Result<RawTable<'a>, JsonFault> {
        let mut linhas = Vec::new();
        if !table.get().starts_with('{') {
            return Ok(RawTable { table: node_of(document, table.get())?, linhas });
        }
        let mut members = Vec::new();
        for (name, value) in members_of(document, table.get())? {
            let node = if name == "linhas" && is_list(value) {
                let items = items_of(document, value)?;
                if linhas.is_empty() {
                    linhas = items;
                }
                Node::List(Vec::new())
            } else {
                node_of(document, value.get())?
            };
            members.push((Cow::Owned(name), node));
        }
        Ok(RawTable { table: Node::Object(Object(members)), linhas })
    }
}

fn is_list(value: &RawValue) -> bool {
    value.get().starts_with('[')
}

fn items_of<'a>(document: &str, list: &'a RawValue) -> Result<Vec<&'a RawValue>, JsonFault> {
    raw::items(list.get()).map_err(|e| within(document, list.get(), JsonFault::of(&e)))
}

fn members_of<'a>(document: &str, object: &'a str) -> Result<Vec<(String, &'a RawValue)>, JsonFault> {
    raw::members(object).map_err(|e| within(document, object, JsonFault::of(&e)))
}

fn node_of<'a>(document: &str, part: &'a str) -> Result<Node<'a>, JsonFault> {
    Node::parse_text(part).map_err(|fault| within(document, part, fault))
}

/// The fault of a part, its line and column counted from the beginning of the document.
fn within(document: &str, part: &str, mut fault: JsonFault) -> JsonFault {
    let offset = (part.as_ptr() as usize).saturating_sub(document.as_ptr() as usize);
    let before = document.as_bytes().get(..offset).unwrap_or_default();
    let lines = before.split(|byte| *byte == b'\n');
    let (line, column) = lines.fold((0, 0), |(lines, _), line| (lines + 1, line.len()));
    if fault.line == 1 {
        fault.column += column;
    }
    fault.line += line - 1;
    fault
}

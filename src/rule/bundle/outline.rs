//! A bundle as it is written, its rules left unread: read, a rule takes many times the memory of
//! its text.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::document::{JsonFault, Node, Object, raw, text_of};

/// A document of which the lists of rules and of lines were found and not read.
#[derive(Debug)]
pub struct RawBundle<'a> {
    /// The text of the document.
    text: &'a str,
    /// The document, those lists left empty.
    pub(super) documento: Node<'a>,
    /// The items of `regras`.
    pub(super) regras: Vec<&'a RawValue>,
    /// The items of `tabelas`.
    pub(super) tabelas: Vec<RawTable<'a>>,
}

/// A table of which the lines were not read.
#[derive(Debug)]
pub(super) struct RawTable<'a> {
    /// The table, its list of lines left empty.
    pub(super) tabela: Node<'a>,
    /// The items of `linhas`.
    pub(super) linhas: Vec<&'a RawValue>,
}

impl<'a> RawBundle<'a> {
    /// Finds them. What is not JSON is told, but for what only the reading of a rule can tell.
    pub fn read(bytes: &'a [u8]) -> Result<RawBundle<'a>, JsonFault> {
        let text = text_of(bytes)?;
        let mut esboco = RawBundle { text, documento: Node::Null, regras: Vec::new(), tabelas: Vec::new() };
        if !text.trim_ascii_start().starts_with('{') {
            // What is no object is no bundle, and short.
            esboco.documento = Node::parse_text(text)?;
            return Ok(esboco);
        }
        esboco.fill()?;
        Ok(esboco)
    }

    fn fill(&mut self) -> Result<(), JsonFault> {
        let text = self.text;
        let mut members = Vec::new();
        for (name, value) in members_of(text, text)? {
            // Of a repeated member, which is a fault, the first is read.
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
        self.documento = Node::Object(Object(members));
        Ok(())
    }

    /// Reads the text of a rule or of a line.
    pub(super) fn node(&self, text: &'a RawValue) -> Result<Node<'a>, JsonFault> {
        node_of(self.text, text.get())
    }

    /// How many rules the bundle writes out or has as lines of tables, the faulty ones included.
    #[must_use]
    pub fn count(&self) -> usize {
        self.regras.len() + self.tabelas.iter().map(|table| table.linhas.len()).sum::<usize>()
    }
}

impl<'a> RawTable<'a> {
    fn read(document: &str, table: &'a RawValue) -> Result<RawTable<'a>, JsonFault> {
        let mut linhas = Vec::new();
        if !table.get().starts_with('{') {
            return Ok(RawTable { tabela: node_of(document, table.get())?, linhas });
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
        Ok(RawTable { tabela: Node::Object(Object(members)), linhas })
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

/// The fault of a part with its place in the document that the part was taken from.
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

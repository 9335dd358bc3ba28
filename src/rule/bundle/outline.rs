//! A bundle as it is written, its rules left unread: read, a rule takes many times the memory of
//! its text.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::record::{JsonFault, Node, Object, raw, text_of};

/// A document of which the lists of rules and of lines were found and not read.
#[derive(Debug)]
pub struct Esboco<'a> {
    /// The bytes of the document.
    bytes: &'a [u8],
    /// The document, those lists left empty.
    pub(super) documento: Node<'a>,
    /// The items of `regras`.
    pub(super) regras: Vec<&'a RawValue>,
    /// The items of `tabelas`.
    pub(super) tabelas: Vec<TabelaEscrita<'a>>,
}

/// A table of which the lines were not read.
#[derive(Debug)]
pub(super) struct TabelaEscrita<'a> {
    /// The table, its list of lines left empty.
    pub(super) tabela: Node<'a>,
    /// The items of `linhas`.
    pub(super) linhas: Vec<&'a RawValue>,
}

impl<'a> Esboco<'a> {
    /// Finds them. What is not JSON is told, but for what only the reading of a rule can tell.
    pub fn read(bytes: &'a [u8]) -> Result<Esboco<'a>, JsonFault> {
        let text = text_of(bytes)?;
        let mut esboco = Esboco { bytes, documento: Node::Null, regras: Vec::new(), tabelas: Vec::new() };
        if !text.trim_ascii_start().starts_with('{') {
            // What is no object is no bundle, and short.
            esboco.documento = Node::parse_text(text)?;
            return Ok(esboco);
        }
        esboco.fill(text).map_err(|fault| esboco.placed(fault))?;
        Ok(esboco)
    }

    fn fill(&mut self, text: &'a str) -> Result<(), JsonFault> {
        let mut members = Vec::new();
        for (name, value) in members_of(text)? {
            // Of a repeated member, which is a fault, the first is read.
            let node = match name.as_str() {
                "regras" if is_list(value) => {
                    let items = items_of(value)?;
                    if self.regras.is_empty() {
                        self.regras = items;
                    }
                    Node::List(Vec::new())
                }
                "tabelas" if is_list(value) => {
                    let tables = items_of(value)?.into_iter().map(TabelaEscrita::read);
                    let tables = tables.collect::<Result<Vec<_>, JsonFault>>()?;
                    if self.tabelas.is_empty() {
                        self.tabelas = tables;
                    }
                    Node::List(Vec::new())
                }
                _ => Node::parse_text(value.get())?,
            };
            members.push((Cow::Owned(name), node));
        }
        self.documento = Node::Object(Object(members));
        Ok(())
    }

    /// Reads the text of a rule or of a line.
    pub(super) fn node(&self, text: &'a RawValue) -> Result<Node<'a>, JsonFault> {
        Node::parse_text(text.get()).map_err(|fault| self.placed(fault))
    }

    /// The fault with its place in the document, for which that is read as a whole.
    fn placed(&self, fault: JsonFault) -> JsonFault {
        Node::parse(self.bytes).err().unwrap_or(fault)
    }

    /// How many rules the bundle writes out or has as lines of tables, the faulty ones included.
    #[must_use]
    pub fn count(&self) -> usize {
        self.regras.len() + self.tabelas.iter().map(|table| table.linhas.len()).sum::<usize>()
    }
}

impl<'a> TabelaEscrita<'a> {
    fn read(table: &'a RawValue) -> Result<TabelaEscrita<'a>, JsonFault> {
        let mut linhas = Vec::new();
        if !table.get().starts_with('{') {
            return Ok(TabelaEscrita { tabela: Node::parse_text(table.get())?, linhas });
        }
        let mut members = Vec::new();
        for (name, value) in members_of(table.get())? {
            let node = if name == "linhas" && is_list(value) {
                let items = items_of(value)?;
                if linhas.is_empty() {
                    linhas = items;
                }
                Node::List(Vec::new())
            } else {
                Node::parse_text(value.get())?
            };
            members.push((Cow::Owned(name), node));
        }
        Ok(TabelaEscrita { tabela: Node::Object(Object(members)), linhas })
    }
}

fn is_list(value: &RawValue) -> bool {
    value.get().starts_with('[')
}

fn items_of(list: &RawValue) -> Result<Vec<&RawValue>, JsonFault> {
    raw::items(list.get()).map_err(|e| JsonFault::of(&e))
}

fn members_of(object: &str) -> Result<Vec<(String, &RawValue)>, JsonFault> {
    raw::members(object).map_err(|e| JsonFault::of(&e))
}

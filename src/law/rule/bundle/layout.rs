//! The canonical text of a bundle: one order of members and one way to break lines, so that the diff
//! of an edit shows only what the edit changed. It changes order and white space, never a value.

use serde_json::Value;

use super::RawBundle;
use super::raw::RawTable;
use crate::base::document::{JsonFault, Node, Object};

const BUNDLE: &[&str] = &["pacote", "versao", "descricao", "tabelas_oficiais", "regras", "tabelas"];
const TABLE: &[&str] = &["comum", "colunas", "linhas", "exemplos"];
const RULE: &[&str] = &[
    "rule_code",
    "versao",
    "tributo",
    "escopo",
    "vigente_de",
    "vigente_ate",
    "citacao_legal",
    "fonte",
    "conferencia",
    "avisos",
    "motivo",
    "conteudo",
    "exemplos",
];

/// A nested value stays on its line if it ends before this column.
const WIDTH: usize = 100;

impl RawBundle<'_> {
    /// The bundle in canonical form. The members of `escopo`, `conteudo` and of an example keep the order in
    /// which they are written. Fails if a rule or a line is not JSON; a bundle without faults always has a form.
    pub fn canonical_text(&self) -> Result<String, JsonFault> {
        let Node::Object(document) = &self.document else { return Ok(block(&self.document, 0, true) + "\n") };
        let mut members = Vec::new();
        for (name, value) in ordered(document, BUNDLE) {
            let text = match name {
                "regras" => {
                    let rules = self.regras.iter().map(|text| Ok(block(&sorted(self.node(text)?), 4, true)));
                    lines(rules.collect::<Result<_, JsonFault>>()?, 2)
                }
                "tabelas" => {
                    let tables = self.tabelas.iter().map(|table| self.table(table));
                    lines(tables.collect::<Result<_, JsonFault>>()?, 2)
                }
                "tabelas_oficiais" => block(value, 2, true),
                _ => line(value, ", ", ": "),
            };
            members.push(member(name, &text));
        }
        Ok(enclosed('{', members, 0, '}') + "\n")
    }

    fn table(&self, table: &RawTable<'_>) -> Result<String, JsonFault> {
        let Node::Object(object) = &table.table else { return Ok(line(&table.table, ", ", ": ")) };
        let mut members = Vec::new();
        for (name, value) in ordered(object, TABLE) {
            let text = match name {
                "linhas" => {
                    let cells = table.linhas.iter().map(|text| Ok(line(&self.node(text)?, ",", ":")));
                    lines(cells.collect::<Result<_, JsonFault>>()?, 6)
                }
                "comum" => block(&sorted(value.clone()), 6, true),
                "exemplos" => block(value, 6, true),
                _ => line(value, ", ", ": "),
            };
            members.push(member(name, &text));
        }
        Ok(enclosed('{', members, 4, '}'))
    }
}

/// The members in this order; any other comes after them.
fn ordered<'n, 'a>(object: &'n Object<'a>, order: &[&str]) -> Vec<(&'n str, &'n Node<'a>)> {
    let mut members: Vec<_> = object.0.iter().map(|(name, value)| (name.as_ref(), value)).collect();
    members.sort_by_key(|(name, _)| order.iter().position(|known| known == name).unwrap_or(order.len()));
    members
}

/// A rule, or the part of one that a table's lines share, with its members in order.
fn sorted(node: Node<'_>) -> Node<'_> {
    let Node::Object(mut rule) = node else { return node };
    rule.0.sort_by_key(|(name, _)| RULE.iter().position(|known| known == name).unwrap_or(RULE.len()));
    Node::Object(rule)
}

fn member(name: &str, text: &str) -> String {
    format!("{}: {text}", Value::from(name))
}

fn lines(items: Vec<String>, indent: usize) -> String {
    if items.is_empty() { "[]".to_owned() } else { enclosed('[', items, indent, ']') }
}

/// Items on lines of their own, two columns further in than the brackets around them.
fn enclosed(open: char, items: Vec<String>, indent: usize, close: char) -> String {
    let inner = " ".repeat(indent + 2);
    let items: Vec<String> = items.into_iter().map(|item| format!("{inner}{item}")).collect();
    format!("{open}\n{}\n{}{close}", items.join(",\n"), " ".repeat(indent))
}

/// A value at this indentation: on one line if it fits, or else with its parts on lines of their own. A value
/// that is `broken` never stays on one line.
fn block(node: &Node<'_>, indent: usize, broken: bool) -> String {
    let whole = line(node, ", ", ": ");
    if !broken && indent + whole.chars().count() <= WIDTH {
        return whole;
    }
    match node {
        Node::List(items) if !items.is_empty() => {
            enclosed('[', items.iter().map(|item| block(item, indent + 2, false)).collect(), indent, ']')
        }
        Node::Object(object) if !object.0.is_empty() => {
            let members = object.0.iter().map(|(name, value)| member(name, &block(value, indent + 2, false)));
            enclosed('{', members.collect(), indent, '}')
        }
        _ => whole,
    }
}

/// A value on one line, with what separates items and what separates a name from its value.
fn line(node: &Node<'_>, comma: &str, colon: &str) -> String {
    match node {
        Node::Null => Value::Null.to_string(),
        Node::Bool(value) => value.to_string(),
        Node::Int(value) => value.to_string(),
        Node::Float(value) => Value::from(*value).to_string(),
        Node::Text(text) => Value::from(text.as_ref()).to_string(),
        Node::Figure(figure) => format!("\"{figure}\""),
        Node::List(items) => {
            let items: Vec<String> = items.iter().map(|item| line(item, comma, colon)).collect();
            format!("[{}]", items.join(comma))
        }
        Node::Object(object) => {
            let pair = |(name, value): &(_, Node<'_>)| {
                let name: &std::borrow::Cow<'_, str> = name;
                format!("{}{colon}{}", Value::from(name.as_ref()), line(value, comma, colon))
            };
            format!("{{{}}}", object.0.iter().map(pair).collect::<Vec<_>>().join(comma))
        }
    }
}

//! Rules as the lines of a table.

use std::borrow::Cow;

use super::{RuleLocation, list_of};
use crate::base::document::{Faults, Node, Object, Path, Placed, Shape, refuse_unknown, wrong_type};
use crate::base::problem::ErrorCode;

/// What the lines of a table have in common.
#[derive(Debug, Default)]
pub(super) struct RuleTable<'a> {
    comum: Object<'a>,
    colunas: Vec<Vec<String>>,
}

/// Reads what the lines of a table have in common.
pub(super) fn read_table<'a>(
    t: usize,
    node: &Node<'a>,
    exemplos: &mut Vec<(RuleLocation, Vec<Node<'a>>)>,
    faults: &mut Faults,
) -> RuleTable<'a> {
    let location = RuleLocation::Table(t);
    location.with_path(|at| {
        let Node::Object(table) = node else {
            wrong_type(&Shape::Document(&[]), node, at, faults);
            return RuleTable::default();
        };
        let known = ["comum", "colunas", "linhas", "exemplos"];
        refuse_unknown(&Placed::of(table, &[], &known), &known.into_iter(), at, faults);
        for name in ["colunas", "linhas"] {
            if table.get(name).is_none() {
                faults.add(&at.key(name), ErrorCode::CampoObrigatorio, format!("Falta `{name}` na tabela."));
            }
        }
        exemplos.push((location, list_of(table, "exemplos", at, faults).to_vec()));
        let comum = match table.get("comum") {
            Some(Node::Object(common)) => common.clone(),
            None => Object::default(),
            Some(other) => {
                wrong_type(&Shape::Document(&[]), other, &at.key("comum"), faults);
                Object::default()
            }
        };
        let colunas = read_columns(list_of(table, "colunas", at, faults), &comum, &at.key("colunas"), faults);
        list_of(table, "linhas", at, faults);
        RuleTable { comum, colunas }
    })
}

impl<'a> RuleTable<'a> {
    /// The rule of a line. Reports a line with too few or too many cells.
    pub(super) fn rule(&self, line: Node<'a>, at: &Path<'_>, faults: &mut Faults) -> Option<Object<'a>> {
        let columns = &self.colunas;
        let cells = match line {
            Node::List(cells) if cells.len() == columns.len() => cells,
            Node::List(cells) => {
                let detail = format!("A linha tem {} células e a tabela {} colunas.", cells.len(), columns.len());
                faults.add(at, ErrorCode::ValorInvalido, detail);
                return None;
            }
            other => {
                wrong_type(&Shape::List(&Shape::Text), &other, at, faults);
                return None;
            }
        };
        let mut rule = self.comum.clone();
        for (column, cell) in columns.iter().zip(cells) {
            // A null cell is a null figure inside `conteudo`; anywhere else the member is absent.
            if cell != Node::Null || column.first().is_some_and(|c| c == "conteudo") {
                set(&mut rule, column, cell);
            }
        }
        Some(rule)
    }
}

fn read_columns(nodes: &[Node<'_>], common: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Vec<Vec<String>> {
    let mut columns: Vec<Vec<String>> = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        let here = at.index(i);
        let Node::Text(name) = node else {
            wrong_type(&Shape::Text, node, &here, faults);
            continue;
        };
        let column: Vec<String> = name.split('.').map(str::to_owned).collect();
        // A column inside another one, or inside a value of `comum` that is not an object, would be lost.
        if columns.iter().any(|other| other.starts_with(&column) || column.starts_with(other)) {
            faults.add(&here, ErrorCode::ValorInvalido, format!("A coluna {name} coincide com outra da tabela."));
        } else if !reaches(common, &column) {
            faults.add(
                &here,
                ErrorCode::ValorInvalido,
                format!("A coluna {name} passa por um valor de `comum` que não é objeto."),
            );
        }
        columns.push(column);
    }
    columns
}

/// True if every existing member on the path, but for its last, is an object.
fn reaches(object: &Object<'_>, path: &[String]) -> bool {
    match path.split_first() {
        Some((name, rest)) if !rest.is_empty() => match object.get(name) {
            None => true,
            Some(Node::Object(inner)) => reaches(inner, rest),
            Some(_) => false,
        },
        _ => true,
    }
}

/// Sets the member at a dotted path, and creates the objects on the way.
fn set<'a>(object: &mut Object<'a>, path: &[String], value: Node<'a>) {
    let Some((name, rest)) = path.split_first() else { return };
    let at = object.0.iter().position(|(k, _)| k == name);
    if rest.is_empty() {
        match at.and_then(|i| object.0.get_mut(i)) {
            Some((_, old)) => *old = value,
            None => object.0.push((Cow::Owned(name.clone()), value)),
        }
        return;
    }
    let at = at.unwrap_or_else(|| {
        object.0.push((Cow::Owned(name.clone()), Node::Object(Object::default())));
        object.0.len() - 1
    });
    if let Some((_, Node::Object(inner))) = object.0.get_mut(at) {
        set(inner, rest, value);
    }
}

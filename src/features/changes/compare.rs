//! What a version says otherwise than the one before it, field by field, by the declarations of its tax.

use serde::{Deserialize, Serialize};

use crate::base::document::{Document, Field, Node, Object, Shape};
use crate::base::value::{Date, format_rate, parse_decimal, with_separators};
use crate::law::rule::bundle::RuleHeader;
use crate::law::tax::Entry;

/// Members of a version that are compared beside its scope and content.
const HEADER: [&str; 4] = ["citacao_legal", "motivo", "avisos", "conferencia"];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldChange {
    /// Its path in the rule: `conteudo.faixas[1].aliquota`.
    pub campo: String,
    /// What people call it.
    pub rotulo: String,
    /// The value before, in words.
    pub antes: String,
    pub depois: String,
}

/// A field and where it is.
struct Place<'p> {
    campo: &'p str,
    rotulo: &'p str,
}

/// The changes from one record of a version to another, both as objects. Without an older one, the fields of the content
/// of the new one.
pub(super) fn compare(entry: &Entry, old: Option<&Object<'_>>, new: &Object<'_>) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    if let Some(old) = old {
        let scope = entry.escopo.fields();
        members("escopo", &scope, inner(Some(old), "escopo"), inner(Some(new), "escopo"), &mut changes);
        let header = RuleHeader::FIELDS.iter().filter(|field| HEADER.contains(&field.name));
        for field in header {
            let place = Place { campo: field.name, rotulo: field.label };
            value(&place, field, old.get(field.name), new.get(field.name), &mut changes);
        }
    }
    members("conteudo", entry.conteudo, inner(old, "conteudo"), inner(Some(new), "conteudo"), &mut changes);
    changes
}

fn inner<'o, 'a>(record: Option<&'o Object<'a>>, name: &str) -> Option<&'o Object<'a>> {
    match record?.get(name)? {
        Node::Object(object) => Some(object),
        _ => None,
    }
}

/// Adds what differs between two objects of these fields.
fn members(
    within: &str,
    fields: &[Field],
    old: Option<&Object<'_>>,
    new: Option<&Object<'_>>,
    changes: &mut Vec<FieldChange>,
) {
    for field in fields {
        let place = Place { campo: &format!("{within}.{}", field.name), rotulo: field.label };
        value(&place, field, old.and_then(|o| o.get(field.name)), new.and_then(|o| o.get(field.name)), changes);
    }
}

/// Adds what differs between two values of a field. An absent value is its default.
fn value(
    place: &Place<'_>,
    field: &Field,
    old: Option<&Node<'_>>,
    new: Option<&Node<'_>>,
    changes: &mut Vec<FieldChange>,
) {
    match (&field.shape, old, new) {
        (_, old, new) if old == new => {}
        (Shape::Document(fields), Some(Node::Object(_)) | None, Some(Node::Object(_)) | None) => {
            let (Some(Node::Object(old)), Some(Node::Object(new))) = (old, new) else {
                changes.push(place.change(summary(fields, old), summary(fields, new)));
                return;
            };
            let mut found = Vec::new();
            members(place.campo, fields, Some(old), Some(new), &mut found);
            changes.extend(found.into_iter().map(|change| place.around(change)));
        }
        (Shape::List(Shape::Document(fields)), _, _) => {
            let (old, new) = (items(old), items(new));
            for i in 0..old.len().max(new.len()) {
                let campo = format!("{}[{i}]", place.campo);
                let rotulo = format!("{}, {}º", place.rotulo, i + 1);
                let place = Place { campo: &campo, rotulo: &rotulo };
                let of_item = Field { shape: Shape::Document(fields), ..*field };
                value(&place, &of_item, old.get(i).copied(), new.get(i).copied(), changes);
            }
        }
        (shape, old, new) => {
            let (antes, depois) = (written(shape, field, old), written(shape, field, new));
            if antes != depois {
                changes.push(place.change(antes, depois));
            }
        }
    }
}

impl Place<'_> {
    fn change(&self, antes: String, depois: String) -> FieldChange {
        FieldChange { campo: self.campo.to_owned(), rotulo: self.rotulo.to_owned(), antes, depois }
    }

    /// A change inside this place.
    fn around(&self, change: FieldChange) -> FieldChange {
        FieldChange { rotulo: format!("{}: {}", self.rotulo, change.rotulo), ..change }
    }
}

fn items<'n, 'a>(node: Option<&'n Node<'a>>) -> Vec<&'n Node<'a>> {
    match node {
        None | Some(Node::Null) => Vec::new(),
        Some(Node::List(items)) => items.iter().collect(),
        Some(one) => vec![one],
    }
}

/// An object as one text: label and value of each field that it has.
fn summary(fields: &[Field], node: Option<&Node<'_>>) -> String {
    let object = match node {
        Some(Node::Object(object)) => object,
        // A warning may be a sentence alone.
        Some(Node::Text(text)) => return text.to_string(),
        _ => return absent(node),
    };
    let given = fields.iter().filter_map(|field| Some((field, object.get(field.name)?)));
    given
        .map(|(field, node)| format!("{} {}", field.label, written(&field.shape, field, Some(node))))
        .collect::<Vec<_>>()
        .join("; ")
}

fn absent(node: Option<&Node<'_>>) -> String {
    if node.is_none() { "(ausente)" } else { "(não estabelecido)" }.to_owned()
}

/// A value in words.
fn written(shape: &Shape, field: &Field, node: Option<&Node<'_>>) -> String {
    let default = field.default.and_then(|json| Node::parse(json.as_bytes()).ok());
    match (shape, node.or(default.as_ref())) {
        (_, None) => absent(None),
        (_, Some(Node::Null)) => absent(Some(&Node::Null)),
        (shape, Some(Node::List(items))) => {
            // A field of one word may have several.
            let inner = if let Shape::List(inner) = shape { *inner } else { shape };
            let items: Vec<String> = items.iter().map(|item| written(inner, field, Some(item))).collect();
            if items.is_empty() { absent(None) } else { items.join(", ") }
        }
        (Shape::List(inner), Some(one)) => written(inner, field, Some(one)),
        (Shape::Document(fields), Some(node)) => summary(fields, Some(node)),
        (Shape::Rate | Shape::SignedRate, Some(Node::Text(text))) => format!("{} %", decimal(text)),
        (Shape::Amount | Shape::PositiveAmount, Some(Node::Text(text))) => decimal(text),
        (Shape::Date, Some(Node::Text(text))) => Date::parse(text).map_or_else(|_| text.to_string(), Date::dmy),
        (Shape::OneOf(words), Some(Node::Text(text))) => {
            let label = words.labelled().find(|(word, _)| word == text);
            label.map_or_else(|| text.to_string(), |(_, label)| label.to_owned())
        }
        (_, Some(Node::Text(text))) => text.to_string(),
        (_, Some(Node::Bool(value))) => if *value { "sim" } else { "não" }.to_owned(),
        (_, Some(Node::Int(number))) => number.to_string(),
        (_, Some(Node::Float(number))) => number.to_string(),
        (_, Some(Node::Figure(figure))) => with_separators(&format_rate(*figure)),
        (_, Some(node @ Node::Object(_))) => serde_json::to_string(node).unwrap_or_default(),
    }
}

/// A decimal as Brazilians write it, with two places at least: `1.234,50`.
fn decimal(text: &str) -> String {
    let Ok(number) = parse_decimal(text) else { return text.to_owned() };
    with_separators(&format_rate(number))
}

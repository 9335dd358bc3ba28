//! What the page knows of the taxes: the declaration that validates payloads, written as JSON.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::document::{Field, Shape};
use crate::tax::REGISTRY;
use crate::value::Uf;

/// A tax as the page shows it.
#[derive(Serialize)]
struct TaxView {
    tributo: &'static str,
    sigla: &'static str,
    nome: &'static str,
    exemplo: &'static str,
    campos: Vec<FieldView>,
    detalhes: Kinds,
    conteudo: Kinds,
}

/// The names of the texts in the components or in the content of a tax by their kind, however deep
/// they lie. All other texts are shown as they are: no pattern can tell a figure from a part of a citation.
#[derive(Default, Serialize)]
struct Kinds {
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    valor: BTreeSet<&'static str>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    decimal: BTreeSet<&'static str>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    aliquota: BTreeSet<&'static str>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    palavra: BTreeSet<&'static str>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    data: BTreeSet<&'static str>,
}

impl Kinds {
    /// The kinds of these fields. `amounts` takes the names of amounts: those of an answer are in BRL, those of a
    /// rule in BRL or in a unit that the rule names.
    fn of(mut self, fields: &[Field], amounts: fn(&mut Kinds) -> &mut BTreeSet<&'static str>) -> Kinds {
        for field in fields {
            self = self.with(field.name, &field.shape, amounts);
        }
        self
    }

    fn with(
        mut self,
        name: &'static str,
        shape: &Shape,
        amounts: fn(&mut Kinds) -> &mut BTreeSet<&'static str>,
    ) -> Kinds {
        match shape {
            Shape::Amount | Shape::PositiveAmount => amounts(&mut self).insert(name),
            Shape::Rate | Shape::SignedRate => self.aliquota.insert(name),
            Shape::OneOf(_) => self.palavra.insert(name),
            Shape::List(inner) => return self.with(name, inner, amounts),
            Shape::Document(fields) => return self.of(fields, amounts),
            Shape::Date => self.data.insert(name),
            Shape::Text | Shape::Code { .. } | Shape::Instant | Shape::Bool | Shape::Int { .. } => false,
        };
        self
    }
}

/// A field: what it is called, whether it must be there, and what it takes.
#[derive(Serialize)]
struct FieldView {
    nome: &'static str,
    rotulo: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    obrigatorio: bool,
    /// JSON text: `"0"`, `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    padrao: Option<&'static str>,
    #[serde(flatten)]
    tipo: Tipo,
}

/// What the control of a field must take.
#[derive(Serialize)]
#[serde(tag = "tipo", rename_all = "lowercase")]
enum Tipo {
    Texto,
    Codigo {
        exemplo: &'static str,
    },
    Decimal,
    Aliquota,
    Data,
    /// One of `ufs.json`.
    Uf,
    Opcoes {
        valores: &'static [&'static str],
    },
    Booleano,
    Inteiro {
        min: i64,
        max: i64,
    },
}

impl Tipo {
    /// A list takes one value of its kind, too; no payload holds an object.
    fn of(shape: &Shape) -> Tipo {
        match *shape {
            Shape::Text | Shape::Instant | Shape::Document(_) => Tipo::Texto,
            Shape::Code { example, .. } => Tipo::Codigo { exemplo: example },
            Shape::Amount | Shape::PositiveAmount => Tipo::Decimal,
            Shape::Rate | Shape::SignedRate => Tipo::Aliquota,
            Shape::Date => Tipo::Data,
            Shape::OneOf(words) if words == Uf::WORDS => Tipo::Uf,
            Shape::OneOf(valores) => Tipo::Opcoes { valores },
            Shape::Bool => Tipo::Booleano,
            Shape::Int { min, max } => Tipo::Inteiro { min, max },
            Shape::List(inner) => Tipo::of(inner),
        }
    }
}

/// The abbreviations of the UFs.
pub(super) fn ufs() -> Vec<u8> {
    serde_json::to_vec(Uf::WORDS).unwrap_or_default()
}

/// All taxes, in the order of the contract.
pub(super) fn taxes() -> Vec<u8> {
    let view = |field: &Field| FieldView {
        nome: field.name,
        rotulo: field.label,
        obrigatorio: field.required,
        padrao: field.default,
        tipo: Tipo::of(&field.shape),
    };
    let list: Vec<TaxView> = REGISTRY
        .iter()
        .map(|entry| TaxView {
            tributo: entry.tributo.as_str(),
            sigla: entry.sigla,
            nome: entry.nome,
            exemplo: entry.exemplo,
            campos: entry.payload.iter().map(view).collect(),
            detalhes: Kinds::default().with("", &entry.detalhes, |kinds| &mut kinds.valor),
            conteudo: Kinds::default().of(entry.conteudo, |kinds| &mut kinds.decimal),
        })
        .collect();
    serde_json::to_vec(&list).unwrap_or_default()
}

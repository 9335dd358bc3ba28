//! What the page knows of the taxes: the declaration that validates payloads, written as JSON.

use serde::Serialize;

use crate::record::{Field, Shape};
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
            Shape::Text | Shape::Instant | Shape::Record(_) => Tipo::Texto,
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
        })
        .collect();
    serde_json::to_vec(&list).unwrap_or_default()
}

//! What the page knows of the taxes: the declaration that validates payloads, written as JSON.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::document::{Field, Shape};
use crate::tax::{Componente, Forma, REGISTRY};
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
    fn of_components(mut self, declared: &[Componente]) -> Kinds {
        for componente in declared {
            self = self.with_forma(componente.nome, &componente.forma);
        }
        self
    }

    fn with_forma(mut self, name: &'static str, forma: &Forma) -> Kinds {
        match forma {
            Forma::Valor => self.valor.insert(name),
            Forma::Aliquota => self.aliquota.insert(name),
            Forma::Word(_) => self.palavra.insert(name),
            Forma::Data => self.data.insert(name),
            Forma::Lista(inner) | Forma::OuNulo(inner) => return self.with_forma(name, inner),
            Forma::Objeto(declared) => return self.of_components(declared),
            Forma::Logico | Forma::Inteiro | Forma::Texto => false,
        };
        self
    }

    fn of_fields(mut self, fields: &[Field]) -> Kinds {
        for field in fields {
            self = self.with_shape(field.name, &field.shape);
        }
        self
    }

    fn with_shape(mut self, name: &'static str, shape: &Shape) -> Kinds {
        match shape {
            // In BRL or in units that the rule names.
            Shape::Amount | Shape::PositiveAmount => self.decimal.insert(name),
            Shape::Rate | Shape::SignedRate => self.aliquota.insert(name),
            Shape::OneOf(_) => self.palavra.insert(name),
            Shape::List(inner) => return self.with_shape(name, inner),
            Shape::Document(fields) => return self.of_fields(fields),
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
            detalhes: Kinds::default().of_components(entry.detalhes),
            conteudo: Kinds::default().of_fields(entry.conteudo),
        })
        .collect();
    serde_json::to_vec(&list).unwrap_or_default()
}

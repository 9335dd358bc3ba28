//! How the declaration of a value describes it.

use super::words::Words;
use crate::sentence::{Reader, Sentence};

/// What a value looks like: for reading it, for the form, for the API description and for the sentences of
/// faults. A declaration of an answer uses the same shapes: an amount is then in BRL with two places, and a list
/// is always written as a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    Text,
    /// A text of a fixed form, described by an example.
    Code {
        /// What it is called, in Portuguese.
        name: &'static str,
        /// Regular expression of the accepted form.
        pattern: &'static str,
        /// One that is accepted.
        example: &'static str,
    },
    /// A decimal string, not below zero.
    Amount,
    PositiveAmount,
    /// A decimal string in percent points, not below zero.
    Rate,
    /// A difference in percent points, with or without a sign.
    SignedRate,
    /// A date, `YYYY-MM-DD`.
    Date,
    /// An instant, ISO 8601 with an offset.
    Instant,
    OneOf(Words),
    Bool,
    /// A whole number within the bounds, both included.
    Int {
        min: i64,
        max: i64,
    },
    List(&'static Shape),
    Document(&'static [Field]),
}

/// What a component is in the answer of any tax, for those that show or add answers without knowing the tax. A tax has
/// one base; of several rates, the first that an answer states is the one to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The base of the tax.
    Base,
    /// A rate as the rule states it.
    Aliquota,
    /// The rate after reductions.
    AliquotaEfetiva,
    /// The own ICMS, without FCP and without the difference.
    Icms,
    /// A part that the buyer pays, if the buyer is the one who owes it.
    PorComprador,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    pub name: &'static str,
    /// What people call it, in Portuguese.
    pub label: &'static str,
    /// What else to know of it: the rest of the description, with the punctuation after the label.
    pub rest: &'static str,
    pub shape: Shape,
    /// True if it may not be left out.
    pub required: bool,
    pub nullable: bool,
    /// JSON text of the value that applies when it is left out.
    pub default: Option<&'static str>,
    /// What a component is in the answer of any tax; `None` of most, and of what is read.
    pub role: Option<Role>,
}

impl Field {
    /// What the field means: the label and what else to know.
    pub fn description(&self) -> String {
        [self.label, self.rest].concat()
    }

    /// A field that may be left out and has no default.
    pub const fn optional(name: &'static str, shape: Shape, label: &'static str) -> Field {
        Field { name, label, rest: "", shape, required: false, nullable: false, default: None, role: None }
    }
}

impl Shape {
    /// The accepted values in Portuguese: "um decimal entre aspas, como ..." for the author of a payload, "um valor como ..."
    /// for a person.
    pub fn describe(&self) -> Sentence {
        Sentence::of(|to| self.described(to))
    }

    fn described(&self, to: Reader) -> String {
        match self {
            Shape::Text => "um texto".to_owned(),
            Shape::Code { name, example, .. } => format!("{name} (como \"{example}\")"),
            Shape::Amount | Shape::PositiveAmount => {
                to.either("um decimal entre aspas, como \"1234.50\"", "um valor como 1.234,56").to_owned()
            }
            Shape::Rate | Shape::SignedRate => to
                .either("uma alíquota em pontos percentuais entre aspas, como \"18.00\"", "um percentual como 18,00")
                .to_owned(),
            Shape::Date => to.either("uma data AAAA-MM-DD", "uma data como 20/11/2026").to_owned(),
            Shape::Instant => to.either("um instante em ISO 8601", "uma data e hora como 20/11/2026 10:30").to_owned(),
            Shape::OneOf(words) => format!("um destes: {}", words.listed()),
            Shape::Bool => to.either("true ou false", "sim ou não").to_owned(),
            Shape::Int { min, max } => format!("um inteiro de {min} a {max}"),
            Shape::List(inner) => format!("uma lista de itens, cada um {}", inner.described(to)),
            Shape::Document(fields) => {
                let name = |field: &Field| to.either(field.name.to_owned(), format!("`{}`", field.name));
                format!("um objeto com {}", fields.iter().map(name).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// The names of the fields, in their order.
pub fn names(fields: &[Field]) -> impl Iterator<Item = &'static str> + Clone {
    fields.iter().map(|field| field.name)
}

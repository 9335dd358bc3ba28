//! Codes of goods and services: NCM, CEST, ex tarifário, tax classification.

use std::fmt;

use serde::{Serialize, Serializer};

use super::text::{read_text, shorten, unfit};
use crate::document::{Faults, FromNode, Node, Object, Path, Shape};
use crate::problem::ErrorCode;

const NCM_SHAPE: Shape =
    Shape::Code { name: "um NCM de 8 dígitos, sem pontos", pattern: "^[0-9]{8}$", example: "22030000" };
const PREFIX_SHAPE: Shape = Shape::Code {
    name: "um NCM ou prefixo de 2, 4, 5, 6 ou 7 dígitos",
    pattern: "^[0-9]{2}([0-9]{2,6})?$",
    example: "2203",
};
const CEST_SHAPE: Shape =
    Shape::Code { name: "um CEST de 7 dígitos, sem pontos", pattern: "^[0-9]{7}$", example: "0302100" };
const CLASSIFICACAO_SHAPE: Shape = Shape::Code {
    name: "um código de classificação tributária (cClassTrib) de 6 dígitos",
    pattern: "^[0-9]{6}$",
    example: "200003",
};
const EX_SHAPE: Shape =
    Shape::Code { name: "o número do Ex", pattern: "^(0{0,2}[1-9]|0?[1-9][0-9]|[1-9][0-9]{2})$", example: "01" };

/// Up to eight digits, in place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Digits {
    bytes: [u8; 8],
    len: u8,
}

impl Digits {
    fn parse(text: &str) -> Option<Digits> {
        let mut bytes = [0; 8];
        if text.is_empty() || text.len() > 8 || !text.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        for (slot, digit) in bytes.iter_mut().zip(text.bytes()) {
            *slot = digit;
        }
        Some(Digits { bytes, len: u8::try_from(text.len()).ok()? })
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// The first `len` digits; all of them if there are no more.
    fn shortened(mut self, len: u8) -> Digits {
        self.len = self.len.min(len);
        self.bytes.iter_mut().skip(usize::from(self.len)).for_each(|digit| *digit = 0);
        self
    }
}

/// Digits of a CNPJ that all establishments of a company share.
const CNPJ_ROOT: usize = 8;

/// The root of a CNPJ, which all establishments of a company share; `None` of a CPF or another text.
pub fn cnpj_root(number: &str) -> Option<&str> {
    (number.len() == 14).then(|| number.get(..CNPJ_ROOT)).flatten()
}

macro_rules! digits_type {
    ($(#[$meta:meta])* $name:ident, $shape:expr, $codigo:ident, $person:literal, $parse:expr) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Digits);

        impl $name {
            pub fn as_str(&self) -> &str { std::str::from_utf8(self.as_bytes()).unwrap_or_default() }

            /// Their bytes. Keys and comparisons need no more, and a text is checked each time.
            pub fn as_bytes(&self) -> &[u8] { self.0.as_bytes() }

            /// Reads the code; the error says in Portuguese what is accepted.
            pub fn parse(text: &str) -> Result<$name, String> {
                let parse: fn(&str) -> Option<Digits> = $parse;
                parse(text).map($name).ok_or_else(|| {
                    let Shape::Code { name, example, .. } = $shape else { return String::new() };
                    format!("\"{}\" não serve: informe {name}, como \"{example}\".", shorten(text))
                })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(self.as_str()) }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(self.as_str()) }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> { s.serialize_str(self.as_str()) }
        }

        impl FromNode for $name {
            const SHAPE: Shape = $shape;

            fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
                read_text(node, &Self::SHAPE, at, faults, ErrorCode::$codigo, |text| {
                    $name::parse(text).map_err(|why| unfit(text, why, $person))
                })
            }
        }
    };
}

digits_type!(
    /// A product code of the Mercosur nomenclature, eight digits.
    Ncm, NCM_SHAPE, NcmInvalido, "Um NCM tem 8 algarismos, como 2203.00.00.", |text| Digits::parse(text).filter(|d| d.len == 8)
);
digits_type!(
    /// An NCM, or its first 2, 4, 5, 6 or 7 digits, as the scope of a rule names it.
    NcmPrefix, PREFIX_SHAPE, NcmInvalido,
    "Um NCM tem 8 algarismos; um prefixo dele, 2, 4, 5, 6 ou 7, como 2203.", |text| Digits::parse(text).filter(|d| matches!(d.len, 2 | 4..=8))
);
digits_type!(
    /// A code that distinguishes goods under substitution, seven digits.
    Cest, CEST_SHAPE, CestInvalido, "Um CEST tem 7 algarismos, como 17.053.00.", |text| Digits::parse(text).filter(|d| d.len == 7)
);
digits_type!(
    /// A tariff exception, canonical: `1` becomes `01`.
    Ex, EX_SHAPE, ExInvalido, "Escreva só o número do Ex, como 01.", |text| {
        let number: u16 = Digits::parse(text).filter(|d| d.len <= 3).and_then(|_| text.parse().ok())?;
        if number == 0 { None } else { Digits::parse(&format!("{number:02}")) }
    }
);

/// The tariff exception that a payload declares. `0`, `00` and `000`, as documents write it, declare none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExDeclarado(pub Option<Ex>);

impl ExDeclarado {
    /// Reads the number; the error says in Portuguese what is accepted.
    pub fn parse(text: &str) -> Result<ExDeclarado, String> {
        let is_none = matches!(text, "0" | "00" | "000");
        if is_none { Ok(ExDeclarado(None)) } else { Ex::parse(text).map(|ex| ExDeclarado(Some(ex))) }
    }
}

impl FromNode for ExDeclarado {
    const SHAPE: Shape =
        Shape::Code { name: "o número do Ex, ou 00 se não há exceção", pattern: "^[0-9]{1,3}$", example: "01" };
    const OPTIONAL: bool = true;

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        read_text(node, &Self::SHAPE, at, faults, ErrorCode::ExInvalido, |text| {
            ExDeclarado::parse(text).map_err(|why| unfit(text, why, "Escreva só o número do Ex, como 01."))
        })
    }

    fn absent() -> Option<Self> {
        Some(ExDeclarado(None))
    }
}

digits_type!(
    /// A tax classification of CBS and IBS (cClassTrib of the fiscal documents), six digits.
    ClassificacaoTributaria, CLASSIFICACAO_SHAPE, ClassificacaoInvalida,
    "Um cClassTrib tem 6 algarismos, como 200003.",
    |text| Digits::parse(text).filter(|d| d.len == 6)
);

impl ClassificacaoTributaria {
    /// The tax situation (CST): the first three digits.
    pub fn cst(&self) -> &str {
        self.as_str().get(..3).unwrap_or_default()
    }
}

/// Lengths of prefixes, longest first.
const PREFIX_LENGTHS: [u8; 6] = [8, 7, 6, 5, 4, 2];

/// The code and its prefixes, longest first.
fn prefixes(code: Digits) -> impl Iterator<Item = NcmPrefix> + Clone {
    let lengths = PREFIX_LENGTHS.into_iter().filter(move |len| *len <= code.len);
    lengths.map(move |len| NcmPrefix(code.shortened(len)))
}

impl NcmPrefix {
    /// The prefix and those of it, longest first.
    pub fn shortened(&self) -> impl Iterator<Item = NcmPrefix> + Clone + use<> {
        prefixes(self.0)
    }
}

impl Ncm {
    /// The code and its prefixes, longest first: the order of lookups.
    pub fn prefixes(&self) -> impl Iterator<Item = NcmPrefix> + Clone + use<> {
        prefixes(self.0)
    }

    /// True if the code begins with the prefix.
    pub fn is_under(&self, prefix: &NcmPrefix) -> bool {
        self.as_bytes().starts_with(prefix.as_bytes())
    }
}

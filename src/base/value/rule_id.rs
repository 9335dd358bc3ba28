//! Identity of rules: code, version, and both together.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::decimal::DecimalText;
use super::text::{read_text, shorten};
use crate::document::{Faults, FromNode, Node, Object, Path, Shape};
use crate::problem::ErrorCode;

/// Code of a rule, shared by its versions: lower-case letters, digits, `.`, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleCode(Arc<str>);

impl RuleCode {
    /// Parses a code of 3 to 96 characters that begins and ends with a letter or digit.
    pub fn parse(text: &str) -> Result<RuleCode, String> {
        let edge = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-');
        let bytes = text.as_bytes();
        if !(3..=96).contains(&bytes.len())
            || !edge(bytes.first())
            || !edge(bytes.last())
            || !bytes.iter().all(|b| inner(*b))
        {
            return Err(format!(
                "\"{}\" não serve de código: use de 3 a 96 letras minúsculas, dígitos, ponto, hífen ou sublinhado, como \"icms-sp-geral\".",
                shorten(text)
            ));
        }
        if text.contains('.') && RuleId::parse(text).is_some() {
            return Err(format!("\"{text}\" já traz um sufixo de versão; o número vai no campo `versao`."));
        }
        Ok(RuleCode(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromNode for RuleCode {
    const SHAPE: Shape = Shape::Code {
        name: "um código de regra",
        pattern: "^[a-z0-9][a-z0-9._-]{1,94}[a-z0-9]$",
        example: "icms-sp-geral",
    };

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        read_text(node, &Self::SHAPE, at, faults, ErrorCode::ValorInvalido, RuleCode::parse)
    }
}

/// Version of a rule: `major.minor`, ordered by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Versao {
    /// A change of what the law says.
    pub major: u32,
    /// A correction of how it was written down.
    pub minor: u32,
}

/// Longest part of a version number.
const MAX_DIGITS: usize = 9;

impl Versao {
    /// Parses `major.minor`, up to nine digits each, without leading zeros.
    pub fn parse(text: &str) -> Result<Versao, String> {
        let number = |digits: &str| -> Option<u32> {
            let canonical = digits == "0" || !digits.starts_with('0');
            let fits = (1..=MAX_DIGITS).contains(&digits.len());
            if !fits || !canonical || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            digits.parse().ok()
        };
        text.split_once('.')
            .and_then(|(major, minor)| Some(Versao { major: number(major)?, minor: number(minor)? }))
            .ok_or_else(|| format!("\"{}\" não é uma versão; escreva maior.menor, como \"1.0\".", shorten(text)))
    }
}

impl fmt::Display for Versao {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromNode for Versao {
    const SHAPE: Shape = Shape::Code {
        name: "uma versão maior.menor",
        pattern: "^(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})$",
        example: "1.0",
    };

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        read_text(node, &Self::SHAPE, at, faults, ErrorCode::ValorInvalido, Versao::parse)
    }
}

/// A rule version: `<rule_code>-v<major>.<minor>` (contract, section 2.2).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId {
    pub code: RuleCode,
    pub versao: Versao,
}

impl RuleId {
    /// What a written one looks like.
    pub const SHAPE: Shape = Shape::Code {
        name: "a versão de uma regra",
        pattern: "^[a-z0-9][a-z0-9._-]{1,94}[a-z0-9]-v(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})$",
        example: "icms-sp-geral-v1.0",
    };

    /// Parses an id; `None` if the text is not one.
    pub fn parse(text: &str) -> Option<RuleId> {
        let (code, versao) = text.rsplit_once("-v")?;
        Some(RuleId { versao: Versao::parse(versao).ok()?, code: RuleCode::parse(code).ok()? })
    }

    /// The id as text. Every row of a report has one, and to format its parts takes four times as long.
    pub fn text(&self) -> String {
        let [major, minor] = [self.versao.major, self.versao.minor].map(|number| DecimalText::of(number.into()));
        [self.code.as_str(), "-v", major.as_str(), ".", minor.as_str()].concat()
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl From<&RuleId> for Cow<'_, str> {
    fn from(id: &RuleId) -> Self {
        id.text().into()
    }
}

impl Serialize for RuleId {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RuleId {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(d)?;
        RuleId::parse(&text).ok_or_else(|| serde::de::Error::custom("not the id of a rule version"))
    }
}

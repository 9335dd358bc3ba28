//! Free text and small whole numbers.

use std::fmt::Display;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::secret::{REMOVED, looks_secret};
use crate::document::{
    Faults, FromNode, Node, Object, Path, Shape, Shown, Words, WriteResult, is_plain, write_plain, write_text,
    wrong_type,
};
use crate::problem::ErrorCode;
use crate::sentence::Sentence;

/// Longest free text of a rule, in bytes: enough for a legal remark.
const MAX_TEXT_BYTES: usize = 4_000;

/// Most characters of a caller's own text that an answer repeats.
const MAX_ECHOED_CHARS: usize = 60;

/// A number and what it counts: `0 regras`, `1 regra`, `2 regras`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    let what = if count == N::from(1) { one } else { many };
    format!("{count} {what}")
}

/// The refusal of a text. A person reads the text and `advice`, which is what to write in its place.
pub(super) fn unfit(text: &str, program: String, advice: &str) -> Sentence {
    Sentence::both(program, format!("\"{}\" não serve. {advice}", shorten(text)))
}

/// Parses a text node with `parse`. Reports its error as a fault of code `codigo`.
pub fn read_text<T, F: Into<Sentence>>(
    node: &Node<'_>,
    shape: &Shape,
    at: &Path<'_>,
    faults: &mut Faults,
    codigo: ErrorCode,
    parse: impl FnOnce(&str) -> Result<T, F>,
) -> Option<T> {
    let Node::Text(text) = node else {
        wrong_type(shape, node, at, faults);
        return None;
    };
    match parse(text) {
        Ok(value) => Some(value),
        Err(detail) => {
            faults.add(at, codigo, detail);
            None
        }
    }
}

/// Reads one of these words; `from_word` returns its member.
pub fn read_word<T>(
    node: &Node<'_>,
    words: Words,
    from_word: impl FnOnce(&str) -> Option<T>,
    at: &Path<'_>,
    faults: &mut Faults,
) -> Option<T> {
    read_text(node, &Shape::OneOf(words), at, faults, ErrorCode::ValorInvalido, |text| {
        let refused = || format!("\"{}\" não é aceito; use um destes: {}.", shorten(text), words.listed());
        from_word(text).ok_or_else(refused)
    })
}

/// The beginning of a text that a caller sent: an answer must never echo a long text, nor a key that was put into
/// a field by mistake.
pub fn shorten(text: &str) -> String {
    let upto = |chars: usize| text.char_indices().nth(chars).map_or(text, |(end, _)| text.get(..end).unwrap_or(text));
    // Checks twice the echoed length, so that a key that would be echoed in part is recognized.
    if looks_secret(upto(2 * MAX_ECHOED_CHARS)) {
        return REMOVED.to_owned();
    }
    let short = upto(MAX_ECHOED_CHARS);
    if short.len() < text.len() { format!("{short}…") } else { short.to_owned() }
}

/// A text, shared by the answers that show it. One of a document is neither empty nor too long.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Text {
    text: Arc<str>,
    /// True if JSON has it as it is. Looking at each letter takes a tenth of a long answer.
    is_plain: bool,
}

impl<T: Into<Arc<str>>> From<T> for Text {
    fn from(text: T) -> Text {
        let text = text.into();
        Text { is_plain: is_plain(&text), text }
    }
}

impl Text {
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.text)
    }
}

impl Shown for Text {
    const SHAPE: Shape = Shape::Text;

    fn write(&self, out: &mut Vec<u8>) -> WriteResult {
        if self.is_plain {
            write_plain(out, self.text.as_bytes());
            return Ok(());
        }
        write_text(out, &self.text)
    }

    fn node(&self) -> Node<'_> {
        self.as_str().into()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl FromNode for Text {
    const SHAPE: Shape = Shape::Text;

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        read_text(node, &<Text as FromNode>::SHAPE, at, faults, ErrorCode::ValorInvalido, |text| {
            let trimmed = text.trim();
            if trimmed.is_empty() {
                return Err("O texto está vazio; escreva-o ou tire o campo.".to_owned());
            }
            if trimmed.len() > MAX_TEXT_BYTES {
                return Err(format!("O texto passa de {MAX_TEXT_BYTES} bytes; encurte-o."));
            }
            Ok(trimmed.into())
        })
    }
}

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Int<const MIN: i64, const MAX: i64>(i64);

impl<const MIN: i64, const MAX: i64> Int<MIN, MAX> {
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl<const MIN: i64, const MAX: i64> FromNode for Int<MIN, MAX> {
    const SHAPE: Shape = Shape::Int { min: MIN, max: MAX };

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        match node.whole() {
            Some(value) if (MIN..=MAX).contains(&value) => Some(Int(value)),
            Some(value) => {
                let detail = format!("{value} está fora do intervalo de {MIN} a {MAX}.");
                faults.add(at, ErrorCode::ForaDoIntervalo, detail);
                None
            }
            None => {
                wrong_type(&Self::SHAPE, node, at, faults);
                None
            }
        }
    }
}

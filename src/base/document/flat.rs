//! Reads the ordinary payload: one object whose values are plain texts, `true`, `false`, `null` and whole numbers.
//!
//! A payload is nearly always of this form, and reading it so costs a third of what the general parser costs. Whatever
//! is not of this form, also what is not JSON, is left to the general parser, which alone knows the faults.

use std::borrow::Cow;

use super::node::{JsonFault, Node, Object, text_of};

/// Members for which room is made at once: a payload of the contract has up to twenty.
const USUAL_MEMBERS: usize = 16;
/// Whole numbers of so many digits fit 64 bits.
const MAX_DIGITS: usize = 18;

/// As [`Node::parse`], in a third of the time if the document is an object of plain values.
pub fn parse_payload(bytes: &[u8]) -> Result<Node<'_>, JsonFault> {
    let text = text_of(bytes)?;
    object(text).map_or_else(|| Node::parse_text(text), |object| Ok(Node::Object(object)))
}

/// The object that a text is; `None` if it is anything but an object of this form.
fn object(text: &str) -> Option<Object<'_>> {
    let mut scan = Scan(text);
    let mut members = Vec::with_capacity(USUAL_MEMBERS);
    scan.skip_blanks();
    scan.pass("{")?;
    loop {
        scan.skip_blanks();
        let name = scan.plain_text()?;
        scan.skip_blanks();
        scan.pass(":")?;
        scan.skip_blanks();
        members.push((Cow::Borrowed(name), scan.value()?));
        scan.skip_blanks();
        if scan.pass(",").is_none() {
            break;
        }
    }
    scan.pass("}")?;
    scan.skip_blanks();
    scan.0.is_empty().then_some(Object(members))
}

/// What is left of the text.
struct Scan<'a>(&'a str);

impl<'a> Scan<'a> {
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.0.as_bytes().first() {
            self.0 = self.0.get(1..).unwrap_or_default();
        }
    }

    fn pass(&mut self, word: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(word)?;
        Some(())
    }

    /// A text in quotes without escapes.
    fn plain_text(&mut self) -> Option<&'a str> {
        self.pass("\"")?;
        let end = self.0.bytes().position(|byte| !PLAIN.get(usize::from(byte)).is_some_and(|plain| *plain))?;
        let (text, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        self.pass("\"")?;
        Some(text)
    }

    fn value(&mut self) -> Option<Node<'a>> {
        match self.0.as_bytes().first()? {
            b'"' => self.plain_text().map(|text| Node::Text(Cow::Borrowed(text))),
            b't' => self.pass("true").map(|()| Node::Bool(true)),
            b'f' => self.pass("false").map(|()| Node::Bool(false)),
            b'n' => self.pass("null").map(|()| Node::Null),
            b'1'..=b'9' => self.whole(),
            _ => None,
        }
    }

    fn whole(&mut self) -> Option<Node<'a>> {
        let count = self.0.bytes().position(|byte| !byte.is_ascii_digit())?;
        let (digits, rest) = self.0.split_at_checked(count)?;
        let number =
            digits.bytes().fold(0_i64, |number, digit| number.wrapping_mul(10).wrapping_add((digit - b'0').into()));
        self.0 = rest;
        let is_whole =
            count <= MAX_DIGITS && matches!(rest.as_bytes().first(), Some(b',' | b'}' | b' ' | b'\n' | b'\r' | b'\t'));
        is_whole.then_some(Node::Int(number))
    }
}

/// True of the bytes of a text that stand for themselves: neither quote nor backslash nor control character.
#[expect(clippy::indexing_slicing, reason = "the index is below the length, and is evaluated by the compiler")]
const PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < plain.len() {
        plain[byte] = byte >= 0x20 && byte != b'"' as usize && byte != b'\\' as usize;
        byte += 1;
    }
    plain
};

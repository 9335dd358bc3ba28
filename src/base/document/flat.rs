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
    let mut scan = Scan { text, at: 0 };
    let mut members = Vec::with_capacity(USUAL_MEMBERS);
    scan.pass(b'{')?;
    loop {
        scan.skip_blanks();
        let name = scan.plain_text()?;
        scan.pass(b':')?;
        scan.skip_blanks();
        members.push((Cow::Borrowed(name), scan.value()?));
        if scan.pass(b',').is_none() {
            break;
        }
    }
    scan.pass(b'}')?;
    scan.skip_blanks();
    scan.peek().is_none().then_some(Object(members))
}

/// A text, and how far it was read.
struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Passes blanks and this byte.
    fn pass(&mut self, byte: u8) -> Option<()> {
        self.skip_blanks();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn pass_word(&mut self, word: &str) -> Option<()> {
        self.text.as_bytes().get(self.at..)?.starts_with(word.as_bytes()).then(|| self.at += word.len())
    }

    /// The bytes up to the first one that `ends` them, which is not read.
    fn until(&mut self, ends: impl Fn(u8) -> bool) -> Option<&'a str> {
        let begin = self.at;
        self.at += self.text.as_bytes().get(begin..)?.iter().position(|byte| ends(*byte))?;
        self.text.get(begin..self.at)
    }

    /// A text in quotes without escapes.
    fn plain_text(&mut self) -> Option<&'a str> {
        (self.peek()? == b'"').then(|| self.at += 1)?;
        let text = self.until(|byte| !PLAIN.get(usize::from(byte)).is_some_and(|plain| *plain))?;
        (self.peek()? == b'"').then(|| self.at += 1)?;
        Some(text)
    }

    fn value(&mut self) -> Option<Node<'a>> {
        match self.peek()? {
            b'"' => self.plain_text().map(|text| Node::Text(Cow::Borrowed(text))),
            b't' => self.pass_word("true").map(|()| Node::Bool(true)),
            b'f' => self.pass_word("false").map(|()| Node::Bool(false)),
            b'n' => self.pass_word("null").map(|()| Node::Null),
            b'1'..=b'9' => self.whole(),
            _ => None,
        }
    }

    fn whole(&mut self) -> Option<Node<'a>> {
        let digits = self.until(|byte| !byte.is_ascii_digit())?;
        let number =
            digits.bytes().fold(0_i64, |number, digit| number.wrapping_mul(10).wrapping_add((digit - b'0').into()));
        let is_whole =
            digits.len() <= MAX_DIGITS && matches!(self.peek(), Some(b',' | b'}' | b' ' | b'\n' | b'\r' | b'\t'));
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

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
        scan.skip_blanks();
        match scan.next()? {
            b',' => {}
            b'}' => break,
            _ => return None,
        }
    }
    scan.skip_blanks();
    (scan.at == text.len()).then_some(Object(members))
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = *self.text.as_bytes().get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.text.as_bytes().get(self.at) {
            self.at += 1;
        }
    }

    /// Passes the byte, and blanks before it.
    fn pass(&mut self, byte: u8) -> Option<()> {
        self.skip_blanks();
        (self.next()? == byte).then_some(())
    }

    /// A text in quotes without escapes.
    fn plain_text(&mut self) -> Option<&'a str> {
        if self.next()? != b'"' {
            return None;
        }
        let begin = self.at;
        let is_plain = |byte: &u8| PLAIN.get(usize::from(*byte)).is_some_and(|plain| *plain);
        while self.text.as_bytes().get(self.at).is_some_and(is_plain) {
            self.at += 1;
        }
        let end = self.at;
        (self.next()? == b'"').then(|| self.text.get(begin..end))?
    }

    fn word(&mut self, word: &str, node: Node<'a>) -> Option<Node<'a>> {
        self.rest().starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
            node
        })
    }

    fn value(&mut self) -> Option<Node<'a>> {
        match self.text.as_bytes().get(self.at)? {
            b'"' => self.plain_text().map(|text| Node::Text(Cow::Borrowed(text))),
            b't' => self.word("true", Node::Bool(true)),
            b'f' => self.word("false", Node::Bool(false)),
            b'n' => self.word("null", Node::Null),
            b'1'..=b'9' => self.whole(),
            _ => None,
        }
    }

    fn whole(&mut self) -> Option<Node<'a>> {
        let rest = self.rest();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit());
        let (count, number) = digits.fold((0, 0_i64), |(count, number), digit| {
            (count + 1, number.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')))
        });
        self.at += count;
        let is_whole = count <= MAX_DIGITS && matches!(rest.get(count)?, b',' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
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

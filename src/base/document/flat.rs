//! Reads the ordinary document: an object of plain texts, `true`, `false`, `null` and whole numbers, and of lists and
//! objects of these.
//!
//! A payload or the record of a rule is nearly always of this form, and reading it so costs a third of what the general
//! parser costs. Whatever is not of this form, also what is not JSON, is left to the general parser, which alone knows
//! the faults.

use std::borrow::Cow;

use super::node::{JsonFault, Node, Object, text_of};

/// Members for which room is made at once: a payload of the contract has up to twenty.
const USUAL_MEMBERS: usize = 16;
/// Lists and objects within each other that are read here: those of a rule and its worked examples.
const MAX_DEPTH: usize = 6;
/// Whole numbers of so many digits fit 64 bits.
const MAX_DIGITS: usize = 18;

/// As [`Node::parse`], in a third of the time if the document is of that form.
pub fn parse_payload(bytes: &[u8]) -> Result<Node<'_>, JsonFault> {
    let text = text_of(bytes)?;
    object(text).map_or_else(|| Node::parse_text(text), |object| Ok(Node::Object(object)))
}

/// The object that a text is; `None` if it is anything but an object of this form.
fn object(text: &str) -> Option<Object<'_>> {
    let mut scan = Scan(text);
    scan.skip_blanks();
    let object = scan.members(Vec::with_capacity(USUAL_MEMBERS), MAX_DEPTH)?;
    scan.skip_blanks();
    scan.0.is_empty().then_some(object)
}

/// What a text has between these two, and what follows it. The parser is its own: one that is lent is slower by a tenth.
fn between<'a, T>(
    [begin, end]: [&str; 2],
    text: &'a str,
    mut found: Vec<T>,
    read: impl Fn(&mut Scan<'a>) -> Option<T>,
) -> Option<(Vec<T>, &'a str)> {
    let mut scan = Scan(text);
    scan.pass(begin)?;
    loop {
        scan.skip_blanks();
        found.push(read(&mut scan)?);
        scan.skip_blanks();
        if scan.pass(",").is_none() {
            scan.pass(end)?;
            return Some((found, scan.0));
        }
    }
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
        let end = plain_length(self.0.as_bytes())?;
        let (text, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        self.pass("\"")?;
        Some(text)
    }

    fn members(&mut self, room: Vec<(Cow<'a, str>, Node<'a>)>, depth: usize) -> Option<Object<'a>> {
        let member = |scan: &mut Scan<'a>| {
            let name = scan.plain_text()?;
            scan.skip_blanks();
            scan.pass(":")?;
            scan.skip_blanks();
            Some((Cow::Borrowed(name), scan.value(depth)?))
        };
        let (members, rest) = between(["{", "}"], self.0, room, member)?;
        self.0 = rest;
        Some(Object(members))
    }

    fn items(&mut self, depth: usize) -> Option<Vec<Node<'a>>> {
        let (items, rest) = between(["[", "]"], self.0, Vec::new(), |scan| scan.value(depth))?;
        self.0 = rest;
        Some(items)
    }

    fn value(&mut self, depth: usize) -> Option<Node<'a>> {
        match self.0.as_bytes().first()? {
            b'"' => self.plain_text().map(|text| Node::Text(Cow::Borrowed(text))),
            b't' => self.pass("true").map(|()| Node::Bool(true)),
            b'f' => self.pass("false").map(|()| Node::Bool(false)),
            b'n' => self.pass("null").map(|()| Node::Null),
            b'1'..=b'9' => self.whole(),
            b'[' => self.items(depth.checked_sub(1)?).map(Node::List),
            b'{' => self.members(Vec::new(), depth.checked_sub(1)?).map(Node::Object),
            _ => None,
        }
    }

    fn whole(&mut self) -> Option<Node<'a>> {
        let count = self.0.bytes().position(|byte| !byte.is_ascii_digit())?;
        let (digits, rest) = self.0.split_at_checked(count)?;
        let number =
            digits.bytes().fold(0_i64, |number, digit| number.wrapping_mul(10).wrapping_add((digit - b'0').into()));
        self.0 = rest;
        let is_whole = count <= MAX_DIGITS
            && matches!(rest.as_bytes().first(), Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'));
        is_whole.then_some(Node::Int(number))
    }
}

/// How many bytes stand for themselves, until a quote, a backslash or a control character: eight at a time.
fn plain_length(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xff;
    let (words, rest) = bytes.as_chunks::<8>();
    for (word, index) in words.iter().zip(0..) {
        let word = u64::from_le_bytes(*word);
        // The lowest byte of those with their high bit set is below the limit.
        let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
        let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let ends = (below(word, 0x20) | is(b'"') | is(b'\\')) & (ONES * 0x80);
        if ends != 0 {
            return Some(index * 8 + ends.trailing_zeros() as usize / 8);
        }
    }
    let end = rest.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'))?;
    Some(words.len() * 8 + end)
}

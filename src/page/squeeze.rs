//! A script without what only its readers need: comments, and the spaces that separate nothing. Its lines stay as they are,
//! so that an error still names the line of the source.

use std::iter::Peekable;
use std::str::Chars;

/// After these a `/` begins a regular expression; after anything else it divides.
const BEFORE_PATTERN: &str = "(,=:[!&|?{};>+-*%<~^";

/// The script in fewer letters.
pub(super) fn squeezed(script: &str) -> String {
    let mut squeeze = Squeeze {
        rest: script.chars().peekable(),
        out: String::with_capacity(script.len()),
        open: Vec::new(),
        last: None,
    };
    while let Some(c) = squeeze.rest.next() {
        squeeze.take(c);
    }
    squeeze.out
}

struct Squeeze<'s> {
    rest: Peekable<Chars<'s>>,
    out: String,
    /// The braces that are open within each expression of the templates that are open.
    open: Vec<usize>,
    /// The last letter that is neither a space nor the end of a line.
    last: Option<char>,
}

const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

impl Squeeze<'_> {
    fn take(&mut self, c: char) {
        match (c, self.rest.peek().copied(), self.open.last().copied()) {
            (' ', next, _) => self.space(next),
            ('/', Some('*'), _) => self.skip_comment(),
            ('/', Some('/'), _) => while self.rest.next_if(|c| *c != '\n').is_some() {},
            ('/', ..) if self.begins_pattern() => self.pattern(),
            ('"' | '\'', ..) => self.quoted(c),
            ('`', ..) => self.template('`'),
            ('}', _, Some(0)) => {
                self.open.pop();
                self.template('}');
            }
            ('{' | '}', _, Some(braces)) => {
                self.open.pop();
                self.open.push(if c == '{' { braces + 1 } else { braces - 1 });
                self.push(c);
            }
            _ => self.push(c),
        }
    }

    fn begins_pattern(&self) -> bool {
        self.last.is_none_or(|last| BEFORE_PATTERN.contains(last)) || self.out.ends_with("return")
    }

    fn push(&mut self, c: char) {
        self.out.push(c);
        if c != '\n' {
            self.last = Some(c);
        }
    }

    /// A space between two words, or between two signs that would be another one together.
    fn space(&mut self, next: Option<char>) {
        let (Some(last), Some(next)) = (self.last, next) else { return };
        let is_same_line = !self.out.ends_with('\n');
        if is_same_line && (is_word(last) && is_word(next) || matches!((last, next), ('+' | '-', '+' | '-'))) {
            self.out.push(' ');
        }
    }

    fn skip_comment(&mut self) {
        let mut before = ' ';
        for c in self.rest.by_ref() {
            match c {
                '/' if before == '*' => return,
                '\n' => self.out.push('\n'),
                _ => {}
            }
            before = c;
        }
    }

    /// The rest of a text in quotes, letter by letter.
    fn quoted(&mut self, quote: char) {
        self.push(quote);
        while let Some(c) = self.rest.next() {
            self.push(c);
            if c == '\\' {
                self.escaped();
            } else if c == quote {
                return;
            }
        }
    }

    fn escaped(&mut self) {
        if let Some(c) = self.rest.next() {
            self.push(c);
        }
    }

    /// A template from its beginning, or from the end of an expression, to its end or to the next expression.
    fn template(&mut self, from: char) {
        self.push(from);
        while let Some(c) = self.rest.next() {
            self.push(c);
            match (c, self.rest.peek()) {
                ('\\', _) => self.escaped(),
                ('`', _) => return,
                ('$', Some('{')) => {
                    self.escaped();
                    self.open.push(0);
                    return;
                }
                _ => {}
            }
        }
    }

    /// A regular expression. A slash within brackets does not end it.
    fn pattern(&mut self) {
        self.push('/');
        let mut in_brackets = false;
        while let Some(c) = self.rest.next() {
            self.push(c);
            match c {
                '\\' => self.escaped(),
                '[' => in_brackets = true,
                ']' => in_brackets = false,
                '/' if !in_brackets => return,
                _ => {}
            }
        }
    }
}

//! A script as its words and signs, without what only its readers need: comments, and the spaces that separate nothing. Its
//! lines stay as they are, so that an error still names the line of the source.

use std::iter::Peekable;
use std::str::Chars;

/// After these a `/` begins a regular expression; after anything else it divides.
const BEFORE_PATTERN: &str = "(,=:[!&|?{};>+-*%<~^";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name, a word of the language or a number.
    Word,
    Sign,
    /// A text in quotes, a part of a template, a regular expression.
    Text,
    LineEnd,
}

#[derive(Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) text: String,
    /// Whether a space is before it.
    apart: bool,
}

/// The words and signs of a script.
pub(super) fn tokens(script: &str) -> Vec<Token> {
    let mut lexer = Lexer { rest: script.chars().peekable(), out: Vec::new(), open: Vec::new(), apart: false };
    while let Some(c) = lexer.rest.next() {
        lexer.take(c);
    }
    lexer.out
}

/// A script of these, each word as `named` calls it. `const` travels as `let`, which means the same where nothing is written
/// twice.
pub(super) fn script<'n>(tokens: &'n [Token], named: impl Fn(&'n str) -> &'n str) -> String {
    let mut out = String::new();
    for token in tokens {
        let text = match (token.kind, token.text.as_str()) {
            (TokenKind::Word, "const") => "let",
            (TokenKind::Word, word) => named(word),
            (_, text) => text,
        };
        // A space between two words, or between two signs that would be another one together.
        let sides = token.apart.then(|| out.chars().last().zip(text.chars().next())).flatten();
        if sides.is_some_and(|sides| is_word(sides.0) && is_word(sides.1) || matches!(sides, ('+' | '-', '+' | '-'))) {
            out.push(' ');
        }
        out.push_str(text);
    }
    out
}

struct Lexer<'s> {
    rest: Peekable<Chars<'s>>,
    out: Vec<Token>,
    /// The braces that are open within each expression of the templates that are open.
    open: Vec<usize>,
    apart: bool,
}

const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

impl Lexer<'_> {
    fn take(&mut self, c: char) {
        match (c, self.rest.peek().copied(), self.open.last().copied()) {
            (' ', ..) => self.apart = true,
            ('\n', ..) => self.push(TokenKind::LineEnd, c.into()),
            ('/', Some('*'), _) => self.skip_comment(),
            ('/', Some('/'), _) => while self.rest.next_if(|c| *c != '\n').is_some() {},
            ('/', ..) if self.begins_pattern() => self.pattern(),
            ('"' | '\'', ..) => self.quoted(c),
            ('`', ..) => self.template('`'),
            ('}', _, Some(0)) => {
                self.open.pop();
                self.template('}');
            }
            _ if is_word(c) => {
                let mut word = String::from(c);
                self.word(&mut word);
                self.push(TokenKind::Word, word);
            }
            _ => {
                match (c, self.open.last_mut()) {
                    ('{', Some(braces)) => *braces += 1,
                    ('}', Some(braces)) => *braces -= 1,
                    _ => {}
                }
                self.push(TokenKind::Sign, c.into());
            }
        }
    }

    fn push(&mut self, kind: TokenKind, text: String) {
        self.out.push(Token { kind, text, apart: std::mem::take(&mut self.apart) });
    }

    /// The rest of a word.
    fn word(&mut self, out: &mut String) {
        while let Some(c) = self.rest.next_if(|c| is_word(*c)) {
            out.push(c);
        }
    }

    fn begins_pattern(&self) -> bool {
        let last = self.out.iter().rev().find(|token| token.kind != TokenKind::LineEnd);
        last.is_none_or(|last| last.text == "return" || last.text.ends_with(|c| BEFORE_PATTERN.contains(c)))
    }

    fn skip_comment(&mut self) {
        let mut before = ' ';
        while let Some(c) = self.rest.next() {
            match c {
                '/' if before == '*' => return,
                '\n' => self.push(TokenKind::LineEnd, c.into()),
                _ => {}
            }
            before = c;
        }
    }

    /// A letter of a text, with the next one if that belongs to it.
    fn letter(&mut self, out: &mut String) -> Option<char> {
        let c = self.rest.next()?;
        out.push(c);
        if c == '\\' {
            out.extend(self.rest.next());
        }
        Some(c)
    }

    fn quoted(&mut self, quote: char) {
        let mut out = String::from(quote);
        while self.letter(&mut out).is_some_and(|c| c != quote) {}
        self.push(TokenKind::Text, out);
    }

    /// A template from its beginning, or from the end of an expression, to its end or to the next expression.
    fn template(&mut self, from: char) {
        let mut out = String::from(from);
        while let Some(c) = self.letter(&mut out) {
            if c == '$' && self.rest.next_if_eq(&'{').is_some() {
                out.push('{');
                self.open.push(0);
                break;
            }
            if c == '`' {
                break;
            }
        }
        self.push(TokenKind::Text, out);
    }

    /// A regular expression with its flags. A slash within brackets does not end it.
    fn pattern(&mut self) {
        let mut out = String::from('/');
        let mut in_brackets = false;
        while let Some(c) = self.letter(&mut out) {
            match c {
                '[' => in_brackets = true,
                ']' => in_brackets = false,
                '/' if !in_brackets => break,
                _ => {}
            }
        }
        self.word(&mut out);
        self.push(TokenKind::Text, out);
    }
}

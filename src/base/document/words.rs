//! Closed lists of words: what documents write, and what people call each.

use std::ops::Deref;

/// The words of a closed list, in their order, and what people call each. It is used like the list of its words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Words {
    words: &'static [&'static str],
    labels: &'static [&'static str],
}

impl Words {
    /// Words without labels: the word itself is shown, as with `SP`.
    pub const fn bare(words: &'static [&'static str]) -> Words {
        Words { words, labels: &[] }
    }

    /// The words of a declaration, with either a label for each or none. Anything between would give a word the label
    /// of another one, so it does not compile.
    ///
    /// # Panics
    ///
    /// At compile time, if some words have a label and others do not.
    pub const fn declared(words: &'static [&'static str], labels: &'static [&'static str]) -> Words {
        assert!(labels.is_empty() || labels.len() == words.len(), "every word of a list has a label, or none has");
        Words { words, labels }
    }

    /// Each word with its label, in Portuguese; nothing for words without labels.
    pub fn labelled(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.words.iter().copied().zip(self.labels.iter().copied())
    }

    /// What people call a word; the word itself without a label.
    pub fn label(self, word: &'static str) -> &'static str {
        self.labelled().find(|(own, _)| *own == word).map_or(word, |(_, label)| label)
    }

    pub const fn words(self) -> &'static [&'static str] {
        self.words
    }

    /// The words as a sentence lists them. Words with labels are in backquotes: the page writes their labels instead.
    pub fn listed(self) -> String {
        match self.labels {
            [] => self.words.join(", "),
            _ => format!("`{}`", self.words.join("`, `")),
        }
    }
}

impl Deref for Words {
    type Target = [&'static str];

    fn deref(&self) -> &Self::Target {
        self.words
    }
}

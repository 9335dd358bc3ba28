//! The dimensions of a key, by their places in its bytes ([`Chave::bytes`](super::Chave::bytes)).

/// A dimension of a key, in the order of the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    Tributo,
    UfOrigem,
    UfDestino,
    Municipio,
    /// Word of the tax's own dimension, or its tax classification.
    Palavra,
    /// NCM or prefix.
    Ncm,
    /// Tariff exception.
    Ex,
    /// Subitem of the service list.
    Item,
    Cest,
}

use Dimension::{Cest, Ex, Item, Municipio, Ncm, Palavra, Tributo, UfDestino, UfOrigem};

impl Dimension {
    pub(crate) const ALL: [Dimension; 9] = [Tributo, UfOrigem, UfDestino, Municipio, Palavra, Ncm, Ex, Item, Cest];
    /// Those that a lookup may leave open.
    pub const OPEN: [Dimension; 5] = [Palavra, Ncm, Ex, Item, Cest];

    fn place(self) -> usize {
        Dimension::ALL.iter().position(|d| *d == self).unwrap_or_default()
    }

    /// True for the bytes of a whole key, which are the beginning of no other key.
    pub fn are_all_in(bytes: &[u8]) -> bool {
        bytes.split(|byte| *byte == 0).count() == Dimension::ALL.len() + 1
    }

    /// All parts of a key's bytes, in order.
    pub(crate) fn parts(chave: &[u8]) -> [&[u8]; 9] {
        let mut parts: [&[u8]; 9] = [&[]; 9];
        for (part, own) in parts.iter_mut().zip(chave.split(|byte| *byte == 0)) {
            *part = own;
        }
        parts
    }

    /// The part of a key's bytes that it has.
    pub fn of(self, chave: &[u8]) -> &str {
        let bytes = chave.split(|b| *b == 0).nth(self.place()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// Its part among all parts of a key.
    pub(crate) fn among<'k>(self, parts: &[&'k [u8]; 9]) -> &'k [u8] {
        parts.get(self.place()).copied().unwrap_or_default()
    }

    /// The bytes of a key before it: all keys with the same values before it begin with them.
    pub fn before(self, chave: &[u8]) -> &[u8] {
        let mut ends = chave.iter().enumerate().filter(|(_, byte)| **byte == 0).map(|(end, _)| end + 1);
        let length = self.place().checked_sub(1).and_then(|last| ends.nth(last)).unwrap_or_default();
        chave.get(..length).unwrap_or_default()
    }

    /// The bytes of a key with another value of it.
    pub(crate) fn replaced(self, chave: &[u8], value: &str) -> Vec<u8> {
        let head = self.before(chave);
        let tail = chave.get(head.len() + self.of(chave).len()..).unwrap_or_default();
        [head, value.as_bytes(), tail].concat()
    }
}

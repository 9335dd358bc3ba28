//! The shared strings of a workbook: its texts, which the cells refer to by their numbers.
//!
//! All of them are in memory while the worksheet is read, so they are stored without an allocation for each.

use std::borrow::Cow;
use std::io::Read;

use quick_xml::events::Event;

use super::xml::{Xml, push_text};
use crate::{MAX_CELL_BYTES, SheetError};

/// Bytes of a block of texts. A text lies in one block.
const BLOCK_BYTES: usize = 1024 * 1024;
/// Memory that a text takes beside its bytes, as it is counted: its place, twice while the places are moved to a larger
/// allocation.
const STRING_BYTES: u64 = 16;

/// The shared strings, without their phonetic readings.
#[derive(Default)]
pub(super) struct SharedStrings {
    /// The texts, one after another. Blocks are never moved to a larger allocation.
    blocks: Vec<String>,
    places: Vec<Place>,
}

#[derive(Clone, Copy)]
struct Place {
    block: u16,
    start: u32,
    len: u32,
}

impl SharedStrings {
    /// Reads them. Fails if they take more than `most` bytes of memory.
    pub(super) fn read<R: Read>(mut xml: Xml<R>, most: u64) -> Result<SharedStrings, SheetError> {
        let mut strings = SharedStrings::default();
        let mut text = String::new();
        let (mut is_text, mut is_phonetic) = (false, false);
        let mut left = most;
        loop {
            let event = xml.next()?;
            match &event {
                Event::Start(e) => match e.local_name().as_ref() {
                    "t" => is_text = !is_phonetic,
                    "rPh" => is_phonetic = true,
                    _ => {}
                },
                Event::End(e) => match e.local_name().as_ref() {
                    "t" => is_text = false,
                    "rPh" => is_phonetic = false,
                    "si" => {
                        let cost = STRING_BYTES.saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX));
                        left = left.checked_sub(cost).ok_or_else(|| too_much(most))?;
                        strings.push(&unescaped(&text)).ok_or_else(|| too_much(most))?;
                        text.clear();
                    }
                    "sst" => return Ok(strings),
                    _ => {}
                },
                Event::Eof => return Err(SheetError::file("O arquivo está cortado: os textos não chegam ao fim.")),
                event if is_text => {
                    push_text(event, &mut text);
                    if text.len() > MAX_CELL_BYTES {
                        let detail = "O arquivo tem um texto mais longo do que os programas de planilhas aceitam.";
                        return Err(SheetError::file(detail));
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds a text. `None` if there is no room for another block.
    fn push(&mut self, text: &str) -> Option<()> {
        let has_room = |block: &String| block.capacity() - block.len() >= text.len();
        if !self.blocks.last().is_some_and(has_room) {
            self.blocks.push(String::with_capacity(BLOCK_BYTES.max(text.len())));
        }
        let number = u16::try_from(self.blocks.len() - 1).ok()?;
        let block = self.blocks.last_mut()?;
        let place =
            Place { block: number, start: u32::try_from(block.len()).ok()?, len: u32::try_from(text.len()).ok()? };
        block.push_str(text);
        self.places.push(place);
        Some(())
    }

    pub(super) fn get(&self, number: usize) -> Option<&str> {
        let Place { block, start, len } = *self.places.get(number)?;
        self.blocks.get(usize::from(block))?.get(start as usize..start as usize + len as usize)
    }
}

fn too_much(most: u64) -> SheetError {
    SheetError::file(format!(
        "Os textos do arquivo passam de {} MiB; divida o arquivo, ou salve-o como CSV.",
        most / (1024 * 1024)
    ))
}

/// The text with its characters of the form `_x000D_` in place.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains("_x") {
        return text.into();
    }
    let mut rest = text;
    let mut plain = String::with_capacity(text.len());
    while let Some((before, after)) = rest.split_once("_x") {
        plain.push_str(before);
        let character = after
            .get(..4)
            .filter(|_| after.get(4..5) == Some("_"))
            .and_then(|digits| char::from_u32(u32::from_str_radix(digits, 16).ok()?));
        match character {
            Some(character) => {
                plain.push(character);
                rest = after.get(5..).unwrap_or_default();
            }
            None => {
                plain.push_str("_x");
                rest = after;
            }
        }
    }
    (plain + rest).into()
}

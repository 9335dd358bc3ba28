//! XML of a part, with limits on the whole and on each element.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use quick_xml::Reader;
use quick_xml::escape::{resolve_xml_entity, unescape};
use quick_xml::events::{BytesStart, Event};

use crate::{MAX_ROW_BYTES, SheetError};

/// The elements of a part, one after another. An empty element comes as its start and its end.
pub(super) struct Xml<R: Read> {
    reader: Reader<Limited<BufReader<R>>>,
    buffer: Vec<u8>,
}

/// A reader that fails beyond its limits.
struct Limited<R> {
    inner: R,
    /// Bytes that the part may still have.
    left: u64,
    /// Bytes that the current element may still have.
    left_of_element: u64,
}

impl<R: BufRead> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut available = self.fill_buf()?;
        let read = available.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Limited<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let refuse = |detail: &str| Err(io::Error::other(SheetError::file(detail)));
        if self.left == 0 {
            return refuse(
                "Uma parte do arquivo é grande demais depois de descompactada; divida o arquivo, ou salve-o como CSV.",
            );
        }
        if self.left_of_element == 0 {
            return refuse("Uma célula do arquivo é grande demais.");
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        let count = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.left = self.left.saturating_sub(count);
        self.left_of_element = self.left_of_element.saturating_sub(count);
        self.inner.consume(bytes);
    }
}

impl<R: Read> Xml<R> {
    pub(super) fn new(part: R, limit: u64) -> Xml<R> {
        let limited = Limited { inner: BufReader::new(part), left: limit, left_of_element: MAX_ROW_BYTES };
        let mut reader = Reader::from_reader(limited);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        // With the names of open elements in memory, a deep document would have no limit.
        config.check_end_names = false;
        Xml { reader, buffer: Vec::new() }
    }

    /// The next event. A document type is refused: no spreadsheet program writes one.
    pub(super) fn next(&mut self) -> Result<Event<'_>, SheetError> {
        self.buffer.clear();
        self.reader.get_mut().left_of_element = MAX_ROW_BYTES;
        match self.reader.read_event_into(&mut self.buffer) {
            Ok(Event::DocType(_)) => {
                Err(SheetError::file("O arquivo declara um tipo de documento XML, e não é aceito."))
            }
            Ok(event) => Ok(event),
            Err(quick_xml::Error::Io(error)) => Err((&*error).into()),
            Err(error) => Err(SheetError::file(format!(
                "O XML do arquivo tem um erro ({error}); abra-o no programa de planilhas e salve de novo."
            ))),
        }
    }
}

/// Adds the text of an event: characters, a CDATA section, or a reference to a character.
pub(super) fn push_text(event: &Event<'_>, text: &mut String) {
    match event {
        Event::Text(written) => text.push_str(&written.xml10_content()),
        Event::CData(written) => text.push_str(&written.xml10_content()),
        Event::GeneralRef(name) => match resolve_xml_entity(name.as_ref()) {
            Some(named) => text.push_str(named),
            None => text.extend(name.resolve_char_ref().ok().flatten()),
        },
        _ => {}
    }
}

/// The attribute of that name, whatever its prefix.
pub(super) fn attribute<'e>(element: &'e BytesStart<'_>, name: &str) -> Option<Cow<'e, str>> {
    let mut attributes = element.attributes();
    let found = attributes.with_checks(false).flatten().find(|one| one.key.local_name().as_ref() == name)?;
    match found.value {
        Cow::Borrowed(value) => unescape(value).ok(),
        Cow::Owned(value) => unescape(&value).ok().map(|value| Cow::Owned(value.into_owned())),
    }
}

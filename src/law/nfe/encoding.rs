//! The text of a file in the encoding that it declares.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::xml::XmlFault;

/// Bytes in which a declaration names its encoding.
const PROLOG: usize = 200;

/// Returns the text without a byte order mark. The encoding is that of the mark, else the declared one, else UTF-8, or
/// UTF-16 if every other of the first bytes is zero. A text that is not UTF-8 is read as Windows-1252, which contains
/// ISO-8859-1: the figures and codes of a document are ASCII in both, so at most a name is misread, and names are not used.
pub(super) fn decode(bytes: &[u8], most: usize) -> Result<Cow<'_, str>, XmlFault> {
    if bytes.len() > most {
        let detail = format!("passa do limite de {} MiB", most / (1024 * 1024));
        return Err(XmlFault { line: 1, codigo: "arquivo_grande_demais", detail });
    }
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let (text, _) = encoding.decode_without_bom_handling(bytes.get(mark..).unwrap_or_default());
        return Ok(text);
    }
    let encoding = match bytes {
        [b'<', 0, _, 0, ..] => UTF_16LE,
        [0, b'<', 0, _, ..] => UTF_16BE,
        _ => declared(bytes).unwrap_or(UTF_8),
    };
    match encoding.decode_without_bom_handling_and_without_replacement(bytes) {
        Some(text) => Ok(text),
        None => Ok(WINDOWS_1252.decode_without_bom_handling(bytes).0),
    }
}

/// The encoding that the XML declaration names; `None` if it names none, or one that no reader knows.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let prolog = bytes.get(..PROLOG.min(bytes.len()))?;
    let prolog = String::from_utf8_lossy(prolog);
    let declaration = prolog.strip_prefix("<?xml")?.split("?>").next()?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    // A declaration that can be read byte by byte is not in UTF-16, whatever it names.
    Encoding::for_label(value.split(quote).nth(1)?.as_bytes()).map(Encoding::output_encoding)
}

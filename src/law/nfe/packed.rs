//! The documents of a distribution (`retDistDFeInt`, NT 2014.002): each is a `docZip`, base64 of gzip.

use std::io::Read;

use data_encoding::BASE64;
use flate2::read::GzDecoder;

use super::other::OtherFile;
use super::xml::{Element, XmlLimits};
use super::{FiscalDocument, documents};

/// How many times the bytes of a file are unpacked of documents that then cannot be read: a small file of many of them would
/// take a minute.
const WASTED: usize = 4;

/// Adds the packed documents at and below an element.
fn packed<'e, 't>(element: &'e Element<'t>, found: &mut Vec<&'e Element<'t>>) {
    match &*element.name {
        "docZip" => found.push(element),
        _ => element.outside_items().for_each(|child| packed(child, found)),
    }
}

/// Unpacks a document, up to one byte more than `most`. Returns how many bytes came out, of one that cannot be unpacked
/// too, and the document or why there is none.
fn unpacked(element: &Element<'_>, most: usize) -> (usize, Result<Vec<u8>, &'static str>) {
    let written: Vec<u8> = element.text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let Ok(bytes) = BASE64.decode(&written) else { return (0, Err("não é base64")) };
    let mut unpacked = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let read = GzDecoder::new(bytes.as_slice()).take(limit).read_to_end(&mut unpacked);
    let document = match read {
        Err(_) => Err("não é um GZIP inteiro"),
        Ok(length) if length > most => Err("passa do limite do arquivo depois de aberto"),
        Ok(_) => return (unpacked.len(), Ok(unpacked)),
    };
    (unpacked.len(), document)
}

/// Gives each packed document of a file to `take`, in order, with what is left of the limits, which hold for all of them
/// together; or why it cannot be unpacked. `take` returns how many documents and items it found.
pub(super) fn each(
    root: &Element<'_>,
    limits: XmlLimits,
    mut take: impl FnMut(Result<&[u8], &'static str>, XmlLimits) -> usize,
) {
    let (mut found, mut left) = (Vec::new(), limits);
    let mut wasted = limits.bytes.saturating_mul(WASTED);
    packed(root, &mut found);
    for element in found {
        let (length, bytes) = unpacked(element, left.bytes.min(wasted));
        let items = take(bytes.as_deref().map_err(|why| *why), left);
        let budget = if bytes.is_ok() { &mut left.bytes } else { &mut wasted };
        *budget = budget.saturating_sub(length);
        left.items = left.items.saturating_sub(items);
    }
}

/// The documents of a distribution. One that cannot be read is said to be so, and the others are read all the same.
pub(super) fn read(root: &Element<'_>, limits: XmlLimits) -> Vec<FiscalDocument> {
    let mut found = Vec::new();
    each(root, limits, |bytes, left| {
        let before = found.len();
        let read =
            bytes.map_err(str::to_owned).and_then(|bytes| documents(bytes, left).map_err(|fault| fault.to_string()));
        match read {
            Ok(read) => found.extend(read),
            Err(why) => {
                let detail =
                    format!("um documento comprimido da distribuição (retDistDFeInt) não pôde ser lido: {why}");
                let other = OtherFile { codigo: "documento_comprimido_ilegivel", detail, has_notes: true };
                found.push(FiscalDocument::Other(other));
            }
        }
        found.iter().skip(before).map(FiscalDocument::items).sum()
    });
    found
}

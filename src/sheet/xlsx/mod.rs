//! Reads a worksheet of an XLSX: an archive of XML parts (ECMA-376).
//!
//! The worksheet is read as a stream, so a million rows cost no more memory than one. What must be in memory (the shared
//! strings, the number formats) has a limit of its own.

mod cells;
mod parts;
mod strings;
mod xml;

use std::io::{BufReader, Read, Seek};

use zip::ZipArchive;
use zip::result::ZipError;

use self::cells::CellContext;
use self::parts::{Formats, Workbook};
use self::strings::SharedStrings;
use self::xml::Xml;
use super::{SheetError, SheetLimits, TakeRow};

/// Most bytes of any other part, expanded.
const MAX_PART: u64 = 16 * 1024 * 1024;
/// The shared strings are XML of at most so many times the memory that they may take: formatted texts have more elements.
const XML_OF_STRINGS: u64 = 2;
const MAX_PARTS: usize = 10_000;

type Archive<R> = ZipArchive<BufReader<R>>;

pub(super) fn read<R: Read + Seek>(
    file: R,
    worksheet: Option<&str>,
    limits: SheetLimits,
    take: &mut TakeRow<'_>,
) -> Result<(), SheetError> {
    let mut archive = open(file)?;
    let workbook = Workbook::read(&mut archive)?;
    let path = workbook.worksheet(worksheet)?;
    let formats = match part(&mut archive, &workbook.styles, MAX_PART)? {
        Some(xml) => Formats::read(xml)?,
        None => Formats::default(),
    };
    let strings_part = limits.strings_bytes.saturating_mul(XML_OF_STRINGS);
    let strings = match part(&mut archive, &workbook.strings, strings_part)? {
        Some(xml) => SharedStrings::read(xml, limits.strings_bytes)?,
        None => SharedStrings::default(),
    };
    let xml = part(&mut archive, path, limits.worksheet_bytes)?
        .ok_or_else(|| SheetError::file("O arquivo não tem a planilha que ele mesmo nomeia: está corrompido."))?;
    let context = CellContext {
        strings: &strings,
        formats: &formats,
        is_1904: workbook.is_1904,
        row_bytes: usize::try_from(limits.row_bytes).unwrap_or(usize::MAX),
    };
    cells::read(xml, &context, take)
}

/// The bytes that the shared strings expand to, as the directory of the archive says.
pub(super) fn strings_bytes<R: Read + Seek>(file: R) -> Result<u64, SheetError> {
    let mut archive = open(file)?;
    let workbook = Workbook::read(&mut archive)?;
    match archive.by_name(&workbook.strings) {
        Ok(strings) => Ok(strings.size()),
        Err(ZipError::FileNotFound) => Ok(0),
        Err(error) => Err(broken(&error)),
    }
}

/// The names of the worksheets that are shown.
pub(super) fn worksheets<R: Read + Seek>(file: R) -> Result<Vec<String>, SheetError> {
    Ok(Workbook::read(&mut open(file)?)?.shown().map(str::to_owned).collect())
}

fn open<R: Read + Seek>(file: R) -> Result<Archive<R>, SheetError> {
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| broken(&error))?;
    if archive.len() > MAX_PARTS {
        return Err(SheetError::file(format!("O arquivo tem mais de {MAX_PARTS} partes; não é um XLSX comum.")));
    }
    if archive.by_name("mimetype").is_ok() {
        return Err(SheetError::file(
            "O arquivo é do LibreOffice (.ods) ou de outro formato OpenDocument; salve-o como .xlsx ou CSV.",
        ));
    }
    if archive.by_name("xl/workbook.bin").is_ok() {
        return Err(SheetError::file("O arquivo é uma pasta binária do Excel (.xlsb); salve-o como .xlsx ou CSV."));
    }
    Ok(archive)
}

/// A part of the workbook; `None` if the archive has none of that name.
fn part<'a, R: Read + Seek>(
    archive: &'a mut Archive<R>,
    path: &str,
    limit: u64,
) -> Result<Option<Xml<impl Read + 'a>>, SheetError> {
    match archive.by_name(path) {
        Ok(file) => Ok(Some(Xml::new(file, limit))),
        Err(ZipError::FileNotFound) => Ok(None),
        Err(error) => Err(broken(&error)),
    }
}

fn broken(error: &ZipError) -> SheetError {
    SheetError::file(format!(
        "O arquivo não é um XLSX inteiro ({error}); abra-o no programa de planilhas e salve de novo."
    ))
}

//! The lines of the table, from an archive or from one of its files.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};

use csv::{ByteRecord, ReaderBuilder};
use rust_decimal::Decimal;
use zip::ZipArchive;

use crate::base::document::without_bom;
use crate::base::value::{Date, ItemServico, Municipio, parse_decimal};
use crate::features::sources::LineFaults;
use crate::law::rule::Vigencia;

/// Most lines that are read: ten times what the country needs.
const MAX_LINES: u64 = 20_000_000;
/// Most bytes of a file inside an archive.
const MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Most bytes of a line, which is in memory: those of the table have some hundred.
const MAX_LINE_BYTES: usize = 64 * 1024;
const ZIP_MAGIC: &[u8] = b"PK";
/// Lines between two reports of progress.
const LINES_A_STEP: u64 = 50_000;
/// The columns that are read, by the names of the header.
const COLUMNS: [&str; 5] = ["codigo_ibge", "codigo_servico", "aliquota", "dt_ini", "dt_fim"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) ibge_code: u32,
    pub(super) service: ItemServico,
    /// The municipality's own number below the subdivision.
    pub(super) complemento: u16,
    /// In percent points; `None` if the table has none.
    pub(super) aliquota: Option<Decimal>,
    pub(super) vigencia: Vigencia,
}

/// The lines of a table, and those that could not be read.
#[derive(Debug, Default)]
pub struct TableLines {
    pub(super) lines: Vec<Line>,
    /// How many there are, with the faulty ones.
    pub(super) read: u64,
    pub(super) faults: LineFaults,
}

/// Reads the table: an archive with a CSV file for each UF, or one of those files. `progress` gets the bytes read so
/// far and their total. Fails if the file is not such a table; a faulty line is left out and reported.
pub fn read(name: &str, mut file: File, progress: &mut dyn FnMut(u64, u64)) -> io::Result<TableLines> {
    let mut lines = TableLines::default();
    let mut magic = Vec::new();
    file.by_ref().take(2).read_to_end(&mut magic)?;
    file.rewind()?;
    if magic != ZIP_MAGIC {
        let total = file.metadata()?.len();
        lines.read_csv(name, BufReader::new(file), &mut |done| progress(done, total))?;
        return Ok(lines);
    }
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(invalid)?;
    let names = archive.file_names().map(|name| name.map(Cow::into_owned)).collect::<Result<Vec<_>, _>>();
    let mut tables: Vec<String> = names.map_err(invalid)?;
    // The archive also has all lines in one text file.
    tables.retain(|name| name.to_ascii_lowercase().ends_with(".csv"));
    if tables.is_empty() {
        return Err(invalid("the archive has no .csv file"));
    }
    tables.sort_unstable();
    let mut total = 0;
    for table in &tables {
        total = archive.by_name(table).map_err(invalid)?.size().saturating_add(total);
    }
    let mut before = 0;
    for table in &tables {
        let entry = archive.by_name(table).map_err(invalid)?;
        let size = entry.size();
        lines.read_csv(&format!("{name}: {table}"), entry, &mut |done| progress(done.saturating_add(before), total))?;
        before = size.saturating_add(before);
    }
    Ok(lines)
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// A reader that fails within a line of more than [`MAX_LINE_BYTES`].
struct ShortLines<R> {
    inner: R,
    /// Bytes of the line that is being read.
    line_bytes: usize,
}

impl<R> ShortLines<R> {
    fn of(inner: R) -> ShortLines<R> {
        ShortLines { inner, line_bytes: 0 }
    }
}

impl<R: Read> Read for ShortLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let lines = buffer.get(..read).unwrap_or_default().split(|byte| matches!(byte, b'\n' | b'\r'));
        for (number, line) in lines.enumerate() {
            self.line_bytes = if number == 0 { self.line_bytes + line.len() } else { line.len() };
            if self.line_bytes > MAX_LINE_BYTES {
                let most = MAX_LINE_BYTES / 1024;
                return Err(invalid(format!(
                    "it has a line of more than {most} KiB: it is not the table; download it again"
                )));
            }
        }
        Ok(read)
    }
}

impl TableLines {
    fn read_csv(&mut self, name: &str, bytes: impl Read, progress: &mut dyn FnMut(u64)) -> io::Result<()> {
        let mut reader = ReaderBuilder::new()
            .delimiter(b';')
            .flexible(true)
            .quoting(false)
            .from_reader(ShortLines::of(bytes.take(MAX_BYTES + 1)));
        let header = reader.byte_headers()?.clone();
        // A line that ends in two characters ends after the first one for the reader, and the next one begins there.
        let skipped = 2_u64.saturating_sub(reader.position().line());
        let place = |column: &str| {
            header.iter().position(|name| without_bom(name).trim_ascii().eq_ignore_ascii_case(column.as_bytes()))
        };
        let mut places = [0; COLUMNS.len()];
        for (place_of, column) in places.iter_mut().zip(COLUMNS) {
            *place_of = place(column).ok_or_else(|| {
                invalid(format!(
                    "{name} has no column {column}; it needs {}, separated by semicolons",
                    COLUMNS.join(", ")
                ))
            })?;
        }
        let mut record = ByteRecord::new();
        while reader.read_byte_record(&mut record)? {
            self.read += 1;
            if self.read > MAX_LINES {
                return Err(invalid(format!("{name} has more than {MAX_LINES} lines")));
            }
            if self.read.is_multiple_of(LINES_A_STEP) {
                progress(record.position().map_or(0, csv::Position::byte));
            }
            let texts = places.map(|place| record.get(place).and_then(|text| str::from_utf8(text).ok()).unwrap_or(""));
            let mut add = |why| self.faults.add(name, record.position().map_or(0, csv::Position::line) + skipped, why);
            match parse(texts.map(str::trim)) {
                Ok((line, fault)) => {
                    self.lines.push(line);
                    fault.into_iter().for_each(&mut add);
                }
                Err(why) => add(why),
            }
        }
        if reader.position().byte() > MAX_BYTES {
            return Err(invalid(format!("{name} has more than {MAX_BYTES} bytes")));
        }
        Ok(())
    }
}

/// Parses the columns, in the order of [`COLUMNS`]. A line whose rate alone cannot be read counts as one without a rate:
/// without the line, its service would get the rate of the rest of the subitem.
fn parse([ibge_code, service, aliquota, de, ate]: [&str; COLUMNS.len()]) -> Result<(Line, Option<String>), String> {
    let municipio = ibge_code.parse().ok().and_then(Municipio::of_ibge_code);
    let municipio = municipio.ok_or_else(|| format!("O IBGE não tem município com o código \"{ibge_code}\"."))?;
    let (service, complemento) = parse_service(service)
        .ok_or_else(|| format!("\"{service}\" não é um código de serviço; o esperado é NN.NN.NN.NNN."))?;
    let parsed = (!aliquota.is_empty()).then(|| parse_decimal(&aliquota.replace(',', "."))).transpose();
    let (aliquota, fault) = parsed.map_or_else(|why| (None, Some(why)), |aliquota| (aliquota, None));
    // Days may have a time, which is always midnight.
    let day = |text: &str| Date::parse(text.get(..10).unwrap_or(text));
    let last = (!ate.is_empty()).then(|| day(ate)).transpose()?;
    let vigencia = Vigencia {
        de: day(de)?.max(Date::FIRST_OF_RULES),
        ate: last.filter(|last| *last < Date::LAST_OF_RULES).and_then(Date::next_day),
    };
    if vigencia.is_empty() {
        return Err(format!("A vigência termina em {ate}, antes de começar em {de}."));
    }
    Ok((Line { ibge_code: municipio.ibge_code(), service, complemento, aliquota, vigencia }, fault))
}

/// Parses `NN.NN.NN.NNN`, also without the municipality's own number.
fn parse_service(text: &str) -> Option<(ItemServico, u16)> {
    let mut parts = text.split('.');
    let mut part = || parts.next()?.parse::<u8>().ok();
    let service = ItemServico::with_desdobro(part()?, part()?, part()?)?;
    let complemento = parts.next().map_or(Ok(0), str::parse).ok()?;
    parts.next().is_none().then_some((service, complemento))
}

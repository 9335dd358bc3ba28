//! The digital books of a run: each is read line by line, its documents are given away, and the rest of what it says is
//! kept.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use super::layouts::{self, BookLayout, DocumentLayout, PARTICIPANT, PRODUCT};
use super::record::{BookDocument, BookLine, Participant, Product, key_of_service};
use crate::base::value::{Date, cnpj_root};
use crate::features::audit::input::archive::{fault, reading_failed};
use crate::law::efd::contribuicoes::r0110;
use crate::law::efd::icms_ipi::{r0150, r0200};
use crate::law::efd::{EfdFault, EfdHeader, EfdLine, EfdReader, EfdRecord, MAX_LINE_BYTES, decoded};
use crate::law::nfe::XmlFault;

/// Most lines with a fault that are reported one by one.
const MAX_FAULTS: usize = 100;
/// Most participants and most products that are known by their codes: what names a further one is not checked by it.
const MAX_CODES: usize = 200_000;
/// How the registers end that begin and end a block.
const FRAME: [&str; 2] = ["001", "990"];
/// Those that only have texts, or say which others there are.
const TEXTS: [&str; 8] = ["1010", "C110", "C195", "C595", "C855", "C895", "D195", "D735"];
/// Registers of revenue without documents.
const CONSOLIDATED: [&str; 4] = ["F500", "F510", "F550", "F560"];
/// Most names of registers that are not read, and are counted one by one.
const MAX_UNREAD: usize = 500;
/// Most lines that are kept of no document.
const MAX_LOOSE: usize = 100_000;
/// Most bytes of them.
const MAX_LOOSE_BYTES: usize = 32 * 1024 * 1024;
/// Most lines that are kept of a document: a note has at most 990 items.
const MAX_CHILDREN: usize = 5_000;
/// Most bytes of them.
const MAX_DOCUMENT_BYTES: usize = 4 * 1024 * 1024;
/// Most letters of a code: the layouts allow 60.
const MAX_CODE_LETTERS: usize = 60;
/// Lines after which other work may have its turn.
const PAUSE_LINES: u64 = 4_096;

/// Digital books, without their documents.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the book, independent of the others")]
pub(super) struct Book {
    pub(super) arquivo: String,
    pub(super) header: EfdHeader,
    /// Lines of no document, in order.
    pub(super) loose: Vec<BookLine>,
    pub(super) faults: Vec<EfdFault>,
    /// Lines with a fault beyond [`MAX_FAULTS`].
    pub(super) further_faults: u64,
    /// It has registers with amounts that are not read, or more lines than are kept: its sums are not known.
    pub(super) is_partial: bool,
    /// There are lines that are not records, or not kept, or no end: any document or sum may be among them.
    pub(super) has_lost_lines: bool,
    /// The registers that it has and that are not read, with how many there are of each: those of sums, and others.
    pub(super) unread: [BTreeMap<String, u64>; 2],
    /// The products that it names, by their codes, each with its line; none if they are too many to be kept.
    pub(super) products: HashMap<Box<str>, (u64, Product)>,
    pub(super) has_too_many_products: bool,
    /// How it pays PIS and COFINS (`COD_INC_TRIB`): 1 only the non-cumulative regime, 2 only the cumulative one, 3 both.
    pub(super) regime: Option<u8>,
    /// It has revenue without documents: by cash, or by the totals of a month (Guia Prático, F500 to F560).
    pub(super) is_consolidated: bool,
    /// Its text is UTF-8, or has letters of another alphabet, where the layouts want ISO-8859-1.
    pub(super) is_utf8: bool,
    pub(super) is_of_other_alphabet: bool,
    /// Why it is not crossed.
    pub(super) left_out: Option<String>,
    /// Notes of the run and its period that its declarant issued, and that it received.
    pub(super) notes: u64,
    pub(super) received: u64,
    /// The models of what it received, and of what its declarant issued.
    pub(super) models: [BTreeSet<String>; 2],
}

/// Reads books, and gives each document to `take`, by its access key if it has one. `pause` is called now and then.
pub(super) fn read<E>(
    arquivo: &str,
    file: File,
    number: u32,
    mut take: impl FnMut(&str, BookDocument<'_>),
    mut pause: impl FnMut() -> Result<(), E>,
) -> Result<Result<Book, XmlFault>, E> {
    let (mut lines, mut buffer) = (BufReader::with_capacity(64 * 1024, file), Vec::new());
    let header = match next_line(&mut lines, &mut buffer) {
        Ok(()) => header(&buffer),
        Err(error) => Err(reading_failed(&error)),
    };
    let header = match header {
        Ok(header) => header,
        Err(fault) => return Ok(Err(fault)),
    };
    let mut reader = EfdReader::new(header.kind);
    let mut state = BookState::new(arquivo, number, header);
    while !buffer.is_empty() {
        if buffer.len() > MAX_LINE_BYTES {
            state.lose(reader.skip_long());
        } else {
            state.see_text(&buffer);
            let text = decoded(&buffer);
            match reader.read(text.trim_end_matches(['\r', '\n'])) {
                EfdLine::Record(record) => state.record(reader.line(), &record, &text, &mut take),
                EfdLine::Faulty(record, fault) => {
                    state.fault(fault);
                    state.record(reader.line(), &record, &text, &mut take);
                    state.mark_open();
                }
                EfdLine::Broken(fault) => state.lose(fault),
                EfdLine::End => {}
            }
        }
        if reader.has_ended() {
            break;
        }
        if reader.line().is_multiple_of(PAUSE_LINES) {
            pause()?;
        }
        if let Err(error) = next_line(&mut lines, &mut buffer) {
            return Ok(Err(reading_failed(&error)));
        }
    }
    let missing = reader.missing();
    if !reader.has_ended() {
        state.mark_open();
    }
    state.give(&mut take);
    let [utf8, other, is_of_other_alphabet] = state.texts;
    (state.book.is_utf8, state.book.is_of_other_alphabet) = (utf8 && !other, is_of_other_alphabet);
    state.book.has_lost_lines |= !reader.has_ended();
    for fault in missing {
        state.fault(fault);
    }
    Ok(Ok(state.book))
}

/// Reads the next line with its end, empty at the end of the file. Of one that is too long only the beginning is kept.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    line.clear();
    let most = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    lines.by_ref().take(most).read_until(b'\n', line)?;
    if line.len() > MAX_LINE_BYTES && !line.ends_with(b"\n") {
        lines.skip_until(b'\n')?;
    }
    Ok(())
}

fn header(line: &[u8]) -> Result<EfdHeader, XmlFault> {
    let text = decoded(line);
    let unreadable = |detail: String| fault("escrituracao_ilegivel", detail);
    let first = text.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
    if first.contains('\r') {
        let detail = "as linhas terminam só em CR, e o leiaute pede CR LF: exporte o arquivo de novo, ou converta os fins de linha";
        return Err(unreadable(detail.to_owned()));
    }
    let first = EfdRecord::of(first)
        .ok_or_else(|| unreadable("o registro 0000 não está inteiro na primeira linha".to_owned()))?;
    EfdHeader::of(&first).map_err(|field| unreadable(format!("o registro 0000 não tem `{field}` legível")))
}

/// Books while they are read.
struct BookState {
    book: Book,
    number: u32,
    layout: &'static BookLayout,
    /// Number and city of each participant.
    participants: HashMap<Box<str>, [String; 2]>,
    establishment: String,
    /// Whether a line has letters beyond ASCII that are UTF-8, whether one has others, and whether these are none of
    /// ISO-8859-1: only alphabets as those of DOS and of Windows have letters from 80 to 9F.
    texts: [bool; 3],
    /// Bytes of the lines of no document.
    loose_bytes: usize,
    open: Option<OpenDocument>,
}

/// The document whose children may follow.
struct OpenDocument {
    key: String,
    layout: &'static DocumentLayout,
    participant: Option<[String; 2]>,
    is_whole: bool,
    /// Its lines, and which of the book these are.
    text: String,
    lines: Vec<u64>,
}

impl BookState {
    fn new(arquivo: &str, number: u32, header: EfdHeader) -> BookState {
        let layout = layouts::of(header.kind);
        let book = Book {
            arquivo: arquivo.to_owned(),
            header,
            loose: Vec::new(),
            faults: Vec::new(),
            further_faults: 0,
            is_partial: false,
            has_lost_lines: false,
            unread: Default::default(),
            products: HashMap::new(),
            has_too_many_products: false,
            regime: None,
            is_consolidated: false,
            is_utf8: false,
            is_of_other_alphabet: false,
            left_out: None,
            notes: 0,
            received: 0,
            models: Default::default(),
        };
        BookState {
            book,
            number,
            layout,
            participants: HashMap::new(),
            establishment: String::new(),
            texts: [false; 3],
            loose_bytes: 0,
            open: None,
        }
    }

    fn fault(&mut self, fault: EfdFault) {
        // A line that is not read may have had an amount of any sum.
        self.book.is_partial = true;
        if self.book.faults.len() < MAX_FAULTS {
            self.book.faults.push(fault);
        } else {
            self.book.further_faults += 1;
        }
    }

    /// Reports a line that is not a record: what it was part of is not known as a whole.
    fn lose(&mut self, fault: EfdFault) {
        self.book.has_lost_lines = true;
        self.mark_open();
        self.fault(fault);
    }

    /// The open document is not known as a whole.
    fn mark_open(&mut self) {
        if let Some(document) = &mut self.open {
            document.is_whole = false;
        }
    }

    fn see_text(&mut self, line: &[u8]) {
        let [utf8, other, of_other_alphabet] = &mut self.texts;
        if line.is_ascii() {
            return;
        }
        if std::str::from_utf8(line).is_ok() {
            *utf8 = true;
        } else {
            *other = true;
            *of_other_alphabet |= line.iter().any(|byte| (0x80..0xa0).contains(byte));
        }
    }

    fn record(&mut self, line: u64, record: &EfdRecord<'_>, text: &str, take: &mut impl FnMut(&str, BookDocument<'_>)) {
        let (name, kept) = (record.name(), text.trim_end());
        if let Some(document) = &mut self.open
            && document.layout.children.contains(&name)
        {
            if document.lines.len() <= MAX_CHILDREN && document.text.len() + text.len() <= MAX_DOCUMENT_BYTES {
                document.lines.push(line);
                document.text.push('\n');
                document.text.push_str(kept);
            } else {
                (self.book.is_partial, document.is_whole) = (true, false);
            }
            return;
        }
        if let Some(layout) = self.layout.document(name) {
            self.give(take);
            let key = Some(record.text(layout.key)).filter(|key| is_key(key));
            // Documents without a key come after those with one, each alone.
            let service = || key_of_service(record, &self.establishment, &self.book.header.declarant);
            let key = key.map(str::to_owned).or_else(service).unwrap_or_else(|| format!("~{}~{line}", self.number));
            let participant = self.participants.get(record.text(layout.participant)).cloned();
            let (text, lines) = (kept.to_owned(), vec![line]);
            self.open = Some(OpenDocument { key, layout, participant, is_whole: true, text, lines });
        } else if self.layout.establishments.contains(&name) {
            record.text(2).clone_into(&mut self.establishment);
        } else if self.layout.loose.contains(&name) {
            if name == "0110" {
                self.book.regime = record.text(r0110::COD_INC_TRIB).parse().ok();
            }
            self.book.is_consolidated |= CONSOLIDATED.contains(&name);
            self.loose_bytes += text.len();
            if self.book.loose.len() < MAX_LOOSE && self.loose_bytes <= MAX_LOOSE_BYTES {
                self.book.loose.push(BookLine { line, text: kept.to_owned() });
            } else {
                (self.book.is_partial, self.book.has_lost_lines) = (true, true);
            }
        } else if !self.take_code(line, record) {
            self.count_unread(name);
        }
    }

    /// Takes what a table says of a code that documents name; false of another register, and of a code too many.
    fn take_code(&mut self, line: u64, record: &EfdRecord<'_>) -> bool {
        let text = |at: usize| code(record.text(at));
        match record.name() {
            PARTICIPANT if self.participants.len() < MAX_CODES => {
                let number = [r0150::CNPJ, r0150::CPF].map(text).into_iter().find(|text| !text.is_empty());
                let participant = [number.unwrap_or_default(), text(r0150::COD_MUN)];
                self.participants.insert(text(r0150::COD_PART).into(), participant);
            }
            PRODUCT if self.book.products.len() < MAX_CODES => {
                let product = Product {
                    codigo: text(r0200::COD_ITEM),
                    tipo: text(r0200::TIPO_ITEM),
                    ncm: text(r0200::COD_NCM),
                    ex: text(r0200::EX_IPI),
                    gtin: text(r0200::COD_BARRA),
                    cest: text(r0200::CEST),
                };
                self.book.products.insert(product.codigo.as_str().into(), (line, product));
            }
            _ => return false,
        }
        true
    }

    /// Counts a register that is not read. Those of block 0 that are not are tables, and those of block 9 count lines.
    fn count_unread(&mut self, name: &str) {
        let is_code = [PARTICIPANT, PRODUCT].contains(&name);
        let is_frame = name.starts_with(['0', '9']) || FRAME.iter().any(|frame| name.ends_with(frame));
        if (is_frame && !is_code) || TEXTS.contains(&name) {
            return;
        }
        let is_of_sums = self.layout.unread.contains(&name);
        self.book.is_partial |= is_of_sums;
        let [of_sums, others] = &mut self.book.unread;
        let counts = if is_of_sums { of_sums } else { others };
        if counts.len() < MAX_UNREAD || counts.contains_key(name) {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }

    /// Gives away the document that was being read.
    fn give(&mut self, take: &mut impl FnMut(&str, BookDocument<'_>)) {
        let Some(OpenDocument { key, participant, is_whole, text, lines, .. }) = self.open.take() else { return };
        let participant = participant.as_ref().map(|[number, municipio]| Participant { number, municipio });
        take(&key, BookDocument { book: self.number, is_whole, participant, text: &text, lines });
    }
}

/// A code, as far as it is kept.
fn code(text: &str) -> String {
    text.chars().take(MAX_CODE_LETTERS).collect()
}

/// Whether a text has the form of an access key, whatever its last digit.
fn is_key(text: &str) -> bool {
    text.len() == 44 && text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}

impl Book {
    /// Whether its declarant is of the same company: CNPJ of one root.
    pub(super) fn has_root_of(&self, number: &str) -> bool {
        cnpj_root(number).is_some_and(|root| cnpj_root(&self.header.declarant) == Some(root))
    }

    /// Its lines of no document, as records.
    pub(super) fn records(&self) -> impl Iterator<Item = (&BookLine, EfdRecord<'_>)> {
        self.loose.iter().filter_map(|line| Some((line, EfdRecord::of(&line.text)?)))
    }

    /// Those of a register.
    pub(super) fn all<'b>(&'b self, register: &'b str) -> impl Iterator<Item = (&'b BookLine, EfdRecord<'b>)> {
        self.records().filter(move |(_, record)| record.name() == register)
    }

    /// Whether the run has documents of a model that its declarant issued, or that it received.
    pub(super) fn has_model(&self, is_own: bool, model: &str) -> bool {
        self.models.get(usize::from(is_own)).is_some_and(|models| models.contains(model))
    }

    /// Whether a day is in its period.
    pub(super) fn has_day(&self, day: Date) -> bool {
        (self.header.first_day..=self.header.last_day).contains(&day)
    }
}

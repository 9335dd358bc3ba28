//! The digital books of a run: each is read line by line, its documents are given away, and the rest of what it says is
//! kept.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader};

use super::layouts::{self, BookLayout, DocumentLayout, PARTICIPANT, PRODUCT};
use super::record::{BookDocument, BookLine, Participant, Product, key_of_service};
use crate::base::value::{Date, cnpj_root};
use crate::features::audit::files::{fault, reading_failed};
use crate::law::efd::icms_ipi::{r0150, r0200};
use crate::law::efd::{EfdFault, EfdHeader, EfdLine, EfdReader, EfdRecord, MAX_LINE_BYTES, decoded};
use crate::law::nfe::XmlFault;

/// Most lines with a fault that are reported one by one.
const MAX_FAULTS: usize = 100;
/// Most participants and most products that are known by their codes: what names a further one is not checked by it.
const MAX_CODES: usize = 500_000;
/// Most lines that are kept of no document.
pub(super) const MAX_LOOSE: usize = 100_000;
/// Most lines that are kept of a document: a note has at most 990 items.
const MAX_CHILDREN: usize = 5_000;
/// Lines after which other work may have its turn.
const PAUSE_LINES: u64 = 4_096;

/// Digital books, without their documents.
#[derive(Debug, Clone)]
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
    /// The registers of sums, and of adjustments, that it has and that are not read.
    pub(super) unread: BTreeSet<&'static str>,
    pub(super) unread_adjustments: BTreeSet<&'static str>,
    /// Its text is UTF-8, where the layouts want ISO-8859-1.
    pub(super) is_utf8: bool,
    /// Why it is not crossed.
    pub(super) left_out: Option<String>,
    /// Notes of the run and its period that its declarant issued, and that it received.
    pub(super) notes: u64,
    pub(super) received: u64,
    /// The models of these, and whether the declarant issued them.
    pub(super) models: BTreeSet<(bool, String)>,
}

/// Reads books, and gives each document to `take`, by its access key if it has one. `pause` is called now and then.
pub(super) fn read<E>(
    arquivo: &str,
    file: File,
    number: u32,
    mut take: impl FnMut(&str, BookDocument),
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
            state.fault(reader.skip_long());
        } else {
            state.see_text(&buffer);
            let text = decoded(&buffer);
            match reader.read(text.trim_end_matches(['\r', '\n'])) {
                EfdLine::Record(record) => state.record(reader.line(), &record, &text, &mut take),
                EfdLine::Faulty(record, fault) => {
                    state.fault(fault);
                    state.record(reader.line(), &record, &text, &mut take);
                }
                EfdLine::Broken(fault) => state.fault(fault),
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
    state.give(&mut take);
    state.book.is_utf8 = state.texts == [true, false];
    reader.missing().into_iter().for_each(|fault| state.fault(fault));
    Ok(Ok(state.book))
}

/// Reads the next line with its end, empty at the end of the file. Of one that is too long only the beginning is kept.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    line.clear();
    loop {
        let available = lines.fill_buf()?;
        let end = available.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let length = end.unwrap_or(available.len());
        let kept = length.min((MAX_LINE_BYTES + 1).saturating_sub(line.len()));
        line.extend_from_slice(available.get(..kept).unwrap_or_default());
        lines.consume(length);
        if end.is_some() || length == 0 {
            return Ok(());
        }
    }
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
    participants: HashMap<Box<str>, Participant>,
    products: HashMap<Box<str>, Product>,
    establishment: String,
    /// Whether a line has letters beyond ASCII that are UTF-8, and whether one has others.
    texts: [bool; 2],
    /// The document whose children may follow.
    open: Option<(String, BookDocument, &'static DocumentLayout)>,
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
            unread: BTreeSet::new(),
            unread_adjustments: BTreeSet::new(),
            is_utf8: false,
            left_out: None,
            notes: 0,
            received: 0,
            models: BTreeSet::new(),
        };
        BookState {
            book,
            number,
            layout,
            participants: HashMap::new(),
            products: HashMap::new(),
            establishment: String::new(),
            texts: [false; 2],
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

    fn see_text(&mut self, line: &[u8]) {
        let [utf8, other] = &mut self.texts;
        if !line.is_ascii() {
            let seen = if std::str::from_utf8(line).is_ok() { utf8 } else { other };
            *seen = true;
        }
    }

    fn record(&mut self, line: u64, record: &EfdRecord<'_>, text: &str, take: &mut impl FnMut(&str, BookDocument)) {
        let name = record.name();
        let kept = |product| BookLine { line, text: text.trim_end().to_owned(), product };
        if let Some((_, document, layout)) = &mut self.open
            && layout.children.contains(&name)
        {
            if document.children.len() < MAX_CHILDREN {
                let coded = self.layout.products.iter().find(|(register, _)| *register == name);
                let product = coded.and_then(|(_, at)| self.products.get(record.text(*at)));
                document.children.push(kept(product.cloned()));
            } else {
                self.book.is_partial = true;
            }
            return;
        }
        if let Some(layout) = self.layout.document(name) {
            self.give(take);
            let key = Some(record.text(layout.key)).filter(|key| is_key(key));
            // Documents without a key come after those with one, each alone.
            let service = || key_of_service(record, &self.establishment, &self.book.header.declarant);
            let key = key.map(str::to_owned).or_else(service).unwrap_or_else(|| format!("~{}~{line}", self.number));
            let document = BookDocument {
                book: self.number,
                own: kept(None),
                participant: self.participants.get(record.text(layout.participant)).cloned(),
                establishment: self.establishment.clone(),
                children: Vec::new(),
            };
            self.open = Some((key, document, layout));
        } else if self.layout.establishments.contains(&name) {
            record.text(2).clone_into(&mut self.establishment);
        } else if let Some(unread) = self.layout.unread.iter().find(|unread| **unread == name) {
            self.book.unread.insert(unread);
            self.book.is_partial = true;
        } else if let Some(unread) = self.layout.unread_adjustments.iter().find(|unread| **unread == name) {
            self.book.unread_adjustments.insert(unread);
        } else if self.layout.loose.contains(&name) {
            if self.book.loose.len() < MAX_LOOSE {
                self.book.loose.push(kept(None));
            } else {
                self.book.is_partial = true;
            }
        } else if name == PARTICIPANT && self.participants.len() < MAX_CODES {
            let number = [r0150::CNPJ, r0150::CPF].map(|at| record.text(at)).into_iter().find(|text| !text.is_empty());
            let (number, municipio) = (number.unwrap_or_default().to_owned(), record.text(r0150::COD_MUN).to_owned());
            self.participants.insert(record.text(r0150::COD_PART).into(), Participant { number, municipio });
        } else if name == PRODUCT && self.products.len() < MAX_CODES {
            let text = |at: usize| record.text(at).to_owned();
            let product = Product {
                codigo: text(r0200::COD_ITEM),
                tipo: text(r0200::TIPO_ITEM),
                ncm: text(r0200::COD_NCM),
                ex: text(r0200::EX_IPI),
                cest: text(r0200::CEST),
            };
            self.products.insert(product.codigo.as_str().into(), product);
        }
    }

    /// Gives away the document that was being read.
    fn give(&mut self, take: &mut impl FnMut(&str, BookDocument)) {
        if let Some((key, document, _)) = self.open.take() {
            take(&key, document);
        }
    }
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

    /// Whether a day is in its period.
    pub(super) fn has_day(&self, day: Date) -> bool {
        (self.header.first_day..=self.header.last_day).contains(&day)
    }
}

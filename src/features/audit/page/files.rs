//! The files of a request: XML, ZIP, and forms of both.

use std::io::Cursor;

use crate::base::problem::{ErrorCode, Problem};
use crate::base::sentence::Sentence;
use crate::features::audit::{Content, FileKind, FileLimits, Input, NamedFile, check_entries, kind_of};
use crate::http::multipart::{self, FormPart};
use crate::law::nfe::XmlLimits;

/// What a file of the page may have at most. An NF-e has at most 990 items and 500 KB, and so has a batch of them; that
/// many elements and items are some 100 MB while the file is read.
pub(super) const LIMITS: FileLimits = FileLimits {
    xml: XmlLimits { bytes: 8 * 1024 * 1024, elements: 200_000, items: 3_000 },
    entries: 20_000,
    expanded: 512 * 1024 * 1024,
    inner: 64 * 1024 * 1024,
    with_books: false,
};
/// Most bytes of what is said of the companies.
const MAX_COMPANIES_BYTES: usize = 256 * 1024;
/// Most characters of the name of a file.
const MAX_NAME_CHARS: usize = 200;
/// The name of a body that is one file, which no name came with.
const UNNAMED: &str = "documento";
/// Memory of an element of an XML while its document is read and its lines are made.
const ELEMENT_BYTES: u64 = 320;
/// The element with a packed document.
const PACKED: &[u8] = b"docZip";
/// The name of the part with what is said of the companies.
const EMPRESA: &str = "empresa";

/// A body, in parts.
pub(super) struct Sent<'b> {
    parts: Vec<(String, &'b [u8])>,
    /// What is said of the companies, as the file of `taxd audit --empresa`.
    pub(super) companies: Vec<u8>,
}

fn refused(detail: impl Into<Sentence>) -> Box<Problem> {
    Box::new(Problem::new(ErrorCode::PayloadInvalido, detail))
}

impl<'b> Sent<'b> {
    /// Takes a body apart: a form, or else one file.
    pub(super) fn of(body: &'b [u8], boundary: Option<&str>) -> Result<Sent<'b>, Box<Problem>> {
        let mut sent = Sent { parts: Vec::new(), companies: Vec::new() };
        match boundary {
            None if body.is_empty() => {}
            None => sent.parts.push((UNNAMED.to_owned(), body)),
            Some(boundary) => {
                for part in multipart::parts(body, boundary).map_err(refused)? {
                    sent.add(part)?;
                }
            }
        }
        if sent.parts.is_empty() {
            return Err(refused("Nenhum arquivo chegou; envie o XML de uma nota, vários, ou um ZIP deles."));
        }
        Ok(sent)
    }

    fn add(&mut self, part: FormPart<'b>) -> Result<(), Box<Problem>> {
        match (part.file, part.name.as_str()) {
            // Its fields, or the file of the firm.
            (_, EMPRESA) if part.bytes.len() <= MAX_COMPANIES_BYTES => {
                self.companies = part.bytes.to_vec();
            }
            (_, EMPRESA) => {
                let most = MAX_COMPANIES_BYTES / 1024;
                return Err(refused(format!("Os dados das empresas passam de {most} KiB; retire os que não se usam.")));
            }
            (Some(name), _) => self.parts.push((name, part.bytes)),
            (None, _) => return Err(refused("O formulário tem um campo que este endereço não conhece.")),
        }
        Ok(())
    }

    /// The files, to be read.
    pub(super) fn files(&self) -> Vec<NamedFile<'b>> {
        self.parts.iter().map(|(name, bytes)| named(name, bytes)).collect()
    }

    /// All that was sent: the companies, then the name and the bytes of each file.
    pub(super) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let files = self.parts.iter().flat_map(|(name, bytes)| [name.as_bytes(), *bytes]);
        std::iter::once(self.companies.as_slice()).chain(files)
    }
}

fn named<'b>(name: &str, bytes: &'b [u8]) -> NamedFile<'b> {
    let is_named = name != UNNAMED;
    let is_archive = matches!(kind_of(if is_named { name } else { "" }, bytes), FileKind::Zip);
    let mut content = Content::Bytes(bytes);
    if is_archive && let Err(fault) = check_entries(&mut Cursor::new(bytes), LIMITS) {
        content = Content::Unread(fault.into());
    }
    NamedFile { name: name.to_owned(), is_named, is_books: false, content }
}

/// About how much memory the reading of a file takes beside its bytes.
pub(super) fn memory_bytes(input: &Input) -> u64 {
    let Ok(bytes) = &input.bytes else { return 0 };
    // Those of a packed document are seen only when it is unpacked.
    // The word is not found in UTF-16.
    let packed =
        matches!(bytes.first(), Some(0xfe | 0xff)) || bytes.windows(PACKED.len()).any(|window| window == PACKED);
    let begins = || bytes.windows(2).filter(|pair| pair.starts_with(b"<") && !pair.ends_with(b"/")).count();
    let most = LIMITS.xml.elements;
    let elements = if packed { 2 * most } else { begins().min(most) };
    u64::try_from(elements).unwrap_or(u64::MAX).saturating_mul(ELEMENT_BYTES)
}

/// The name of a file as the report has it in each line: the end of a long one, and nothing that a program obeys.
pub(super) fn shown(name: &str) -> String {
    let name = name.replace(char::is_control, "\u{fffd}");
    match name.char_indices().nth_back(MAX_NAME_CHARS) {
        Some((start, first)) => format!("…{}", name.get(start + first.len_utf8()..).unwrap_or_default()),
        None => name,
    }
}

//! A small tree of elements with their lines, read with limits.
//!
//! `roxmltree` (0.21) would save a hundred lines here, and cannot be used: it compares each attribute of an element with
//! all others, and each namespace of a parent with all of a child, so a hostile file of 52 KiB keeps it busy for seconds.
//! It also refuses files that people have: with a blank line before the XML declaration, or a prefix that was declared in
//! the message from which the document was copied.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;

use foldhash::fast::FixedState;
use quick_xml::Reader;
use quick_xml::escape::{resolve_xml_entity, unescape};
use quick_xml::events::{BytesStart, Event};

use super::UnreadableField;

/// Most bytes of a file. An NF-e has at most 500 KB; a batch has fifty.
pub const MAX_XML_BYTES: usize = 32 * 1024 * 1024;
/// Most open elements. An NF-e in its envelope has some ten.
pub const MAX_DEPTH: usize = 64;
/// Most elements of a file: an element costs many times the memory of its bytes.
const MAX_ELEMENTS: usize = 1_000_000;
/// Most bytes of a code or name: the layouts have at most 60 characters. Each line of a report repeats those of its
/// document and its item.
const MAX_TEXT_BYTES: usize = 255;
/// Most documents and items of a file: each costs some 10 KB. A document has at most 990 items, and a batch 50 documents.
const MAX_ITEMS: usize = 50_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XmlLimits {
    /// Bytes, [`MAX_XML_BYTES`] or fewer.
    pub bytes: usize,
    pub elements: usize,
    /// Documents and items.
    pub items: usize,
}

impl Default for XmlLimits {
    fn default() -> Self {
        XmlLimits { bytes: MAX_XML_BYTES, elements: MAX_ELEMENTS, items: MAX_ITEMS }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmlFault {
    /// The line, from 1.
    pub line: u32,
    /// A stable name of the fault.
    pub codigo: &'static str,
    /// What is wrong, in Portuguese.
    pub detail: String,
}

impl fmt::Display for XmlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Line 1 is the only one of most documents.
        if self.line > 1 {
            write!(f, "linha {}: ", self.line)?;
        }
        f.write_str(&self.detail)
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Element<'t> {
    /// The name without its prefix.
    pub(super) name: Cow<'t, str>,
    /// The line of its start, from 1.
    pub(super) line: u32,
    /// Its attribute `nItem`.
    pub(super) item: Option<u32>,
    /// Its attribute `Id`, or of a cancellation of a CF-e the one it cancels (`chCanc`); empty if it has none.
    pub(super) id: String,
    /// Its text, without that of its children.
    pub(super) text: Cow<'t, str>,
    /// A code was looked for here, and the text is too long to be one.
    pub(super) too_long: Cell<bool>,
    pub(super) children: Vec<Element<'t>>,
}

impl<'t> Element<'t> {
    pub(super) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element<'t>> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Its elements but for the items of a note, which have most of a file's elements, and no event, protocol or packed
    /// document.
    pub(super) fn outside_items(&self) -> impl Iterator<Item = &Element<'t>> {
        self.children.iter().filter(|child| child.name != "det")
    }

    pub(super) fn first(&self, name: &str) -> Option<&Element<'t>> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The first element on a path such as `imposto/ICMS/*/vBC`, in which `*` is any element.
    pub(super) fn find(&self, path: &str) -> Option<&Element<'t>> {
        let (name, rest) = first_step(path);
        let mut children = self.children.iter().filter(|child| name == "*" || child.name == name);
        if rest.is_empty() { children.next() } else { children.find_map(|child| child.find(rest)) }
    }

    /// The text at a path, without the space around it; `None` if there is none, or it is blank or too long, which
    /// [`Self::unreadable`] then says.
    pub(super) fn at(&self, path: &str) -> Option<&str> {
        let found = self.find(path)?;
        let text = found.text.trim();
        found.too_long.set(text.len() > MAX_TEXT_BYTES);
        (1..=MAX_TEXT_BYTES).contains(&text.len()).then_some(text)
    }

    /// Those that were found, and the codes that were looked for in the element and are too long; those in a child called
    /// `but` are left out.
    pub(super) fn unreadable(&self, but: &str, mut found: Vec<UnreadableField>) -> Vec<UnreadableField> {
        if self.too_long.get() {
            found.push(UnreadableField { name: self.name.to_string(), line: self.line });
        }
        self.children.iter().filter(|child| child.name != but).fold(found, |found, child| child.unreadable(but, found))
    }
}

/// The first name of a path, and what follows it. Most names have few letters, so that a loop over them is the fastest search.
pub(super) fn first_step(path: &str) -> (&str, &str) {
    let parts = path.bytes().position(|byte| byte == b'/').and_then(|at| Some((path.get(..at)?, path.get(at + 1..)?)));
    parts.unwrap_or((path, ""))
}

/// Many paths, of which one walk over an element finds the elements. To search for each alone took as long as to parse the
/// document.
#[derive(Debug, Default)]
pub struct PathTree {
    /// The places of the paths that end here.
    ends: Vec<usize>,
    /// By the next name of the path.
    below: HashMap<&'static str, PathTree, FixedState>,
    /// Of `*`, which is any name.
    below_any: Option<Box<PathTree>>,
}

impl PathTree {
    pub(super) fn of(paths: &[&'static str]) -> PathTree {
        let mut whole = PathTree::default();
        for (place, path) in paths.iter().enumerate() {
            let mut tree = &mut whole;
            for name in path.split('/') {
                tree = if name == "*" {
                    tree.below_any.get_or_insert_default()
                } else {
                    tree.below.entry(name).or_default()
                };
            }
            tree.ends.push(place);
        }
        whole
    }

    /// Puts the first element at each path below `element` in the place of the path.
    pub(super) fn find<'e, 't>(&self, element: &'e Element<'t>, found: &mut [Option<&'e Element<'t>>]) {
        for child in &element.children {
            for tree in self.below.get(&*child.name).into_iter().chain(self.below_any.as_deref()) {
                for place in &tree.ends {
                    found.get_mut(*place).into_iter().for_each(|first| *first = first.or(Some(child)));
                }
                tree.find(child, found);
            }
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    /// Bytes before the event.
    read: usize,
    line: u32,
    elements: usize,
    /// Documents and items.
    items: usize,
    limits: XmlLimits,
    /// The open elements, each with how many are done before its children.
    open: Vec<(Element<'t>, usize)>,
    /// The elements that ended, and are not in their parent yet.
    done: Vec<Element<'t>>,
}

/// Parses a whole file. Refuses a document type, more than the limits, and text that is not well formed.
pub(super) fn parse(text: &str, limits: XmlLimits) -> Result<Element<'_>, XmlFault> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    // Some portals and mail programs write "&" for "&amp;".
    reader.config_mut().allow_dangling_amp = true;
    let mut parser =
        Parser { text, read: 0, line: 1, elements: 0, items: 0, limits, open: Vec::new(), done: Vec::new() };
    if text.contains('\0') {
        return Err(parser.fault("xml_invalido", "tem caracteres nulos: grave-o em UTF-8"));
    }
    // Most documents are one line.
    let has_lines = text.contains('\n');
    loop {
        let event = reader.read_event().map_err(|_| parser.malformed("o texto não segue a gramática"))?;
        if matches!(event, Event::Eof) {
            break;
        }
        parser.take(event)?;
        let position = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
        if has_lines {
            let newlines = text.get(parser.read..position).unwrap_or_default().bytes().filter(|byte| *byte == b'\n');
            parser.line = newlines.fold(parser.line, |line, _| line.saturating_add(1));
        }
        parser.read = position;
    }
    if !parser.open.is_empty() {
        return Err(parser.malformed("o documento acaba antes da hora"));
    }
    if parser.done.len() > 1 {
        return Err(parser.malformed("tem mais de um elemento raiz"));
    }
    parser.done.pop().ok_or_else(|| parser.malformed("está vazio ou não é XML"))
}

impl<'t> Parser<'t> {
    /// The name of an element without its prefix, borrowed from the text if it is there as the reader gives it.
    fn name(&self, start: &BytesStart<'_>) -> Cow<'t, str> {
        let qualified = start.name();
        let prefix = qualified.as_ref().bytes().position(|byte| byte == b':').map_or(0, |colon| colon + 1);
        let name = qualified.as_ref().get(prefix..).unwrap_or_default();
        // The text of the event begins with `<`.
        let begin = self.read + 1 + prefix;
        let in_text = self.text.get(begin..begin + name.len()).filter(|found| *found == name);
        in_text.map_or_else(|| Cow::Owned(name.to_owned()), Cow::Borrowed)
    }

    fn fault(&self, codigo: &'static str, detail: impl Into<String>) -> XmlFault {
        XmlFault { line: self.line, codigo, detail: detail.into() }
    }

    fn malformed(&self, reason: &str) -> XmlFault {
        self.fault("xml_invalido", format!("o XML está danificado ou incompleto ({reason}): obtenha-o de novo"))
    }

    fn take(&mut self, event: Event<'t>) -> Result<(), XmlFault> {
        match event {
            Event::Start(start) => return self.start(&start),
            Event::End(_) => {
                // The reader reports an end without a start.
                if let Some((mut element, before)) = self.open.pop() {
                    element.children = self.done.split_off(before);
                    self.done.push(element);
                }
            }
            Event::Text(written) => self.push(written.xml10_content()),
            Event::CData(written) => self.push(written.xml10_content()),
            Event::GeneralRef(name) => match (resolve_xml_entity(name.as_ref()), name.resolve_char_ref()) {
                (Some(named), _) => self.push(named.into()),
                (None, Ok(Some(c))) => self.push(c.to_string().into()),
                // "Pães & Doces; Bolos" has a sign, and no entity.
                _ if name.contains(char::is_whitespace) => self.push(format!("&{};", &*name).into()),
                _ => return Err(self.fault("xml_invalido", "usa uma entidade, e entidades não são aceitas")),
            },
            Event::DocType(_) => {
                let detail = "declara um tipo de documento (DTD), e não é aceito";
                return Err(self.fault("xml_com_dtd", detail));
            }
            _ => {}
        }
        Ok(())
    }

    fn push(&mut self, text: Cow<'t, str>) {
        if let Some((element, _)) = self.open.last_mut() {
            element.text += text;
        }
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), XmlFault> {
        self.elements += 1;
        if self.elements > self.limits.elements {
            let detail = format!("tem mais de {} elementos", self.limits.elements);
            return Err(self.fault("xml_grande_demais", detail));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(self.fault("xml_fundo_demais", format!("tem mais de {MAX_DEPTH} níveis de elementos")));
        }
        let name = self.name(start);
        self.items += usize::from(matches!(
            &*name,
            "infNFe" | "infCFe" | "infCte" | "infNFSe" | "InfNfse" | "ChaveNFe" | "det" | "lista"
        ));
        if self.items > self.limits.items {
            let detail = format!("tem mais de {} notas e itens", self.limits.items);
            return Err(self.fault("xml_grande_demais", detail));
        }
        let mut element = Element { name, line: self.line, ..Element::default() };
        for attribute in start.attributes().with_checks(false).flatten() {
            match attribute.key.local_name().as_ref() {
                "nItem" => element.item = unescape(&attribute.value).ok().and_then(|text| text.trim().parse().ok()),
                name @ ("Id" | "chCanc") if name == "chCanc" || element.id.is_empty() => {
                    element.id = unescape(&attribute.value).unwrap_or_default().trim().into();
                }
                _ => {}
            }
        }
        self.open.push((element, self.done.len()));
        Ok(())
    }
}

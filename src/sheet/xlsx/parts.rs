//! The parts of a workbook beside the worksheet: its list of worksheets and its number formats.

use std::collections::HashMap;
use std::io::{Read, Seek};

use quick_xml::events::Event;

use super::xml::{Xml, attribute};
use super::{Archive, MAX_PART, part};
use crate::SheetError;

/// What the workbook says about itself.
pub(super) struct Workbook {
    /// Each worksheet: its name, its path, and whether it is shown.
    worksheets: Vec<(String, String, bool)>,
    /// Path of the number formats.
    pub(super) styles: String,
    /// Path of the shared strings.
    pub(super) strings: String,
    /// Days count from 1904 instead of 1900.
    pub(super) is_1904: bool,
}

struct Relationship {
    id: String,
    /// The last part of its type: `worksheet`, `styles`.
    kind: String,
    /// Path in the archive.
    target: String,
}

impl Workbook {
    pub(super) fn read<R: Read + Seek>(archive: &mut Archive<R>) -> Result<Workbook, SheetError> {
        let no_workbook = || SheetError::file("O arquivo não é um XLSX: não tem pasta de trabalho.");
        let root = relationships(archive, "")?;
        let path = root.into_iter().find(|link| link.kind == "officeDocument").ok_or_else(no_workbook)?.target;
        let links = relationships(archive, &path)?;
        let target = |kind: &str| links.iter().find(|link| link.kind == kind).map(|link| link.target.clone());
        let mut workbook = Workbook {
            worksheets: Vec::new(),
            styles: target("styles").unwrap_or_default(),
            strings: target("sharedStrings").unwrap_or_default(),
            is_1904: false,
        };
        let mut xml = part(archive, &path, MAX_PART)?.ok_or_else(no_workbook)?;
        loop {
            match xml.next()? {
                Event::Start(e) if e.local_name().as_ref() == "workbookPr" => {
                    workbook.is_1904 = attribute(&e, "date1904").is_some_and(|value| matches!(&*value, "1" | "true"));
                }
                Event::Start(e) if e.local_name().as_ref() == "sheet" => {
                    let id = attribute(&e, "id").unwrap_or_default();
                    let link = links.iter().find(|link| link.id == id && link.kind == "worksheet");
                    if let (Some(name), Some(link)) = (attribute(&e, "name"), link) {
                        let is_shown = attribute(&e, "state").is_none_or(|state| state == "visible");
                        workbook.worksheets.push((name.into_owned(), link.target.clone(), is_shown));
                    }
                }
                Event::Eof => return Ok(workbook),
                _ => {}
            }
        }
    }

    /// The names of the worksheets that are shown.
    pub(super) fn shown(&self) -> impl Iterator<Item = &str> {
        self.worksheets.iter().filter(|(.., is_shown)| *is_shown).map(|(name, ..)| name.as_str())
    }

    /// The path of the worksheet of that name, or of the first one that is shown.
    pub(super) fn worksheet(&self, name: Option<&str>) -> Result<&str, SheetError> {
        let found = match name {
            Some(name) => self.worksheets.iter().find(|(own, ..)| own.to_lowercase() == name.to_lowercase()),
            None => self.worksheets.iter().find(|(.., is_shown)| *is_shown),
        };
        found.map(|(_, path, _)| path.as_str()).ok_or_else(|| {
            let names: Vec<String> = self.worksheets.iter().map(|(name, ..)| format!("\"{name}\"")).collect();
            SheetError::file(match name {
                Some(name) => format!("O arquivo não tem a planilha \"{name}\"; tem {}.", names.join(", ")),
                None => "O arquivo não tem nenhuma planilha.".to_owned(),
            })
        })
    }
}

/// The links of a part; of the archive itself for an empty path.
fn relationships<R: Read + Seek>(archive: &mut Archive<R>, path: &str) -> Result<Vec<Relationship>, SheetError> {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut links = Vec::new();
    let Some(mut xml) = part(archive, &format!("{prefix}_rels/{name}.rels"), MAX_PART)? else { return Ok(links) };
    loop {
        match xml.next()? {
            Event::Start(e) if e.local_name().as_ref() == "Relationship" => {
                let get = |name: &str| attribute(&e, name).unwrap_or_default().into_owned();
                let (id, kind, target) = (get("Id"), get("Type"), get("Target"));
                let target = match target.strip_prefix('/') {
                    Some(absolute) => absolute.to_owned(),
                    None => format!("{prefix}{target}"),
                };
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                links.push(Relationship { id, kind, target });
            }
            Event::Eof => return Ok(links),
            _ => {}
        }
    }
}

/// What a number means, by the number format of its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberFormat {
    /// With at least so many decimal places.
    Number(u32),
    Percent,
    Date,
    Time,
}

/// The meaning of the number format of each cell style.
#[derive(Default)]
pub(super) struct Formats(Vec<NumberFormat>);

impl Formats {
    pub(super) fn read<R: Read>(mut xml: Xml<R>) -> Result<Formats, SheetError> {
        let mut custom: HashMap<String, NumberFormat> = HashMap::new();
        let mut formats = Vec::new();
        let mut is_cell_style = false;
        loop {
            match xml.next()? {
                Event::Start(e) => match e.local_name().as_ref() {
                    "numFmt" => {
                        if let (Some(id), Some(code)) = (attribute(&e, "numFmtId"), attribute(&e, "formatCode")) {
                            custom.insert(id.into_owned(), NumberFormat::of_code(&code));
                        }
                    }
                    "cellXfs" => is_cell_style = true,
                    "xf" if is_cell_style => {
                        let id = attribute(&e, "numFmtId").unwrap_or_default();
                        formats.push(custom.get(&*id).copied().unwrap_or_else(|| NumberFormat::built_in(&id)));
                    }
                    _ => {}
                },
                Event::End(e) if e.local_name().as_ref() == "cellXfs" => is_cell_style = false,
                Event::Eof => return Ok(Formats(formats)),
                _ => {}
            }
        }
    }

    pub(super) fn of(&self, style: Option<usize>) -> NumberFormat {
        style.and_then(|style| self.0.get(style)).copied().unwrap_or(NumberFormat::Number(0))
    }
}

impl NumberFormat {
    /// The formats that have a number and no code (ECMA-376, 18.8.30).
    fn built_in(id: &str) -> NumberFormat {
        match id.parse::<u32>() {
            Ok(9 | 10) => NumberFormat::Percent,
            Ok(14..=17 | 22 | 27..=31 | 36 | 50..=54 | 57 | 58) => NumberFormat::Date,
            Ok(18..=21 | 32..=35 | 45..=47 | 55 | 56) => NumberFormat::Time,
            Ok(2 | 4 | 39 | 40) => NumberFormat::Number(2),
            _ => NumberFormat::Number(0),
        }
    }

    /// The meaning of a format code: that of its first section, without literal texts.
    pub(super) fn of_code(code: &str) -> NumberFormat {
        let (mut is_percent, mut has_day, mut has_time, mut has_month) = (false, false, false, false);
        let mut places = None;
        let mut characters = code.chars();
        while let Some(character) = characters.next() {
            match character {
                ';' => break,
                '\\' | '_' | '*' => drop(characters.next()),
                '"' => drop(characters.by_ref().find(|c| *c == '"')),
                '[' => {
                    let inner: String = characters.by_ref().take_while(|c| *c != ']').collect();
                    has_time |= matches!(inner.to_ascii_lowercase().as_str(), "h" | "hh" | "m" | "mm" | "s" | "ss");
                }
                '%' => is_percent = true,
                '.' => places = Some(0),
                '0' => places = places.map(|places| places + 1),
                'd' | 'D' | 'y' | 'Y' => has_day = true,
                'h' | 'H' | 's' | 'S' => has_time = true,
                'm' | 'M' => has_month = true,
                _ => {}
            }
        }
        match (has_day || has_month && !has_time, has_time, is_percent) {
            (true, ..) => NumberFormat::Date,
            (_, true, _) => NumberFormat::Time,
            (.., true) => NumberFormat::Percent,
            _ => NumberFormat::Number(places.unwrap_or(0)),
        }
    }
}

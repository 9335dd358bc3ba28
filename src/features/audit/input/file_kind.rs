//! What a file is, by its name and its first bytes: a folder has more than notes, and each file has its line in the report.

use crate::law::efd::{EfdKind, EfdRecord, decoded};
use crate::law::nfe::OtherFile;

/// First bytes of a ZIP: of its first entry, or of its end if it has none.
const ZIP_MAGIC: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
/// Bytes of a file that decide its kind: the first line of an EFD has at most some 300.
pub const HEAD_BYTES: usize = 1_024;

/// What to do with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileKind {
    Xml,
    Zip,
    /// Books of the SPED that are crossed with the documents, and what to say of them among the documents.
    Efd(OtherFile),
    Other(OtherFile),
}

/// Archives that are not opened: what people call them, their first bytes (none: the name decides), their extensions.
const PACKED: [(&str, &[u8], &[&str]); 6] = [
    ("RAR", b"Rar!", &["rar"]),
    ("7z", b"7z\xbc\xaf\x27\x1c", &["7z"]),
    ("GZIP", b"\x1f\x8b", &["gz", "tgz"]),
    ("BZIP2", b"BZh", &["bz2"]),
    ("XZ", b"\xfd7zXZ\0", &["xz"]),
    ("TAR", b"", &["tar"]),
];
/// Files of office programs that are ZIP archives inside.
const OFFICE: [&str; 8] = ["xlsx", "xlsm", "xlsb", "docx", "pptx", "ods", "odt", "odp"];
/// Files whose text begins like XML, and which are not documents.
const MARKUP: [&str; 8] = ["html", "htm", "xhtml", "svg", "xsl", "xslt", "xsd", "wsdl"];
/// Names of files that operating systems leave in folders.
const OF_SYSTEMS: [&str; 2] = ["thumbs.db", "desktop.ini"];

fn is_zip(bytes: &[u8]) -> bool {
    ZIP_MAGIC.iter().any(|magic| bytes.starts_with(magic))
}

/// Returns what a file is, by its name, which is empty if it has none (stdin), and its first [`HEAD_BYTES`]; further bytes
/// are not looked at.
pub fn kind_of(name: &str, bytes: &[u8]) -> FileKind {
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    let extension = extension(name);
    let extension = extension.as_str();
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let other = |codigo, has_notes, detail: String| FileKind::Other(OtherFile { codigo, detail, has_notes });
    if is_sped_in_utf16(head) {
        let detail = "é uma escrituração do SPED em UTF-16, e o leiaute pede ISO-8859-1: grave-a como ANSI (Latin-1)";
        return other("escrituracao_ilegivel", true, detail.to_owned());
    }
    match sped(head) {
        None => {}
        Some(Books::Crossed(kind)) => {
            let detail = format!("é uma {}: os documentos dela são cruzados com os XML desta conferência", kind.name());
            return FileKind::Efd(OtherFile { codigo: "escrituracao", detail, has_notes: false });
        }
        Some(Books::Named(sped)) => {
            let detail = format!("é {sped}, do SPED: esta escrituração não é conferida, só os XML das notas e as EFD");
            return other("escrituracao", false, detail);
        }
    }
    let packed = |(_, magic, extensions): &&(&str, &[u8], &[&str])| {
        (!magic.is_empty() && head.starts_with(magic)) || extensions.contains(&extension)
    };
    if let Some((format, ..)) = PACKED.iter().find(packed) {
        let detail = format!("é um arquivo {format}, que não é aberto: extraia os XML dele, ou grave-os em um ZIP");
        return other("arquivo_compactado", true, detail);
    }
    let is_named_xml = extension == "xml";
    if extension == "pdf" || head.starts_with(b"%PDF") {
        let detail = "é um PDF, que não é lido: o que se confere é o XML da nota";
        // A note that was saved in the wrong form is lost; the DANFE beside its XML is not.
        return other("arquivo_nao_lido", is_named_xml, detail.to_owned());
    }
    let is_markup = MARKUP.contains(&extension);
    if extension == "zip" || (is_zip(head) && !OFFICE.contains(&extension)) {
        FileKind::Zip
    } else if is_named_xml || name.is_empty() || (begins_as_xml(head) && !is_markup) {
        FileKind::Xml
    } else {
        let detail = "não é XML nem ZIP, e não foi lido: se tem notas, grave o XML delas";
        other("arquivo_nao_lido", false, detail.to_owned())
    }
}

/// The letters after the last point of a file's name, in lower case.
fn extension(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
    file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default()
}

fn begins_as_xml(head: &[u8]) -> bool {
    let utf16 = matches!(head, [0xff, 0xfe, b'<', 0, ..] | [0xfe, 0xff, 0, b'<', ..] | [b'<', 0, ..] | [0, b'<', ..]);
    utf16 || head.trim_ascii_start().starts_with(b"<")
}

/// Books of the SPED.
enum Books {
    Crossed(EfdKind),
    Named(&'static str),
}

/// What file of the SPED the text is, by its first record.
fn sped(head: &[u8]) -> Option<Books> {
    if !head.starts_with(b"|0000|") {
        return None;
    }
    let first = head.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    Some(match first.get(6..11) {
        Some(b"LECD|") => Books::Named("uma ECD"),
        Some(b"LECF|") => Books::Named("uma ECF"),
        // A first line that is longer than the head has its period in the head all the same.
        _ => EfdRecord::of(&format!("{}|", decoded(first)))
            .and_then(|first| EfdKind::of(&first))
            .map_or(Books::Named("uma escrituração"), Books::Crossed),
    })
}

/// Whether the text is books whose letters have two bytes each.
fn is_sped_in_utf16(head: &[u8]) -> bool {
    let letters = head.iter().copied().filter(|byte| !matches!(byte, 0 | 0xfe | 0xff));
    !head.starts_with(b"|0000|") && letters.take(6).eq(*b"|0000|")
}

/// Whether a file is one that operating systems and programs leave in folders and archives. `name` is its path below the
/// folder or in the archive.
pub fn is_hidden(name: &str) -> bool {
    let parts: Vec<&str> = name.split(['/', '\\']).collect();
    let file = parts.last().copied().unwrap_or_default();
    // macOS writes `__MACOSX/._nota.xml` beside each `nota.xml` of an archive.
    if parts.contains(&"__MACOSX") || file.starts_with("._") {
        return true;
    }
    let hides = |part: &&str| part.starts_with('.') || part.starts_with("~$");
    let of_system = OF_SYSTEMS.iter().any(|known| file.eq_ignore_ascii_case(known));
    (of_system || parts.iter().any(hides)) && !matches!(extension(file).as_str(), "xml" | "zip")
}

/// What is said of the hidden files of a folder or an archive, which are counted only.
pub fn hidden_files(count: u64) -> OtherFile {
    let detail = match count {
        1 => "1 arquivo oculto ou do sistema, que não foi lido".to_owned(),
        _ => format!("{count} arquivos ocultos ou do sistema, que não foram lidos"),
    };
    OtherFile { codigo: "arquivos_ocultos", detail, has_notes: false }
}

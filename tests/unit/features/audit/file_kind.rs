//! What a file is, by its name and its first bytes.

use taxd::features::audit::{FileKind, is_hidden, kind_of};

/// The code and the sentence of a file that is only named, and whether notes may be lost by it.
fn other(name: &str, bytes: &[u8]) -> (&'static str, String, bool) {
    match kind_of(name, bytes) {
        FileKind::Other(other) | FileKind::Efd(other) => (other.codigo, other.detail, other.has_notes),
        kind => panic!("{name}: {kind:?}"),
    }
}

/// An EFD was once a damaged XML, or not mentioned at all. Its first record decides, whatever its name.
#[test]
fn a_book_of_the_sped_is_called_by_its_name() {
    let icms = "|0000|017|0|01012026|31012026|EMPRESA|11222333000181||SP|1|3550308|||A|0|\r\n";
    let contributions = "|0000|006|0|||01062026|30062026|FIRMA|12345678000195|SP|3550308||00|2|\n|0001|0|\n";
    let later_layout = "|0000|021|0|01012027|31012027|EMPRESA|11222333000181||SP|1|3550308|||A|0|X|Y|\r\n";
    let cases = [
        (icms, "uma EFD ICMS/IPI"),
        (later_layout, "uma EFD ICMS/IPI"),
        (contributions, "uma EFD-Contribuições"),
        ("|0000|LECD|01012025|31122025|FIRMA|", "uma ECD"),
        ("|0000|LECF|0011|12345678000195|FIRMA|", "uma ECF"),
        ("|0000|", "uma escrituração"),
    ];
    for (text, words) in cases {
        for name in ["EFD.txt", "SPED", "", "efd.xml"] {
            let (code, detail, has_notes) = other(name, text.as_bytes());
            assert_eq!((code, has_notes), ("escrituracao", false), "{name}: {detail}");
            assert!(detail.starts_with(&format!("é {words}")), "{detail}");
            assert_eq!(words.contains("EFD"), detail.contains("são cruzados"), "{detail}");
        }
    }
    assert_eq!(other("EFD.txt", format!("\u{feff}{icms}").as_bytes()).0, "escrituracao");
    for wide in [[b"\xff\xfe", &b"|\x000\x000\x000\x000\x00|\x00"[..]].concat(), b"\0|\x000\x000\x000\x000\0|".to_vec()]
    {
        let (code, detail, has_notes) = other("EFD.txt", &wide);
        assert!(code == "escrituracao_ilegivel" && has_notes && detail.contains("UTF-16"), "{code}: {detail}");
    }
}

#[test]
fn an_archive_that_is_not_opened_may_have_notes_and_says_what_to_do() {
    let cases: [(&str, &[u8]); 9] = [
        ("notas.rar", b"Rar!"),
        ("notas.RAR", b""),
        ("notas", b"Rar!\x1a\x07"),
        ("notas.7z", b"7z\xbc\xaf\x27\x1c"),
        ("nota.xml.gz", b"\x1f\x8b\x08"),
        ("nota.xml", b"\x1f\x8b\x08"),
        ("notas.tar", b"nota.xml"),
        ("notas.bz2", b"BZh9"),
        ("notas.xz", b"\xfd7zXZ\0"),
    ];
    for (name, bytes) in cases {
        let (code, detail, has_notes) = other(name, bytes);
        assert_eq!((code, has_notes), ("arquivo_compactado", true), "{name}");
        assert!(detail.contains("extraia"), "{detail}");
    }
}

#[test]
fn a_file_that_is_not_a_document_is_named_and_one_that_may_be_is_read() {
    for (name, bytes) in [
        ("danfe.pdf", &b"%PDF-1.7"[..]),
        ("danfe", b"%PDF-1.7"),
        ("leia-me.txt", b"isto nao e XML"),
        ("clientes.xlsx", b"PK\x03\x04"),
        ("pagina.html", b"<!DOCTYPE html>"),
        ("esquema.xsd", b"<?xml version=\"1.0\"?>"),
        ("logo.png", b"\x89PNG"),
        ("LEIAME", b""),
    ] {
        let (code, _, has_notes) = other(name, bytes);
        assert_eq!((code, has_notes), ("arquivo_nao_lido", false), "{name}");
    }
    assert!(other("nota.xml", b"%PDF-1.7").2, "a note that was saved as a PDF is lost");
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain("<NFe/>".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    for (name, bytes) in [
        ("nota.xml", &b"quebrado"[..]),
        ("NOTA.XML", b""),
        ("nota.txt", b"\xef\xbb\xbf \r\n<NFe/>"),
        ("nota", b"<NFe/>"),
        ("nota.txt", &utf16),
        ("", b"nada"),
    ] {
        assert_eq!(kind_of(name, bytes), FileKind::Xml, "{name}");
    }
    for (name, bytes) in [("notas.zip", &b""[..]), ("notas", b"PK\x03\x04"), ("nota.xml", b"PK\x05\x06")] {
        assert_eq!(kind_of(name, bytes), FileKind::Zip, "{name}");
    }
}

#[test]
fn files_of_systems_are_hidden_and_notes_are_not() {
    for name in [
        ".DS_Store",
        "sub/.DS_Store",
        "Thumbs.db",
        "desktop.ini",
        "~$lista.xlsx",
        ".~lock.lista.ods#",
        ".git/config",
        "__MACOSX/._nota.xml",
        "mes/._nota.xml",
    ] {
        assert!(is_hidden(name), "{name}");
    }
    for name in ["nota.xml", ".nota.xml", "notas.v1/nota.xml", ".mes/nota.xml", "EFD.txt", "a.b/c.rar"] {
        assert!(!is_hidden(name), "{name}");
    }
}

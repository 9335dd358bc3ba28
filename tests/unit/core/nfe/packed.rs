//! Distributions (`retDistDFeInt`), whose documents are compressed.

use std::io::Write;

use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use taxd_law::nfe::{self, FiscalDocument, XmlLimits};

use super::NOTE;

const KEY: &str = "35260311222333000181550010000000011000000010";

/// A `docZip`, in lines as some programs write it.
fn packed(xml: &str) -> String {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(xml.as_bytes()).unwrap();
    let text = BASE64.encode(&gzip.finish().unwrap());
    let (first, rest) = text.split_at(20);
    format!("<docZip NSU=\"1\" schema=\"x.xsd\">\n{first}\n{rest}</docZip>")
}

fn distribution(documents: &[String]) -> String {
    let lot = documents.concat();
    format!("<retDistDFeInt><cStat>138</cStat><loteDistDFeInt>{lot}</loteDistDFeInt></retDistDFeInt>")
}

/// What a firm downloads from the SEFAZ was once only named: its notes had to be saved one by one.
#[test]
fn the_documents_of_a_distribution_are_read_in_order() {
    let summary = "<resNFe><chNFe>1</chNFe><vNF>1.00</vNF></resNFe>";
    let cancelled = format!(
        "<procEventoNFe><retEvento><infEvento><cStat>135</cStat><tpEvento>110111</tpEvento><chNFe>{KEY}</chNFe>\
         </infEvento></retEvento></procEventoNFe>"
    );
    let file = distribution(&[packed(NOTE), packed(summary), packed(&cancelled), packed(NOTE)]);
    for file in [file.clone(), format!("<soap:Envelope xmlns:soap=\"x\"><soap:Body>{file}</soap:Body></soap:Envelope>")]
    {
        let found = nfe::read(file.as_bytes()).unwrap();
        let [
            FiscalDocument::Nota(note),
            FiscalDocument::Other(other),
            FiscalDocument::Event(event),
            FiscalDocument::Nota(_),
        ] = found.as_slice()
        else {
            panic!("{found:?}")
        };
        assert_eq!(note.items.len(), 1);
        assert!(other.detail.contains("resumo") && !other.has_notes, "{other:?}");
        assert!(event.cancels && event.key == KEY, "{event:?}");
        assert_eq!(nfe::cancelled_keys(file.as_bytes(), XmlLimits::default()), [KEY], "it counts for other files");
        let lot = file.replace("retDistDFeInt", "lote");
        assert_eq!(nfe::cancelled_keys(lot.as_bytes(), XmlLimits::default()), [KEY], "whatever its root");
    }
}

/// What was not read must not look as if there were no note, and does not hide what could be read.
#[test]
fn a_packed_document_that_cannot_be_read_is_named_and_the_others_are_read() {
    let within = distribution(&[packed(NOTE)]);
    let bomb = format!("<NFe>{}</NFe>", " ".repeat(40 << 20));
    for (bad, why) in [
        ("<docZip>A</docZip>".to_owned(), "base64"),
        ("<docZip>QUJD</docZip>".to_owned(), "GZIP"),
        ("<docZip/>".to_owned(), "GZIP"),
        (packed(NOTE).replace("H4sI", "H4sJ"), "GZIP"),
        (packed("<pedido/>"), "não tem NF-e"),
        (packed(&bomb), "limite"),
    ] {
        let found = nfe::read(distribution(&[bad.clone(), packed(NOTE)]).as_bytes()).unwrap();
        let [FiscalDocument::Other(other), FiscalDocument::Nota(_)] = found.as_slice() else { panic!("{found:?}") };
        assert!(other.has_notes && other.detail.contains(why), "{why}: {other:?}");
    }
    let found = nfe::read(distribution(&[packed(&within)]).as_bytes()).unwrap();
    assert!(matches!(found.as_slice(), [FiscalDocument::Other(_)]), "only one level is opened: {found:?}");
}

/// A small file of many packed documents would otherwise take the memory of all of them.
#[test]
fn the_limits_hold_for_all_packed_documents_together() {
    let limits = XmlLimits { items: 5, ..XmlLimits::default() };
    let found = nfe::read_within(distribution(&vec![packed(NOTE); 4]).as_bytes(), limits).unwrap();
    let read = |document: &FiscalDocument| matches!(document, FiscalDocument::Nota(_));
    assert_eq!(found.iter().map(read).collect::<Vec<_>>(), [true, true, false, false]);
    let long = format!("{NOTE}{}", " ".repeat(100_000));
    let limits = XmlLimits { bytes: long.len() * 5 / 2, ..XmlLimits::default() };
    let found = nfe::read_within(distribution(&vec![packed(&long); 3]).as_bytes(), limits).unwrap();
    assert_eq!(found.iter().map(read).collect::<Vec<_>>(), [true, true, false]);
}

/// A file of 20 MB with five hundred documents, each too large once it is unpacked, took over a minute.
#[test]
fn documents_that_cannot_be_unpacked_take_no_more_time_than_four_files() {
    let limits = XmlLimits { bytes: 100_000, ..XmlLimits::default() };
    let bomb = packed(&format!("<NFe>{}</NFe>", " ".repeat(200_000)));
    let few = distribution(&[vec![bomb.clone(); 3], vec![packed(NOTE)]].concat());
    let found = nfe::read_within(few.as_bytes(), limits).unwrap();
    assert!(matches!(found.last(), Some(FiscalDocument::Nota(_))), "three of them hide no note: {found:?}");
    let many = distribution(&[vec![bomb; 5], vec![packed(NOTE)]].concat());
    let found = nfe::read_within(many.as_bytes(), limits).unwrap();
    assert!(found.len() == 6 && found.iter().all(|one| matches!(one, FiscalDocument::Other(_))), "{found:?}");
}

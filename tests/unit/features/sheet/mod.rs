//! Tables as CSV and XLSX.

mod columns;
mod csv;
mod hostile;
mod values;
mod xlsx;

use std::io::{Cursor, Write};
use std::ops::ControlFlow;

use taxd_sheet::{Cell, Row, SheetError, read};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// All rows of a file.
pub fn rows(bytes: &[u8]) -> Result<Vec<Row<'static>>, SheetError> {
    let mut rows = Vec::new();
    read(Cursor::new(bytes), None, &mut |row| {
        rows.push(row.into_owned());
        ControlFlow::Continue(())
    })?;
    Ok(rows)
}

/// All rows of a file as their numbers and the texts of their cells.
pub fn texts(bytes: &[u8]) -> Vec<(u32, Vec<String>)> {
    let text = |cell: &Cell<'_>| cell.text().unwrap().into_owned();
    rows(bytes).unwrap().iter().map(|row| (row.number, row.cells.iter().map(text).collect())).collect()
}

/// The sentence of a file that cannot be read.
pub fn refusal(bytes: &[u8]) -> String {
    rows(bytes).expect_err("the file was read").to_string()
}

pub const PACKAGE: (&str, &str) = (
    "_rels/.rels",
    r#"<Relationships><Relationship Id="rId1" Type="http://x/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
);
pub const LINKS: (&str, &str) = (
    "xl/_rels/workbook.xml.rels",
    r#"<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/>
    <Relationship Id="rId2" Type="http://x/styles" Target="styles.xml"/>
    <Relationship Id="rId3" Type="http://x/sharedStrings" Target="/xl/sharedStrings.xml"/>
    <Relationship Id="rId4" Type="http://x/worksheet" Target="worksheets/sheet2.xml"/></Relationships>"#,
);
pub const WORKBOOK: (&str, &str) = (
    "xl/workbook.xml",
    r#"<workbook xmlns:r="http://x"><sheets><sheet name="Listas" sheetId="2" state="hidden" r:id="rId4"/>
    <sheet name="Regras" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
);
pub const STYLES: (&str, &str) = (
    "xl/styles.xml",
    r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><numFmt numFmtId="165" formatCode="&quot;dia&quot; 0.0%"/>
    <numFmt numFmtId="166" formatCode="[$-416]d\ &quot;de&quot;\ mmmm;@"/><numFmt numFmtId="167" formatCode="[h]:mm"/></numFmts>
    <cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>
    <cellXfs><xf numFmtId="0"/><xf numFmtId="10"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="167"/><xf numFmtId="14"/></cellXfs></styleSheet>"#,
);
pub const STRINGS: (&str, &str) = (
    "xl/sharedStrings.xml",
    "<sst><si><t>código</t></si><si><r><t>a</t></r><r><t xml:space=\"preserve\"> b &amp; c</t></r><rPh><t>x</t></rPh></si><si><t/></si><si><t>l1_x000D_\nl2</t></si></sst>",
);

/// An archive of these parts.
pub fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A workbook whose worksheet has these rows.
pub fn workbook(sheet_data: &str) -> Vec<u8> {
    let sheet = format!("<worksheet><sheetData>{sheet_data}</sheetData></worksheet>");
    let parts = [PACKAGE, LINKS, WORKBOOK, STYLES, STRINGS, ("xl/worksheets/sheet1.xml", &sheet)];
    archive(&parts.map(|(name, text)| (name, text.as_bytes())))
}

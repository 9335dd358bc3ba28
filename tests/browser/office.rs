//! What is saved from the part Lista, as `LibreOffice` in Portuguese opens it.

use std::path::Path;
use std::process::Command;

use super::driver::{is_installed, missing};
use super::page::Page;
use super::sheet::{calculate, paste, saved};

/// A profile of `LibreOffice` in Brazilian Portuguese.
const PROFILE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N">
<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>pt-BR</value></prop></item></oor:items>"#;

/// The table of a file as `LibreOffice` writes it out again, in XML.
fn opened(folder: &Path, file: &str) -> String {
    let user = folder.join("perfil/user");
    std::fs::create_dir_all(&user).unwrap();
    std::fs::write(user.join("registrymodifications.xcu"), PROFILE).unwrap();
    let mut office = Command::new("soffice");
    office.arg(format!("-env:UserInstallation=file://{}", folder.join("perfil").display()));
    office.args(["--headless", "--convert-to", "fods", "--outdir"]).arg(folder);
    // 59 is the separator, 34 the quote, 76 is UTF-8; 1046 is Brazilian Portuguese.
    office.args(file.ends_with("csv").then_some("--infilter=CSV:59,34,76,1,,1046"));
    let done = office.arg(folder.join(file)).output().unwrap();
    let written = folder.join(file).with_extension("fods");
    std::fs::read_to_string(&written).unwrap_or_else(|e| panic!("{e}: {done:?}"))
}

/// The kinds of the cells that show that text.
fn kinds_of<'t>(table: &'t str, shown: &str) -> Vec<&'t str> {
    let text = format!("<text:p>{shown}</text:p>");
    let kind = |cell: &'t str| cell.split_once("office:value-type=\"")?.1.split('"').next();
    table.split("<table:table-cell").filter(|cell| cell.contains(&text)).filter_map(kind).collect()
}

/// A code of digits once lost its first zero, and an access key its last digits.
#[test]
fn a_saved_list_has_amounts_as_numbers_and_codes_with_their_zeros() {
    if !is_installed("soffice") {
        return missing("soffice");
    }
    let Some((server, page)) = Page::served() else { return };
    let key = "35260311222333000181550010000000011000000017";
    let head = "Chave\tuf_origem\tuf_destino\tncm\tcest\tvalor_produto\tdata_operacao";
    let rows = [("17049010", "1700100"), ("03049900", "0302100")]
        .map(|(ncm, cest)| format!("{key}\tSP\tSP\t{ncm}\t{cest}\t100,00\t10/06/2026"));
    paste(&page, "icms_st", &format!("{head}\n{}\n", rows.join("\n")));
    calculate(&page);
    let amount = page.text("document.querySelector('.linhas-da-lista tbody td.numero').innerText");
    assert!(amount.contains(','), "{amount}");
    for (label, name) in [("Baixar XLSX", "lista.xlsx"), ("Baixar CSV", "lista.csv")] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), saved(&page, label)).unwrap();
        let table = opened(folder.path(), name);
        // The XLSX has the sum below the one amount.
        let kinds = kinds_of(&table, &amount);
        assert!(!kinds.is_empty() && kinds.iter().all(|kind| *kind == "float"), "{name}: {amount}: {kinds:?}");
        for code in [key, "03049900", "0302100"] {
            let kinds = kinds_of(&table, code);
            assert!(!kinds.is_empty() && kinds.iter().all(|kind| *kind == "string"), "{name}, {code}: {kinds:?}");
        }
        assert!(kinds_of(&table, "10/06/2026").iter().all(|kind| *kind == "date"), "{name}");
    }
    // Both are lists again.
    let again = server.post("/sandbox/v1/lista?tributo=icms_st", saved(&page, "Baixar CSV"));
    assert!(again.text().contains("\"03049900\"") && !again.text().contains("=\\\""), "{}", again.text());
    page.assert_clean("files for LibreOffice");
}

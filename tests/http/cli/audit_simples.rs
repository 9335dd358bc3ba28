//! The revenue of a company of the Simples Nacional, in each form of the report of `taxd audit` and on the page.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::audit::RIGHT;
use crate::page_documents::{end, events, send};
use crate::support::{DataDir, taxd, taxd_with_input};

const COMPANY: &str = "[[empresa]]\ncnpj = \"11222333\"\n[[empresa.simples_nacional]]\nmes = \"2025-03\"\nreceita_bruta_12_meses = \"300000.00\"\n";

/// Beer that a company of the Simples resells, with its ICMS already paid.
fn beer() -> String {
    let icms = RIGHT.split("<ICMS>").nth(1).unwrap().split("</ICMS>").next().unwrap().to_owned();
    let resale = "<ICMSSN500><orig>0</orig><CSOSN>500</CSOSN></ICMSSN500>";
    RIGHT
        .replace(&icms, resale)
        .replace("<CRT>3", "<CRT>1")
        .replace("39269090", "22030000")
        .replace("<CFOP>5102", "<CEST>0302100</CEST><CFOP>5405")
}

/// R$ 1.000,00 at 5.32 %: 15.5 points of PIS and COFINS and 34 points of ICMS are not charged again.
#[test]
fn the_revenue_of_the_simples_ends_each_form_of_the_report() {
    let on = DataDir::ready();
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("nota.xml"), beer()).unwrap();
    fs::write(folder.path().join("empresa.toml"), COMPANY).unwrap();
    let of = |name: &str| folder.path().join(name).display().to_string();
    let audit =
        |options: &[&str]| taxd(&on, [&["audit", &of("nota.xml"), "--empresa", &of("empresa.toml")], options].concat());

    let text = audit(&[]).stdout;
    let section = text.split("SIMPLES NACIONAL").nth(1).unwrap_or_else(|| panic!("{text}"));
    for part in [
        "EMPRESA 11.222.333/0001-81, março de 2025",
        "Revenda; PIS e COFINS monofásicos; ICMS já recolhido por substituição",
        "DAS do Anexo I, sobre 1.000,00: 26,87; sem segregar, cobraria mais 26,34",
    ] {
        assert!(section.contains(part), "{part}: {section}");
    }
    assert!(!audit(&["--so-divergencias"]).stdout.contains("SIMPLES NACIONAL"));

    let json = audit(&["--format", "json"]);
    assert_eq!(json.code, 0, "revenue does not differ from anything");
    let lines: Vec<Value> = json.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let own: Vec<&Value> = lines.iter().filter(|line| line["camada"] == "segregacao").collect();
    assert_eq!(own.iter().map(|line| line["codigo"].as_str().unwrap()).collect::<Vec<_>>(), ["receita", "das"]);
    assert_eq!((&own[1]["calculado"], &own[1]["payload"]["receita_icms_st"]), (&"26.87".into(), &"1000.00".into()));
    let verified = taxd_with_input(&on, ["verify"], json.stdout.as_bytes());
    assert_eq!(verified.code, 0, "{}", verified.stderr);
    let csv = audit(&["--format", "csv"]).stdout;
    assert!(csv.lines().last().unwrap().contains("sem segregar, cobraria mais 26,34"), "{csv}");

    let server = on.serve(&[]);
    let page = server.post_form(
        &server.key,
        "/sandbox/v1/documentos",
        &[("nota.xml", beer().as_bytes())],
        &[("empresa", COMPANY)],
    );
    let month = &end(&page)["segregacao"][0];
    assert_eq!((&month["mes"], &month["das"][0]["cobrado_em_dobro"]), (&"2025-03".into(), &"26.34".into()));
    assert_eq!(events(&page, "linha").iter().filter(|line| line["camada"] == "segregacao").count(), 2);
    // A company of the normal regime has no such section.
    assert_eq!(end(&send(&server, &[("nota.xml", RIGHT.as_bytes())])).get("segregacao"), None);
}

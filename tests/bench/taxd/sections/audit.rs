//! The audit of a folder of invoices.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::{Fixture, Row};
use crate::process::{Process, taxd};
use crate::table::{Wanted, number};

pub const DOCUMENTS: u32 = 10_000;
pub const ITEMS: u32 = 3;
pub const ISSUER: &str = "11222333000181";

/// An NF-e without a difference, so that the audit ends with 0. Bases: PIS and COFINS 1000 − 180; CBS and IBS also without
/// both of them.
const HEAD: &str = "<ide><mod>55</mod><dhEmi>2026-03-10T10:00:00-03:00</dhEmi><tpNF>1</tpNF><idDest>1</idDest><finNFe>1</finNFe>\
<indFinal>0</indFinal></ide><emit><CNPJ>11222333000181</CNPJ><enderEmit><UF>SP</UF></enderEmit><CRT>3</CRT></emit>\
<dest><enderDest><UF>SP</UF></enderDest><indIEDest>1</indIEDest></dest>";
const ITEM: &str = "<prod><cProd>P</cProd><NCM>39241000</NCM><CFOP>5102</CFOP><qCom>10</qCom><vUnCom>100.00</vUnCom>\
<vProd>1000.00</vProd><qTrib>10</qTrib><indTot>1</indTot></prod><imposto><ICMS><ICMS00><orig>0</orig><CST>00</CST><vBC>1000.00</vBC>\
<pICMS>18.00</pICMS><vICMS>180.00</vICMS></ICMS00></ICMS><PIS><PISAliq><CST>01</CST><vBC>820.00</vBC><pPIS>1.65</pPIS>\
<vPIS>13.53</vPIS></PISAliq></PIS><COFINS><COFINSAliq><CST>01</CST><vBC>820.00</vBC><pCOFINS>7.60</pCOFINS><vCOFINS>62.32</vCOFINS>\
</COFINSAliq></COFINS><IBSCBS><CST>000</CST><cClassTrib>000001</cClassTrib><gIBSCBS><vBC>744.15</vBC><gIBSUF><pIBSUF>0.10</pIBSUF>\
<vIBSUF>0.74</vIBSUF></gIBSUF><gIBSMun><pIBSMun>0.00</pIBSMun><vIBSMun>0.00</vIBSMun></gIBSMun><vIBS>0.74</vIBS><gCBS>\
<pCBS>0.90</pCBS><vCBS>6.70</vCBS></gCBS></gIBSCBS></IBSCBS></imposto>";
const TOTAL: &str = "<total><ICMSTot><vBC>3000.00</vBC><vICMS>540.00</vICMS><vProd>3000.00</vProd><vPIS>40.59</vPIS>\
<vCOFINS>186.96</vCOFINS><vNF>3000.00</vNF></ICMSTot><IBSCBSTot><vBCIBSCBS>2232.45</vBCIBSCBS><gIBS><gIBSUF><vIBSUF>2.22</vIBSUF>\
</gIBSUF><gIBSMun><vIBSMun>0.00</vIBSMun></gIBSMun><vIBS>2.22</vIBS></gIBS><gCBS><vCBS>20.10</vCBS></gCBS></IBSCBSTot></total>";

/// The folder of the notes, made on first use.
pub fn notes(fixture: &Fixture) -> PathBuf {
    let folder = fixture.path("notas");
    if !folder.exists() {
        fs::create_dir(&folder).expect("room for a folder");
        for number in 1..=DOCUMENTS {
            fs::write(folder.join(format!("{number:05}.xml")), note(number)).expect("room for a file");
        }
    }
    folder
}

/// A note of that number.
pub fn note(number: u32) -> String {
    let items: Vec<String> = (1..=ITEMS).map(|n| format!("<det nItem=\"{n}\">{ITEM}</det>")).collect();
    let items = items.concat();
    let head = HEAD.replace("<mod>", &format!("<serie>1</serie><nNF>{number}</nNF><mod>"));
    format!("<NFe><infNFe Id=\"NFe{}\">{head}{items}{TOTAL}</infNFe></NFe>", key(number))
}

/// The access key of a note.
pub fn key(number: u32) -> String {
    with_check_digit(&format!("352603{ISSUER}55001{number:09}100000001"))
}

/// An access key with its last digit, which the others give.
pub fn with_check_digit(digits: &str) -> String {
    let weighted = digits.bytes().rev().zip((2..=9).cycle()).map(|(digit, weight)| u32::from(digit - b'0') * weight);
    let rest = weighted.sum::<u32>() % 11;
    format!("{digits}{}", if rest < 2 { 0 } else { 11 - rest })
}

/// Audits the files, to a CSV; the time and the peak memory in MiB.
pub fn audited(fixture: &Fixture, files: &[&Path]) -> (Duration, f64) {
    let text = "[[empresa]]\nregime_pis_cofins = \"nao_cumulativo\"\ncontribuinte_ipi = false\n";
    let company = fixture.write("empresa.toml", text);
    let mut command = taxd(&["audit", "--format", "csv", "--data"]);
    command.arg(&fixture.builtin().dir).arg("--empresa").arg(company).args(files).stdout(Stdio::null());
    Process::spawn(command.stderr(Stdio::null())).finish("taxd audit, without a difference")
}

/// Measures `taxd audit` on ten thousand files.
pub fn run(fixture: &Fixture) -> Vec<Row> {
    let folder = notes(fixture);
    let once = || {
        let (took, peak) = audited(fixture, &[&folder]);
        (f64::from(DOCUMENTS) / took.as_secs_f64(), peak)
    };
    let (rates, peaks) = (0..fixture.either(5, 3)).map(|_| once()).unzip();
    let documents = number(f64::from(DOCUMENTS));
    let detail = format!("documents/s: {documents} NF-e of {ITEMS} items, each with 6 taxes, to a CSV");
    vec![
        Row::new("audit of NF-e", Wanted::AtLeast(2_000.0), "", rates, detail),
        Row::new("its memory at most", Wanted::Nothing, "MiB", peaks, "VmHWM of `taxd audit`".to_owned()),
    ]
}

//! The audit of a folder of invoices.

use std::process::Stdio;

use super::{Fixture, Row};
use crate::process::{Process, taxd};
use crate::table::{Wanted, number};

const DOCUMENTS: u32 = 10_000;
const ITEMS: u32 = 3;

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

/// Measures `taxd audit` on ten thousand files.
pub fn run(fixture: &Fixture) -> Vec<Row> {
    let folder = fixture.path("notas");
    std::fs::create_dir(&folder).expect("room for a folder");
    let items: Vec<String> = (1..=ITEMS).map(|n| format!("<det nItem=\"{n}\">{ITEM}</det>")).collect();
    let items = items.concat();
    for i in 0..DOCUMENTS {
        let xml = format!("<NFe><infNFe Id=\"NFe{i:044}\">{HEAD}{items}{TOTAL}</infNFe></NFe>");
        std::fs::write(folder.join(format!("{i:05}.xml")), xml).expect("room for a file");
    }
    let company = fixture.path("empresa.toml");
    let text = "[[empresa]]\nregime_pis_cofins = \"nao_cumulativo\"\ncontribuinte_ipi = false\n";
    std::fs::write(&company, text).expect("room for a file");
    let once = || {
        let mut command = taxd(&["audit", "--format", "csv", "--data"]);
        command.arg(&fixture.builtin().dir).arg("--empresa").arg(&company).arg(&folder).stdout(Stdio::null());
        let (took, peak) = Process::spawn(command.stderr(Stdio::null())).finish("taxd audit, without a difference");
        (f64::from(DOCUMENTS) / took.as_secs_f64(), peak)
    };
    let (rates, peaks) = (0..fixture.either(5, 3)).map(|_| once()).unzip();
    let documents = number(f64::from(DOCUMENTS));
    let detail = format!("documents/s: {documents} NF-e of {ITEMS} items, each with 6 taxes, to a CSV");
    vec![
        Row::new("audit of invoices", Wanted::AtLeast(2_000.0), "", rates, detail),
        Row::new("its memory at most", Wanted::Nothing, "MiB", peaks, "VmHWM of `taxd audit`".to_owned()),
    ]
}

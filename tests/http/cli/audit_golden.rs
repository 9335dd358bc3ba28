//! `taxd audit` on a folder of every layout and defect: the whole report, as text, CSV and JSON, against
//! `tests/golden/audit`. Write it again with `TAXD_REWRITE_GOLDEN=1`, and read the change.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::audit::{COMPANY, RIGHT};
use crate::support::taxd_nowhere;

const KEY: &str = "35250311222333000181550010000000011000000017";

const ABRASF: &str = "<CompNfse><Nfse><InfNfse><Competencia>2025-03-31</Competencia><OptanteSimplesNacional>2</OptanteSimplesNacional>\
<Servico><Valores><ValorServicos>1000.00</ValorServicos><BaseCalculo>1000.00</BaseCalculo><Aliquota>5.00</Aliquota><ValorIss>50.00</ValorIss></Valores>\
<ItemListaServico>1.07</ItemListaServico><CodigoMunicipio>3550308</CodigoMunicipio></Servico></InfNfse></Nfse></CompNfse>";

const NATIONAL: &str = "<NFSe><infNFSe><cLocIncid>3550308</cLocIncid><emit><CNPJ>11222333000181</CNPJ></emit>\
<valores><vBC>1000.00</vBC><pAliqAplic>2.90</pAliqAplic><vISSQN>29.00</vISSQN></valores><DPS><infDPS><dCompet>2025-03-31</dCompet>\
<serv><cServ><cTribNac>010701</cTribNac></cServ></serv><valores><vServPrest><vServ>1000.00</vServ></vServPrest>\
<trib><tribMun><tribISSQN>1</tribISSQN></tribMun></trib></valores></infDPS></DPS></infNFSe></NFSe>";

fn utf16(text: &str) -> Vec<u8> {
    [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
}

/// The files of the folder, by name.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let inside = RIGHT.trim_start_matches("<nfeProc>").trim_end_matches("</nfeProc>");
    let with = |from: &str, to: &str| {
        assert!(RIGHT.contains(from), "{from}");
        RIGHT.replace(from, to).into_bytes()
    };
    let keyed = RIGHT.replace("<infNFe>", &format!("<infNFe Id=\"NFe{KEY}\">")).into_bytes();
    let event = format!(
        "<procEventoNFe><evento><infEvento><chNFe>{0}</chNFe><tpEvento>110111</tpEvento></infEvento></evento><retEvento>\
         <infEvento><cStat>135</cStat><chNFe>{0}</chNFe><tpEvento>110111</tpEvento></infEvento></retEvento></procEventoNFe>",
        KEY.replace("0017", "0025")
    );
    vec![
        ("01-processada.xml", RIGHT.as_bytes().to_vec()),
        ("02-sem-envelope.xml", inside.as_bytes().to_vec()),
        ("03-lote.xml", format!("<enviNFe>{inside}{inside}</enviNFe>").into_bytes()),
        ("04-nfce.xml", with("<mod>55", "<mod>65")),
        ("05-utf16.xml", utf16(RIGHT)),
        ("06-nfse-nacional.xml", NATIONAL.as_bytes().to_vec()),
        ("07-nfse-abrasf.xml", ABRASF.as_bytes().to_vec()),
        ("08-aliquota.xml", with("<pICMS>18.00</pICMS><vICMS>180.00", "<pICMS>12.00</pICMS><vICMS>120.00")),
        ("09-conta.xml", with("<vPIS>13.53", "<vPIS>23.53")),
        ("10-crt.xml", with("<CRT>3", "<CRT>1")),
        ("11-campo.xml", with("<vPIS>13.53", "<vPIS>treze")),
        ("12-devolucao.xml", with("<finNFe>1", "<finNFe>4")),
        ("13-sem-itens.xml", with(&RIGHT[RIGHT.find("<det ").unwrap()..RIGHT.find("</infNFe>").unwrap()], "")),
        ("14-primeira.xml", keyed.clone()),
        ("15-copia.xml", keyed),
        ("16-cancelada.xml", with("<infNFe>", &format!("<infNFe Id=\"NFe{}\">", KEY.replace("0017", "0025")))),
        ("17-evento.xml", event.into_bytes()),
        ("18-truncada.xml", RIGHT.as_bytes()[..RIGHT.len() / 2].to_vec()),
        ("19-dtd.xml", format!("<!DOCTYPE a>{RIGHT}").into_bytes()),
        ("20-outro.xml", b"<html/>".to_vec()),
        ("21-sem-cnpj.xml", with("<CNPJ>11222333000181</CNPJ>", "<CPF>11122233396</CPF>")),
        ("22-controle\u{1b}.xml", with("<cProd>P1", "<cProd>P&#27;1&#8;").into_iter().collect()),
        ("23-outra-empresa.xml", with("11222333000181", "55666777000181")),
        ("24-mdfe.xml", b"<mdfeProc><MDFe><infMDFe/></MDFe></mdfeProc>".to_vec()),
        ("25-sat.xml", b"<CFe><infCFe/></CFe>".to_vec()),
        ("26-efd.txt", b"|0000|020|0|01032025|31032025|SIGILO|11222333000181||SP|1|3550308|||A|0|\r\n".to_vec()),
        ("27-danfe.pdf", b"%PDF-1.7".to_vec()),
        ("28-notas.rar", b"Rar!\x1a\x07".to_vec()),
        ("29-leia-me.txt", b"SIGILO".to_vec()),
        (".DS_Store", b"SIGILO".to_vec()),
    ]
}

#[test]
fn the_report_of_every_layout_and_defect_is_the_recorded_one() {
    let dir = TempDir::new().unwrap();
    let folder = dir.path().join("notas");
    fs::create_dir(&folder).unwrap();
    for (name, bytes) in files() {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let company = dir.path().join("empresa.toml");
    fs::write(&company, COMPANY).unwrap();
    let (path, company) = (folder.display().to_string(), company.display().to_string());
    for (format, name) in [("text", "relatorio.txt"), ("csv", "relatorio.csv"), ("json", "relatorio.jsonl")] {
        let done = taxd_nowhere(["audit", &path, "--empresa", &company, "--format", format], b"");
        assert_eq!(done.code, 1, "{done:?}");
        let report = done.stdout.replace(&path, "notas");
        for secret in ["SIGILO", "11122233396", "111.222.333", "99888777", "99.888.777", KEY] {
            assert!(!report.contains(secret) && !done.stderr.contains(secret), "{secret} is shown");
        }
        assert!(format != "text" || !report.contains(['\u{1b}', '\u{8}']), "a terminal obeys these");
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/audit").join(name);
        if std::env::var_os("TAXD_REWRITE_GOLDEN").is_some() {
            fs::create_dir_all(golden.parent().unwrap()).unwrap();
            fs::write(&golden, &report).unwrap();
        }
        let recorded = fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(report, recorded, "{} is not what was recorded", golden.display());
    }
}

//! `taxd audit`: folders of documents, in the terminal, as CSV and as JSON lines.

use std::fs;
use std::io::Write;

use serde_json::Value;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::support::{DataDir, Done, taxd, taxd_nowhere};

const DOCUMENTS: usize = 1_000;
pub(super) const COMPANY: &str = "[[empresa]]\ncnpj = \"11222333000181\"\nregime_pis_cofins = \"nao_cumulativo\"\n";

/// What a seeded error changes in a right document, and the line that must come of it: tax, verdict and code.
const SEEDS: [(&str, &str, &str); 6] = [
    ("<pICMS>18.00</pICMS><vICMS>180.00", "<pICMS>12.00</pICMS><vICMS>120.00", "icms diverge valor"),
    (
        "<vBC>820.00</vBC><pPIS>1.65</pPIS><vPIS>13.53",
        "<vBC>1000.00</vBC><pPIS>1.65</pPIS><vPIS>16.50",
        "pis confere_aliquota base",
    ),
    (
        "<vCOFINS>62.32</vCOFINS></COFINSAliq>",
        "<vCOFINS>72.32</vCOFINS></COFINSAliq>",
        "cofins diverge base_vezes_aliquota",
    ),
    ("<NCM>39269090", "<NCM>99999999", "ncm diverge ncm_inexistente"),
    ("<CRT>3", "<CRT>1", "icms diverge crt_e_cst"),
    ("<vProd>1000.00</vProd><indTot>", "<vProd>mil</vProd><indTot>", "documento recusado campo_ilegivel"),
];

pub(super) const RIGHT: &str = "<nfeProc><NFe><infNFe><ide><mod>55</mod><dhEmi>2025-03-10T10:00:00-03:00</dhEmi><tpNF>1</tpNF>\
<idDest>1</idDest><finNFe>1</finNFe><indFinal>0</indFinal></ide><emit><CNPJ>11222333000181</CNPJ><xNome>SIGILO LTDA</xNome>\
<enderEmit><UF>SP</UF></enderEmit><CRT>3</CRT></emit><dest><CNPJ>99888777000166</CNPJ><enderDest><UF>SP</UF></enderDest><indIEDest>1</indIEDest></dest>\
<det nItem=\"1\"><prod><cProd>P1</cProd><NCM>39269090</NCM><CFOP>5102</CFOP><vProd>1000.00</vProd><indTot>1</indTot></prod><imposto>\
<ICMS><ICMS00><orig>0</orig><CST>00</CST><vBC>1000.00</vBC><pICMS>18.00</pICMS><vICMS>180.00</vICMS></ICMS00></ICMS>\
<PIS><PISAliq><CST>01</CST><vBC>820.00</vBC><pPIS>1.65</pPIS><vPIS>13.53</vPIS></PISAliq></PIS>\
<COFINS><COFINSAliq><CST>01</CST><vBC>820.00</vBC><pCOFINS>7.60</pCOFINS><vCOFINS>62.32</vCOFINS></COFINSAliq></COFINS>\
</imposto></det></infNFe></NFe></nfeProc>";

/// Every seventh document has an error.
fn seed(number: usize) -> Option<&'static (&'static str, &'static str, &'static str)> {
    number.is_multiple_of(7).then(|| &SEEDS[number / 7 % SEEDS.len()])
}

fn document(number: usize) -> String {
    seed(number).map_or(RIGHT.to_owned(), |(from, to, _)| {
        assert!(RIGHT.contains(from), "{from}");
        RIGHT.replace(from, to)
    })
}

/// A folder of documents: two thirds as files in two folders, the rest in an archive.
fn folder() -> TempDir {
    let dir = TempDir::new().unwrap();
    let mut archive = ZipWriter::new(fs::File::create(dir.path().join("z.zip")).unwrap());
    fs::create_dir(dir.path().join("b")).unwrap();
    for number in 0..DOCUMENTS {
        let name = format!("{number:04}.xml");
        match number % 3 {
            0 => fs::write(dir.path().join(name), document(number)).unwrap(),
            1 => fs::write(dir.path().join("b").join(name.to_uppercase()), document(number)).unwrap(),
            _ => {
                archive.start_file(name, SimpleFileOptions::default()).unwrap();
                archive.write_all(document(number).as_bytes()).unwrap();
            }
        }
    }
    archive.start_file("leia-me.txt", SimpleFileOptions::default()).unwrap();
    archive.finish().unwrap();
    fs::write(dir.path().join("empresa.toml"), COMPANY).unwrap();
    dir
}

fn audit(on: &DataDir, folder: &TempDir, options: &[&str]) -> Done {
    let (path, company) =
        (folder.path().display().to_string(), folder.path().join("empresa.toml").display().to_string());
    taxd(on, [&["audit", &path, "--empresa", &company], options].concat())
}

/// The number of the document that a line is about.
fn number(file: &str) -> usize {
    file[file.len() - 8..file.len() - 4].parse().unwrap()
}

#[test]
fn a_thousand_documents_come_back_with_exactly_the_seeded_errors() {
    let (on, folder) = (DataDir::ready(), folder());
    let done = audit(&on, &folder, &["--format", "json", "--so-divergencias"]);
    assert_eq!(done.code, 1, "{}", done.stderr);
    let lines = done.json_lines();
    let mut found: Vec<(usize, String)> = lines
        .iter()
        .map(|line| {
            let word = |name: &str| line[name].as_str().unwrap_or_default();
            (number(word("arquivo")), format!("{} {} {}", word("tributo"), word("veredito"), word("codigo")))
        })
        .collect();
    // A base that follows from a wrong ICMS, and an amount that differs from its rule, are errors of the same seed.
    let is_seed = |(number, text): &(usize, String)| seed(*number).is_some_and(|(.., wanted)| wanted == text);
    assert!(found.iter().all(|(number, _)| seed(*number).is_some()), "a right document was reported: {found:?}");
    found.retain(is_seed);
    found.dedup();
    found.sort();
    let wanted: Vec<(usize, String)> =
        (0..DOCUMENTS).filter_map(|number| Some((number, seed(number)?.2.to_owned()))).collect();
    assert_eq!(found, wanted);

    let server = on.serve(&[]);
    let running = audit(&on, &folder, &["--format", "json", "--so-divergencias"]);
    assert_eq!(running.stdout, done.stdout, "the running server answers otherwise");
    drop(server);
}

#[test]
fn the_report_shows_no_name_no_cnpj_and_adds_up() {
    let (on, folder) = (DataDir::ready(), folder());
    let text = audit(&on, &folder, &[]);
    let csv = audit(&on, &folder, &["--format", "csv"]);
    let json = audit(&on, &folder, &["--format", "json"]);
    for done in [&text, &csv, &json] {
        assert_eq!(done.code, 1, "{done:?}");
        for secret in ["SIGILO", "11222333", "99888777"] {
            assert!(!done.stdout.contains(secret) && !done.stderr.contains(secret), "{secret} is shown");
        }
    }
    assert!(text.stdout.contains("EMPRESA de final 000181, mês 2025-03"), "{}", text.stdout);
    // 24 documents have 12 % for 18 % of R$ 1.000,00.
    let seeded =
        (0..DOCUMENTS).filter(|number| seed(*number).is_some_and(|(.., line)| *line == "icms diverge valor")).count();
    let icms = text.stdout.lines().find(|line| line.starts_with("icms ")).unwrap();
    assert!(icms.ends_with(&format!("{},00", seeded * 60)), "{icms}");

    let rows: Vec<&str> = csv.stdout.strip_prefix('\u{feff}').unwrap().lines().collect();
    assert_eq!(rows.len(), json.stdout.lines().count() + 1, "a row each, and the heading");
    assert!(
        rows[0].starts_with("arquivo;documento;item;") && rows.iter().any(|row| row.contains(";120,00;180,00;-60,00;"))
    );
}

#[test]
fn the_exit_status_says_whether_something_differs() {
    let dir = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (right, broken) = (write("a.xml", RIGHT), write("b.xml", "<NFe>"));
    let company = write("e.toml", COMPANY);
    assert_eq!(taxd_nowhere(["audit", &right, "--empresa", &company], b"").code, 0);
    let both = taxd_nowhere(["audit", &broken, &right, "--format", "json"], b"");
    assert_eq!(both.code, 1);
    let first: Value = both.json_lines().remove(0);
    assert_eq!(
        (first["codigo"].as_str(), both.json_lines().len()),
        (Some("xml_invalido"), 5),
        "the others are read all the same"
    );
    assert_eq!(taxd_nowhere(["audit", "-", "--empresa", &company], RIGHT.as_bytes()).code, 0);
    assert_eq!(taxd_nowhere(["audit", &right, "--desde", "11/03/2025", "--format", "json"], b"").stdout, "");
    assert_eq!(taxd_nowhere(["audit"], b"").code, 2);
    let faulty = write("f.toml", "[[empresa]]\nregime = 1\n");
    let refused = taxd_nowhere(["audit", &right, "--empresa", &faulty], b"");
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    assert!(refused.stderr.contains("f.toml:2"), "{}", refused.stderr);
    let nowhere = dir.path().join("nada").display().to_string();
    assert_eq!(taxd_nowhere(["audit", &nowhere], b"").code, 1);
}

/// An archive of 40 MiB of blanks in a few kilobytes, and one inside another.
#[test]
fn an_archive_is_expanded_within_limits() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("bomba.zip");
    let mut archive = ZipWriter::new(fs::File::create(&path).unwrap());
    archive.start_file("bomba.xml", SimpleFileOptions::default()).unwrap();
    archive.write_all(&vec![b' '; 40 << 20]).unwrap();
    archive.start_file("outro.zip", SimpleFileOptions::default()).unwrap();
    archive.start_file("boa.xml", SimpleFileOptions::default()).unwrap();
    archive.write_all(RIGHT.as_bytes()).unwrap();
    archive.finish().unwrap();
    let path = path.display().to_string();
    let done = taxd_nowhere(["audit", &path, "--format", "json", "--so-divergencias"], b"");
    let codes: Vec<Value> = done.json_lines().into_iter().map(|line| line["codigo"].clone()).collect();
    assert_eq!(codes, ["arquivo_grande_demais", "zip_em_zip"]);
}

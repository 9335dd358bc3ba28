//! `taxd audit`: folders of documents, in the terminal, as CSV and as JSON lines.

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::process::Command;

use serde_json::Value;
use taxd::sheet::{Row, read, worksheets};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub(super) use crate::support::{COMPANY, RIGHT};
use crate::support::{DataDir, Done, SEEDS, Seed, program, taxd, taxd_nowhere};

const DOCUMENTS: usize = 1_000;
/// Every seventh document has an error.
fn seed(number: usize) -> Option<&'static Seed> {
    number.is_multiple_of(7).then(|| &SEEDS[number / 7 % SEEDS.len()])
}

fn document(number: usize) -> String {
    seed(number).map_or(RIGHT.to_owned(), Seed::document)
}

/// All lines that the folder must report: the number of the document, and the line.
fn wanted() -> Vec<(usize, String)> {
    let lines =
        |number| seed(number).into_iter().flat_map(|seed| seed.wanted).map(move |line| (number, (*line).to_owned()));
    let mut wanted: Vec<(usize, String)> = (0..DOCUMENTS).flat_map(lines).collect();
    wanted.sort();
    wanted
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

/// The lines of a table: the number of the document, and tax, verdict and code.
fn of_rows(rows: &[Vec<String>]) -> Vec<(usize, String)> {
    let column = |name: &str| rows[0].iter().position(|heading| heading == name).unwrap();
    let words = ["tributo", "veredito", "codigo"].map(column);
    let file = column("arquivo");
    let line = |row: &Vec<String>| (number(&row[file]), words.map(|at| row[at].as_str()).join(" "));
    let mut found: Vec<(usize, String)> = rows[1..].iter().map(line).collect();
    found.sort();
    found
}

/// The rows of a CSV of which no cell has a line break.
fn rows(csv: &str, separator: char) -> Vec<Vec<String>> {
    csv.trim_start_matches('\u{feff}').lines().map(|line| cells(line, separator)).collect()
}

fn cells(line: &str, separator: char) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c == separator && !quoted => cells.push(String::new()),
            c => cells.last_mut().unwrap().push(c),
        }
    }
    cells
}

#[test]
fn a_thousand_documents_come_back_with_exactly_the_seeded_errors() {
    let (on, folder) = (DataDir::ready(), folder());
    let only = |format: &str| audit(&on, &folder, &["--so-divergencias", "--format", format]);
    let done = only("json");
    assert_eq!(done.code, 1, "{}", done.stderr);
    let word = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let line = |line: &Value| {
        let words = ["tributo", "veredito", "codigo"].map(|name| word(line, name));
        (number(&word(line, "arquivo")), words.join(" "))
    };
    let mut found: Vec<(usize, String)> = done.json_lines().iter().map(line).collect();
    found.sort();
    assert_eq!(found, wanted());
    assert_eq!(of_rows(&rows(&only("csv").stdout, ';')), wanted());
    let text = only("text").stdout;
    // A line that begins with a space is of a cause, which names the first of its files.
    let lines = text.lines().filter(|line| !line.starts_with(' '));
    let listed = lines.filter(|line| line.contains(".xml") || line.contains(".XML")).count();
    assert_eq!(listed, wanted().len(), "the terminal lists each");

    let server = on.serve(&[]);
    assert_eq!(only("json").stdout, done.stdout, "the running server answers otherwise");
    drop(server);
}

/// Totals are of all lines, also if only the differences are listed: once they had lost what agrees.
#[test]
fn hiding_what_agrees_changes_no_total() {
    let (on, folder) = (DataDir::ready(), folder());
    let totals = |options: &[&str]| -> Vec<String> {
        let text = audit(&on, &folder, options).stdout;
        text.lines()
            // The first page is that of the files without notes.
            .skip_while(|line| !line.starts_with("EMPRESA"))
            .skip_while(|line| !line.starts_with("tributo "))
            .take_while(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let all = totals(&[]);
    assert!(all.len() > 4 && all.iter().any(|line| line.starts_with("pis ")), "{all:?}");
    assert_eq!(totals(&["--so-divergencias"]), all);
}

/// `LibreOffice` opens both tables and reads the same lines.
#[test]
fn libreoffice_reads_the_same_lines() {
    if Command::new("soffice").arg("--version").output().is_err() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "soffice is missing, and CI must not pass over it");
        eprintln!("NOT RUN: soffice is missing (Debian: libreoffice-calc)");
        return;
    }
    let (on, folder) = (DataDir::ready(), folder());
    let (path, company) =
        (folder.path().display().to_string(), folder.path().join("empresa.toml").display().to_string());
    let out = TempDir::new().unwrap();
    for format in ["csv", "xlsx"] {
        let file = out.path().join(format!("relatorio.{format}"));
        // The bytes go to the file as they are: an XLSX is not text.
        let status = Command::new(program())
            .args(["audit", &path, "--empresa", &company, "--so-divergencias", "--format", format, "--data"])
            .arg(on.path())
            .stdout(fs::File::create(&file).unwrap())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(1));
        let converted = out.path().join(format);
        let mut office = Command::new("soffice");
        office.arg(format!("-env:UserInstallation=file://{}", out.path().join("perfil").display()));
        // 59 is the separator, 34 the quote, 76 is UTF-8; 1046 is Brazilian Portuguese. -1 is all worksheets, each a file.
        let sheets = if format == "csv" { "" } else { ",1,,0,false,true,false,false,false,-1" };
        office.args(["--headless", "--convert-to"]);
        office.arg(format!("csv:Text - txt - csv (StarCalc):59,34,76{sheets}")).arg("--outdir");
        let input = if format == "csv" { vec!["--infilter=CSV:59,34,76,1,,1046"] } else { vec![] };
        let done = office.arg(&converted).args(input).arg(&file).output().unwrap();
        let csv = converted.join(if format == "csv" { "relatorio.csv" } else { "relatorio-Linhas.csv" });
        let text = fs::read_to_string(&csv).unwrap_or_else(|e| panic!("{e}: {done:?}"));
        assert_eq!(of_rows(&rows(&text, ';')), wanted(), "{format}");
    }
}

/// An XLSX opens on what to correct; what was not compared is counted after the rows, with the first document of each reason.
#[test]
fn an_xlsx_has_what_to_correct_before_its_rows_and_what_was_not_compared_after_them() {
    let (on, folder, out) = (DataDir::ready(), folder(), TempDir::new().unwrap());
    let write = |name: &str, options: &[&str]| {
        let file = out.path().join(name);
        let mut audit = Command::new(program());
        audit.arg("audit").arg(folder.path()).args(options).args(["--format", "xlsx", "--data"]).arg(on.path());
        assert_eq!(audit.stdout(fs::File::create(&file).unwrap()).status().unwrap().code(), Some(1));
        file
    };
    let sheets = |file: &std::path::Path| worksheets(fs::File::open(file).unwrap()).unwrap();
    let rows = |file: &std::path::Path, sheet: Option<&str>| {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut take = |row: Row| {
            rows.push(row.cells.iter().map(|cell| cell.text().unwrap_or_default().into_owned()).collect());
            ControlFlow::Continue(())
        };
        read(fs::File::open(file).unwrap(), sheet, &mut take).unwrap();
        rows
    };
    // Without the file of the company PIS and COFINS are refused.
    let file = write("tudo.xlsx", &[]);
    let names: Vec<String> = sheets(&file).into_iter().flatten().collect();
    assert_eq!(names[..4], ["O que corrigir", "Por produto", "Linhas", "Não conferido"]);
    let (reasons, lines) = (rows(&file, Some("Não conferido")), rows(&file, Some("Linhas")));
    let causes = rows(&file, None);
    let count = |rows: &[Vec<String>], name: &str, of: &dyn Fn(&Vec<String>) -> bool| -> usize {
        let place = rows[0].iter().position(|head| head == name).unwrap();
        rows[1..].iter().filter(|row| of(row)).map(|row| row[place].parse::<usize>().unwrap_or(1)).sum()
    };
    let differs = lines[0].iter().position(|head| head == "veredito").unwrap();
    let is_difference = |row: &Vec<String>| ["diverge", "confere_aliquota"].contains(&row[differs].as_str());
    assert_eq!(count(&causes, "linhas", &|_| true), count(&lines, "veredito", &is_difference));
    assert_eq!(reasons[0][..5], ["motivo", "linhas", "tributos", "veredito", "codigo"]);
    let place = |name: &str| lines[0].iter().position(|head| head == name).unwrap();
    let (verdict, code, named) = (place("veredito"), place("codigo"), place("arquivo"));
    let of_regime = |row: &&Vec<String>| row[code] == "regime_apuracao_ausente" && row[verdict] == "recusado";
    let (refused, first) = (lines.iter().filter(of_regime).count(), lines.iter().find(of_regime).unwrap());
    let counted: Vec<_> = reasons.iter().filter(|row| row[4] == "regime_apuracao_ausente").collect();
    let sum: usize = counted.iter().map(|row| row[1].parse::<usize>().unwrap()).sum();
    assert!(refused > 0 && sum == refused, "{sum} for {refused}");
    assert!(counted[0][0].contains("regime_pis_cofins") && counted[0][7] == first[named], "{counted:?}");
    let total: usize = reasons[1..].iter().filter_map(|row| row[1].parse::<usize>().ok()).sum();
    let idle = |row: &&Vec<String>| ["recusado", "nao_se_aplica"].contains(&row[verdict].as_str());
    // The revenue of the Simples is nothing to compare.
    let not_compared = lines.iter().filter(|row| row[place("camada")] != "segregacao").filter(idle);
    assert_eq!(total, not_compared.count(), "every line that was not compared is counted once");
    let of_reform = lines.iter().any(|row| row[place("tributo")] == "cbs");
    assert_eq!(reasons.iter().any(|row| row[4].contains("UB68-10")), of_reform, "the rules that are not checked");
    // Only differences were asked for.
    let wanted = ["O que corrigir", "Por produto", "Linhas"].map(|name| Some(name.to_owned()));
    assert_eq!(sheets(&write("so.xlsx", &["--so-divergencias"])), wanted);
}

#[test]
fn the_report_shows_no_name_and_no_buyer_and_adds_up() {
    let (on, folder) = (DataDir::ready(), folder());
    let text = audit(&on, &folder, &[]);
    let csv = audit(&on, &folder, &["--format", "csv"]);
    let json = audit(&on, &folder, &["--format", "json"]);
    for done in [&text, &csv, &json] {
        assert_eq!(done.code, 1, "{done:?}");
        for secret in ["SIGILO", "99888777", "99.888.777"] {
            assert!(!done.stdout.contains(secret) && !done.stderr.contains(secret), "{secret} is shown");
        }
    }
    assert!(text.stdout.contains("EMPRESA 11.222.333/0001-81, março de 2025"), "{}", text.stdout);
    // 24 documents have 12 % for 18 % of R$ 1.000,00.
    let seeded = wanted().iter().filter(|(_, line)| line == "icms diverge valor").count();
    let icms = text.stdout.lines().find(|line| line.starts_with("icms ")).unwrap();
    let reais = seeded * 60;
    assert!(icms.ends_with(&format!(" {}.{:03},00", reais / 1_000, reais % 1_000)), "{icms}");

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

/// A right use of a reduction that names its goods in words alone once ended a run with 1.
#[test]
fn a_difference_that_only_a_person_can_judge_does_not_change_the_exit_status() {
    let to_check = RIGHT
        .replace("<CFOP>5102", "<CFOP>5949")
        .replace("<pICMS>18.00</pICMS><vICMS>180.00", "<pICMS>12.00</pICMS><vICMS>120.00");
    let sure = RIGHT.replace("<vPIS>13.53", "<vPIS>23.53");
    for (text, code) in [(&to_check, 0), (&sure, 1)] {
        assert_ne!(text, RIGHT);
        let done = taxd_nowhere(["audit", "-", "--format", "json", "--so-divergencias"], text.as_bytes());
        assert_eq!(done.code, code, "{}", done.stdout);
        let certain = done.json_lines().iter().any(|line| line["certeza"] != "conferir");
        assert_eq!((certain, done.stdout.is_empty()), (code == 1, false), "{}", done.stdout);
        let strict = taxd_nowhere(["audit", "-", "--strict"], text.as_bytes());
        assert_eq!(strict.code, 1, "{}", strict.stdout);
    }
}

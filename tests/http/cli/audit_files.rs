//! The files of `taxd audit`: links, archives, and what only looks like them.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::audit::{COMPANY, RIGHT};
use crate::support::{program, taxd_nowhere, zip_of};

/// Writes an archive of these entries.
fn archive(path: &Path, entries: &[(&str, &[u8])]) {
    let mut archive = ZipWriter::new(fs::File::create(path).unwrap());
    for (name, content) in entries {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap();
}

/// The codes of what the audit of a path finds.
fn codes(path: &Path) -> Vec<Value> {
    let path = path.display().to_string();
    let done = taxd_nowhere(["audit", &path, "--format", "json", "--so-divergencias"], b"");
    done.json_lines().into_iter().map(|line| line["codigo"].clone()).collect()
}

/// A link to nothing was once left out without a word.
#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_a_line_of_the_report() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("a.xml"), RIGHT).unwrap();
    std::os::unix::fs::symlink("nada", dir.path().join("b.xml")).unwrap();
    let folder = dir.path().display().to_string();
    let done = taxd_nowhere(["audit", &folder, "--format", "json", "--so-divergencias"], b"");
    let [line] = done.json_lines().try_into().unwrap();
    assert!(line["arquivo"].as_str().unwrap().ends_with("b.xml"), "{line}");
    assert_eq!((done.code, line["veredito"].as_str()), (1, Some("recusado")), "{line}");
}

/// The name of the file, the verdict and the code of each line of an audit, and its exit status.
fn audited(path: &Path) -> (Vec<String>, i32) {
    let folder = path.display().to_string();
    let done = taxd_nowhere(["audit", &folder, "--format", "json"], b"");
    let text = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let line = |line: &Value| {
        let file = text(line, "arquivo").replace(&folder, "");
        [file.trim_start_matches('/').to_owned(), text(line, "veredito"), text(line, "codigo")].join(" ")
    };
    (done.json_lines().iter().filter(|line| line["camada"] == "arquivo").map(line).collect(), done.code)
}

/// What a folder has beside its notes: the name, the bytes, the verdict and the code of the line.
const BESIDE_NOTES: [(&str, &[u8], &str); 12] = [
    (
        "EFD.txt",
        b"|0000|017|0|01012026|31012026|EMPRESA|11222333000181||SP|1|3550308|||A|0|\n|C001|1|\n|D001|1|\n|E001|1|\n\
        |H001|1|\n|1001|1|\n|9001|1|\n|9999|8|\n",
        "nao_se_aplica escrituracao",
    ),
    (
        "contribuicoes.TXT",
        b"|0000|006|0|||01012026|31012026|E|11222333000181|SP|3550308||00|2|\n|A001|1|\n|C001|1|\n|D001|1|\n\
        |F001|1|\n|M001|1|\n|1001|1|\n|9001|1|\n|9999|9|\n",
        "nao_se_aplica escrituracao",
    ),
    ("danfe.pdf", b"%PDF-1.7", "nao_se_aplica arquivo_nao_lido"),
    (
        "inut.xml",
        b"<procInutNFe><inutNFe><infInut Id=\"ID1\"/></inutNFe></procInutNFe>",
        "nao_se_aplica outro_documento",
    ),
    ("lista.xlsx", b"PK\x03\x04", "nao_se_aplica arquivo_nao_lido"),
    ("mdfe.xml", b"<mdfeProc><MDFe><infMDFe/></MDFe></mdfeProc>", "nao_se_aplica outro_documento"),
    ("nota.xml.gz", b"\x1f\x8b\x08", "recusado arquivo_compactado"),
    ("notas.7z", b"7z\xbc\xaf\x27\x1c", "recusado arquivo_compactado"),
    ("notas.rar", b"Rar!", "recusado arquivo_compactado"),
    (
        "resumo.xml",
        b"<resNFe><chNFe>1</chNFe><vNF>1000.00</vNF><cSitNFe>1</cSitNFe></resNFe>",
        "nao_se_aplica outro_documento",
    ),
    ("sat-canc.xml", b"<CFeCanc><infCFe/></CFeCanc>", "nao_se_aplica evento"),
    ("sat.xml", b"<CFe><infCFe/></CFe>", "recusado campo_ilegivel"),
];

/// Files that are neither XML nor ZIP once vanished without a word, in folders and in archives alike. Hidden ones are
/// counted.
#[test]
fn every_file_of_a_folder_and_of_an_archive_has_its_line() {
    let dir = TempDir::new().unwrap();
    let (folder, packed) = (dir.path().join("pasta"), dir.path().join("notas.zip"));
    fs::create_dir_all(folder.join("sub")).unwrap();
    let hidden: [(&str, &[u8]); 3] =
        [(".DS_Store", b"\0"), ("sub/Thumbs.db", b"\0"), ("sub/._nota.xml", b"\0\x05\x16\x07")];
    let all = BESIDE_NOTES.iter().map(|(name, bytes, _)| (*name, *bytes)).chain(hidden);
    let all: Vec<(&str, &[u8])> = all.chain([("sub/nota.xml", RIGHT.as_bytes())]).collect();
    for (name, bytes) in &all {
        fs::write(folder.join(name), bytes).unwrap();
    }
    archive(&packed, &all);
    let mut wanted: Vec<String> = BESIDE_NOTES.iter().map(|(name, _, line)| format!("{name} {line}")).collect();
    wanted.push(" nao_se_aplica arquivos_ocultos".to_owned());
    for path in [&folder, &packed] {
        assert_eq!(audited(path), (wanted.clone(), 1), "{}", path.display());
    }
    // By name each says the same.
    for (name, _, line) in BESIDE_NOTES {
        let code = i32::from(line.starts_with("recusado"));
        assert_eq!(audited(&folder.join(name)), (vec![format!(" {line}")], code), "{name}");
    }
    let text = taxd_nowhere(["audit", &folder.display().to_string()], b"").stdout;
    for words in [
        "EFD.txt documento: é uma EFD ICMS/IPI",
        "contribuicoes.TXT documento: é uma EFD-Contribuições",
        "notas.rar documento: é um arquivo RAR, que não é aberto: extraia",
        "sat-canc.xml documento: cancelamento de um CF-e SAT",
        "3 arquivos ocultos ou do sistema",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let head = text.lines().position(|line| line.starts_with("ARQUIVOS QUE NÃO SÃO NOTAS")).unwrap();
    let counts: Vec<&str> = text.lines().nth(head + 3).unwrap().split_whitespace().collect();
    assert_eq!(counts[..5], ["documento", "0", "0", "4", "9"], "each is counted: {text}");
}

/// An MDF-e or an inutilização once made the exit status of every real folder 1, as a damaged file does.
#[test]
fn a_file_that_is_not_a_note_leaves_the_exit_status_and_an_unread_note_does_not() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("nota.xml"), RIGHT).unwrap();
    let (others, unread): (Vec<_>, Vec<_>) =
        BESIDE_NOTES.iter().partition(|(_, _, line)| line.starts_with("nao_se_aplica"));
    for (name, bytes, _) in others {
        fs::write(dir.path().join(name), bytes).unwrap();
    }
    fs::write(dir.path().join(".DS_Store"), "").unwrap();
    assert_eq!(audited(dir.path()).1, 0);
    for (name, bytes, _) in unread {
        fs::write(dir.path().join(name), bytes).unwrap();
        assert_eq!(audited(dir.path()).1, 1, "{name}");
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    fs::write(dir.path().join("quebrada.xml"), &RIGHT[..RIGHT.len() / 2]).unwrap();
    assert_eq!(audited(dir.path()).1, 1);
}

/// The file of the option may be in the folder of the notes.
#[test]
fn the_file_of_the_companies_is_none_of_the_folder() {
    let dir = TempDir::new().unwrap();
    let company = dir.path().join("empresa.toml");
    fs::write(dir.path().join("nota.xml"), RIGHT).unwrap();
    fs::write(&company, COMPANY).unwrap();
    let (folder, company) = (dir.path().display().to_string(), company.display().to_string());
    let done = taxd_nowhere(["audit", &folder, "--empresa", &company, "--format", "json"], b"");
    assert!(done.json_lines().len() > 3 && !done.stdout.contains("empresa.toml"), "{}", done.stdout);
    let done = taxd_nowhere(["audit", &folder, "--format", "json"], b"");
    assert!(done.stdout.contains("empresa.toml"), "{}", done.stdout);
    fs::remove_file(dir.path().join("nota.xml")).unwrap();
    fs::remove_file(dir.path().join("empresa.toml")).unwrap();
    let empty = taxd_nowhere(["audit", &folder], b"");
    assert!(empty.code == 1 && empty.stderr.contains("has no file"), "{}", empty.stderr);
}

/// Archives without a document were once left out without a word.
#[test]
fn an_archive_without_a_document_is_a_line_of_the_report() {
    let dir = TempDir::new().unwrap();
    archive(&dir.path().join("a.zip"), &[]);
    archive(&dir.path().join("b.zip"), &[("leia-me.txt", b"")]);
    archive(&dir.path().join("c.zip"), &[(".DS_Store", b"")]);
    let wanted = [
        "a.zip recusado zip_sem_documento",
        "b.zip/leia-me.txt nao_se_aplica arquivo_nao_lido",
        "c.zip nao_se_aplica arquivos_ocultos",
    ];
    assert_eq!(audited(dir.path()), (wanted.map(str::to_owned).to_vec(), 1));
}

/// Head offices share the end of their numbers, and both were once called by that end alone.
#[test]
fn two_companies_of_a_report_are_distinguished() {
    let dir = TempDir::new().unwrap();
    let of = |name: &str, issuer: &str| {
        fs::write(dir.path().join(name), RIGHT.replace("<CNPJ>11222333000181</CNPJ>", issuer)).unwrap();
    };
    of("a.xml", "<CNPJ>11222333000181</CNPJ>");
    of("b.xml", "<CNPJ>55666777000181</CNPJ>");
    of("c.xml", "<CNPJ>12ABC345000181</CNPJ>");
    of("d.xml", "<CPF>11122233396</CPF>");
    of("e.xml", "<CPF>11144455596</CPF>");
    let folder = dir.path().display().to_string();
    let names = ["11.222.333/0001-81", "55.666.777/0001-81", "12.ABC.345/0001-81", "***.222.333-**", "***.444.555-**"];
    for format in ["text", "csv", "json"] {
        let report = taxd_nowhere(["audit", &folder, "--format", format], b"").stdout;
        for name in names {
            let wanted = if format == "text" { format!("EMPRESA {name}, março de 2025") } else { name.to_owned() };
            assert!(report.contains(&wanted), "{wanted}: {report}");
        }
        assert!(!report.contains("11122233396"), "a CPF is not shown whole");
    }
}

/// An archive of 40 MiB of blanks in a few kilobytes, and one that is none.
#[test]
fn an_archive_is_expanded_within_limits() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("bomba.zip");
    let blanks = vec![b' '; 40 << 20];
    archive(&path, &[("bomba.xml", &blanks), ("outro.zip", b""), ("boa.xml", RIGHT.as_bytes())]);
    assert_eq!(codes(&path), ["arquivo_grande_demais", "zip_invalido"]);
}

/// A firm's folder has an archive of each client within one of the month: once each had to be extracted by hand.
#[test]
fn an_archive_within_an_archive_is_read_and_one_within_that_is_refused() {
    let dir = TempDir::new().unwrap();
    let wrong = RIGHT.replace("<vPIS>13.53", "<vPIS>23.53");
    let deepest = zip_of([("4.xml".to_owned(), wrong.as_bytes())]);
    let of_client = zip_of([
        ("2.xml".to_owned(), wrong.as_bytes()),
        ("mais.zip".to_owned(), deepest.as_slice()),
        (".oculto".to_owned(), b"x"),
    ]);
    let path = dir.path().join("mes.zip");
    archive(&path, &[("cliente.zip", &of_client), ("vazio.zip", &zip_of([])), ("3.xml", RIGHT.as_bytes())]);
    let path = path.display().to_string();
    let done = taxd_nowhere(["audit", &path, "--format", "json"], b"");
    let mut found: Vec<(String, Value)> = done
        .json_lines()
        .into_iter()
        .filter(|line| line["veredito"] != "confere" && line["veredito"] != "nao_se_aplica")
        .map(|line| {
            (line["arquivo"].as_str().unwrap().rsplit_once("mes.zip").unwrap().1.to_owned(), line["codigo"].clone())
        })
        .collect();
    found.dedup();
    let wanted = [
        ("/cliente.zip/2.xml", "base_vezes_aliquota"),
        ("/cliente.zip/mais.zip", "zip_em_zip"),
        ("/vazio.zip", "zip_sem_documento"),
    ];
    let found: Vec<(&str, &str)> = found.iter().map(|(file, code)| (file.as_str(), code.as_str().unwrap())).collect();
    for one in wanted {
        assert!(found.contains(&one), "{one:?}: {found:?}");
    }
    let files: Vec<Value> = done.json_lines().into_iter().map(|line| line["arquivo"].clone()).collect();
    assert!(files.iter().any(|file| file.as_str().unwrap().ends_with("mes.zip/3.xml")), "what follows is read");
    assert!(
        files.iter().any(|file| file.as_str().unwrap().ends_with("mes.zip/cliente.zip")),
        "hidden files are counted"
    );
}

/// Entries with a password, cut off, of a size that is not theirs, and with names that lead out of the archive: each is a
/// line, nothing is written, and the rest is read.
#[test]
fn a_damaged_entry_is_a_line_and_the_others_are_read() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("notas.zip");
    let wrong = RIGHT.replace("<vPIS>13.53", "<vPIS>23.53");
    archive(&path, &[("1.xml", RIGHT.as_bytes()), ("../../2.xml", wrong.as_bytes())]);
    let whole = fs::read(&path).unwrap();
    let found = codes(&path);
    assert!(!found.is_empty(), "the entry with a strange name is read");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "and not written");

    // The flags of the first entry, in the file and in the directory at the end of it: bit 0 says that it has a password.
    let places = |signature: &[u8]| whole.windows(4).position(|bytes| bytes == signature).unwrap();
    let (local, central) = (places(b"PK\x03\x04"), places(b"PK\x01\x02"));
    let mut locked = whole.clone();
    locked[local + 6] |= 1;
    locked[central + 8] |= 1;
    let mut lying = whole.clone();
    for size in [central + 24, local + 22] {
        lying[size..size + 4].copy_from_slice(&7_u32.to_le_bytes());
    }
    for (bytes, code) in [(locked, "zip_invalido"), (lying, "arquivo_ilegivel")] {
        fs::write(&path, bytes).unwrap();
        let wanted: Vec<Value> = [Value::from(code)].into_iter().chain(found.iter().cloned()).collect();
        assert_eq!(codes(&path), wanted);
    }
    fs::write(&path, &whole[..whole.len() - 30]).unwrap();
    assert_eq!(codes(&path), ["zip_invalido"]);
}

/// More files than are read together. Files are read, and lines written, while others are calculated: the order of the
/// lines, and an event in the last file, must not depend on that.
#[test]
fn the_lines_of_very_many_files_are_in_the_order_of_the_files() {
    const FILES: usize = 600;
    let dir = TempDir::new().unwrap();
    let keyed = |file: usize| RIGHT.replacen("<infNFe", &format!("<infNFe Id=\"NFe{file:044}\""), 1);
    for file in 0..FILES {
        fs::write(dir.path().join(format!("{file:03}.xml")), keyed(file)).unwrap();
    }
    let named = format!("<chNFe>{:044}</chNFe><tpEvento>110111</tpEvento>", 0);
    let event = format!(
        "<procEventoNFe><evento><infEvento>{named}</infEvento></evento><retEvento><infEvento><cStat>135</cStat>{named}\
         </infEvento></retEvento></procEventoNFe>"
    );
    fs::write(dir.path().join("zzz.xml"), event).unwrap();
    let done = taxd_nowhere(["audit", &dir.path().display().to_string(), "--format", "json"], b"");
    let lines = done.json_lines();
    let of_file = |file: usize| {
        lines.iter().filter(move |line| line["arquivo"].as_str().unwrap().ends_with(&format!("{file:03}.xml")))
    };
    let files: Vec<&str> = lines.iter().map(|line| line["arquivo"].as_str().unwrap()).collect();
    assert!(files.is_sorted(), "a line is out of its order");
    assert_eq!(of_file(0).map(|line| &line["codigo"]).collect::<Vec<_>>(), ["documento_cancelado"]);
    let each = of_file(1).count();
    assert!(each > 3 && (1..FILES).all(|file| of_file(file).count() == each), "a line is missing");
}

/// The thread that writes learns it, and the run must: `taxd audit notas | head`.
#[test]
fn an_audit_that_nobody_reads_any_more_ends_without_an_error() {
    let dir = TempDir::new().unwrap();
    for file in 0..300 {
        fs::write(dir.path().join(format!("{file:03}.xml")), RIGHT).unwrap();
    }
    for format in ["json", "csv"] {
        let mut command = Command::new(program());
        command.env_clear().current_dir(dir.path()).args(["audit", ".", "--format", format]);
        let mut running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 16];
        running.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let done = running.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.status.success() && !said.contains("panicked") && !said.contains("cannot write"),
            "{format}: {said}"
        );
    }
}

/// A full disk ended the program with a panic, and with the advice to check the data file.
#[test]
fn an_xlsx_whose_rows_find_no_room_on_the_disk_says_so() {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("notas")).unwrap();
    for number in 0..60 {
        let xml = RIGHT.replace("<mod>", &format!("<nNF>{number}</nNF><mod>"));
        fs::write(dir.path().join(format!("notas/{number}.xml")), xml).unwrap();
    }
    // A file that grows beyond its limit fails as on a full disk, if the signal is ignored.
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" audit --format xlsx notas";
    let mut command = Command::new("sh");
    let done = command.args(["-c", script, program()]).current_dir(dir.path()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("whose disk may be full") && !said.contains("taxd check"), "{said}");
    assert_eq!((done.status.code(), done.stdout.len()), (Some(1), 0), "{said}");
}

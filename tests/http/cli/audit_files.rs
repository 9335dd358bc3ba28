//! The files of `taxd audit`: links, archives, and what only looks like them.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::audit::RIGHT;
use crate::support::taxd_nowhere;

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

/// Archives without a document were once left out without a word.
#[test]
fn an_archive_without_a_document_is_a_line_of_the_report() {
    let dir = TempDir::new().unwrap();
    archive(&dir.path().join("a.zip"), &[]);
    archive(&dir.path().join("b.zip"), &[("leia-me.txt", b"")]);
    assert_eq!(codes(dir.path()), ["zip_sem_documento", "zip_sem_documento"]);
}

/// An archive of 40 MiB of blanks in a few kilobytes, and one inside another.
#[test]
fn an_archive_is_expanded_within_limits() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("bomba.zip");
    let blanks = vec![b' '; 40 << 20];
    archive(&path, &[("bomba.xml", &blanks), ("outro.zip", b""), ("boa.xml", RIGHT.as_bytes())]);
    assert_eq!(codes(&path), ["arquivo_grande_demais", "zip_em_zip"]);
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

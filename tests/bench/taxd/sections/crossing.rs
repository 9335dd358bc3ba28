//! Invoices crossed with the digital books that have them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::audit::{DOCUMENTS, ISSUER, ITEMS, audited, key, notes};
use super::{Fixture, Row};
use crate::table::{Wanted, number};

/// The records before and after those of the notes, of an EFD ICMS/IPI; `{…}` are sums.
const ICMS_HEAD: &str =
    "|0000|020|0|01032026|31032026|FIRMA|{ISSUER}||SP|111111111111|3550308|||A|1|\n|0001|0|\n|C001|0|\n";
const ICMS_TAIL: &str = "|D001|1|\n|E001|0|\n|E100|01032026|31032026|\n\
|E110|{ICMS}|0,00|0,00|0,00|0,00|0,00|0,00|0,00|0,00|{ICMS}|0,00|{ICMS}|0,00|0,00|\n\
|E116|000|{ICMS}|20042026|046-2|||||032026|\n|H001|1|\n|1001|1|\n|9001|0|\n";
/// The same of an EFD-Contribuições.
const CONTRIBUTIONS_HEAD: &str = "|0000|006|0|||01032026|31032026|FIRMA|{ISSUER}|SP|3550308||00|2|\n|0001|0|\n|0110|1|1|1||\n\
|A001|1|\n|C001|0|\n|C010|{ISSUER}|2|\n";
const CONTRIBUTIONS_TAIL: &str = "|D001|1|\n|F001|1|\n|M001|0|\n\
|M200|{PIS}|0,00|0,00|{PIS}|0,00|0,00|{PIS}|0,00|0,00|0,00|0,00|{PIS}|\n\
|M600|{COFINS}|0,00|0,00|{COFINS}|0,00|0,00|{COFINS}|0,00|0,00|0,00|0,00|{COFINS}|\n|1001|1|\n|9001|0|\n";
/// The record of a note.
const DOCUMENT: &str =
    "|C100|1|0||55|00|1|{NUMBER}|{KEY}|10032026|10032026|3000,00|1|||3000,00|9||||3000,00|540,00|0,00|0,00|0,00|";
const GROUP: &str = "|C190|000|5102|18,00|3000,00|3000,00|540,00|0,00|0,00|0,00|0,00||\n";

/// Cents of each tax of a note.
const SUMS: [(&str, u64); 3] = [("{ICMS}", 54_000), ("{PIS}", 4_059), ("{COFINS}", 18_696)];

/// Writes books around the records of all notes. Returns the file and how many records it has.
fn book(fixture: &Fixture, name: &str, [head, tail]: [&str; 2], rows: impl Fn(&str) -> String) -> (PathBuf, usize) {
    let mut text = head.to_owned();
    for number in 1..=DOCUMENTS {
        text += &rows(&DOCUMENT.replace("{NUMBER}", &number.to_string()).replace("{KEY}", &key(number)));
    }
    text += tail;
    for (name, cents) in SUMS {
        let cents = cents * u64::from(DOCUMENTS);
        text = text.replace(name, &format!("{},{:02}", cents / 100, cents % 100));
    }
    text = text.replace("{ISSUER}", ISSUER);
    let records = text.lines().count() + 1;
    writeln!(text, "|9999|{records}|").expect("text grows");
    (fixture.write(name, &text.replace('\n', "\r\n")), records)
}

/// Measures the audit of the notes alone and with books, in turns.
pub fn run(fixture: &Fixture) -> Vec<Row> {
    let notes = notes(fixture);
    let icms = book(fixture, "efd.txt", [ICMS_HEAD, ICMS_TAIL], |own| format!("{own}|||||\n{GROUP}"));
    let contributions = book(fixture, "contribuicoes.txt", [CONTRIBUTIONS_HEAD, CONTRIBUTIONS_TAIL], |own| {
        let item = |n| {
            format!(
                "|C170|{n}|P||10|UN|1000,00|||000|5102||1000,00|18,00|180,00|||||||||||01|820,00|1,65|||13,53|01|820,00|7,60|||62,32||\n"
            )
        };
        format!("{own}40,59|186,96|||\n{}", (1..=ITEMS).map(item).collect::<Vec<String>>().concat())
    });
    let micros = |files: &[&Path]| audited(fixture, files).0.as_secs_f64() * 1e6 / f64::from(DOCUMENTS);
    let mut rows = Vec::new();
    for (kind, (file, records)) in [("EFD ICMS/IPI", icms), ("EFD-Contribuições", contributions)] {
        let (mut ratios, mut alone, mut crossed) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..fixture.either(5, 3) {
            alone.push(micros(&[&notes]));
            crossed.push(micros(&[&notes, &file]));
            ratios.push(crossed[crossed.len() - 1] / alone[alone.len() - 1]);
        }
        let least = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
        let detail = format!(
            "time of the audit of {} NF-e with {} records, against without: {} and {} µs a note at least",
            number(f64::from(DOCUMENTS)),
            number(f64::from(u32::try_from(records).expect("few records"))),
            number(least(&crossed)),
            number(least(&alone)),
        );
        rows.push(Row::new(&format!("crossing with the {kind}"), Wanted::AtMost(1.25), "", ratios, detail));
    }
    rows
}

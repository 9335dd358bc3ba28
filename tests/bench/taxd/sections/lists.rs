//! A list of rows, against the same payloads as JSON lines.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Stdio;

use super::{Fixture, Row};
use crate::process::{Process, taxd};
use crate::table::{Wanted, number};

const ROWS: u32 = 100_000;

/// Measures `taxd calc` on a CSV and on the JSON lines of the same payloads, in turns.
pub fn run(fixture: &Fixture) -> Vec<Row> {
    let [list, lines] = ["list.csv", "list.jsonl"].map(|name| fixture.path(name));
    write(&list, "uf_origem;uf_destino;valor_produto;data_operacao\n", |i| {
        format!("SP;MG;{}.{:03},50;10/03/2026\n", 1 + i / 1000, i % 1000)
    });
    write(&lines, "", |i| {
        format!(
            "{{\"tributo\":\"icms\",\"uf_origem\":\"SP\",\"uf_destino\":\"MG\",\"valor_produto\":\"{}{:03}.50\",\"data_operacao\":\"2026-03-10\"}}\n",
            1 + i / 1000,
            i % 1000
        )
    });
    let seconds = |input: &Path, more: &[&str]| {
        let mut command = taxd(&["calc", "--data"]);
        command.arg(&fixture.builtin().dir).arg(input).args(more).stdin(Stdio::null()).stdout(Stdio::null());
        let (took, _) = Process::spawn(&mut command).finish("taxd calc");
        took.as_secs_f64()
    };
    let rounds = (0..fixture.either(5, 3)).map(|_| (seconds(&list, &["--tributo", "icms"]), seconds(&lines, &[])));
    let rounds: Vec<(f64, f64)> = rounds.collect();
    let ratios = rounds.iter().map(|(list, lines)| list / lines).collect();
    let least = rounds.iter().map(|(list, _)| *list).fold(f64::INFINITY, f64::min);
    let rows = number(f64::from(ROWS));
    let detail = format!("time of `taxd calc` on {rows} rows, to a CSV; the list took {least:.2} s at least");
    vec![Row::new("list as CSV, against the same payloads as JSON lines", Wanted::Nothing, "", ratios, detail)]
}

fn write(path: &Path, head: &str, line: impl Fn(u32) -> String) {
    let mut file = BufWriter::new(File::create(path).expect("room for a file"));
    file.write_all(head.as_bytes()).expect("room for a file");
    for i in 0..ROWS {
        file.write_all(line(i).as_bytes()).expect("room for a file");
    }
    file.flush().expect("room for a file");
}

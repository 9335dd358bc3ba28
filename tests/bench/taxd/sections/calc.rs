//! The engine alone: JSON lines in, JSON lines out.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::{Command, Stdio};

use super::{Fixture, Row};
use crate::process::{Process, taxd};
use crate::table::{Wanted, number};

pub fn run(fixture: &Fixture) -> Vec<Row> {
    let lines: u64 = fixture.either(1_000_000, 200_000);
    let input = fixture.path("calc.jsonl");
    let templates = fixture.templates();
    let mut file = BufWriter::new(File::create(&input).expect("room for a file"));
    for (i, template) in (0..lines).zip(templates.iter().cycle()) {
        file.write_all(&template.fresh(i)).and_then(|()| file.write_all(b"\n")).expect("room for a file");
    }
    file.flush().expect("room for a file");
    #[expect(clippy::cast_precision_loss, reason = "a figure to be shown")]
    let lines = lines as f64;
    let once = || {
        let calc = taxd(&["calc", "--data"]);
        // taskset (util-linux) executes the command on the first core only.
        let mut command = Command::new("taskset");
        command.env_clear().args(["-c", "0"]).arg(calc.get_program()).args(calc.get_args());
        command.arg(&fixture.builtin().dir).arg(&input).stdin(Stdio::null()).stdout(Stdio::null());
        let (took, _) = Process::spawn(&mut command).finish("taxd calc");
        lines / took.as_secs_f64()
    };
    let rates = (0..fixture.either(5, 3)).map(|_| once()).collect();
    let detail = format!("calculations/s, start included, {} lines, every payload new", number(lines));
    vec![Row::new("engine alone, one core (`taxd calc`)", Wanted::AtLeast(450_000.0), "", rates, detail)]
}

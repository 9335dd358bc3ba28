//! What a task asks of who does it: the fields typed or chosen, the other clicks, and the time.

use std::cell::Cell;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

/// With this variable each task that is done is a row of the table in the README beside these tests, on the terminal.
const ROWS: &str = "TAXD_TASKS";

/// An ordinary task, as the table has it: its number, its words, and the most fields that it may ask for.
pub struct Task(pub &'static str, pub &'static str, pub u32);

/// What was done since the task began. Choosing the tax and pressing its button belong to every task, and do not count.
pub struct Effort {
    fields: Cell<u32>,
    clicks: Cell<u32>,
    since: Cell<Instant>,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { fields: Cell::new(0), clicks: Cell::new(0), since: Cell::new(Instant::now()) }
    }
}

impl Effort {
    /// A task begins.
    pub fn begin(&self) {
        self.fields.set(0);
        self.clicks.set(0);
        self.since.set(Instant::now());
    }

    pub fn field(&self) {
        self.fields.set(self.fields.get() + 1);
    }

    pub fn click(&self) {
        self.clicks.set(self.clicks.get() + 1);
    }

    /// The task is done, with no more fields than it may have; the next one begins.
    #[track_caller]
    pub fn done(&self, &Task(number, words, most): &Task) {
        let (fields, clicks) = (self.fields.get(), self.clicks.get());
        assert!(fields <= most, "{number}, {words}: {fields} fields, of at most {most}");
        if std::env::var_os(ROWS).is_some() {
            let seconds = self.since.get().elapsed().as_secs_f64();
            let row = format!("| {number} | {words} | {most} | {fields} | {clicks} | {seconds:.1} |\n");
            std::io::stderr().write_all(row.as_bytes()).unwrap();
        }
        self.begin();
    }
}

/// The table in the README has every task, with its words and the most fields that it may take.
#[test]
fn the_table_of_tasks_has_each_of_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let table = fs::read_to_string(folder.join("README.md")).unwrap();
    let mut tasks = 0;
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        // Whatever lines the source is broken into.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( \"", "(\"");
        for task in text.split("&Task(\"").skip(1) {
            let parts: Vec<&str> = task.splitn(3, "\", ").collect();
            let most = parts[2].split(|c: char| !c.is_ascii_digit()).next().unwrap();
            let [number, words] = [parts[0], parts[1].trim_start_matches('"')];
            assert!(table.contains(&format!("| {number} | {words} | {most} | ")), "{number}, {words}, {most}");
            tasks += 1;
        }
    }
    assert!(tasks >= 39, "{tasks} tasks");
}

//! What a large import takes of memory: the text of its file and a few bytes for each rule, not the
//! rules themselves.

use crate::support::OwnRules;
use crate::support::large::bundle_of_new;

const RULES: usize = 60_000;
/// Most bytes that one of them may take, its text included. Held as a whole, each took over 2,000.
const BYTES_A_RULE: u64 = 700;
/// Memory that is lent to the pages of the data file, whatever the number of rules.
const CACHE_KIB: u64 = 40 * 1024;

#[test]
fn a_large_import_takes_a_few_bytes_of_memory_for_each_rule() {
    let own = OwnRules::none();
    own.import(&own.dir.write("one.json", bundle_of_new(1)), &[]).ok();
    let text = bundle_of_new(RULES);
    let file = own.dir.write("many.json", &text);
    let cut = own.dir.write("cut.json", &text[..text.len() - 2]);
    let server = own.serve();
    let before = server.memory_kib("VmHWM");
    let told = own.import(&file, &[]).ok().stdout;
    assert!(told.contains(&format!("{} new, 0 superseded, 1 already there", RULES - 1)), "{told}");
    // To say where a file breaks off, it was read as a whole.
    let refused = own.import(&cut, &[]);
    assert_eq!(refused.code, 1);
    let told = refused.stdout + &refused.stderr;
    assert!(told.contains("o documento acaba antes da hora"), "{told}");
    let taken = server.memory_kib("VmHWM") - before;
    let most = CACHE_KIB + BYTES_A_RULE * RULES as u64 / 1024;
    assert!(taken < most, "{taken} KiB, of at most {most}");
}

//! Lines of books in fields, against a naive reading of them.

use proptest::prelude::*;
use rust_decimal::Decimal;
use taxd_base::value::parse_decimal;
use taxd_law::efd::EfdRecord;

fn naive(line: &str) -> Option<Vec<&str>> {
    let text = line.strip_prefix('|')?.strip_suffix('|')?;
    Some(text.split('|').map(str::trim).collect())
}

fn figure(text: &str) -> Option<Decimal> {
    if text.contains('.') { None } else { parse_decimal(&text.replacen(',', ".", 1)).ok() }
}

proptest! {
    #[test]
    fn a_record_has_the_fields_between_the_bars(line in "[|0-9,.A \\-\t\u{a0}ç]{0,40}|\\|[|0-9,.A \\-\t\u{a0}ç]{0,40}\\|") {
        let record = EfdRecord::of(&line);
        let fields = naive(&line);
        prop_assert_eq!(record.is_some(), fields.is_some());
        if let (Some(record), Some(fields)) = (record, fields) {
            for (at, text) in fields.iter().enumerate() {
                prop_assert_eq!(record.text(at + 1), *text);
                prop_assert_eq!(record.figure(at + 1).map(|one| (one.mantissa(), one.scale())), figure(text).map(|one| (one.mantissa(), one.scale())));
            }
            prop_assert_eq!(record.text(fields.len() + 1), "");
        }
    }
}

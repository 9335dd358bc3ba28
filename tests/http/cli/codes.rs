//! `taxd codes`.

use crate::support::taxd_nowhere;

#[test]
fn a_code_is_found_by_words_without_a_data_directory() {
    let text = taxd_nowhere(["codes", "parafuso", "inox"], b"").ok().stdout;
    assert!(text.contains("  73181500  "), "{text}");
    assert!(text.contains("Obras de ferro fundido, ferro ou aço > Parafusos"), "{text}");
    let line = "codes pneus de titânio --tabela ncm --limit 2 --json";
    let json = taxd_nowhere(line.split(' '), b"").ok().json();
    assert_eq!(json.as_array().unwrap().len(), 1);
    assert_eq!((json[0]["tabela"].as_str(), json[0]["sem"][0].as_str()), (Some("ncm"), Some("titanio")));
    assert_eq!(json[0]["codigos"].as_array().unwrap().len(), 2);
    assert_eq!(json[0]["codigos"][0]["codigo"], "40111000");
}

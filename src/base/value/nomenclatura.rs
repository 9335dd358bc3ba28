//! Codes of the NCM that were divided: the end of each, and the codes that replaced it.
//!
//! Used only in the text of a refusal. It never decides which rule answers: the rules of a divided code have
//! dates of their own.

use super::code::NcmPrefix;
use super::date::Date;

/// The code, the first day without it, the codes that began on that day. From the Siscomex
/// nomenclature in force on 2026-08-13; divisions that it does not show by its codes are left out.
const DIVIDED: &[(&str, &str, &[&str])] = &[
    ("02071200", "2023-04-01", &["02071210", "02071220"]),
    (
        "02071400",
        "2024-08-01",
        &[
            "02071411", "02071412", "02071413", "02071419", "02071421", "02071422", "02071423", "02071424", "02071429",
            "02071431", "02071432", "02071433", "02071434", "02071439",
        ],
    ),
    ("03029100", "2023-04-01", &["03029110", "03029190"]),
    ("03039100", "2023-04-01", &["03039110", "03039190"]),
    ("03052000", "2023-04-01", &["03052010", "03052090"]),
    ("19012000", "2024-01-01", &["19012010", "19012020", "19012090"]),
    ("27109100", "2024-04-01", &["27109110", "27109120", "27109190"]),
    ("28201000", "2024-04-01", &["28201010", "28201090"]),
    ("29314930", "2024-04-01", &["29314931", "29314932", "29314939"]),
    ("29398000", "2024-04-01", &["29398010", "29398090"]),
    ("39072990", "2024-04-01", &["39072991", "39072999"]),
    ("39172200", "2024-04-01", &["39172210", "39172290"]),
    ("48119010", "2024-04-01", &["48119011", "48119019"]),
    ("59039000", "2026-02-01", &["59039010", "59039090"]),
    ("65061000", "2026-02-01", &["65061010", "65061090"]),
    ("73063000", "2026-02-01", &["73063010", "73063090"]),
    ("73151100", "2024-10-01", &["73151110", "73151190"]),
    ("74061000", "2026-02-01", &["74061010", "74061020", "74061090"]),
    ("74094010", "2024-04-01", &["74094011", "74094019"]),
    ("85045000", "2024-07-01", &["85045010", "85045090"]),
    ("85059010", "2024-04-01", &["85059011", "85059019"]),
    ("85441910", "2024-04-01", &["85441911", "85441919"]),
    ("90029000", "2024-04-01", &["90029010", "90029090"]),
    ("94032000", "2022-09-01", &["94032010", "94032090"]),
];

/// A sentence in Portuguese: the codes that replaced one that has ended by that day, or the code before one that
/// has not begun. `None` for any other code.
pub fn sucessao(ncm: &NcmPrefix, data: Date) -> Option<String> {
    let code = ncm.as_str();
    let mut divided = DIVIDED.iter().filter_map(|(old, end, new)| Some((*old, Date::parse(end).ok()?, *new)));
    divided.find_map(|(old, end, new)| {
        if code == old && end <= data {
            Some(format!("O NCM {old} deixou de existir em {}; desde então, informe {}.", end.dmy(), new.join(" ou ")))
        } else if new.contains(&code) && data < end {
            Some(format!("O NCM {code} existe desde {}; antes, informe {old}.", end.dmy()))
        } else {
            None
        }
    })
}

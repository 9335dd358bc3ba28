//! The audit of each kind of document.

use std::fs;

use super::audit::{audited, note, with_check_digit};
use super::{Fixture, Row};
use crate::table::{Wanted, number};

const DOCUMENTS: u32 = 4_000;

/// A kind of document: its name, one of it, and how another one is made of that.
type Kind = (&'static str, &'static str, fn(&str, u32) -> String);

const KINDS: [Kind; 9] = [
    ("NFC-e", "", consumers_note),
    ("CF-e of the SAT", include_str!("../../../golden/layouts/cfe_sat.xml"), coupon),
    ("CT-e", include_str!("../../../golden/layouts/cte.xml"), keyed),
    ("CT-e OS", include_str!("../../../golden/layouts/cte_os.xml"), keyed),
    ("NFS-e, national", include_str!("../../../golden/layouts/nfse_nacional_ibscbs.xml"), keyed),
    ("NFS-e, Ginfes (ABRASF 1)", include_str!("../../../golden/layouts/nfse_ginfes.xml"), numbered),
    ("NFS-e, ISSNet (ABRASF)", include_str!("../../../golden/layouts/nfse_issnet.xml"), numbered),
    ("NFS-e, IPM", include_str!("../../../golden/layouts/nfse_ipm.xml"), numbered),
    ("NFS-e, São Paulo 2", include_str!("../../../golden/layouts/nfse_paulistana_v2.xml"), numbered),
];

fn consumers_note(_: &str, number: u32) -> String {
    note(number)
        .replace("<mod>55", "<mod>65")
        .replace("<indFinal>0", "<indFinal>1")
        .replace("<indIEDest>1", "<indIEDest>9")
}

/// The sample sells roasted coffee, which owes no PIS and COFINS.
fn coupon(sample: &str, number: u32) -> String {
    keyed(&sample.replace("09012100", "39241000"), number)
}

/// With another code in the access key.
fn keyed(sample: &str, number: u32) -> String {
    let (_, id) = sample.split_once(" Id=\"").expect("an Id");
    let key = id.split('"').next().unwrap_or_default().trim_start_matches(|c: char| !c.is_ascii_digit());
    let coded = format!("{}{number:06}", &key[..key.len() - 7]);
    let other = if key.len() == 44 { with_check_digit(&coded) } else { coded + "0" };
    sample.replace(key, &other)
}

/// With another number.
fn numbered(sample: &str, number: u32) -> String {
    ["NumeroNFe>", "numero_nfse>", ":Numero>"].iter().fold(sample.to_owned(), |text, tag| {
        let mut parts = text.split(tag);
        let first = parts.next().unwrap_or_default().to_owned();
        // The text of an end tag goes on with another one.
        let one = |part: &str| {
            let is_number = part.starts_with(|c: char| c.is_ascii_digit());
            if is_number { format!("{tag}{number:05}{part}") } else { format!("{tag}{part}") }
        };
        parts.fold(first, |text, part| text + &one(part))
    })
}

/// Measures `taxd audit` on some thousand documents of each kind.
pub fn run(fixture: &Fixture) -> Vec<Row> {
    let of = |(place, (kind, sample, make)): (usize, &Kind)| {
        let folder = fixture.path(&format!("tipo-{place}"));
        fs::create_dir(&folder).expect("room for a folder");
        for number in 1..=DOCUMENTS {
            fs::write(folder.join(format!("{number:05}.xml")), make(sample, number)).expect("room for a file");
        }
        let rate = || f64::from(DOCUMENTS) / audited(fixture, &[&folder]).0.as_secs_f64();
        let rates = (0..fixture.either(5, 3)).map(|_| rate()).collect();
        fs::remove_dir_all(&folder).expect("own files can be removed");
        let detail = format!("documents/s: {} of them, to a CSV", number(f64::from(DOCUMENTS)));
        Row::new(&format!("audit of {kind}"), Wanted::Nothing, "", rates, detail)
    };
    KINDS.iter().enumerate().map(of).collect()
}

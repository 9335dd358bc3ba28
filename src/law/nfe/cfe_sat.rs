//! The CF-e SAT (model 59, layouts 0.06 to 0.08), as the NFC-e that says the same.
//!
//! Each figure is put where an NFC-e has it, as the tables below say, so that both are checked by the same code. What the
//! CF-e has in another form is rewritten: the base of ICMS is the net price of the item (`vItem`), the rates of PIS and
//! COFINS are fractions, and shares of a discount on the whole are apart from that of the item.

use rust_decimal::Decimal;

use super::rewrite::{found_mut, moved, put};
use super::xml::Element;
use crate::base::value::{format_decimal, parse_decimal};

/// Elements with another place in an NFC-e: from, to.
const MOVED: [(&str, &str); 5] = [
    ("ide/nCFe", "ide/nNF"),
    ("ide/nserieSAT", "ide/serie"),
    ("emit/cRegTrib", "emit/CRT"),
    ("total/vCFe", "total/ICMSTot/vNF"),
    ("imposto/ISSQN/vDeducISSQN", "imposto/ISSQN/vDeducao"),
];

/// The natures of a service (`cNatOp`, numbered as in ABRASF 1.0: due in the municipality, due elsewhere, exempt, immune,
/// suspended by a court, suspended by the administration), and the `indISS` that says the same; 9 is
/// [`ISS_ELSEWHERE`](super::nota::ISS_ELSEWHERE). Another nature is 0, which no NFC-e has: it is not compared.
const NATURES: [(u8, &str); 6] = [(1, "1"), (2, "9"), (3, "3"), (4, "5"), (5, "6"), (6, "7")];

/// Amounts that are one in an NFC-e: to, and what is added to it.
const ADDED: [(&str, &str); 4] = [
    ("prod/vDesc", "prod/vRatDesc"),
    ("prod/vOutro", "prod/vRatAcr"),
    ("total/ICMSTot/vDesc", "total/DescAcrEntr/vDescSubtot"),
    ("total/ICMSTot/vOutro", "total/DescAcrEntr/vAcresSubtot"),
];

/// Rates that the CF-e writes as fractions.
const FRACTIONS: [&str; 4] =
    ["imposto/PIS/*/pPIS", "imposto/COFINS/*/pCOFINS", "imposto/PISST/pPIS", "imposto/COFINSST/pCOFINS"];

/// The States of which a CF-e has been issued, by `cUF`.
const STATES: [(&str, &str); 2] = [("35", "SP"), ("23", "CE")];

/// The NFC-e that says what an `infCFe` says.
pub(super) fn as_note<'t>(cfe: &Element<'t>) -> Element<'t> {
    let mut note = cfe.clone();
    if let Some(day) = note.at("ide/dEmi").and_then(with_hyphens) {
        put(&mut note, "ide/dhEmi", day.into());
    }
    if let Some((_, uf)) = STATES.iter().find(|(code, _)| note.at("ide/cUF") == Some(code)) {
        put(&mut note, "emit/enderEmit/UF", (*uf).into());
    }
    put(&mut note, "ide/idDest", "1".into());
    rewrite(&mut note);
    note.children.iter_mut().filter(|child| child.name == "det").for_each(item);
    note
}

/// `AAAAMMDD` as `AAAA-MM-DD`.
fn with_hyphens(day: &str) -> Option<String> {
    Some(format!("{}-{}-{}", day.get(..4)?, day.get(4..6)?, day.get(6..)?))
}

fn item(det: &mut Element<'_>) {
    rewrite(det);
    for path in FRACTIONS {
        if let Some(rate) = found_mut(det, path) {
            with_number(rate, |fraction| fraction.checked_mul(Decimal::ONE_HUNDRED));
        }
    }
    if let Some(origin) = found_mut(det, "imposto/ICMS/*/Orig") {
        origin.name = "orig".into();
    }
    if let Some(nature) = det.at("imposto/ISSQN/cNatOp").map(str::parse::<u8>) {
        let indicator = NATURES.iter().find(|(of, _)| nature == Ok(*of)).map_or("0", |(_, indicator)| indicator);
        put(det, "imposto/ISSQN/indISS", indicator.into());
    }
    let net = det.at("prod/vItem").map(str::to_owned);
    if let (Some(net), Some("00")) = (net, det.at("imposto/ICMS/*/CST")) {
        put(det, "imposto/ICMS/ICMS00/vBC", net.into());
    }
}

/// Moves and adds what the tables say of an element.
fn rewrite(element: &mut Element<'_>) {
    moved(element, &MOVED);
    for (to, more) in ADDED {
        let Some(more) = element.find(more).and_then(|found| parse_decimal(found.text.trim()).ok()) else { continue };
        if element.find(to).is_none() {
            put(element, to, "0".into());
        }
        if let Some(sum) = found_mut(element, to) {
            with_number(sum, |own| own.checked_add(more));
        }
    }
}

/// Changes a number; a text that is none stays, and is found to be unreadable later.
fn with_number(element: &mut Element<'_>, change: impl Fn(Decimal) -> Option<Decimal>) {
    if let Some(number) = parse_decimal(element.text.trim()).ok().and_then(change) {
        element.text = format_decimal(number).into();
    }
}

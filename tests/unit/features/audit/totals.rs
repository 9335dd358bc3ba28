//! The totals of a document: what enters `vNF`, and the totals of fuels.

use super::documents::{ICMS, Note, TOTAL, sale};
use super::{audited, findings};

/// The sum of the document, if any is wrong.
fn totals(icms: &str, total: &str) -> Vec<String> {
    let note = Note { items: vec![sale().taxed(ICMS, icms)], total: total.to_owned(), ..Note::default() };
    findings(&audited(&note.xml())).into_iter().filter(|one| one.ends_with(" total")).collect()
}

/// `indDeduzDeson` says it since NT 2023.004. Any of the two sums was once right whatever it said.
#[test]
fn exempted_icms_leaves_the_total_if_the_item_deducts_it() {
    let note = |says: &str, total: &str| {
        let icms = format!(
            "<ICMS><ICMS40><orig>0</orig><CST>40</CST><vICMSDeson>180.00</vICMSDeson><motDesICMS>9</motDesICMS>{says}</ICMS40></ICMS>"
        );
        let sums = TOTAL
            .replace(
                "<vBC>1000.00</vBC><vICMS>180.00</vICMS>",
                "<vBC>0.00</vBC><vICMS>0.00</vICMS><vICMSDeson>180.00</vICMSDeson>",
            )
            .replace("<vNF>1000.00", &format!("<vNF>{total}"));
        totals(&icms, &sums)
    };
    let (deducts, keeps) = ("<indDeduzDeson>1</indDeduzDeson>", "<indDeduzDeson>0</indDeduzDeson>");
    let wrong = ["documento diverge total"];
    assert_eq!(note(deducts, "820.00"), Vec::<String>::new());
    assert_eq!(note(deducts, "1000.00"), wrong);
    assert_eq!(note(keeps, "1000.00"), Vec::<String>::new());
    assert_eq!(note(keeps, "820.00"), wrong);
    for either in ["820.00", "1000.00"] {
        assert_eq!(note("", either), Vec::<String>::new(), "a document before says nothing");
    }
    assert_eq!(note("", "900.00"), wrong);
}

/// The withheld part is charged on top of the price. A total under CST 15 was once not checked.
#[test]
fn the_single_phase_icms_that_is_withheld_is_part_of_the_total() {
    let icms = "<ICMS><ICMS15><orig>0</orig><CST>15</CST><qBCMono>100.0000</qBCMono><adRemICMS>1.1200</adRemICMS><vICMSMono>112.00</vICMSMono>\
        <qBCMonoReten>20.0000</qBCMonoReten><adRemICMSReten>1.4700</adRemICMSReten><vICMSMonoReten>29.40</vICMSMonoReten></ICMS15></ICMS>";
    let right = TOTAL
        .replace("<vBC>1000.00</vBC><vICMS>180.00</vICMS>", "<vBC>0.00</vBC><vICMS>0.00</vICMS>")
        .replace("<vProd>", "<qBCMono>100.00</qBCMono><vICMSMono>112.00</vICMSMono><qBCMonoReten>20.00</qBCMonoReten><vICMSMonoReten>29.40</vICMSMonoReten><vProd>")
        .replace("<vNF>1000.00", "<vNF>1029.40");
    assert_eq!(totals(icms, &right), Vec::<String>::new());
    for (from, to, tax) in [
        ("<vNF>1029.40", "<vNF>1000.00", "documento"),
        ("<vICMSMono>112.00", "<vICMSMono>112.02", "icms"),
        ("<qBCMono>100.00", "<qBCMono>101.00", "icms"),
        ("<qBCMonoReten>20.00", "<qBCMonoReten>21.00", "icms"),
    ] {
        assert_eq!(totals(icms, &right.replace(from, to)), [format!("{tax} diverge total")], "{from}");
    }
}

/// Some add the FCP that is left, others the whole.
#[test]
fn the_total_of_the_fcp_may_leave_out_what_is_deferred() {
    let icms = "<ICMS><ICMS51><orig>0</orig><CST>51</CST><vBCFCP>1000.00</vBCFCP><pFCP>2.00</pFCP><vFCP>20.00</vFCP>\
        <pFCPDif>50.00</pFCPDif><vFCPDif>10.00</vFCPDif><vFCPEfet>10.00</vFCPEfet></ICMS51></ICMS>";
    let sum = |fcp: &str| {
        let base = TOTAL.replace("<vBC>1000.00</vBC><vICMS>180.00</vICMS>", "<vBC>0.00</vBC><vICMS>0.00</vICMS>");
        totals(icms, &base.replace("<vProd>", &format!("<vFCP>{fcp}</vFCP><vProd>")))
    };
    assert_eq!((sum("20.00"), sum("10.00")), (vec![], vec![]));
    assert_eq!(sum("15.00"), ["icms diverge total"]);
}

//! The arithmetic of the group of ICMS, figure by figure.

use super::audited;
use super::documents::{ICMS, Note, sale};

/// The findings of the arithmetic on the tax of the State, of a sale with that group.
fn found(crt: u8, group: &str) -> Vec<String> {
    let item = sale().taxed(ICMS, group);
    let lines = audited(&Note { crt, items: vec![item], total: String::new(), ..Note::default() }.xml());
    let sums = lines.iter().filter(|line| line.camada.as_str() == "aritmetica" && line.tributo.starts_with("icms"));
    sums.map(|line| format!("{} {}", line.tributo, line.codigo.as_deref().unwrap_or_default())).collect()
}

/// A right group has no finding, and each change of one figure in it the finding of that figure.
#[track_caller]
fn each(crt: u8, group: &str, changes: &[(&str, &str, &str)]) {
    assert_eq!(found(crt, group), Vec::<String>::new());
    for (from, to, code) in changes {
        assert!(group.contains(from), "{from}");
        let found = found(crt, &group.replacen(from, to, 1));
        assert!(found.iter().any(|one| one == code), "{from} -> {to}: {found:?}");
    }
}

/// CST 51: 60 % of 180.00 are deferred, which are 108.00; 72.00 are left.
#[test]
fn the_deferred_part_is_its_percentage_of_the_operation() {
    let group = "<ICMS><ICMS51><orig>0</orig><CST>51</CST><vBC>1000.00</vBC><pICMS>18.00</pICMS><vICMSOp>180.00</vICMSOp>\
        <pDif>60.00</pDif><vICMSDif>108.00</vICMSDif><vICMS>72.00</vICMS></ICMS51></ICMS>";
    let deferral = "icms diferimento";
    each(
        3,
        group,
        &[
            ("<pDif>60.00", "<pDif>61.00", deferral),
            (">108.00", ">109.00", deferral),
            ("<vICMS>72.00", "<vICMS>73.00", deferral),
            (">180.00", ">181.00", "icms base_vezes_aliquota"),
        ],
    );
}

/// The group of CST 00 has no base of the FCP: it is that of the ICMS.
#[test]
fn the_fcp_of_cst_00_is_on_the_base_of_the_icms() {
    let group = ICMS.replace("</vICMS>", "</vICMS><pFCP>2.00</pFCP><vFCP>20.00</vFCP>");
    let code = "icms base_vezes_aliquota";
    each(3, &group, &[("<pFCP>2.00", "<pFCP>1.00", code), ("<vFCP>20.00", "<vFCP>21.00", code)]);
}

/// R$ 1.000,00 with a margin of 40 % are 1400.00: 252.00 less the own 180.00 are 72.00, and 2 % of FCP are 28.00.
const SUBSTITUTED: &str = "<ICMS><ICMS10><orig>0</orig><CST>10</CST><vBC>1000.00</vBC><pICMS>18.00</pICMS><vICMS>180.00</vICMS>\
<modBCST>4</modBCST><pMVAST>40.00</pMVAST><vBCST>1400.00</vBCST><pICMSST>18.00</pICMSST><vICMSST>72.00</vICMSST>\
<vBCFCPST>1400.00</vBCFCPST><pFCPST>2.00</pFCPST><vFCPST>28.00</vFCPST></ICMS10></ICMS>";

#[test]
fn the_base_of_substitution_is_the_price_with_its_margin() {
    let (fcp, margin) = ("icms_st base_vezes_aliquota", "icms_st base_pela_margem");
    each(
        3,
        SUBSTITUTED,
        &[
            ("<pMVAST>40.00", "<pMVAST>41.00", margin),
            ("<vBCST>1400.00", "<vBCST>1401.00", margin),
            ("<vBCFCPST>1400.00", "<vBCFCPST>1500.00", fcp),
            ("<pFCPST>2.00", "<pFCPST>1.00", fcp),
            ("<vFCPST>28.00", "<vFCPST>29.00", fcp),
        ],
    );
}

/// The audit does not call an error what the document does not show: another way to the base, a margin with more digits than it writes, a
/// reduction, or the own FCP deducted.
#[test]
fn a_base_of_substitution_that_cannot_be_recomputed_is_no_finding() {
    let other = SUBSTITUTED.replace("<modBCST>4", "<modBCST>5").replace("<pMVAST>40.00", "<pMVAST>99.00");
    each(3, &other, &[]);
    let rounded = SUBSTITUTED.replace("<vBCST>1400.00", "<vBCST>1400.04").replace(">72.00", ">72.01");
    each(3, &rounded, &[]);
    let reduced = SUBSTITUTED
        .replace("<vBCST>1400.00", "<pRedBCST>10.00</pRedBCST><vBCST>1260.00")
        .replace("<vICMSST>72.00", "<vICMSST>46.80");
    each(3, &reduced, &[("<pRedBCST>10.00", "<pRedBCST>20.00", "icms_st base_pela_margem")]);
}

/// Under the Simples the buyer takes 1.25 % of the operation as credit.
#[test]
fn the_credit_of_the_simples_is_its_percentage_of_the_operation() {
    let group = "<ICMS><ICMSSN101><orig>0</orig><CSOSN>101</CSOSN><pCredSN>1.25</pCredSN><vCredICMSSN>12.50</vCredICMSSN></ICMSSN101></ICMS>";
    let code = "icms credito_do_simples";
    each(1, group, &[(">1.25", ">2.25", code), (">12.50", ">13.50", code)]);
}

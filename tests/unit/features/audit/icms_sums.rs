//! The arithmetic of the group of ICMS, figure by figure.

use super::audited;
use super::documents::{ICMS, Note, sale};

/// The findings of the arithmetic on the tax of the State, of a sale with that group.
fn found(crt: u8, group: &str) -> Vec<String> {
    let item = sale().taxed(ICMS, group);
    let lines = audited(&Note { crt, items: vec![item], total: String::new(), ..Note::default() }.xml());
    let sums = lines.iter().filter(|line| line.camada.as_str() == "aritmetica" && line.tributo.starts_with("icms"));
    sums.map(|line| format!("{} {}", line.tributo, line.codigo.unwrap_or_default())).collect()
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
fn a_base_of_substitution_that_cannot_be_recomputed_is_not_a_finding() {
    let other = SUBSTITUTED.replace("<modBCST>4", "<modBCST>5").replace("<pMVAST>40.00", "<pMVAST>99.00");
    each(3, &other, &[]);
    let rounded = SUBSTITUTED.replace("ST>1400.00", "ST>1400.04").replace(">72.00", ">72.01");
    each(3, &rounded, &[]);
    let reduced = SUBSTITUTED
        .replace("<vBCST>1400.00", "<pRedBCST>10.00</pRedBCST><vBCST>1260.00")
        .replace("<vICMSST>72.00", "<vICMSST>46.80")
        .replace("<vBCFCPST>1400.00", "<vBCFCPST>1260.00")
        .replace("<vFCPST>28.00", "<vFCPST>25.20");
    each(3, &reduced, &[("<pRedBCST>10.00", "<pRedBCST>20.00", "icms_st base_pela_margem")]);
}

/// Under the Simples the buyer takes 1.25 % of the operation as credit.
#[test]
fn the_credit_of_the_simples_is_its_percentage_of_the_operation() {
    let group = "<ICMS><ICMSSN101><orig>0</orig><CSOSN>101</CSOSN><pCredSN>1.25</pCredSN><vCredICMSSN>12.50</vCredICMSSN></ICMSSN101></ICMS>";
    let code = "icms credito_do_simples";
    each(1, group, &[(">1.25", ">2.25", code), (">12.50", ">13.50", code)]);
}

/// The whole sale is R$ 1.000,00; 20 % less are 800.00, of which 18 % are 144.00; half of that is deferred, as of the FCP.
#[test]
fn a_deferral_with_a_reduction_and_with_fcp_adds_up() {
    let group = "<ICMS><ICMS51><orig>0</orig><CST>51</CST><pRedBC>20.00</pRedBC><vBC>800.00</vBC><pICMS>18.00</pICMS><vICMSOp>144.00</vICMSOp>\
        <pDif>50.00</pDif><vICMSDif>72.00</vICMSDif><vICMS>72.00</vICMS><vBCFCP>800.00</vBCFCP><pFCP>2.00</pFCP><vFCP>16.00</vFCP>\
        <pFCPDif>50.00</pFCPDif><vFCPDif>8.00</vFCPDif><vFCPEfet>8.00</vFCPEfet></ICMS51></ICMS>";
    each(
        3,
        group,
        &[
            ("<pRedBC>20.00", "<pRedBC>21.00", "icms reducao_da_base"),
            ("<vBC>800.00", "<vBC>801.00", "icms reducao_da_base"),
            ("<vFCP>16.00", "<vFCP>17.00", "icms base_vezes_aliquota"),
            ("<pFCPDif>50.00", "<pFCPDif>51.00", "icms diferimento"),
            ("<vFCPDif>8.00", "<vFCPDif>9.00", "icms diferimento"),
            ("<vFCPEfet>8.00", "<vFCPEfet>9.00", "icms diferimento"),
        ],
    );
}

/// Of ST the ICMS that the sale itself owes is deducted, also if the seller charges none: 252.00 less 180.00.
#[test]
fn a_seller_of_the_simples_deducts_what_its_own_sale_would_owe() {
    let st = "<modBCST>4</modBCST><pMVAST>40.00</pMVAST><vBCST>1400.00</vBCST><pICMSST>18.00</pICMSST><vICMSST>72.00</vICMSST>";
    let amount = ("<vICMSST>72.00", "<vICMSST>72.02", "icms_st base_vezes_aliquota");
    for (name, csosn) in [("201", "201"), ("202", "202"), ("202", "203"), ("900", "900")] {
        let group = format!("<ICMS><ICMSSN{name}><orig>0</orig><CSOSN>{csosn}</CSOSN>{st}</ICMSSN{name}></ICMS>");
        each(1, &group, &[amount]);
    }
    let other = format!(
        "<ICMS><ICMS90><orig>0</orig><CST>90</CST><vBC>1000.00</vBC><pICMS>18.00</pICMS><vICMS>180.00</vICMS>{st}</ICMS90></ICMS>"
    );
    each(3, &other, &[amount]);
}

/// Goods that are exempt: nothing is deducted, or what the exemption is worth, or what the sale would owe.
#[test]
fn the_substitution_of_exempt_goods_deducts_nothing_or_the_exemption() {
    let group = |amount: &str| {
        format!(
            "<ICMS><ICMS30><orig>0</orig><CST>30</CST><modBCST>4</modBCST><pMVAST>40.00</pMVAST><vBCST>1400.00</vBCST>\
             <pICMSST>18.00</pICMSST><vICMSST>{amount}</vICMSST><vICMSDeson>120.00</vICMSDeson><motDesICMS>7</motDesICMS></ICMS30></ICMS>"
        )
    };
    for right in ["252.00", "132.00", "72.00"] {
        assert_eq!(found(3, &group(right)), Vec::<String>::new(), "{right}");
    }
    assert_eq!(found(3, &group("200.00")), ["icms_st base_vezes_aliquota"]);
}

/// A quantity by its amount per unit.
#[test]
fn single_phase_icms_is_the_quantity_by_its_amount_per_unit() {
    let code = "icms quantidade_vezes_unidade";
    let own = "<ICMS><ICMS02><orig>0</orig><CST>02</CST><qBCMono>1000.0000</qBCMono><adRemICMS>1.1200</adRemICMS><vICMSMono>1120.00</vICMSMono></ICMS02></ICMS>";
    let changes = [(">1000.0000", ">1001.0000", code), (">1.1200", ">1.1300", code), (">1120.00", ">1120.02", code)];
    each(3, own, &changes);
    let both = "<ICMS><ICMS15><orig>0</orig><CST>15</CST><qBCMono>1000.0000</qBCMono><adRemICMS>1.1200</adRemICMS><vICMSMono>1120.00</vICMSMono>\
        <qBCMonoReten>200.0000</qBCMonoReten><adRemICMSReten>1.4700</adRemICMSReten><vICMSMonoReten>294.00</vICMSMonoReten></ICMS15></ICMS>";
    each(3, both, &[("<vICMSMono>1120.00", "<vICMSMono>1121.00", code), (">294.00", ">294.02", code)]);
    let reduced = both
        .replace("<adRemICMSReten>", "<pRedAdRem>50.00</pRedAdRem><adRemICMSReten>")
        .replace(">294.00", ">147.00")
        .replace(">1120.00", ">560.00");
    each(3, &reduced, &[(">147.00", ">147.02", code)]);
    let before = "<ICMS><ICMS61><orig>0</orig><CST>61</CST><qBCMonoRet>200.0000</qBCMonoRet><adRemICMSRet>1.4700</adRemICMSRet><vICMSMonoRet>294.00</vICMSMonoRet></ICMS61></ICMS>";
    each(3, before, &[(">294.00", ">294.02", code), (">200.0000", ">201.0000", code)]);
}

/// CST 53: 60 % of 1120.00 are 672.00; 448.00 are left.
#[test]
fn single_phase_icms_that_is_deferred_adds_up() {
    let group = "<ICMS><ICMS53><orig>0</orig><CST>53</CST><qBCMono>1000.0000</qBCMono><adRemICMS>1.1200</adRemICMS><vICMSMonoOp>1120.00</vICMSMonoOp>\
        <pDif>60.00</pDif><vICMSMonoDif>672.00</vICMSMonoDif><vICMSMono>448.00</vICMSMono></ICMS53></ICMS>";
    each(
        3,
        group,
        &[
            (">1120.00", ">1121.00", "icms quantidade_vezes_unidade"),
            ("<pDif>60.00", "<pDif>61.00", "icms diferimento"),
            (">672.00", ">673.00", "icms diferimento"),
            (">448.00", ">449.00", "icms diferimento"),
        ],
    );
}

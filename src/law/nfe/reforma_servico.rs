//! CBS and IBS of a document of one service, by layout: the national NFS-e and that of IPM, and the one of São Paulo.

use rust_decimal::Decimal;

use super::xml::Element;

/// CBS and IBS of a document of one service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReformaDoServico {
    /// `cClassTrib`; empty if there is none.
    pub classificacao: String,
    /// `CST`; empty if there is none.
    pub cst: String,
    /// A sale to the public administration, whose rates are reduced.
    pub government_purchase: bool,
    pub base: Option<Decimal>,
    /// The document does not show all that leaves the base, such as PIS and COFINS.
    pub base_parcial: bool,
    /// Amounts that are not part of the price: reimbursements and the like.
    pub reembolsos: Decimal,
    pub cbs: TributoDoServico,
    pub ibs_uf: TributoDoServico,
    pub ibs_mun: TributoDoServico,
    /// `vIBSTot`.
    pub ibs: Option<Decimal>,
}

/// A part of CBS and IBS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TributoDoServico {
    /// Rate, in percent points.
    pub aliquota: Option<Decimal>,
    /// Reduction of the rate, in percent.
    pub reducao: Option<Decimal>,
    /// Rate after its reduction.
    pub efetiva: Option<Decimal>,
    /// What is deferred, or given back.
    pub diferido: Option<Decimal>,
    pub valor: Option<Decimal>,
}

impl ReformaDoServico {
    /// Reads the group of `inf`, with what was declared for it.
    pub(super) fn of(
        inf: &Element<'_>,
        declared: Option<&Element<'_>>,
        number: &mut impl FnMut(&str) -> Option<Decimal>,
    ) -> Option<ReformaDoServico> {
        inf.find("IBSCBS")?;
        // NT 009 of the national layout announces the second place.
        let places = ["valores/trib/gIBSCBS", "valores/trib"];
        let code = |name: &str| {
            let mut found = places.into_iter().filter_map(|place| declared?.at(&format!("{place}/{name}")));
            found.next().unwrap_or_default().to_owned()
        };
        let mut part = |[rate, reduction, effective]: [&str; 3], deferred: &str, amount: &str| TributoDoServico {
            aliquota: number(&format!("IBSCBS/valores/{rate}")),
            reducao: number(&format!("IBSCBS/valores/{reduction}")),
            efetiva: number(&format!("IBSCBS/valores/{effective}")),
            diferido: number(&format!("IBSCBS/totCIBS/{deferred}")),
            valor: number(&format!("IBSCBS/totCIBS/{amount}")),
        };
        let cbs = part(["fed/pCBS", "fed/pRedAliqCBS", "fed/pAliqEfetCBS"], "gCBS/vDifCBS", "gCBS/vCBS");
        let ibs_uf =
            part(["uf/pIBSUF", "uf/pRedAliqUF", "uf/pAliqEfetUF"], "gIBS/gIBSUFTot/vDifUF", "gIBS/gIBSUFTot/vIBSUF");
        let ibs_mun = part(
            ["mun/pIBSMun", "mun/pRedAliqMun", "mun/pAliqEfetMun"],
            "gIBS/gIBSMunTot/vDifMun",
            "gIBS/gIBSMunTot/vIBSMun",
        );
        Some(ReformaDoServico {
            classificacao: code("cClassTrib"),
            cst: code("CST"),
            // The layout makes `pRedutor` mandatory: 0.00 is an ordinary sale.
            government_purchase: declared.is_some_and(|group| group.at("tpEnteGov").is_some())
                || number("IBSCBS/pRedutor").is_some_and(|reduction| !reduction.is_zero()),
            base: number("IBSCBS/valores/vBC"),
            base_parcial: false,
            reembolsos: number("IBSCBS/valores/vCalcReeRepRes").unwrap_or_default(),
            cbs,
            ibs_uf,
            ibs_mun,
            ibs: number("IBSCBS/totCIBS/gIBS/vIBSTot"),
        })
    }

    /// Reads `RetornoComplementarIBSCBS` of São Paulo. Its CST is the first half of the classification. A group with
    /// amounts that change the tax, such as a deferral, is left out: their formulas were not read.
    pub(super) fn of_sao_paulo(
        nfe: &Element<'_>,
        number: &mut impl FnMut(&str) -> Option<Decimal>,
    ) -> Option<ReformaDoServico> {
        let group = nfe.first("RetornoComplementarIBSCBS")?;
        let changes = |name: &str| {
            name.starts_with("ValorDiferimento")
                || name.starts_with("ValorCredPresumido")
                || name.ends_with("CompraGov")
        };
        let is_amount = |text: &str| text.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
        if group.children.iter().any(|child| changes(&child.name) && is_amount(&child.text)) {
            return None;
        }
        let mut of = |name: &str| number(&format!("RetornoComplementarIBSCBS/{name}"));
        let mut part = |[rate, effective, amount]: [&str; 3]| TributoDoServico {
            aliquota: of(rate),
            reducao: None,
            efetiva: of(effective),
            diferido: None,
            valor: of(amount),
        };
        let cbs = part(["ValorAliqCBS", "ValorAliqEfetivaCBS", "ValorCBS"]);
        let ibs_uf = part(["ValorAliqEstadualIBS", "ValorAliqEfetivaEstadualIBS", "ValorEstadualIBS"]);
        let ibs_mun = part(["ValorAliqMunicipalIBS", "ValorAliqEfetivaMunicipalIBS", "ValorMunicipalIBS"]);
        let classificacao = nfe.at("IBSCBS/valores/trib/gIBSCBS/cClassTrib").unwrap_or_default().to_owned();
        Some(ReformaDoServico {
            cst: classificacao.get(..3).unwrap_or_default().to_owned(),
            classificacao,
            government_purchase: nfe.at("IBSCBS/tpEnteGov").is_some(),
            base: of("ValorBCIBSCBS"),
            base_parcial: true,
            reembolsos: Decimal::ZERO,
            cbs,
            ibs_uf,
            ibs_mun,
            ibs: of("ValorIBS"),
        })
    }
}

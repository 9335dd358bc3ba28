//! What an NF-e says beside figures: the groups that an item has, and the codes that the rules of NT 2025.002 on CBS and IBS
//! depend on.

use super::tags::{Tags, first_of_each, tags};
use super::xml::Element;

tags! {
    /// Groups of an item, below `det`.
    pub enum Grupo {
        Icms = "imposto/ICMS",
        Issqn = "imposto/ISSQN",
        IcmsRepassado = "imposto/ICMS/ICMSST",
        IcmsPartilha = "imposto/ICMS/ICMSPart",
        Ipi = "imposto/IPI",
        Importacao = "imposto/II",
        Pis = "imposto/PIS",
        PisSt = "imposto/PISST",
        Cofins = "imposto/COFINS",
        CofinsSt = "imposto/COFINSST",
        IcmsDestino = "imposto/ICMSUFDest",
        Reforma = "imposto/IBSCBS",
        ImpostoDevolvido = "impostoDevol",
        Referenciado = "DFeReferenciado",
        Tributacao = "imposto/IBSCBS/gIBSCBS",
        Mono = "imposto/IBSCBS/gIBSCBSMono",
        Transferencia = "imposto/IBSCBS/gTransfCred",
        Competencia = "imposto/IBSCBS/gAjusteCompet",
        Estorno = "imposto/IBSCBS/gEstornoCred",
        CreditoPresumido = "imposto/IBSCBS/gCredPresOper",
        CreditoDoIbs = "imposto/IBSCBS/gCredPresOper/gIBSCredPres",
        CreditoDaCbs = "imposto/IBSCBS/gCredPresOper/gCBSCredPres",
        CreditoZfm = "imposto/IBSCBS/gCredPresIBSZFM",
        Regular = "imposto/IBSCBS/gIBSCBS/gTribRegular",
        Governo = "imposto/IBSCBS/gIBSCBS/gTribCompraGov",
        UfDiferimento = "imposto/IBSCBS/gIBSCBS/gIBSUF/gDif",
        UfReducao = "imposto/IBSCBS/gIBSCBS/gIBSUF/gRed",
        UfDevolucao = "imposto/IBSCBS/gIBSCBS/gIBSUF/gDevTrib",
        MunDiferimento = "imposto/IBSCBS/gIBSCBS/gIBSMun/gDif",
        MunReducao = "imposto/IBSCBS/gIBSCBS/gIBSMun/gRed",
        MunDevolucao = "imposto/IBSCBS/gIBSCBS/gIBSMun/gDevTrib",
        CbsDiferimento = "imposto/IBSCBS/gIBSCBS/gCBS/gDif",
        CbsReducao = "imposto/IBSCBS/gIBSCBS/gCBS/gRed",
        CbsDevolucao = "imposto/IBSCBS/gIBSCBS/gCBS/gDevTrib",
        MonoIbsUnidade = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdRem",
        MonoIbsPercentual = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdValorem",
        MonoCbsUnidade = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdRem",
        MonoCbsPercentual = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdValorem",
    }
}

/// What an item says of CBS and IBS beside figures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReformaDoItem {
    /// Whether it has each group, in the order of [`Grupo`].
    grupos: Vec<bool>,
    /// `cCredPres`; empty if there is none.
    pub credito_presumido: String,
    /// `tpCredPresIBSZFM`, the kind of credit of the Zona Franca de Manaus; empty if there is none.
    pub credito_zfm: String,
    /// `CSTReg` and `cClassTribReg`, the codes if the condition is not met; empty if there are none.
    pub cst_regular: String,
    pub classificacao_regular: String,
    /// `indBemMovelUsado` is 1.
    pub bem_usado: bool,
}

impl ReformaDoItem {
    pub(super) fn of(det: &Element<'_>) -> ReformaDoItem {
        let text = |path: &str| det.at(path).unwrap_or_default().to_owned();
        ReformaDoItem {
            grupos: first_of_each::<Grupo>(det).iter().map(Option::is_some).collect(),
            credito_presumido: text("imposto/IBSCBS/gCredPresOper/cCredPres"),
            credito_zfm: text("imposto/IBSCBS/gCredPresIBSZFM/tpCredPresIBSZFM"),
            cst_regular: text("imposto/IBSCBS/gIBSCBS/gTribRegular/CSTReg"),
            classificacao_regular: text("imposto/IBSCBS/gIBSCBS/gTribRegular/cClassTribReg"),
            bem_usado: det.at("prod/indBemMovelUsado") == Some("1"),
        }
    }

    pub fn has(&self, grupo: Grupo) -> bool {
        self.grupos.get(grupo.index()).copied().unwrap_or_default()
    }
}

/// What a document says of CBS and IBS beside figures.
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the document, independent of the others")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReformaDaNota {
    /// `tpNFDebito`, the kind of a debit note; empty if there is none.
    pub tipo_debito: String,
    /// `tpNFCredito`, the kind of a credit note; empty if there is none.
    pub tipo_credito: String,
    /// The group `gCompraGov`: the buyer is the public administration.
    pub governo: bool,
    /// `tpOperGov` is 2: the document is about the payment alone, and the goods were supplied by another.
    pub pagamento_do_governo: bool,
    /// `NFref`: the whole document refers to others.
    pub referencia: bool,
    /// A document that it refers to is not an NF-e.
    pub refere_outro_modelo: bool,
    /// `IBSCBSTot`: it has totals of CBS and IBS.
    pub total: bool,
}

impl ReformaDaNota {
    pub(super) fn of(inf: &Element<'_>) -> ReformaDaNota {
        let text = |path: &str| inf.at(path).unwrap_or_default().to_owned();
        ReformaDaNota {
            tipo_debito: text("ide/tpNFDebito"),
            tipo_credito: text("ide/tpNFCredito"),
            governo: inf.find("ide/gCompraGov").is_some(),
            pagamento_do_governo: inf.at("ide/gCompraGov/tpOperGov") == Some("2"),
            referencia: inf.find("ide/NFref").is_some(),
            refere_outro_modelo: inf
                .all("ide")
                .flat_map(|ide| ide.all("NFref"))
                .any(|other| other.at("refNFe").and_then(|key| key.get(20..22)) != Some("55")),
            total: inf.find("total/IBSCBSTot").is_some(),
        }
    }
}

//! The tables of tags: every figure that is read from an NF-e, and its element.
//!
//! NF-e 4.00 (MOC, Anexo I), single-phase fuels (NT 2023.001), and the groups of IBS and CBS (NT 2025.002). In a path, `*` is any element: the groups of
//! ICMS, IPI, PIS and COFINS are named after their CST.

use std::marker::PhantomData;

use rust_decimal::Decimal;

use super::UnreadableField;
use super::xml::{Element, PathTree};
use crate::base::value::{parse_decimal, read_with_comma};

pub trait Tags: Copy + 'static {
    /// The paths in the order of the table.
    const PATHS: &'static [&'static str];

    /// The same paths, to find all of them in one walk.
    fn tree() -> &'static PathTree;

    fn index(self) -> usize;

    /// The name of the element.
    fn name(self) -> &'static str {
        let path = Self::PATHS.get(self.index()).copied().unwrap_or_default();
        let above = path.bytes().rposition(|byte| byte == b'/');
        above.and_then(|slash| path.get(slash + 1..)).unwrap_or(path)
    }
}

macro_rules! tags {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $( $variant:ident = $path:literal, )* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $( #[doc = concat!("`", $path, "`")] $variant, )* }

        impl Tags for $name {
            const PATHS: &'static [&'static str] = &[ $( $path, )* ];

            fn tree() -> &'static $crate::nfe::xml::PathTree {
                static TREE: std::sync::LazyLock<$crate::nfe::xml::PathTree> =
                    std::sync::LazyLock::new(|| $crate::nfe::xml::PathTree::of($name::PATHS));
                &TREE
            }

            fn index(self) -> usize {
                self as usize
            }
        }
    };
}

pub(super) use tags;

tags! {
    /// The figures of an item, below `det`.
    pub enum Tag {
        Quantidade = "prod/qCom",
        ValorUnitario = "prod/vUnCom",
        QuantidadeTributavel = "prod/qTrib",
        Produto = "prod/vProd",
        Desconto = "prod/vDesc",
        Frete = "prod/vFrete",
        Seguro = "prod/vSeg",
        Outras = "prod/vOutro",
        UnitarioLiquido = "prod/vUnComLiq",
        ProdutoLiquido = "prod/vProdLiq",
        ValorDoItem = "vItem",
        ImpostoImportacao = "imposto/II/vII",
        IcmsBase = "imposto/ICMS/*/vBC",
        IcmsReducao = "imposto/ICMS/*/pRedBC",
        IcmsAliquota = "imposto/ICMS/*/pICMS",
        IcmsOperacao = "imposto/ICMS/*/vICMSOp",
        IcmsDiferimento = "imposto/ICMS/*/pDif",
        IcmsDiferido = "imposto/ICMS/*/vICMSDif",
        IcmsValor = "imposto/ICMS/*/vICMS",
        IcmsDesonerado = "imposto/ICMS/*/vICMSDeson",
        FcpBase = "imposto/ICMS/*/vBCFCP",
        FcpAliquota = "imposto/ICMS/*/pFCP",
        FcpValor = "imposto/ICMS/*/vFCP",
        FcpDiferimento = "imposto/ICMS/*/pFCPDif",
        FcpDiferido = "imposto/ICMS/*/vFCPDif",
        FcpEfetivo = "imposto/ICMS/*/vFCPEfet",
        MonoQuantidade = "imposto/ICMS/*/qBCMono",
        MonoAliquota = "imposto/ICMS/*/adRemICMS",
        MonoReducao = "imposto/ICMS/*/pRedAdRem",
        MonoOperacao = "imposto/ICMS/*/vICMSMonoOp",
        MonoDiferido = "imposto/ICMS/*/vICMSMonoDif",
        MonoValor = "imposto/ICMS/*/vICMSMono",
        MonoRetencaoQuantidade = "imposto/ICMS/*/qBCMonoReten",
        MonoRetencaoAliquota = "imposto/ICMS/*/adRemICMSReten",
        MonoRetencaoValor = "imposto/ICMS/*/vICMSMonoReten",
        MonoRetidoQuantidade = "imposto/ICMS/*/qBCMonoRet",
        MonoRetidoAliquota = "imposto/ICMS/*/adRemICMSRet",
        MonoRetidoValor = "imposto/ICMS/*/vICMSMonoRet",
        StMargem = "imposto/ICMS/*/pMVAST",
        StBase = "imposto/ICMS/*/vBCST",
        StAliquota = "imposto/ICMS/*/pICMSST",
        StValor = "imposto/ICMS/*/vICMSST",
        StReducao = "imposto/ICMS/*/pRedBCST",
        StFcpBase = "imposto/ICMS/*/vBCFCPST",
        StFcpAliquota = "imposto/ICMS/*/pFCPST",
        StFcpValor = "imposto/ICMS/*/vFCPST",
        StRetido = "imposto/ICMS/*/vICMSSTRet",
        CreditoAliquota = "imposto/ICMS/*/pCredSN",
        CreditoValor = "imposto/ICMS/*/vCredICMSSN",
        DestinoBase = "imposto/ICMSUFDest/vBCUFDest",
        DestinoAliquota = "imposto/ICMSUFDest/pICMSUFDest",
        DestinoInterestadual = "imposto/ICMSUFDest/pICMSInter",
        DestinoValor = "imposto/ICMSUFDest/vICMSUFDest",
        DestinoFcpBase = "imposto/ICMSUFDest/vBCFCPUFDest",
        DestinoFcpAliquota = "imposto/ICMSUFDest/pFCPUFDest",
        DestinoFcpValor = "imposto/ICMSUFDest/vFCPUFDest",
        DestinoPartilha = "imposto/ICMSUFDest/pICMSInterPart",
        RemetenteValor = "imposto/ICMSUFDest/vICMSUFRemet",
        IpiBase = "imposto/IPI/*/vBC",
        IpiAliquota = "imposto/IPI/*/pIPI",
        IpiQuantidade = "imposto/IPI/*/qUnid",
        IpiUnidade = "imposto/IPI/*/vUnid",
        IpiValor = "imposto/IPI/*/vIPI",
        IpiDevolvido = "impostoDevol/IPI/vIPIDevol",
        PisBase = "imposto/PIS/*/vBC",
        PisAliquota = "imposto/PIS/*/pPIS",
        PisQuantidade = "imposto/PIS/*/qBCProd",
        PisUnidade = "imposto/PIS/*/vAliqProd",
        PisValor = "imposto/PIS/*/vPIS",
        CofinsBase = "imposto/COFINS/*/vBC",
        CofinsAliquota = "imposto/COFINS/*/pCOFINS",
        CofinsQuantidade = "imposto/COFINS/*/qBCProd",
        CofinsUnidade = "imposto/COFINS/*/vAliqProd",
        CofinsValor = "imposto/COFINS/*/vCOFINS",
        PisStBase = "imposto/PISST/vBC",
        PisStAliquota = "imposto/PISST/pPIS",
        PisStQuantidade = "imposto/PISST/qBCProd",
        PisStUnidade = "imposto/PISST/vAliqProd",
        PisStValor = "imposto/PISST/vPIS",
        CofinsStBase = "imposto/COFINSST/vBC",
        CofinsStAliquota = "imposto/COFINSST/pCOFINS",
        CofinsStQuantidade = "imposto/COFINSST/qBCProd",
        CofinsStUnidade = "imposto/COFINSST/vAliqProd",
        CofinsStValor = "imposto/COFINSST/vCOFINS",
        IssBase = "imposto/ISSQN/vBC",
        IssDeducao = "imposto/ISSQN/vDeducao",
        IssAliquota = "imposto/ISSQN/vAliq",
        IssValor = "imposto/ISSQN/vISSQN",
        IssRetido = "imposto/ISSQN/vISSRet",
        SeletivoBase = "imposto/IS/vBCIS",
        SeletivoAliquota = "imposto/IS/pIS",
        SeletivoUnidade = "imposto/IS/adRemIS",
        SeletivoValor = "imposto/IS/vIS",
        ReformaBase = "imposto/IBSCBS/gIBSCBS/vBC",
        IbsUfAliquota = "imposto/IBSCBS/gIBSCBS/gIBSUF/pIBSUF",
        IbsUfDiferimento = "imposto/IBSCBS/gIBSCBS/gIBSUF/gDif/pDif",
        IbsUfDiferido = "imposto/IBSCBS/gIBSCBS/gIBSUF/gDif/vDif",
        IbsUfDevolvido = "imposto/IBSCBS/gIBSCBS/gIBSUF/gDevTrib/vDevTrib",
        IbsUfReducao = "imposto/IBSCBS/gIBSCBS/gIBSUF/gRed/pRedAliq",
        IbsUfEfetiva = "imposto/IBSCBS/gIBSCBS/gIBSUF/gRed/pAliqEfet",
        IbsUfValor = "imposto/IBSCBS/gIBSCBS/gIBSUF/vIBSUF",
        IbsMunAliquota = "imposto/IBSCBS/gIBSCBS/gIBSMun/pIBSMun",
        IbsMunDiferimento = "imposto/IBSCBS/gIBSCBS/gIBSMun/gDif/pDif",
        IbsMunDiferido = "imposto/IBSCBS/gIBSCBS/gIBSMun/gDif/vDif",
        IbsMunDevolvido = "imposto/IBSCBS/gIBSCBS/gIBSMun/gDevTrib/vDevTrib",
        IbsMunReducao = "imposto/IBSCBS/gIBSCBS/gIBSMun/gRed/pRedAliq",
        IbsMunEfetiva = "imposto/IBSCBS/gIBSCBS/gIBSMun/gRed/pAliqEfet",
        IbsMunValor = "imposto/IBSCBS/gIBSCBS/gIBSMun/vIBSMun",
        IbsValor = "imposto/IBSCBS/gIBSCBS/vIBS",
        CbsAliquota = "imposto/IBSCBS/gIBSCBS/gCBS/pCBS",
        CbsDiferimento = "imposto/IBSCBS/gIBSCBS/gCBS/gDif/pDif",
        CbsDiferido = "imposto/IBSCBS/gIBSCBS/gCBS/gDif/vDif",
        CbsDevolucao = "imposto/IBSCBS/gIBSCBS/gCBS/gDevTrib/pDevTrib",
        CbsDevolvido = "imposto/IBSCBS/gIBSCBS/gCBS/gDevTrib/vDevTrib",
        CbsReducao = "imposto/IBSCBS/gIBSCBS/gCBS/gRed/pRedAliq",
        CbsEfetiva = "imposto/IBSCBS/gIBSCBS/gCBS/gRed/pAliqEfet",
        CbsValor = "imposto/IBSCBS/gIBSCBS/gCBS/vCBS",
        CbsIncentivadaAliquota = "imposto/IBSCBS/gIBSCBS/gCBS/gALCZFMCBS/pAliqEfetRegCBS",
        CbsIncentivadaValor = "imposto/IBSCBS/gIBSCBS/gCBS/gALCZFMCBS/vTribRegCBS",
        IbsUfRegularAliquota = "imposto/IBSCBS/gIBSCBS/gTribRegular/pAliqEfetRegIBSUF",
        IbsUfRegularValor = "imposto/IBSCBS/gIBSCBS/gTribRegular/vTribRegIBSUF",
        IbsMunRegularAliquota = "imposto/IBSCBS/gIBSCBS/gTribRegular/pAliqEfetRegIBSMun",
        IbsMunRegularValor = "imposto/IBSCBS/gIBSCBS/gTribRegular/vTribRegIBSMun",
        CbsRegularAliquota = "imposto/IBSCBS/gIBSCBS/gTribRegular/pAliqEfetRegCBS",
        CbsRegularValor = "imposto/IBSCBS/gIBSCBS/gTribRegular/vTribRegCBS",
        GovernoIbsUf = "imposto/IBSCBS/gIBSCBS/gTribCompraGov/vTribIBSUF",
        GovernoIbsMun = "imposto/IBSCBS/gIBSCBS/gTribCompraGov/vTribIBSMun",
        GovernoCbs = "imposto/IBSCBS/gIBSCBS/gTribCompraGov/vTribCBS",
        IbsCreditoPresumido = "imposto/IBSCBS/gCredPresOper/gIBSCredPres/vCredPres",
        IbsCreditoSuspenso = "imposto/IBSCBS/gCredPresOper/gIBSCredPres/vCredPresCondSus",
        CbsCreditoPresumido = "imposto/IBSCBS/gCredPresOper/gCBSCredPres/vCredPres",
        CbsCreditoSuspenso = "imposto/IBSCBS/gCredPresOper/gCBSCredPres/vCredPresCondSus",
        IbsTransferido = "imposto/IBSCBS/gTransfCred/vIBS",
        CbsTransferido = "imposto/IBSCBS/gTransfCred/vCBS",
        IbsDeOutraCompetencia = "imposto/IBSCBS/gAjusteCompet/vIBS",
        CbsDeOutraCompetencia = "imposto/IBSCBS/gAjusteCompet/vCBS",
        IbsEstornado = "imposto/IBSCBS/gEstornoCred/vIBSEstCred",
        CbsEstornado = "imposto/IBSCBS/gEstornoCred/vCBSEstCred",
        IbsMonoBase = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdValorem/gMonoPadrao/vBCMono",
        IbsUfMonoPercentual = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdValorem/gMonoPadrao/pAliqMonoUF",
        IbsUfMonoValor = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdValorem/gMonoPadrao/vIBSMonoUF",
        IbsMunMonoPercentual = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdValorem/gMonoPadrao/pAliqMonoMun",
        IbsMunMonoValor = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdValorem/gMonoPadrao/vIBSMonoMun",
        IbsMonoPercentualValor = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdValorem/gMonoPadrao/vIBSMono",
        IbsMonoRetencaoBase = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdValorem/gMonoReten/vBCMonoReten",
        IbsMonoRetencaoPercentual = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdValorem/gMonoReten/pAliqMonoReten",
        IbsMonoRetencaoPercentualValor = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdValorem/gMonoReten/vIBSMonoReten",
        IbsMonoRetidoPercentualValor = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdValorem/gMonoRet/vIBSMonoRet",
        CbsMonoBase = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdValorem/gMonoPadrao/vBCMono",
        CbsMonoPercentual = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdValorem/gMonoPadrao/pAliqMonoCBS",
        CbsMonoPercentualValor = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdValorem/gMonoPadrao/vCBSMono",
        CbsMonoRetencaoBase = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdValorem/gMonoReten/vBCMonoReten",
        CbsMonoRetencaoPercentual = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdValorem/gMonoReten/pAliqMonoReten",
        CbsMonoRetencaoPercentualValor = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdValorem/gMonoReten/vCBSMonoReten",
        CbsMonoRetidoPercentualValor = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdValorem/gMonoRet/vCBSMonoRet",
        IbsMonoUnidades = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdRem/gMonoPadrao/qBCMono",
        IbsMonoUnidade = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdRem/gMonoPadrao/adRemIBS",
        IbsMonoUnidadeValor = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdRem/gMonoPadrao/vIBSMono",
        IbsMonoRetencaoUnidades = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdRem/gMonoReten/qBCMonoReten",
        IbsMonoRetencaoUnidade = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdRem/gMonoReten/adRemIBSReten",
        IbsMonoRetencaoUnidadeValor = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdRem/gMonoReten/vIBSMonoReten",
        IbsMonoRetidoUnidadeValor = "imposto/IBSCBS/gIBSCBSMono/gIBSMonoAdRem/gMonoRet/vIBSMonoRet",
        CbsMonoUnidades = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdRem/gMonoPadrao/qBCMono",
        CbsMonoUnidade = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdRem/gMonoPadrao/adRemCBS",
        CbsMonoUnidadeValor = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdRem/gMonoPadrao/vCBSMono",
        CbsMonoRetencaoUnidades = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdRem/gMonoReten/qBCMonoReten",
        CbsMonoRetencaoUnidade = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdRem/gMonoReten/adRemCBSReten",
        CbsMonoRetencaoUnidadeValor = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdRem/gMonoReten/vCBSMonoReten",
        CbsMonoRetidoUnidadeValor = "imposto/IBSCBS/gIBSCBSMono/gCBSMonoAdRem/gMonoRet/vCBSMonoRet",
        ReformaMonoQuantidade = "imposto/IBSCBS/gIBSCBSMono/gMonoPadrao/qBCMono",
        IbsMonoAliquota = "imposto/IBSCBS/gIBSCBSMono/gMonoPadrao/adRemIBS",
        IbsMonoValor = "imposto/IBSCBS/gIBSCBSMono/gMonoPadrao/vIBSMono",
        CbsMonoAliquota = "imposto/IBSCBS/gIBSCBSMono/gMonoPadrao/adRemCBS",
        CbsMonoValor = "imposto/IBSCBS/gIBSCBSMono/gMonoPadrao/vCBSMono",
        ReformaMonoRetencaoQuantidade = "imposto/IBSCBS/gIBSCBSMono/gMonoReten/qBCMonoReten",
        IbsMonoRetencaoAliquota = "imposto/IBSCBS/gIBSCBSMono/gMonoReten/adRemIBSReten",
        IbsMonoRetencaoValor = "imposto/IBSCBS/gIBSCBSMono/gMonoReten/vIBSMonoReten",
        CbsMonoRetencaoAliquota = "imposto/IBSCBS/gIBSCBSMono/gMonoReten/adRemCBSReten",
        CbsMonoRetencaoValor = "imposto/IBSCBS/gIBSCBSMono/gMonoReten/vCBSMonoReten",
        IbsMonoRetidoValor = "imposto/IBSCBS/gIBSCBSMono/gMonoRet/vIBSMonoRet",
        CbsMonoRetidoValor = "imposto/IBSCBS/gIBSCBSMono/gMonoRet/vCBSMonoRet",
    }
}

tags! {
    /// The totals of a document, below `total`.
    pub enum TotalTag {
        BaseIcms = "ICMSTot/vBC",
        Icms = "ICMSTot/vICMS",
        IcmsDesonerado = "ICMSTot/vICMSDeson",
        FcpDestino = "ICMSTot/vFCPUFDest",
        IcmsRemetente = "ICMSTot/vICMSUFRemet",
        IcmsDestino = "ICMSTot/vICMSUFDest",
        Fcp = "ICMSTot/vFCP",
        BaseSt = "ICMSTot/vBCST",
        St = "ICMSTot/vST",
        FcpSt = "ICMSTot/vFCPST",
        MonoQuantidade = "ICMSTot/qBCMono",
        Mono = "ICMSTot/vICMSMono",
        MonoRetencaoQuantidade = "ICMSTot/qBCMonoReten",
        MonoRetencao = "ICMSTot/vICMSMonoReten",
        MonoRetidoQuantidade = "ICMSTot/qBCMonoRet",
        MonoRetido = "ICMSTot/vICMSMonoRet",
        Produtos = "ICMSTot/vProd",
        Frete = "ICMSTot/vFrete",
        Seguro = "ICMSTot/vSeg",
        Desconto = "ICMSTot/vDesc",
        Importacao = "ICMSTot/vII",
        Ipi = "ICMSTot/vIPI",
        IpiDevolvido = "ICMSTot/vIPIDevol",
        Pis = "ICMSTot/vPIS",
        Cofins = "ICMSTot/vCOFINS",
        Outras = "ICMSTot/vOutro",
        Nota = "ICMSTot/vNF",
        BaseReforma = "IBSCBSTot/vBCIBSCBS",
        IbsUf = "IBSCBSTot/gIBS/gIBSUF/vIBSUF",
        IbsMun = "IBSCBSTot/gIBS/gIBSMun/vIBSMun",
        Ibs = "IBSCBSTot/gIBS/vIBS",
        Cbs = "IBSCBSTot/gCBS/vCBS",
        IbsUfDiferido = "IBSCBSTot/gIBS/gIBSUF/vDif",
        IbsMunDiferido = "IBSCBSTot/gIBS/gIBSMun/vDif",
        CbsDiferido = "IBSCBSTot/gCBS/vDif",
        IbsUfDevolvido = "IBSCBSTot/gIBS/gIBSUF/vDevTrib",
        IbsMunDevolvido = "IBSCBSTot/gIBS/gIBSMun/vDevTrib",
        CbsDevolvido = "IBSCBSTot/gCBS/vDevTrib",
        IbsCreditoPresumido = "IBSCBSTot/gIBS/vCredPres",
        CbsCreditoPresumido = "IBSCBSTot/gCBS/vCredPres",
        IbsMono = "IBSCBSTot/gMono/vIBSMono",
        CbsMono = "IBSCBSTot/gMono/vCBSMono",
        IbsMonoRetencao = "IBSCBSTot/gMono/vIBSMonoReten",
        CbsMonoRetencao = "IBSCBSTot/gMono/vCBSMonoReten",
        IbsMonoRetido = "IBSCBSTot/gMono/vIBSMonoRet",
        CbsMonoRetido = "IBSCBSTot/gMono/vCBSMonoRet",
        IbsEstornado = "IBSCBSTot/gEstornoCred/vIBSEstCred",
        CbsEstornado = "IBSCBSTot/gEstornoCred/vCBSEstCred",
        Seletivo = "ISTot/vIS",
        NotaComReforma = "vNFTot",
        ProdutosLiquidos = "vProdLiqTot",
        RetidoPis = "retTrib/vRetPIS",
        RetidoCofins = "retTrib/vRetCOFINS",
        RetidoCsll = "retTrib/vRetCSLL",
        BaseIrrf = "retTrib/vBCIRRF",
        RetidoIrrf = "retTrib/vIRRF",
        BaseInss = "retTrib/vBCRetPrev",
        RetidoInss = "retTrib/vRetPrev",
    }
}

/// The figures that a table found in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures<T> {
    found: Vec<Option<Decimal>>,
    table: PhantomData<T>,
}

impl<T: Tags> Figures<T> {
    /// Reads the figures below an element. Adds each that is not a number to `unreadable`, and leaves it out.
    pub(super) fn read(element: &Element<'_>, unreadable: &mut Vec<UnreadableField>) -> Figures<T> {
        let figure = |found: Option<&Element<'_>>| number(found?, unreadable);
        Figures { found: first_of_each::<T>(element).into_iter().map(figure).collect(), table: PhantomData }
    }

    /// What the document declares; `None` if it leaves the figure out, or it is not readable.
    pub fn get(&self, tag: T) -> Option<Decimal> {
        self.found.get(tag.index()).copied().flatten()
    }

    /// The same, zero if it is left out.
    pub fn or_zero(&self, tag: T) -> Decimal {
        self.get(tag).unwrap_or_default()
    }

    /// The sum of figures that together have at most as many digits as one.
    pub fn sum(&self, tags: &[T]) -> Decimal {
        tags.iter().fold(Decimal::ZERO, |sum, tag| sum.saturating_add(self.or_zero(*tag)))
    }
}

/// The first element at each path of a table, in its order.
pub(super) fn first_of_each<'e, 't, T: Tags>(element: &'e Element<'t>) -> Vec<Option<&'e Element<'t>>> {
    let mut found = vec![None; T::PATHS.len()];
    T::tree().find(element, &mut found);
    found
}

/// The number at a path; `None`, and a fault, if the text there is not one. Some municipalities write a comma.
pub(super) fn decimal(element: &Element<'_>, path: &str, unreadable: &mut Vec<UnreadableField>) -> Option<Decimal> {
    let found = element.find(path)?;
    let text = found.text.trim();
    read_with_comma(text).or_else(|| number(found, unreadable))
}

fn number(found: &Element<'_>, unreadable: &mut Vec<UnreadableField>) -> Option<Decimal> {
    let text = found.text.trim();
    if text.is_empty() {
        return None;
    }
    parse_decimal(text)
        .map_err(|_| unreadable.push(UnreadableField { name: found.name.to_string(), line: found.line }))
        .ok()
}

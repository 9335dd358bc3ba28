//! The CT-e 4.00 (model 57, also the simplified one) and the CT-e OS (67).
//!
//! A document of one service, which has no items: its figures are found by a table, as those of an NF-e are. Its group of
//! CBS and IBS is that of the NF-e, with fewer parts, and is read as that of a service ([`ReformaDoServico`]).

use rust_decimal::Decimal;

use super::nota::{WHOLE_TO_THE_BUYER, day_of, tax_number};
use super::reforma_servico::{ReformaDoServico, TributoDoServico};
use super::status::{DocumentStatus, key};
use super::tags::{Figures, Tags, decimal, tags};
use super::xml::Element;
use super::{DocumentNumber, UnreadableField};
use crate::base::value::{Date, Uf};

tags! {
    /// The figures of a CT-e, below `infCte`.
    pub enum TransporteTag {
        Prestacao = "vPrest/vTPrest",
        Receber = "vPrest/vRec",
        TotalPrestacao = "total/vTPrest",
        TotalReceber = "total/vTRec",
        Documento = "imp/vTotDFe",
        TotalDocumento = "total/vTotDFe",
        IcmsReducao = "imp/ICMS/*/pRedBC",
        IcmsBase = "imp/ICMS/*/vBC",
        IcmsAliquota = "imp/ICMS/*/pICMS",
        IcmsValor = "imp/ICMS/*/vICMS",
        RetidoBase = "imp/ICMS/ICMS60/vBCSTRet",
        RetidoAliquota = "imp/ICMS/ICMS60/pICMSSTRet",
        RetidoValor = "imp/ICMS/ICMS60/vICMSSTRet",
        OutraUfReducao = "imp/ICMS/ICMSOutraUF/pRedBCOutraUF",
        OutraUfBase = "imp/ICMS/ICMSOutraUF/vBCOutraUF",
        OutraUfAliquota = "imp/ICMS/ICMSOutraUF/pICMSOutraUF",
        OutraUfValor = "imp/ICMS/ICMSOutraUF/vICMSOutraUF",
        DestinoBase = "imp/ICMSUFFim/vBCUFFim",
        DestinoAliquota = "imp/ICMSUFFim/pICMSUFFim",
        DestinoInterestadual = "imp/ICMSUFFim/pICMSInter",
        DestinoValor = "imp/ICMSUFFim/vICMSUFFim",
        DestinoFcpAliquota = "imp/ICMSUFFim/pFCPUFFim",
        DestinoFcpValor = "imp/ICMSUFFim/vFCPUFFim",
    }
}

/// A service of transport, as far as its taxes depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transporte {
    /// The access key; empty if the file has none.
    pub key: String,
    pub status: DocumentStatus,
    /// `tpAmb` is 2: a test, which is not a document.
    pub is_test: bool,
    /// `nCT` and `serie`.
    pub numero: DocumentNumber,
    /// `mod`: `57` is a CT-e, `67` a CT-e OS.
    pub modelo: String,
    /// CNPJ or CPF of the carrier, without its punctuation.
    pub emitente: String,
    /// The day of `dhEmi`, in the offset that it states.
    pub day: Option<Date>,
    pub uf_emitente: Option<Uf>,
    /// Where the carriage begins, to whose State the ICMS is due (LC 87/1996, art. 11, II, a).
    pub uf_inicio: Option<Uf>,
    /// Where it ends; `None` also abroad.
    pub uf_fim: Option<Uf>,
    /// `UFFim` is `EX`.
    pub para_o_exterior: bool,
    pub cfop: String,
    /// `tpCTe`: 0 normal, 1 complement, 2 annulment (up to 3.00), 3 in the place of another; 5 and 6 simplified.
    pub tipo: u8,
    /// `modal`: `02` is by air.
    pub modal: String,
    /// `CRT`: 1 Simples, 2 Simples above the limit of the State, 3 normal, 4 MEI; 0 if not stated.
    pub crt: u8,
    /// CNPJ of the taker, without its punctuation; empty if it has none. Never written.
    pub tomador: String,
    /// Whether the taker is a taxpayer of the ICMS (`indIEToma` 1 or 2); `None` if the document does not say.
    pub tomador_contribuinte: Option<bool>,
    /// The name of the group of ICMS, such as `ICMS00` or `ICMSSN`; empty if there is none.
    pub grupo_icms: String,
    /// The group `ICMSUFFim`: the difference of rates of a taker who is not a taxpayer.
    pub has_destination: bool,
    /// The keys of the NF-e that it carries. Never written.
    pub notas: Vec<String>,
    pub figures: Figures<TransporteTag>,
    /// What the parts of the price add up to (`Comp`); `None` if it has none.
    pub componentes: Option<Decimal>,
    /// What the parts of the GTV-e of a transport of values add up to; `None` if it has none.
    pub guias: Option<Decimal>,
    /// The group `IBSCBS`.
    pub reforma: Option<ReformaDoServico>,
    pub unreadable: Vec<UnreadableField>,
}

/// The party that takes the service, by `toma3/toma`.
const PARTIES: [&str; 4] = ["rem", "exped", "receb", "dest"];

fn taker<'e>(inf: &'e Element<'_>) -> Option<&'e str> {
    let party = inf.at("ide/toma3/toma").and_then(|code| PARTIES.get(code.parse::<usize>().ok()?));
    match party {
        Some(party) => inf.at(&format!("{party}/CNPJ")),
        None => inf.at("ide/toma4/CNPJ").or_else(|| inf.at("toma/CNPJ")),
    }
}

/// What the elements at the end of a path add up to, below each element called `name`.
fn sum_below(inf: &Element<'_>, name: &str, path: &str, unreadable: &mut Vec<UnreadableField>) -> Option<Decimal> {
    let amounts: Vec<Decimal> = inf.all(name).filter_map(|part| decimal(part, path, unreadable)).collect();
    (!amounts.is_empty()).then(|| amounts.into_iter().fold(Decimal::ZERO, Decimal::saturating_add))
}

/// The parts of the price: of the document, or of each carriage of a simplified one.
fn components(inf: &Element<'_>, unreadable: &mut Vec<UnreadableField>) -> Option<Decimal> {
    match inf.first("vPrest") {
        Some(price) => sum_below(price, "Comp", "vComp", unreadable),
        None => sum_below(inf, "det", "vPrest", unreadable),
    }
}

impl Transporte {
    /// Reads `infCte`.
    pub(super) fn of(inf: &Element<'_>) -> Transporte {
        let mut unreadable = Vec::new();
        let text = |path: &str| inf.at(path).unwrap_or_default().to_owned();
        let code = |path: &str| inf.at(path).and_then(|text| text.parse::<u8>().ok()).unwrap_or_default();
        let uf = |path: &str| inf.at(path).and_then(Uf::from_abbreviation);
        let figures = Figures::read(inf, &mut unreadable);
        let componentes = components(inf, &mut unreadable);
        let guides = inf.find("infCTeNorm").into_iter().flat_map(|norm| norm.all("infGTVe"));
        let mut guide = |guide: &Element<'_>| sum_below(guide, "Comp", "vComp", &mut unreadable);
        let guias: Vec<Decimal> = guides.filter_map(&mut guide).collect();
        let guias = (!guias.is_empty()).then(|| guias.into_iter().fold(Decimal::ZERO, Decimal::saturating_add));
        let day = inf.at("ide/dhEmi").and_then(day_of);
        if day.is_none() {
            unreadable.push(UnreadableField { name: "dhEmi".to_owned(), line: inf.line });
        }
        let reforma = reform(inf, day, &mut unreadable);
        let carried = inf.find("infCTeNorm/infDoc").into_iter().flat_map(|documents| documents.all("infNFe"));
        let of_each = inf.all("det").flat_map(|part| part.all("infNFe"));
        let note = |note: &Element<'_>| note.at("chave").or_else(|| note.at("chNFe")).map(str::to_owned);
        Transporte {
            key: key(inf),
            status: DocumentStatus::Valid,
            is_test: inf.at("ide/tpAmb") == Some("2"),
            numero: DocumentNumber::of(inf.at("ide/nCT"), inf.at("ide/serie")),
            modelo: text("ide/mod"),
            emitente: tax_number(inf.at("emit/CNPJ").or_else(|| inf.at("emit/CPF")).unwrap_or_default()),
            day,
            uf_emitente: uf("emit/enderEmit/UF"),
            uf_inicio: uf("ide/UFIni"),
            uf_fim: uf("ide/UFFim"),
            para_o_exterior: inf.at("ide/UFFim") == Some("EX"),
            cfop: text("ide/CFOP"),
            tipo: code("ide/tpCTe"),
            modal: text("ide/modal"),
            crt: code("emit/CRT"),
            tomador: tax_number(taker(inf).unwrap_or_default()),
            tomador_contribuinte: inf
                .at("ide/indIEToma")
                .or_else(|| inf.at("toma/indIEToma"))
                .map(|code| matches!(code, "1" | "2")),
            grupo_icms: inf.find("imp/ICMS/*").map(|group| group.name.to_string()).unwrap_or_default(),
            has_destination: inf.find("imp/ICMSUFFim").is_some(),
            notas: carried.chain(of_each).filter_map(note).collect(),
            figures,
            componentes,
            guias,
            reforma,
            unreadable: inf.unreadable("", unreadable),
        }
    }

    /// The first of these figures that the document has.
    fn first(&self, tags: &[TransporteTag]) -> Option<Decimal> {
        tags.iter().find_map(|tag| self.figures.get(*tag))
    }

    /// The price of the service, with the ICMS in it.
    pub fn prestacao(&self) -> Option<Decimal> {
        self.first(&[TransporteTag::Prestacao, TransporteTag::TotalPrestacao])
    }

    /// What is to be received.
    pub fn receber(&self) -> Option<Decimal> {
        self.first(&[TransporteTag::Receber, TransporteTag::TotalReceber])
    }

    /// `vTotDFe`.
    pub fn total(&self) -> Option<Decimal> {
        self.first(&[TransporteTag::Documento, TransporteTag::TotalDocumento])
    }

    /// Base, rate and amount of the ICMS that the carrier owes.
    pub fn icms(&self) -> [Option<Decimal>; 3] {
        let both = [
            [TransporteTag::IcmsBase, TransporteTag::OutraUfBase],
            [TransporteTag::IcmsAliquota, TransporteTag::OutraUfAliquota],
            [TransporteTag::IcmsValor, TransporteTag::OutraUfValor],
        ];
        both.map(|tags| self.first(&tags))
    }

    /// Whether the carrier pays ICMS by the Simples Nacional.
    pub fn icms_in_simples(&self) -> bool {
        matches!(self.crt, 1 | 4)
    }

    /// Whether it pays by the Simples Nacional: also CRT 2, which leaves it for ICMS and ISS alone.
    pub fn simples(&self) -> bool {
        matches!(self.crt, 1 | 2 | 4)
    }
}

/// The group `IBSCBS`. A CT-e does not have PIS and COFINS, which leave the base.
fn reform(inf: &Element<'_>, day: Option<Date>, unreadable: &mut Vec<UnreadableField>) -> Option<ReformaDoServico> {
    const GROUP: &str = "imp/IBSCBS/gIBSCBS";
    inf.find("imp/IBSCBS")?;
    let mut number = |path: &str| decimal(inf, &format!("{GROUP}/{path}"), unreadable);
    let mut part = |of: &str, rate: &str, amount: &str| {
        let not_charged = ["gDif/vDif", "gDevTrib/vDevTrib"].map(|path| number(&format!("{of}/{path}")));
        let diferido = not_charged.into_iter().flatten().reduce(Decimal::saturating_add);
        TributoDoServico {
            aliquota: number(&format!("{of}/{rate}")),
            reducao: number(&format!("{of}/gRed/pRedAliq")),
            efetiva: number(&format!("{of}/gRed/pAliqEfet")),
            diferido,
            valor: number(&format!("{of}/{amount}")),
        }
    };
    let (cbs, ibs_uf) = (part("gCBS", "pCBS", "vCBS"), part("gIBSUF", "pIBSUF", "vIBSUF"));
    let ibs_mun = part("gIBSMun", "pIBSMun", "vIBSMun");
    let (base, ibs) = (number("vBC"), number("vIBS"));
    let text = |path: &str| inf.at(path).unwrap_or_default().to_owned();
    let reduces = decimal(inf, "ide/gCompraGov/pRedutor", unreadable).is_none_or(|points| !points.is_zero());
    let to_government = inf.find("ide/gCompraGov").is_some();
    Some(ReformaDoServico {
        classificacao: text("imp/IBSCBS/cClassTrib"),
        cst: text("imp/IBSCBS/CST"),
        government_purchase: to_government && (reduces || day.is_none_or(|day| day >= WHOLE_TO_THE_BUYER)),
        base,
        base_parcial: true,
        reembolsos: Decimal::ZERO,
        cbs,
        ibs_uf,
        ibs_mun,
        ibs,
    })
}

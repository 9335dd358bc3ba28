//! NF-e and NFC-e 4.00, and a CF-e SAT in the form of an NFC-e.

use rust_decimal::Decimal;

use super::reforma::{ReformaDaNota, ReformaDoItem};
use super::status::{DocumentStatus, key};
use super::tags::{Figures, Tag, TotalTag, decimal};
use super::xml::Element;
use super::{DocumentNumber, UnreadableField};
use crate::base::value::{Date, Uf};
use crate::codes::{NaturezaCfop, natureza};

/// A document of goods, as far as its taxes depend on it.
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the document, independent of the others")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotaFiscal {
    /// The access key; empty if the file has none.
    pub key: String,
    pub status: DocumentStatus,
    /// `nNF` and `serie`, by which people call the document.
    pub numero: DocumentNumber,
    /// CNPJ or CPF of the issuer, without its punctuation. From July 2026 on a CNPJ may have letters.
    pub emitente: String,
    /// IBGE code of the municipality of the issuer; empty if there is none.
    pub municipio: String,
    /// CNPJ of the buyer, without its punctuation; empty if it has none. Written only of a company that the caller names.
    pub comprador: String,
    /// The buyer is a natural person, who has a CPF.
    pub comprador_pessoa: bool,
    /// `mod`: `55` is an NF-e, `65` an NFC-e, `59` a CF-e SAT.
    pub modelo: String,
    /// The day of `dhEmi`, in the offset that it states.
    pub day: Option<Date>,
    /// The day on which the goods leave or enter (`dhSaiEnt`); most documents leave it out.
    pub saida: Option<Date>,
    /// `tpAmb` is 2: a test, which is not a document.
    pub is_test: bool,
    /// The file has the protocol of its authorisation.
    pub is_authorised: bool,
    pub uf_origem: Option<Uf>,
    /// UF in which the goods are delivered; `None` also for a delivery abroad (`EX`).
    pub uf_destino: Option<Uf>,
    /// Each UF of the document: of the seller, of the buyer, and those from and to which the goods go.
    pub ufs: Vec<Uf>,
    /// `tpNF`: 0 is an entry.
    pub entrada: bool,
    /// `finNFe`: 1 normal, 2 complementary, 3 adjustment, 4 return, 5 credit, 6 debit.
    pub finalidade: u8,
    /// `idDest`: 1 internal, 2 interstate, 3 abroad.
    pub destino: u8,
    /// `indFinal` is 1.
    pub consumidor_final: bool,
    /// `indIEDest` is 1 or 2; in a layout without it, the buyer has a state registration.
    pub contribuinte: bool,
    /// `modFrete` is 1, 2 or 4: the carriage is for the account of the buyer, or of a third party.
    pub frete_de_outro: bool,
    /// `CRT`: 1 Simples, 2 Simples above the limit of the State, 3 normal, 4 MEI; 0 if not stated.
    pub crt: u8,
    /// A sale to the public administration, whose rates of CBS and IBS are reduced or go to the buyer (LC 214/2025, arts.
    /// 472 and 473). In 2026 `pRedutor` of zero, which the layout demands, changes no rate.
    pub government_purchase: bool,
    /// `pRedutor` of that group.
    pub government_reduction: Option<Decimal>,
    pub reforma: ReformaDaNota,
    pub items: Vec<ItemDaNota>,
    pub totals: Figures<TotalTag>,
    /// Fields of the totals and of the head that are not readable.
    pub unreadable: Vec<UnreadableField>,
}

/// From this day on the whole of CBS and IBS of a sale to the public administration is of the buyer (LC 214/2025, art.
/// 473), so that no rate of such a sale is the ordinary one.
pub const WHOLE_TO_THE_BUYER: Date = Date::first_of(2027);

#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the document, independent of the others")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemDaNota {
    /// `nItem`; `None` if it cannot be read.
    pub declared_number: Option<u32>,
    /// `nItem`, or its place from 1.
    pub number: u32,
    /// Line of its start in the file.
    pub line: u32,
    /// `cProd`, the issuer's own code.
    pub codigo: String,
    pub ncm: String,
    /// `cEAN`, the code of the package; empty if there is none, or the item says that it has none.
    pub gtin: String,
    /// `CEST`; empty if there is none.
    pub cest: String,
    /// `indEscala` is N: the goods are made on a scale that does not count.
    pub escala_nao_relevante: bool,
    /// `cBenef`, the State's code of a benefit; empty if the item has none, or says that it has none.
    pub beneficio: String,
    /// `EXTIPI`; empty if there is none.
    pub ex: String,
    pub cfop: String,
    pub origem: Option<u8>,
    /// `CST` of ICMS; empty if there is none.
    pub cst_icms: String,
    /// `modBC` is 1 or 2: the base of the ICMS is made of a price that the State lists.
    pub preco_do_estado: bool,
    /// `modBCST`, how the base of ST is made; empty if there is none. 4 is by a margin.
    pub modalidade_st: String,
    /// `motDesICMS`, why ICMS is not charged; empty if there is none.
    pub motivo_desoneracao: String,
    /// `indDeduzDeson`: the ICMS that is not charged is deducted from the price. `None` if the item does not say, as
    /// before NT 2023.004.
    pub deduz_desonerado: Option<bool>,
    /// `CSOSN`; empty if there is none.
    pub csosn: String,
    /// `CST` of IPI; empty if the item has no such group.
    pub cst_ipi: String,
    /// `CST` of PIS; empty if there is none.
    pub cst_pis: String,
    /// `CST` of COFINS; empty if there is none.
    pub cst_cofins: String,
    /// The item has the group `IBSCBS`.
    pub has_reform: bool,
    /// `CST` of IBS and CBS; empty if there is none.
    pub cst_reforma: String,
    /// `cClassTrib`; empty if there is none.
    pub classificacao: String,
    /// The item has the group `ICMSUFDest`.
    pub has_destination: bool,
    /// The item has the group `ISSQN`: it is a service.
    pub servico: bool,
    /// `cListServ` of a service, as `N.NN`.
    pub item_lista: String,
    /// `indISS`: 1 if the ISS is due, and neither exempt nor immune, exported, suspended or outside the tax; of a coupon
    /// also [`ISS_ELSEWHERE`].
    pub indicador_iss: u8,
    /// Municipality in which the ISS of a service is due, by its IBGE code.
    pub municipio: String,
    /// `UFCons` of a fuel is `EX`: it is consumed abroad.
    pub consumed_abroad: bool,
    /// `indSomaPISST` is 1: the substituted PIS is part of the total of the document.
    pub pis_st_in_total: bool,
    /// `indSomaCOFINSST` is 1, for COFINS.
    pub cofins_st_in_total: bool,
    /// `indTot` is 1: the item is part of the total of products.
    pub in_total: bool,
    pub figures: Figures<Tag>,
    pub reforma: ReformaDoItem,
    /// Its fields that are not readable.
    pub unreadable: Vec<UnreadableField>,
}

pub(super) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// A CNPJ or CPF without its punctuation.
pub fn tax_number(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_uppercase()).collect()
}

/// The item of the list of services, `N.NN`, of forms such as `1.07`, `01.07`, `0107`, `107` and `1.07.01`.
pub(super) fn item_of_list(text: &str) -> String {
    let mut parts = text.split('.').map(digits);
    let (group, subitem) = match (parts.next(), parts.next()) {
        (Some(group), Some(subitem)) if !subitem.is_empty() => (group, subitem),
        (Some(all), _) if (3..=4).contains(&all.len()) => {
            let (group, subitem) = all.split_at(all.len() - 2);
            (group.to_owned(), subitem.to_owned())
        }
        _ => return String::new(),
    };
    match group.parse::<u8>() {
        Ok(group) => format!("{group}.{subitem:0>2}"),
        Err(_) => String::new(),
    }
}

/// The day of a timestamp such as `2026-03-10T23:30:00-03:00`: the local one, so the offset does not move it.
pub(super) fn day_of(text: &str) -> Option<Date> {
    Date::parse(text.get(..10)?).ok()
}

/// The `indISS` of a service whose coupon says that it is taxed in another municipality, which no NFC-e says.
pub const ISS_ELSEWHERE: u8 = 9;

/// What a document calls its day: a coupon, and an NF-e of before layout 3.10, have it without the hour.
fn name_of_day(modelo: &str, issued: Option<&Element<'_>>) -> &'static str {
    if modelo == "59" || issued.is_some_and(|found| found.name == "dEmi") { "dEmi" } else { "dhEmi" }
}

impl NotaFiscal {
    /// Reads `infNFe`.
    pub(super) fn of(inf: &Element<'_>) -> NotaFiscal {
        let mut unreadable = Vec::new();
        let code = |path: &str| inf.at(path).and_then(|text| text.parse::<u8>().ok()).unwrap_or_default();
        let modelo = inf.at("ide/mod").unwrap_or_default().to_owned();
        let is_retail = matches!(modelo.as_str(), "59" | "65");
        let issued = inf.find("ide/dhEmi").or_else(|| inf.find("ide/dEmi"));
        let day = issued.and_then(|found| day_of(found.text.trim()));
        if day.is_none() {
            let line = issued.map_or(inf.line, |found| found.line);
            unreadable.push(UnreadableField { name: name_of_day(&modelo, issued).to_owned(), line });
        }
        let uf = |path: &str| inf.at(path).and_then(Uf::from_abbreviation);
        let uf_origem = uf("emit/enderEmit/UF");
        let destino = code("ide/idDest");
        let uf_destino = if destino == 1 || is_retail {
            uf_origem
        } else {
            inf.at("entrega/UF").or_else(|| inf.at("dest/enderDest/UF")).and_then(Uf::from_abbreviation)
        };
        let mut ufs = Vec::new();
        for path in ["emit/enderEmit/UF", "dest/enderDest/UF", "retirada/UF", "entrega/UF"] {
            ufs.extend(uf(path).filter(|found| !ufs.contains(found)));
        }
        let items = inf.all("det").zip(1..).map(|(det, place)| ItemDaNota::of(det, place)).collect::<Vec<_>>();
        let totals = Figures::read(inf.first("total").unwrap_or(&Element::default()), &mut unreadable);
        let reforma = ReformaDaNota::of(inf);
        let government_reduction = decimal(inf, "ide/gCompraGov/pRedutor", &mut unreadable);
        let reduces = government_reduction.is_none_or(|points| !points.is_zero());
        NotaFiscal {
            key: key(inf),
            status: DocumentStatus::Valid,
            numero: DocumentNumber::of(inf.at("ide/nNF"), inf.at("ide/serie")),
            government_purchase: reforma.governo && (reduces || day.is_none_or(|day| day >= WHOLE_TO_THE_BUYER)),
            government_reduction,
            reforma,
            emitente: tax_number(inf.at("emit/CNPJ").or_else(|| inf.at("emit/CPF")).unwrap_or_default()),
            municipio: inf.at("emit/enderEmit/cMun").unwrap_or_default().to_owned(),
            comprador: tax_number(inf.at("dest/CNPJ").unwrap_or_default()),
            comprador_pessoa: inf.at("dest/CPF").is_some(),
            day,
            saida: inf.at("ide/dhSaiEnt").and_then(day_of),
            is_test: inf.at("ide/tpAmb") == Some("2"),
            is_authorised: false,
            uf_origem,
            uf_destino,
            ufs,
            entrada: inf.at("ide/tpNF") == Some("0"),
            // Layouts before 4.00 leave it out of some documents; a normal one is 1.
            finalidade: inf.at("ide/finNFe").map_or(1, |_| code("ide/finNFe")),
            destino,
            consumidor_final: inf.at("ide/indFinal") == Some("1") || is_retail,
            contribuinte: !is_retail && is_taxpayer(inf),
            frete_de_outro: matches!(inf.at("transp/modFrete"), Some("1" | "2" | "4")),
            crt: code("emit/CRT"),
            items,
            totals,
            unreadable: inf.unreadable("det", unreadable),
            modelo,
        }
    }

    /// Whether some item has the group of IBS and CBS.
    pub fn has_reform(&self) -> bool {
        self.items.iter().any(|item| item.has_reform)
    }

    /// What an amount of its items adds up to.
    pub fn sum(&self, amount: impl Fn(&ItemDaNota) -> Decimal) -> Decimal {
        self.items.iter().fold(Decimal::ZERO, |sum, item| sum.saturating_add(amount(item)))
    }

    /// Whether the issuer pays ICMS and ISS by the Simples Nacional.
    pub fn icms_in_simples(&self) -> bool {
        matches!(self.crt, 1 | 4)
    }

    /// Whether the issuer pays by the Simples Nacional: also CRT 2, which leaves it for ICMS and ISS alone.
    pub fn simples(&self) -> bool {
        matches!(self.crt, 1 | 2 | 4)
    }
}

impl ItemDaNota {
    fn of(det: &Element<'_>, place: u32) -> ItemDaNota {
        let text = |path: &str| det.at(path).unwrap_or_default().to_owned();
        let mut unreadable = Vec::new();
        let figures = Figures::read(det, &mut unreadable);
        ItemDaNota {
            declared_number: det.item,
            number: det.item.unwrap_or(place),
            line: det.line,
            codigo: text("prod/cProd"),
            ncm: text("prod/NCM"),
            gtin: det.at("prod/cEAN").filter(|code| !code.starts_with("SEM")).unwrap_or_default().to_owned(),
            cest: text("prod/CEST"),
            escala_nao_relevante: det.at("prod/indEscala") == Some("N"),
            beneficio: det.at("prod/cBenef").filter(|code| !code.starts_with("SEM")).unwrap_or_default().to_owned(),
            ex: text("prod/EXTIPI"),
            cfop: text("prod/CFOP"),
            origem: det.at("imposto/ICMS/*/orig").and_then(|orig| orig.parse().ok()),
            cst_icms: text("imposto/ICMS/*/CST"),
            preco_do_estado: matches!(det.at("imposto/ICMS/*/modBC"), Some("1" | "2")),
            modalidade_st: text("imposto/ICMS/*/modBCST"),
            motivo_desoneracao: text("imposto/ICMS/*/motDesICMS"),
            deduz_desonerado: det.at("imposto/ICMS/*/indDeduzDeson").map(|text| text == "1"),
            csosn: text("imposto/ICMS/*/CSOSN"),
            cst_ipi: text("imposto/IPI/*/CST"),
            cst_pis: text("imposto/PIS/*/CST"),
            cst_cofins: text("imposto/COFINS/*/CST"),
            has_reform: det.find("imposto/IBSCBS").is_some(),
            cst_reforma: text("imposto/IBSCBS/CST"),
            classificacao: text("imposto/IBSCBS/cClassTrib"),
            has_destination: det.find("imposto/ICMSUFDest").is_some(),
            servico: det.find("imposto/ISSQN").is_some(),
            item_lista: item_of_list(det.at("imposto/ISSQN/cListServ").unwrap_or_default()),
            indicador_iss: det.at("imposto/ISSQN/indISS").map_or(1, |text| text.parse().unwrap_or_default()),
            municipio: text("imposto/ISSQN/cMunFG"),
            consumed_abroad: det.at("prod/comb/UFCons") == Some("EX"),
            pis_st_in_total: det.at("imposto/PISST/indSomaPISST") == Some("1"),
            cofins_st_in_total: det.at("imposto/COFINSST/indSomaCOFINSST") == Some("1"),
            in_total: det.at("prod/indTot") != Some("0"),
            figures,
            reforma: ReformaDoItem::of(det),
            unreadable: det.unreadable("", unreadable),
        }
    }

    /// PIS and COFINS that are substituted and that the document adds to its total.
    pub fn contributions_in_total(&self) -> Decimal {
        let pis = (self.pis_st_in_total, Tag::PisStValor);
        let parts = [pis, (self.cofins_st_in_total, Tag::CofinsStValor)].into_iter().filter(|(is_in, _)| *is_in);
        parts.fold(Decimal::ZERO, |sum, (_, tag)| sum.saturating_add(self.figures.or_zero(tag)))
    }

    /// The CFOP without its first digit, which says where the goods go.
    pub fn operacao(&self) -> &str {
        self.cfop.get(1..).unwrap_or_default()
    }

    /// The nature of its CFOP; `None` if it is not in the table.
    pub fn natureza(&self) -> Option<&'static NaturezaCfop> {
        natureza(&self.cfop)
    }

    /// Whether the CFOP is a sale or a transfer of the issuer's own make: `x101`, `x151`, `x401` and so on.
    pub fn producao_propria(&self) -> bool {
        self.natureza().is_some_and(NaturezaCfop::is_own_make)
    }

    /// Whether the CFOP is a sale of goods that the issuer bought: `x102`, `x104`, `x106`, `x403`, `x405` and so on.
    pub fn revenda(&self) -> bool {
        self.natureza().is_some_and(NaturezaCfop::is_resale)
    }
}

/// Whether the buyer is a taxpayer of the ICMS. `indIEDest` is of the layout 3.10.
fn is_taxpayer(inf: &Element<'_>) -> bool {
    match inf.at("dest/indIEDest") {
        Some(kind) => matches!(kind, "1" | "2"),
        None => inf.at("dest/IE").is_some_and(|number| number.bytes().any(|byte| byte.is_ascii_digit())),
    }
}

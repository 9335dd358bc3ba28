//! NFS-e: the national layout and the one of ABRASF (1.00 and 2.0x), to which others are rewritten.

use rust_decimal::Decimal;

use super::nota::{day_of, digits, item_of_list, tax_number};
use super::reforma_servico::ReformaDoServico;
use super::status::{DocumentStatus, key};
use super::tags::decimal;
use super::xml::Element;
use super::{DocumentNumber, RetencoesDoServico, UnreadableField};
use crate::base::value::{Date, Exact};

/// A document of one service, or of several in the layout of IPM.
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the document, independent of the others")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotaDeServico {
    /// The access key; empty if the file has none.
    pub key: String,
    pub status: DocumentStatus,
    /// `nNFSe`, or `Numero` of ABRASF; without a series.
    pub numero: DocumentNumber,
    /// CNPJ or CPF of the provider, without its punctuation.
    pub emitente: String,
    /// IBGE code of the municipality of the provider; empty if the document has none.
    pub municipio_prestador: String,
    /// IBGE code of the municipality of the taker; empty if the document has none.
    pub municipio_tomador: String,
    /// The day of the service (`dCompet`, `Competencia`), else the one of issue.
    pub day: Option<Date>,
    /// IBGE code of the municipality in which the tax is due.
    pub municipio: String,
    /// Item of the list, `N.NN`; empty if it is not readable.
    pub item_lista: String,
    /// The national code of six digits; empty in ABRASF.
    pub codigo_nacional: String,
    /// Price, net of the unconditional discount, without the deductions.
    pub preco: Option<Decimal>,
    pub deducoes: Decimal,
    /// The unconditional discount, which the price is net of.
    pub desconto: Decimal,
    /// Base that the document declares.
    pub base: Option<Decimal>,
    /// Rate that it declares, in percent points.
    pub aliquota: Option<Decimal>,
    /// ISS that it declares.
    pub valor: Option<Decimal>,
    /// The provider is in the Simples Nacional, or a MEI.
    pub simples: bool,
    /// The provider is a MEI, who pays a fixed amount.
    pub mei: bool,
    /// The service is exported.
    pub exportado: bool,
    /// The tax is due: not exempt, immune, exported, suspended or outside the tax. `None` if the document does not say.
    pub exigivel: Option<bool>,
    /// The municipality gives a benefit, which the document names and no rule knows.
    pub beneficio: bool,
    /// The provider pays so much a professional (regime 3 of ABRASF, 6 of the national layout).
    pub por_profissional: bool,
    /// The town charges by an estimate or another figure of its own (regimes 1, 2, 4 and 5 of ABRASF, 1 to 5 and 9 of the
    /// national layout), or the document of ABRASF does not say whether the provider is of the Simples.
    pub por_outra_conta: bool,
    /// PIS and COFINS that the document declares, which are not in the base of CBS and IBS.
    pub pis_cofins: [Decimal; 2],
    /// What the taker withholds.
    pub retencoes: RetencoesDoServico,
    /// The group `piscofins`; only the national layout has one.
    pub contribuicoes: Option<ContribuicoesDoServico>,
    /// The group `IBSCBS`; ABRASF has none.
    pub reforma: Option<ReformaDoServico>,
    /// The further services of the document, each with its own figures. What is withheld beside ISS is that of the whole
    /// document, as are CBS and IBS, and is only in the first one.
    pub outros: Vec<NotaDeServico>,
    pub unreadable: Vec<UnreadableField>,
}

/// PIS and COFINS of an NFS-e of the national layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContribuicoesDoServico {
    /// `CST`, of both; empty if there is none.
    pub cst: String,
    /// `vBCPisCofins`, of both.
    pub base: Option<Decimal>,
    /// The rates, in percent points: PIS, COFINS.
    pub aliquotas: [Option<Decimal>; 2],
    /// The amounts: PIS, COFINS.
    pub valores: [Option<Decimal>; 2],
    /// Which the buyer withholds (`tpRetPisCofins`): PIS, COFINS.
    pub retidas: [bool; 2],
    /// The provider pays its federal taxes by the Simples Nacional, also one that pays the ISS outside of it.
    pub simples: bool,
}

/// Which of PIS and COFINS the buyer withholds, by `tpRetPisCofins`. Codes 1 and 2 say nothing of the CSLL; 0 and 3 to 9
/// are the eight combinations of the three (NFS-e of national layout, Anexo I, and NT SE/CGNFS-e 007/2026).
fn withheld(code: &str) -> [bool; 2] {
    match code {
        // PIS alone, or with the CSLL.
        "5" | "9" => [true, false],
        // COFINS alone, or with the CSLL.
        "6" | "7" => [false, true],
        // None, or the CSLL alone (8).
        "" | "0" | "2" | "8" => [false, false],
        // All three, or PIS and COFINS (1, 3, 4); an unknown code may say so.
        _ => [true, true],
    }
}

impl ContribuicoesDoServico {
    /// Reads the group of the `DPS`.
    fn of(
        inf: &Element<'_>,
        path: &str,
        number: &mut impl FnMut(&str) -> Option<Decimal>,
    ) -> Option<ContribuicoesDoServico> {
        let group = inf.find(path)?;
        let mut both = |names: [&str; 2]| names.map(|name| number(&format!("{path}/{name}")));
        let (aliquotas, valores) = (both(["pAliqPis", "pAliqCofins"]), both(["vPis", "vCofins"]));
        let regime = inf.at("DPS/infDPS/prest/regTrib/opSimpNac");
        // 3: federal taxes and ISS, all outside of the Simples.
        let outside = inf.at("DPS/infDPS/prest/regTrib/regApTribSN") == Some("3");
        Some(ContribuicoesDoServico {
            cst: group.at("CST").unwrap_or_default().to_owned(),
            base: number(&format!("{path}/vBCPisCofins")),
            aliquotas,
            valores,
            retidas: withheld(group.at("tpRetPisCofins").unwrap_or_default()),
            simples: regime == Some("2") || (regime == Some("3") && !outside),
        })
    }
}

/// Where ABRASF has the municipality of the tax; the last is of `ISSNet`, whose layout is 1.00 with a name of its own.
const MUNICIPALITY: [&str; 3] =
    ["Servico/MunicipioIncidencia", "Servico/CodigoMunicipio", "Servico/MunicipioPrestacaoServico"];

/// The first text on some of these paths.
fn first<'e>(element: &'e Element<'_>, paths: &[&str]) -> Option<&'e str> {
    paths.iter().find_map(|path| element.at(path))
}

/// The code at the first of these paths; empty if there is none.
fn code(element: &Element<'_>, paths: &[&str]) -> String {
    first(element, paths).unwrap_or_default().to_owned()
}

/// Where ABRASF has the municipality of the provider; the second is of `ISSNet`.
const PROVIDER: [&str; 3] =
    ["PrestadorServico/Endereco/CodigoMunicipio", "PrestadorServico/Endereco/Cidade", "OrgaoGerador/CodigoMunicipio"];

/// Where ABRASF has the municipality of the taker, by version.
const TAKER: [&str; 2] = ["TomadorServico/Endereco/CodigoMunicipio", "Tomador/Endereco/CodigoMunicipio"];

/// CNPJ or CPF of the provider, as an NFS-e of ABRASF writes it.
fn provider_of_abrasf<'e>(inf: &'e Element<'_>, declared: &'e Element<'_>) -> Option<&'e str> {
    let provider = ["PrestadorServico/IdentificacaoPrestador/", "Prestador/"];
    let names = ["CpfCnpj/Cnpj", "Cnpj", "CpfCnpj/Cpf"];
    let mut paths = provider.iter().flat_map(|above| names.map(|name| format!("{above}{name}")));
    paths.find_map(|path| inf.at(&path).or_else(|| declared.at(&path)))
}

/// Whether the ISS is due, as an NFS-e of ABRASF says it.
fn due_by_abrasf(declared: &Element<'_>) -> Option<bool> {
    match declared.at("Servico/ExigibilidadeISS") {
        Some(kind) => Some(kind == "1"),
        // Version 1.00: 1 and 2 are taxed, in the municipality or outside of it. Some systems have further codes.
        None => match declared.at("NaturezaOperacao")? {
            "1" | "2" => Some(true),
            "3" | "4" | "5" | "6" => Some(false),
            _ => None,
        },
    }
}

/// A rate in percent points. Municipalities write 2 % as 2.00 or as 0.02: base and tax show which, else that the tax is
/// at least 2 % (LC 116/2003, art. 8º-A).
fn percent(rate: Decimal, base: Option<Decimal>, valor: Option<Decimal>) -> Decimal {
    let points = rate.saturating_mul(Decimal::ONE_HUNDRED);
    if rate >= Decimal::ONE {
        return rate;
    }
    let gives = |points: Decimal| {
        let due = (Exact::from(base?) * Exact::from(points).percent()).round(2).ok()?;
        Some(due.saturating_sub(valor.filter(|valor| !valor.is_zero())?).abs() <= Decimal::new(1, 2))
    };
    if gives(rate) == Some(true) && gives(points) != Some(true) { rate } else { points }
}

impl NotaDeServico {
    /// Its services, of which most documents have one.
    pub fn servicos(&self) -> impl Iterator<Item = &NotaDeServico> {
        std::iter::once(self).chain(&self.outros)
    }

    /// Reads `infNFSe` of the national layout, with the `DPS` in it.
    pub(super) fn of_national(inf: &Element<'_>) -> NotaDeServico {
        let mut unreadable = Vec::new();
        let mut number = |path: &str| decimal(inf, path, &mut unreadable);
        let services = number("DPS/infDPS/valores/vServPrest/vServ");
        let discount = number("DPS/infDPS/valores/vDescCondIncond/vDescIncond").unwrap_or_default();
        let deductions = number("valores/vCalcDR").or_else(|| number("DPS/infDPS/valores/vDedRed/vDR"));
        let (base, aliquota, valor) = (number("valores/vBC"), number("valores/pAliqAplic"), number("valores/vISSQN"));
        let federal = "DPS/infDPS/valores/trib/tribFed/piscofins";
        let contribuicoes = ContribuicoesDoServico::of(inf, federal, &mut number);
        let pis_cofins = contribuicoes.as_ref().map(|of| of.valores.map(Option::unwrap_or_default)).unwrap_or_default();
        let day =
            ["DPS/infDPS/dCompet", "DPS/infDPS/dhEmi", "dhProc"].into_iter().find_map(|path| day_of(inf.at(path)?));
        let retencoes = RetencoesDoServico::of_national(inf, day, &mut number);
        let reforma = ReformaDoServico::of(inf, inf.find("DPS/infDPS/IBSCBS"), &mut number);
        let national = digits(inf.at("DPS/infDPS/serv/cServ/cTribNac").unwrap_or_default());
        let item = national.get(..4).map(item_of_list).unwrap_or_default();
        let regime = inf.at("DPS/infDPS/prest/regTrib/opSimpNac");
        // 2 and 3: a company in the Simples that pays the ISS outside of it.
        let outside = matches!(inf.at("DPS/infDPS/prest/regTrib/regApTribSN"), Some("2" | "3"));
        let municipal = |name: &str| inf.find(&format!("DPS/infDPS/valores/trib/tribMun/{name}"));
        if day.is_none() {
            unreadable.push(UnreadableField { name: "dCompet".to_owned(), line: inf.line });
        }
        NotaDeServico {
            key: key(inf),
            status: DocumentStatus::Valid,
            numero: DocumentNumber::of(inf.at("nNFSe"), None),
            pis_cofins,
            retencoes,
            contribuicoes,
            reforma,
            mei: regime == Some("2"),
            exportado: municipal("tribISSQN").is_some_and(|kind| kind.text.trim() == "3"),
            municipio_prestador: code(inf, &["emit/enderNac/cMun", "DPS/infDPS/cLocEmi"]),
            municipio_tomador: code(inf, &["DPS/infDPS/toma/end/endNac/cMun"]),
            emitente: tax_number(first(inf, &["emit/CNPJ", "DPS/infDPS/prest/CNPJ", "emit/CPF"]).unwrap_or_default()),
            day,
            municipio: code(inf, &["cLocIncid", "DPS/infDPS/serv/locPrest/cLocPrestacao"]),
            item_lista: item,
            codigo_nacional: national,
            preco: services.map(|services| services.saturating_sub(discount)),
            deducoes: deductions.unwrap_or_default(),
            desconto: discount,
            base,
            aliquota,
            valor,
            simples: regime == Some("2") || (regime == Some("3") && !outside),
            exigivel: municipal("tribISSQN").map(|kind| kind.text.trim() == "1" && municipal("exigSusp").is_none()),
            outros: Vec::new(),
            beneficio: municipal("BM").is_some() || inf.find("valores/vCalcBM").is_some(),
            por_profissional: inf.at("DPS/infDPS/prest/regTrib/regEspTrib") == Some("6"),
            por_outra_conta: matches!(
                inf.at("DPS/infDPS/prest/regTrib/regEspTrib"),
                Some("1" | "2" | "3" | "4" | "5" | "9")
            ),
            unreadable: inf.unreadable("", unreadable),
        }
    }

    /// Reads `InfNfse` of ABRASF. Since 2.00 the service is in the declaration inside it.
    pub(super) fn of_abrasf(inf: &Element<'_>) -> NotaDeServico {
        let declared = inf.find("DeclaracaoPrestacaoServico/InfDeclaracaoPrestacaoServico").unwrap_or(inf);
        let mut unreadable = Vec::new();
        let mut number = |of: &Element<'_>, path: &str| decimal(of, path, &mut unreadable);
        let services = number(declared, "Servico/Valores/ValorServicos");
        let discount = number(declared, "Servico/Valores/DescontoIncondicionado").unwrap_or_default();
        let deductions = number(declared, "Servico/Valores/ValorDeducoes").unwrap_or_default();
        let mut either =
            |of_note: &str, of_service: &str| number(inf, of_note).or_else(|| number(declared, of_service));
        let base = either("ValoresNfse/BaseCalculo", "Servico/Valores/BaseCalculo");
        let rate = either("ValoresNfse/Aliquota", "Servico/Valores/Aliquota");
        let charged = either("ValoresNfse/ValorIss", "Servico/Valores/ValorIss");
        let retencoes = RetencoesDoServico::of_abrasf(declared, |path| number(declared, path));
        // Version 1.00 has the tax that is withheld in a field of its own.
        let withheld = number(declared, "Servico/Valores/ValorIssRetido");
        let valor = charged.filter(|charged| !charged.is_zero()).or(withheld).or(charged);
        let (emitente, due) = (provider_of_abrasf(inf, declared), due_by_abrasf(declared));
        let named = |name: &str| declared.at(name).or_else(|| inf.at(name));
        let day = ["Competencia", "DataEmissao"].into_iter().find_map(|name| day_of(named(name)?));
        if day.is_none() {
            unreadable.push(UnreadableField { name: "Competencia".to_owned(), line: inf.line });
        }
        NotaDeServico {
            key: key(inf),
            status: DocumentStatus::Valid,
            numero: DocumentNumber::of(inf.at("Numero"), None),
            pis_cofins: [Decimal::ZERO; 2],
            retencoes,
            mei: declared.at("RegimeEspecialTributacao") == Some("5"),
            exportado: declared.at("Servico/ExigibilidadeISS") == Some("4"),
            municipio_prestador: code(inf, &PROVIDER),
            municipio_tomador: code(declared, &TAKER),
            contribuicoes: None,
            reforma: None,
            outros: Vec::new(),
            emitente: tax_number(emitente.unwrap_or_default()),
            day,
            municipio: code(declared, &MUNICIPALITY),
            item_lista: item_of_list(declared.at("Servico/ItemListaServico").unwrap_or_default()),
            codigo_nacional: String::new(),
            preco: services.map(|services| services.saturating_sub(discount)),
            deducoes: deductions,
            desconto: discount,
            base,
            aliquota: rate.map(|rate| percent(rate, base, valor)),
            valor,
            simples: declared.at("OptanteSimplesNacional") == Some("1"),
            exigivel: due,
            beneficio: ["IncentivadorCultural", "IncentivoFiscal"].iter().any(|name| declared.at(name) == Some("1")),
            por_profissional: declared.at("RegimeEspecialTributacao") == Some("3"),
            por_outra_conta: matches!(declared.at("RegimeEspecialTributacao"), Some("1" | "2" | "4" | "5"))
                || declared.at("OptanteSimplesNacional").is_none()
                || due.is_none() && declared.at("NaturezaOperacao").is_some(),
            unreadable: inf.unreadable("", unreadable),
        }
    }
}

//! What the taker of a service withholds, as an NFS-e declares it.

use rust_decimal::Decimal;

use super::xml::Element;
use crate::base::value::Date;

/// The day from which on the national layout has the contributions that are withheld as one sum in `vRetCSLL`, and in
/// `vPis` and `vCofins` what the provider owes (NT SE/CGNFS-e 007/2026).
const ONE_SUM_SINCE: u32 = 20_260_209;

/// Who takes a service, as far as the document says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TomadorDoServico {
    PessoaJuridica,
    PessoaFisica,
    /// It has no number of the country.
    Exterior,
    #[default]
    NaoInformado,
}

/// The withholdings of an NFS-e. `None` is an amount that the document leaves out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetencoesDoServico {
    pub tomador: TomadorDoServico,
    pub irrf: Option<Decimal>,
    pub inss: Option<Decimal>,
    pub csll: Option<Decimal>,
    pub pis: Option<Decimal>,
    pub cofins: Option<Decimal>,
    /// PIS, COFINS and CSLL as one sum, and which of the three are in it.
    pub soma: Option<(Decimal, [bool; 3])>,
    /// The taker, or an intermediary, withholds the ISS. `None` if the document does not say.
    pub iss_retido: Option<bool>,
    /// The ISS that is withheld, if it has a field of its own.
    pub iss: Option<Decimal>,
}

/// Which of PIS, COFINS and CSLL are withheld by `tpRetPisCofins`; `None` for the codes of before, 1 and 2, and for
/// unknown ones, which do not say it of the CSLL.
fn in_sum(code: &str) -> Option<[bool; 3]> {
    Some(match code {
        "0" => [false, false, false],
        "3" => [true, true, true],
        "4" => [true, true, false],
        "5" => [true, false, false],
        "6" => [false, true, false],
        "7" => [false, true, true],
        "8" => [false, false, true],
        "9" => [true, false, true],
        _ => return None,
    })
}

impl RetencoesDoServico {
    /// Reads `infNFSe` of the national layout. `day` is that of the service.
    pub(super) fn of_national(
        inf: &Element<'_>,
        day: Option<Date>,
        number: &mut impl FnMut(&str) -> Option<Decimal>,
    ) -> RetencoesDoServico {
        const FEDERAL: &str = "DPS/infDPS/valores/trib/tribFed";
        let mut federal = |name: &str| number(&format!("{FEDERAL}/{name}"));
        let (irrf, inss, csll) = (federal("vRetIRRF"), federal("vRetCP"), federal("vRetCSLL"));
        let both = [federal("piscofins/vPis"), federal("piscofins/vCofins")];
        let code = inf.at(&format!("{FEDERAL}/piscofins/tpRetPisCofins")).unwrap_or_default();
        let one_sum = day.is_some_and(|day| day.ordinal() >= ONE_SUM_SINCE);
        let [pis, cofins] = if !one_sum && code == "1" { both } else { [None; 2] };
        let taker = |name: &str| inf.find(&format!("DPS/infDPS/toma/{name}")).is_some();
        RetencoesDoServico {
            tomador: match (taker("CNPJ"), taker("CPF"), taker("NIF") || taker("cNaoNIF")) {
                (true, _, _) => TomadorDoServico::PessoaJuridica,
                (_, true, _) => TomadorDoServico::PessoaFisica,
                (_, _, true) => TomadorDoServico::Exterior,
                _ => TomadorDoServico::NaoInformado,
            },
            irrf,
            inss,
            csll: csll.filter(|_| !one_sum && matches!(code, "1" | "2")),
            pis,
            cofins,
            soma: csll.zip(in_sum(code)).filter(|_| one_sum),
            iss_retido: inf.at("DPS/infDPS/valores/trib/tribMun/tpRetISSQN").map(|code| matches!(code, "2" | "3")),
            iss: None,
        }
    }

    /// Those of a further service of a document: of what the whole document withholds, nothing is its own.
    pub(super) fn of_service_alone(self) -> RetencoesDoServico {
        let RetencoesDoServico { tomador, iss_retido, iss, .. } = self;
        RetencoesDoServico { tomador, iss_retido, iss, ..RetencoesDoServico::default() }
    }

    /// Reads the declaration of an NFS-e of ABRASF, in which each tax has its field.
    pub(super) fn of_abrasf(
        declared: &Element<'_>,
        mut number: impl FnMut(&str) -> Option<Decimal>,
    ) -> RetencoesDoServico {
        let mut value = |name: &str| number(&format!("Servico/Valores/{name}"));
        let taker = |name: &str| {
            ["TomadorServico", "Tomador"]
                .iter()
                .any(|above| declared.find(&format!("{above}/IdentificacaoTomador/CpfCnpj/{name}")).is_some())
        };
        let iss_retido = declared.at("Servico/IssRetido").or_else(|| declared.at("Servico/Valores/IssRetido"));
        RetencoesDoServico {
            tomador: match (taker("Cnpj"), taker("Cpf")) {
                (true, _) => TomadorDoServico::PessoaJuridica,
                (_, true) => TomadorDoServico::PessoaFisica,
                _ => TomadorDoServico::NaoInformado,
            },
            irrf: value("ValorIr"),
            inss: value("ValorInss"),
            csll: value("ValorCsll"),
            pis: value("ValorPis"),
            cofins: value("ValorCofins"),
            soma: None,
            iss_retido: iss_retido.map(|code| code == "1"),
            iss: value("ValorIssRetido"),
        }
    }
}

//! All taxes. A new one is one file beside this and one line in [`REGISTRY`].

use std::sync::LazyLock;

use super::entry::Entry;
use crate::base::document::nearest;
use crate::base::value::shorten;

pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|entry| entry.tributo.as_str() == name)
}

/// What people write for the Imposto Seletivo, which has no rate: without these, the hint would be `iss`.
const SELETIVO: [&str; 3] = ["is", "imposto_seletivo", "seletivo"];

/// True for a name of the Imposto Seletivo (LC 214/2025, arts. 409 ff.). The contract does not have it, and no act sets its
/// rates.
pub fn is_imposto_seletivo(name: &str) -> bool {
    // A long name is none of them, and is not worth the folding.
    name.len() < 64 && SELETIVO.contains(&name.trim().to_lowercase().replace([' ', '-'], "_").as_str())
}

/// The tax of that name. The error is a sentence in Portuguese: the names there are, and the one most like it.
pub fn parse(name: &str) -> Result<&'static Entry, String> {
    find(name).ok_or_else(|| {
        if is_imposto_seletivo(name) {
            return format!(
                "\"{}\" é o Imposto Seletivo (LC nº 214/2025, arts. 409 e seguintes), que não se calcula aqui: nenhum ato lhe fixou as alíquotas. Os tributos daqui são: {}.",
                shorten(name),
                NAMES.join(", ")
            );
        }
        let near = nearest(name, NAMES.iter().copied());
        let hint = near.map(|near| format!(" Você quis dizer `{near}`?")).unwrap_or_default();
        format!("\"{}\" não é um tributo daqui; use um destes: {}.{hint}", shorten(name), NAMES.join(", "))
    })
}

/// The names of the taxes: the contract's, in its order, and those added to it.
pub static NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| REGISTRY.iter().map(|entry| entry.tributo.as_str()).collect());

/// The registry: a line names the file and the type of a tax, its name and example there, and what people call it.
macro_rules! registry {
    ($($file:ident::$tax:ident, $tributo:ident, $example:ident, $sigla:literal, $nome:literal;)*) => {
        /// Every tax: the contract's, in its order, and those added to it.
        pub static REGISTRY: &[Entry] =
            &[$(Entry::of::<super::$file::$tax>(super::$file::$tributo, [$sigla, $nome], super::$file::$example),)*];
    };
}

registry! {
    icms_st::IcmsSt, ICMS_ST, EXAMPLE, "ICMS-ST", "ICMS por substituição tributária";
    icms::Icms, ICMS, EXAMPLE, "ICMS", "ICMS da operação própria";
    ipva::Ipva, IPVA, EXAMPLE, "IPVA", "Imposto sobre a propriedade de veículos";
    itcmd::Itcmd, ITCMD, EXAMPLE, "ITCMD", "Imposto sobre herança e doação";
    iss::Iss, ISS, EXAMPLE, "ISS", "Imposto sobre serviços";
    iptu::Iptu, IPTU, EXAMPLE, "IPTU", "Imposto predial e territorial urbano";
    itbi::Itbi, ITBI, EXAMPLE, "ITBI", "Imposto sobre a transmissão onerosa de imóveis";
    ipi::Ipi, IPI, EXAMPLE, "IPI", "Imposto sobre produtos industrializados";
    pis_cofins::PisCofins, PIS, EXAMPLE_PIS, "PIS", "Contribuição ao PIS/Pasep";
    pis_cofins::PisCofins, COFINS, EXAMPLE_COFINS, "COFINS", "Contribuição para a seguridade social";
    cbs_ibs::CbsIbs, CBS, EXAMPLE_CBS, "CBS", "Contribuição sobre bens e serviços";
    cbs_ibs::CbsIbs, IBS, EXAMPLE_IBS, "IBS", "Imposto sobre bens e serviços";
    icms_consumidor_final::IcmsConsumidorFinal, ICMS_CONSUMIDOR_FINAL, EXAMPLE, "ICMS ao consumidor final", "ICMS da venda a consumidor final, com a diferença devida ao destino (DIFAL)";
    simples_nacional::SimplesNacional, SIMPLES_NACIONAL, EXAMPLE, "Simples Nacional", "DAS do Simples Nacional, de um Anexo no mês";
    retencao_federal::RetencaoFederal, IRRF_SERVICOS, EXAMPLE_IRRF, "IRRF de serviços", "Imposto de renda retido de quem presta serviços";
    retencao_federal::RetencaoFederal, CSLL_RETIDA, EXAMPLE_CSLL, "CSLL retida", "CSLL retida de quem presta serviços";
    retencao_federal::RetencaoFederal, PIS_RETIDO, EXAMPLE_PIS, "PIS retido", "PIS/Pasep retido de quem presta serviços";
    retencao_federal::RetencaoFederal, COFINS_RETIDA, EXAMPLE_COFINS, "COFINS retida", "COFINS retida de quem presta serviços";
    inss_retido::InssRetido, INSS_RETIDO, EXAMPLE, "INSS retido", "Contribuição previdenciária retida na cessão de mão de obra";
    iss_retido::IssRetido, ISS_RETIDO, EXAMPLE, "ISS retido", "ISS retido por quem toma o serviço";
}

//! The built-in rule bundles, compiled into the binary from `rulesets/`.

use crate::admin::AdminError;
use crate::engine::{BundleFile, Engine, ImportOptions, Signed};
use crate::store::Store;
use crate::value::Clock;

macro_rules! bundles {
    ($($name:literal),* $(,)?) => {
        /// Name and text of every built-in bundle; a test holds the list against the folder.
        pub const BUNDLES: &[(&str, &str)] = &[ $( ($name, include_str!(concat!("../rulesets/", $name))), )* ];
    };
}

bundles! {
    "estadual/AC.json",
    "estadual/AL.json",
    "estadual/AM.json",
    "estadual/AP.json",
    "estadual/BA.json",
    "estadual/CE.json",
    "estadual/DF.json",
    "estadual/ES.json",
    "estadual/GO.json",
    "estadual/MA.json",
    "estadual/MG.json",
    "estadual/MS.json",
    "estadual/MT.json",
    "estadual/PA.json",
    "estadual/PB.json",
    "estadual/PE.json",
    "estadual/PI.json",
    "estadual/PR.json",
    "estadual/RJ.json",
    "estadual/RN.json",
    "estadual/RO.json",
    "estadual/RR.json",
    "estadual/RS.json",
    "estadual/SC.json",
    "estadual/SE.json",
    "estadual/SP.json",
    "estadual/TO.json",
    "federal/cbs_ibs.json",
    "federal/icms_interestadual.json",
    "federal/ipi.json",
    "federal/pis_cofins.json",
    "federal/pis_cofins_especial.json",
    "municipal/AC-rio-branco.json",
    "municipal/AL-maceio.json",
    "municipal/AM-manaus.json",
    "municipal/AP-macapa.json",
    "municipal/BA-salvador.json",
    "municipal/CE-caninde.json",
    "municipal/CE-fortaleza.json",
    "municipal/DF-brasilia.json",
    "municipal/ES-vitoria.json",
    "municipal/GO-aparecida-de-goiania.json",
    "municipal/GO-goiania.json",
    "municipal/GO-senador-canedo.json",
    "municipal/MA-acailandia.json",
    "municipal/MA-sao-luis.json",
    "municipal/MG-belo-horizonte.json",
    "municipal/MG-betim.json",
    "municipal/MG-contagem.json",
    "municipal/MG-juiz-de-fora.json",
    "municipal/MG-sete-lagoas.json",
    "municipal/MG-uberlandia.json",
    "municipal/MS-campo-grande.json",
    "municipal/MT-cuiaba.json",
    "municipal/PA-belem.json",
    "municipal/PB-joao-pessoa.json",
    "municipal/PE-recife.json",
    "municipal/PI-teresina.json",
    "municipal/PR-cascavel.json",
    "municipal/PR-curitiba.json",
    "municipal/PR-londrina.json",
    "municipal/PR-maringa.json",
    "municipal/PR-ponta-grossa.json",
    "municipal/RJ-niteroi.json",
    "municipal/RJ-rio-de-janeiro.json",
    "municipal/RN-natal.json",
    "municipal/RO-porto-velho.json",
    "municipal/RR-boa-vista.json",
    "municipal/RS-porto-alegre.json",
    "municipal/SC-florianopolis.json",
    "municipal/SC-joinville.json",
    "municipal/SE-aracaju.json",
    "municipal/SP-barueri.json",
    "municipal/SP-bauru.json",
    "municipal/SP-campinas.json",
    "municipal/SP-guarulhos.json",
    "municipal/SP-jundiai.json",
    "municipal/SP-osasco.json",
    "municipal/SP-ribeirao-preto.json",
    "municipal/SP-santo-andre.json",
    "municipal/SP-santos.json",
    "municipal/SP-sao-bernardo-do-campo.json",
    "municipal/SP-sao-paulo.json",
    "municipal/SP-sorocaba.json",
    "municipal/TO-palmas.json",
}

/// Name and text of each file, as an import takes them.
pub fn files() -> impl Iterator<Item = (String, String)> {
    BUNDLES.iter().map(|(name, text)| (format!("rulesets/{name}"), (*text).to_owned()))
}

/// Who signs a bundle that is compiled in, in the file's place: whoever made the binary. `None`
/// where the text is no such bundle.
#[must_use]
pub fn signed(text: &str) -> Option<Signed> {
    let known = BUNDLES.iter().any(|(_, built_in)| *built_in == text);
    known.then(|| Signed { by: "taxd (built in)".to_owned(), key_id: None })
}

/// Publishes the built-in bundles and says how many versions they hold.
pub fn load(engine: &Engine) -> Result<usize, AdminError> {
    publish(engine, ImportOptions::default())
}

/// An engine on the built-in rules that keeps nothing, so the clock matters to no later publication.
pub fn in_memory(clock: Clock) -> Result<Engine, AdminError> {
    let engine = Engine::new(Store::in_memory()?, 0).with_clock(clock);
    publish(&engine, ImportOptions { accept_future_date: true, ..ImportOptions::default() })?;
    Ok(engine)
}

fn publish(engine: &Engine, options: ImportOptions) -> Result<usize, AdminError> {
    let file = |(name, text): (String, String)| {
        let signed = signed(&text);
        BundleFile { signed, ..BundleFile::unsigned(name, text) }
    };
    let files: Vec<BundleFile> = files().map(file).collect();
    Ok(engine.import(&files, engine.now(), options)?.publicadas.len())
}

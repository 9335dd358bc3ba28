//! The file of the option `--empresa`: what no document says of its issuer. It is a TOML file, or a CSV as Excel saves it
//! ([`table`]) with the same facts in columns.
//!
//! ```toml
//! [[empresa]]
//! cnpj = "12345678000195"            # ou só a raiz, "12345678"; sem cnpj, vale para todas
//! nome = "Padaria Exemplo"           # como o relatório a chama
//! regime_pis_cofins = "nao_cumulativo"
//! contribuinte_ipi = false
//! destinacao_autopropulsado = false
//!
//! regime_especial_por_unidade = false
//!
//! [[empresa.preco_venda_varejo]]
//! produto = "P1"                     # cProd
//! preco = "10.25"                    # de uma unidade
//! desde = "2025-01-01"
//!
//! [[empresa.regime_especial]]
//! tributo = "icms"
//! desde = "2025-01-01"
//! ate = "2026-12-31"
//! descricao = "TTD 409"
//!
//! [[empresa.simples_nacional]]
//! mes = "2026-03"
//! receita_bruta_12_meses = "300000.00"       # no país; a de exportação tem o seu campo
//! receita_exportacao_12_meses = "0.00"
//! receita_bruta_ano = "80000.00"
//! inicio_atividade = "2025-06-01"            # se há menos de 13 meses
//! anexo_servicos = "III"
//! ```

mod entry;
mod facts;
mod names;
mod table;

pub use names::CompanyNames;

use std::collections::HashSet;

use crate::base::sentence::Sentence;
use crate::law::labels;
use crate::law::nfe::Contribuinte;

use self::entry::CompanyReader;

/// What people call the facts of a company.
pub const COMPANY_FACTS: [(&str, &str); 4] = [
    ("regime_pis_cofins", "Regime de PIS e COFINS"),
    ("contribuinte_ipi", "Contribuinte do IPI"),
    ("destinacao_autopropulsado", "Peças para autopropulsados"),
    ("regime_especial_por_unidade", "PIS e COFINS por unidade"),
];

/// What people call a name in a sentence on a company: one of its facts, or anything that a tax has.
pub(super) fn named(tributo: Option<&str>) -> impl Fn(&str) -> String + use<> {
    let named = labels::named(tributo);
    move |name| match COMPANY_FACTS.iter().find(|(own, _)| *own == name) {
        Some((_, label)) => format!("“{label}”"),
        None => named(name),
    }
}

/// The taxpayers of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Companies {
    /// Digits of the CNPJ, of its root, or none for any issuer.
    known: Vec<(String, Contribuinte)>,
    names: CompanyNames,
}

/// A fault of the file: its line, from 1, and what is wrong.
pub type FaultOfFile = (usize, Sentence);

impl Companies {
    /// Parses the file. Fails with its faults, the first hundred of them.
    pub fn parse(file: impl AsRef<[u8]>) -> Result<Companies, Vec<FaultOfFile>> {
        let file = file.as_ref();
        let mut reader = CompanyReader::default();
        let entries = if table::is_table(file) {
            table::read(file, &mut reader)
        } else {
            match str::from_utf8(file) {
                Ok(text) => entry::of_toml(text, &mut reader),
                Err(_) => {
                    let detail = "não é um CSV com a coluna CNPJ, nem um texto em UTF-8; salve a planilha como CSV";
                    return Err(vec![(1, detail.into())]);
                }
            }
        };
        let mut seen = HashSet::new();
        let mut companies = Companies::default();
        for (cnpj, nome, facts) in entries.iter().map(|entry| reader.company_of(entry, &mut seen)) {
            companies.names.add(&cnpj, nome);
            companies.known.push((cnpj, facts));
        }
        reader.finish(companies)
    }

    pub fn names(&self) -> &CompanyNames {
        &self.names
    }

    /// What is known of the issuer of that CNPJ or CPF: by the whole CNPJ before its root, before an entry for any.
    pub fn of(&self, emitente: &str) -> Contribuinte {
        let fits = |of: &&(String, Contribuinte)| emitente.starts_with(&of.0);
        self.known.iter().filter(fits).max_by_key(|(cnpj, _)| cnpj.len()).map(|(_, of)| of.clone()).unwrap_or_default()
    }

    /// What is known of a company that the file names, by its whole CNPJ before its root.
    pub fn named(&self, cnpj: &str) -> Option<&Contribuinte> {
        let fits = |of: &&(String, Contribuinte)| !of.0.is_empty() && cnpj.starts_with(&of.0);
        self.known.iter().filter(fits).max_by_key(|(known, _)| known.len()).map(|(_, of)| of)
    }
}

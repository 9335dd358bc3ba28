//! The members of a bundle beside its rules.

use crate::base::document::{Document, Faults, Path, Placed};
use crate::base::problem::ErrorCode;
use crate::base::value::{Date, Text};

taxd_base::document! {
    /// The name and version of a bundle.
    pub struct BundleHeader {
        pacote: Text, "Nome do pacote";
        versao: Text, "Versão do pacote";
        descricao: Text, "O que o pacote traz";
        tabelas_oficiais: Vec<TabelaOficial>, "Tabelas oficiais que o pacote segue";
    }

    /// A version of an official table that the rules of a bundle follow.
    pub struct TabelaOficial {
        nome: Text, "Nome da tabela";
        versao: Text, "Ato ou versão";
        data: Date, "Dia da versão" + ": o da publicação, ou o que a própria tabela traz";
        vigente_ate: Option<Date>, "Primeiro dia em que a versão já não vale";
        mudancas: Vec<Text>, "O que se sabe que mudou depois" + ", cada frase com o seu dia";
    }
}

impl BundleHeader {
    /// Reads the header and checks its tables.
    pub(super) fn read_checked(placed: &Placed<'_, '_>, at: &Path<'_>, faults: &mut Faults) -> Option<BundleHeader> {
        let header = BundleHeader::read_placed(placed, at, faults)?;
        header.check_tables(at, faults);
        Some(header)
    }

    /// Reports a table that is named twice, and one that ends before its day.
    fn check_tables(&self, at: &Path<'_>, faults: &mut Faults) {
        let list = at.key("tabelas_oficiais");
        for (i, table) in self.tabelas_oficiais.iter().enumerate() {
            let here = list.index(i);
            if self.tabelas_oficiais.iter().take(i).any(|other| other.nome == table.nome) {
                let detail =
                    format!("A tabela {} já está na lista: um pacote segue uma versão só.", table.nome.as_str());
                faults.add(&here.key("nome"), ErrorCode::ValorInvalido, detail);
            }
            if table.vigente_ate.is_some_and(|ate| ate <= table.data) {
                let detail = "`vigente_ate` é o primeiro dia em que a versão já não vale e vem depois de `data`.";
                faults.add(&here.key("vigente_ate"), ErrorCode::ForaDoIntervalo, detail);
            }
        }
    }
}

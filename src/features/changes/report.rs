//! The changes for people, and as rows of a table. All texts are Portuguese, because accountants read them.

use std::fmt::Write as _;

use super::compare::FieldChange;
use super::{Changes, RuleChange};
use crate::base::value::{Date, counted};

/// New rules of a bundle that the text lists.
const NEW: usize = 20;

impl FieldChange {
    /// "Alíquota interna: 18,00 % -> 19,50 % a partir de 13/03/2024"; without the old value if there was no version.
    pub(super) fn sentence(&self, had_version: bool, from: Date) -> String {
        let before = if had_version { format!("{} -> ", self.antes) } else { String::new() };
        format!("{}: {before}{} a partir de {}", self.rotulo, self.depois, from.dmy())
    }
}

impl Changes {
    /// The report, the oldest publication first.
    pub fn to_text(&self) -> String {
        if self.publicacoes.is_empty() {
            return format!("Nada foi publicado desde {} que passe nos filtros.", self.desde.dmy());
        }
        let mut text = String::new();
        for publicacao in &self.publicacoes {
            let at = format!("{} (UTC)", publicacao.publicado_em);
            if let Some(installed) = &publicacao.instalacao {
                let _ = writeln!(
                    text,
                    "Publicado em {at}: instalação das regras embutidas, {} em {}",
                    counted(installed.regras, "regra", "regras"),
                    counted(installed.pacotes, "pacote", "pacotes")
                );
            }
            for pacote in &publicacao.pacotes {
                let (name, versao) = (&pacote.pacote.pacote, &pacote.pacote.versao);
                let _ = writeln!(text, "Publicado em {at}: {name} {versao}");
                let mut new = 0;
                for change in &pacote.mudancas {
                    new += usize::from(change.anterior.is_none());
                    if change.anterior.is_some() || new <= NEW {
                        change.write(&mut text);
                    }
                }
                if let Some(more) = new.checked_sub(NEW).filter(|more| *more > 0) {
                    let _ = writeln!(text, "  e mais {}: veja --csv", counted(more, "regra nova", "regras novas"));
                }
            }
        }
        text.trim_end().to_owned()
    }
}

impl RuleChange {
    fn write(&self, text: &mut String) {
        let from = self.vigente_de.dmy();
        let retroactive = if self.retroativa { ", retroativa" } else { "" };
        let after = match &self.anterior {
            Some(anterior) => format!("depois de {anterior}"),
            None => "nova".to_owned(),
        };
        let _ = writeln!(
            text,
            "  {} ({}), {after}, efeito desde {from}{retroactive}; {}",
            self.rule_id, self.escopo, self.citacao_legal
        );
        for sentence in &self.frases {
            let _ = writeln!(text, "    {sentence}");
        }
        if self.frases.is_empty() {
            let _ = writeln!(text, "    as mesmas figuras a partir de {from}");
        }
    }
}

//! The changes for people, and as rows of a table. All texts are Portuguese, because accountants read them.

use std::fmt::Write as _;

use super::compare::FieldChange;
use super::{Changes, RuleChange};
use crate::sheet::{Cell, ColumnKind, TableColumn, TableHead};
use crate::value::Date;

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
    #[must_use]
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
                    "Publicado em {at}: instalação das regras embutidas, {} regras em {} pacotes",
                    installed.regras, installed.pacotes
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
                    let _ = writeln!(text, "  e mais {more} regras novas: veja --csv");
                }
            }
        }
        text.trim_end().to_owned()
    }

    /// The rows of the table, under [`Changes::table_head`]: one for each field that changed.
    pub fn rows(&self) -> impl Iterator<Item = Vec<Cell>> {
        let bundles = self.publicacoes.iter().flat_map(|publicacao| &publicacao.pacotes);
        let changes = bundles.flat_map(|bundle| bundle.mudancas.iter().map(move |change| (bundle, change)));
        changes.flat_map(|(bundle, change)| {
            let name = format!("{} {}", bundle.pacote.pacote, bundle.pacote.versao);
            change.rows(&name)
        })
    }

    /// The columns of the table.
    #[must_use]
    pub fn table_head() -> TableHead {
        let column = |(name, kind, width): (&str, ColumnKind, usize)| TableColumn {
            name: name.to_owned(),
            kind,
            choices: Vec::new(),
            width,
        };
        let columns = [
            ("publicado_em", ColumnKind::Text, 26),
            ("pacote", ColumnKind::Text, 26),
            ("tributo", ColumnKind::Text, 12),
            ("local", ColumnKind::Text, 20),
            ("escopo", ColumnKind::Text, 40),
            ("rule_id", ColumnKind::Text, 40),
            ("anterior", ColumnKind::Text, 40),
            ("tipo", ColumnKind::Text, 24),
            ("vigente_de", ColumnKind::Date, 12),
            ("vigente_ate", ColumnKind::Date, 12),
            ("campo", ColumnKind::Text, 30),
            ("rotulo", ColumnKind::Text, 30),
            ("antes", ColumnKind::Text, 20),
            ("depois", ColumnKind::Text, 20),
            ("citacao_legal", ColumnKind::Text, 60),
        ];
        TableHead { name: "mudancas".to_owned(), columns: columns.map(column).into(), frozen: (1, 1) }
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

    fn rows(&self, bundle: &str) -> Vec<Vec<Cell>> {
        let text = |text: &str| if text.is_empty() { Cell::Empty } else { Cell::Text(text.to_owned()) };
        let row = |campo: &FieldChange| {
            vec![
                text(&self.publicado_em.to_string()),
                text(bundle),
                text(&self.tributo),
                text(&self.local),
                text(&self.escopo),
                text(&self.rule_id.to_string()),
                text(&self.anterior.as_ref().map(ToString::to_string).unwrap_or_default()),
                text(&self.tipo),
                Cell::Date(self.vigente_de),
                self.vigente_ate.map_or(Cell::Empty, Cell::Date),
                text(&campo.campo),
                text(&campo.rotulo),
                text(if self.anterior.is_some() { &campo.antes } else { "" }),
                text(&campo.depois),
                text(&self.citacao_legal),
            ]
        };
        if self.campos.is_empty() {
            let nothing = FieldChange { campo: String::new(), rotulo: String::new(), antes: String::new(), depois: String::new() };
            return vec![row(&nothing)];
        }
        self.campos.iter().map(row).collect()
    }
}

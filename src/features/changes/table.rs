//! The changes as a table for programs: a row for each field that changed.

use super::{BundleChanges, Changes, FieldChange, RuleChange};
use crate::sheet::ColumnKind::{Date, Text};
use crate::sheet::{Cell, Column};

/// A field that changed, or a version that says what the one before it said, which has one row without a field.
pub(crate) struct ChangeRow<'c> {
    bundle: &'c BundleChanges,
    change: &'c RuleChange,
    field: Option<&'c FieldChange>,
}

impl<'c> ChangeRow<'c> {
    fn of_field(&self, text: fn(&FieldChange) -> &String) -> Cell<'c> {
        self.field.map(|field| Cell::of(text(field))).into()
    }
}

pub(crate) fn columns<'c>() -> [Column<ChangeRow<'c>>; 15] {
    [
        Column::new("publicado_em", "", Text, |row| Cell::of(row.change.publicado_em.to_string())),
        Column::new("pacote", "", Text, |ChangeRow { bundle: BundleChanges { pacote, .. }, .. }| {
            Cell::of(format!("{} {}", pacote.pacote, pacote.versao))
        }),
        Column::new("tributo", "", Text, |row| Cell::of(&row.change.tributo)),
        Column::new("local", "", Text, |row| Cell::of(&row.change.local)),
        Column::new("escopo", "", Text, |row| Cell::of(&row.change.escopo)),
        Column::new("rule_id", "", Text, |row| Cell::of(&row.change.rule_id)),
        Column::new("anterior", "", Text, |row| row.change.anterior.as_ref().map(Cell::of).into()),
        Column::new("tipo", "", Text, |row| Cell::of(&row.change.tipo)),
        Column::new("vigente_de", "", Date, |row| row.change.vigente_de.into()),
        Column::new("vigente_ate", "", Date, |row| row.change.vigente_ate.into()),
        Column::new("campo", "", Text, |row| row.of_field(|field| &field.campo)),
        Column::new("rotulo", "", Text, |row| row.of_field(|field| &field.rotulo)),
        Column::new("antes", "", Text, |row| match row.change.anterior {
            Some(_) => row.of_field(|field| &field.antes),
            None => Cell::Empty,
        }),
        Column::new("depois", "", Text, |row| row.of_field(|field| &field.depois)),
        Column::new("citacao_legal", "", Text, |row| Cell::of(&row.change.citacao_legal)),
    ]
}

pub(crate) fn rows(changes: &Changes) -> impl Iterator<Item = ChangeRow<'_>> {
    let bundles = changes.publicacoes.iter().flat_map(|publicacao| &publicacao.pacotes);
    let of_bundles = bundles.flat_map(|bundle| bundle.mudancas.iter().map(move |change| (bundle, change)));
    of_bundles.flat_map(|(bundle, change)| {
        let without = change.campos.is_empty().then_some(None);
        let fields = change.campos.iter().map(Some).chain(without);
        fields.map(move |field| ChangeRow { bundle, change, field })
    })
}

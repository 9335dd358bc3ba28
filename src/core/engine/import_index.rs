//! The rules of an import, a few bytes each: what is needed of all of them at once. The rest stays in
//! the files and is parsed again when it is needed.

use std::ops::Range;

use super::interner::{Interner, Jurisdiction, to_u32};
use crate::base::value::{Date, RuleCode, RuleId, Versao};
use crate::law::rule::Vigencia;
use crate::law::rule::bundle::RuleLocation;
use crate::store::{StoreError, StoreResult};

#[derive(Debug, Clone, Copy)]
pub(super) struct ImportRow {
    code_at: u32,
    code_bytes: u32,
    pub(super) versao: Versao,
    file: u32,
    /// Its table, counted from 1; 0 for an item of `regras`.
    table: u32,
    item: u32,
    /// What it applies to ([`ImportIndex::jurisdiction`]).
    pub(super) jurisdiction: u32,
    /// Which scope it has: a hash, equal for equal scopes of one tax.
    pub(super) scope: u32,
    pub(super) has_examples: bool,
    /// The validity that its bundle gives it.
    pub(super) vigencia: Vigencia,
    /// The end that it has after the import.
    pub(super) ate: Option<Date>,
    /// True if its code has published versions.
    pub(super) follows: bool,
    /// The number of the version that it becomes; 0 if it was published before.
    pub(super) number: u64,
}

impl ImportRow {
    pub(super) fn file(&self) -> usize {
        self.file as usize
    }

    pub(super) fn location(&self) -> RuleLocation {
        match self.table.checked_sub(1) {
            Some(table) => RuleLocation::Line(table as usize, self.item as usize),
            None => RuleLocation::Rule(self.item as usize),
        }
    }

    pub(super) fn is_new(&self) -> bool {
        self.number != 0
    }
}

/// A rule as the first pass adds it.
pub(super) struct CheckedRule<'r> {
    /// Index of its file.
    pub(super) file: usize,
    pub(super) location: RuleLocation,
    pub(super) code: &'r RuleCode,
    pub(super) versao: Versao,
    pub(super) jurisdiction: Jurisdiction,
    pub(super) scope: u32,
    pub(super) vigencia: Vigencia,
    pub(super) has_examples: bool,
}

#[derive(Debug, Default)]
pub(super) struct ImportIndex {
    list: Vec<ImportRow>,
    /// Their codes, one after the other: one allocation for all of them.
    codes: String,
    jurisdictions: Interner<Jurisdiction>,
}

impl ImportIndex {
    /// Reserves memory for that many more.
    pub(super) fn reserve(&mut self, more: usize) {
        self.list.reserve(more);
    }

    pub(super) fn push(&mut self, read: &CheckedRule<'_>) -> StoreResult<()> {
        let code = read.code.as_str();
        let (table, item) = match read.location {
            RuleLocation::Rule(item) => (0, item),
            RuleLocation::Line(table, item) => (table + 1, item),
            RuleLocation::Table(_) => return Err(StoreError::Corrupt("a table where a rule was expected".to_owned())),
        };
        let row = ImportRow {
            code_at: to_u32(self.codes.len() as u64)?,
            code_bytes: to_u32(code.len() as u64)?,
            versao: read.versao,
            file: to_u32(read.file as u64)?,
            table: to_u32(table as u64)?,
            item: to_u32(item as u64)?,
            jurisdiction: self.intern_jurisdiction(read.jurisdiction)?,
            scope: read.scope,
            has_examples: read.has_examples,
            vigencia: read.vigencia,
            ate: read.vigencia.ate,
            follows: false,
            number: 0,
        };
        self.codes.push_str(code);
        self.list.push(row);
        Ok(())
    }

    /// Removes the rules of the last file, in which one could not be parsed.
    pub(super) fn forget_from(&mut self, first: usize) {
        self.list.truncate(first);
    }

    /// Sorts by code and version, whatever the order of the files.
    pub(super) fn sort(&mut self) {
        let ImportIndex { list, codes, .. } = self;
        let key = |row: &ImportRow| (code_in(codes, row), row.versao, row.file, row.table, row.item);
        list.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<&ImportRow> {
        self.list.get(index)
    }

    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut ImportRow> {
        self.list.get_mut(index)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, ImportRow> {
        self.list.iter()
    }

    pub(super) fn entering(&self) -> impl Iterator<Item = &ImportRow> + Clone {
        self.list.iter().filter(|row| row.is_new())
    }

    /// The range of the rows that have the code of the one at `first`; they must be sorted.
    pub(super) fn of_code_at(&self, first: usize) -> Range<usize> {
        let rest = self.list.get(first..).unwrap_or_default();
        let same = |row: &&ImportRow| rest.first().is_some_and(|one| self.code(one) == self.code(row));
        first..first + rest.iter().take_while(same).count()
    }

    pub(super) fn code(&self, row: &ImportRow) -> &str {
        code_in(&self.codes, row)
    }

    pub(super) fn rule_code(&self, row: &ImportRow) -> StoreResult<RuleCode> {
        RuleCode::parse(self.code(row)).map_err(StoreError::Corrupt)
    }

    pub(super) fn rule_id(&self, row: &ImportRow) -> StoreResult<RuleId> {
        Ok(RuleId { code: self.rule_code(row)?, versao: row.versao })
    }

    /// The index of a jurisdiction, which is added if it is new.
    pub(super) fn intern_jurisdiction(&mut self, jurisdiction: Jurisdiction) -> StoreResult<u32> {
        self.jurisdictions.index(jurisdiction)
    }

    pub(super) fn jurisdiction(&self, index: u32) -> StoreResult<Jurisdiction> {
        let jurisdiction = self.jurisdictions.get(index).copied();
        jurisdiction.ok_or_else(|| StoreError::Corrupt(format!("an import has no jurisdiction {index}")))
    }
}

fn code_in<'c>(codes: &'c str, row: &ImportRow) -> &'c str {
    let at = row.code_at as usize;
    codes.get(at..at + row.code_bytes as usize).unwrap_or_default()
}

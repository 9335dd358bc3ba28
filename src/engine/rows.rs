//! The rules of an import, a few bytes each: what must be known of all of them at once. The rest
//! is in their files and is read again when it is wanted.

use std::ops::Range;

use super::shared::{Reach, Shared, short};
use crate::rule::Vigencia;
use crate::rule::bundle::RuleLocation;
use crate::store::{StoreError, StoreResult};
use crate::value::{Date, RuleCode, RuleId, Versao};

/// One rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    code_at: u32,
    code_bytes: u32,
    pub(super) versao: Versao,
    file: u32,
    /// Its table, from 1; 0 where it is written out.
    table: u32,
    item: u32,
    /// What it applies to ([`Rows::reach`]).
    pub(super) reach: u32,
    /// Which scope it has: a hash, equal for equal scopes of one tax.
    pub(super) scope: u32,
    pub(super) has_examples: bool,
    /// The validity that its bundle gives it.
    pub(super) vigencia: Vigencia,
    /// The end that it has once all rules have entered.
    pub(super) ate: Option<Date>,
    /// True where versions of its code are there already.
    pub(super) follows: bool,
    /// The number of the version that it becomes; 0 where it is there already.
    pub(super) number: u64,
}

impl Row {
    /// Index of its file.
    pub(super) fn file(&self) -> usize {
        self.file as usize
    }

    /// Where it stands in it.
    pub(super) fn lugar(&self) -> RuleLocation {
        match self.table.checked_sub(1) {
            Some(table) => RuleLocation::Line(table as usize, self.item as usize),
            None => RuleLocation::Rule(self.item as usize),
        }
    }

    pub(super) fn is_new(&self) -> bool {
        self.number != 0
    }
}

/// What the first reading of a rule keeps of it.
pub(super) struct Read<'r> {
    /// Index of its file.
    pub(super) file: usize,
    pub(super) lugar: RuleLocation,
    pub(super) code: &'r RuleCode,
    pub(super) versao: Versao,
    pub(super) reach: Reach,
    pub(super) scope: u32,
    pub(super) vigencia: Vigencia,
    pub(super) has_examples: bool,
}

/// All rules of an import.
#[derive(Debug, Default)]
pub(super) struct Rows {
    list: Vec<Row>,
    /// Their codes, one after the other.
    codes: String,
    reaches: Shared<Reach>,
}

impl Rows {
    /// Room for so many more.
    pub(super) fn reserve(&mut self, more: usize) {
        self.list.reserve(more);
    }

    pub(super) fn push(&mut self, read: &Read<'_>) -> StoreResult<()> {
        let code = read.code.as_str();
        let (table, item) = match read.lugar {
            RuleLocation::Rule(item) => (0, item),
            RuleLocation::Line(table, item) => (table + 1, item),
            RuleLocation::Table(_) => return Err(StoreError::Corrupt("a table in the place of a rule".to_owned())),
        };
        let row = Row {
            code_at: short(self.codes.len() as u64)?,
            code_bytes: short(code.len() as u64)?,
            versao: read.versao,
            file: short(read.file as u64)?,
            table: short(table as u64)?,
            item: short(item as u64)?,
            reach: self.keep_reach(read.reach)?,
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

    /// Forgets the rules of the last file, which has one that cannot be read.
    pub(super) fn forget_from(&mut self, first: usize) {
        self.list.truncate(first);
    }

    /// Brings the versions of a code together, in their order, whatever the order of the files.
    pub(super) fn sort(&mut self) {
        let Rows { list, codes, .. } = self;
        let key = |row: &Row| (code_in(codes, row), row.versao, row.file, row.table, row.item);
        list.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<&Row> {
        self.list.get(index)
    }

    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Row> {
        self.list.get_mut(index)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Row> {
        self.list.iter()
    }

    /// Those that become versions.
    pub(super) fn entering(&self) -> impl Iterator<Item = &Row> + Clone {
        self.list.iter().filter(|row| row.is_new())
    }

    /// Once they are sorted: where the rows lie that have the code of the one at `first`.
    pub(super) fn of_code_at(&self, first: usize) -> Range<usize> {
        let rest = self.list.get(first..).unwrap_or_default();
        let same = |row: &&Row| rest.first().is_some_and(|one| self.code(one) == self.code(row));
        first..first + rest.iter().take_while(same).count()
    }

    pub(super) fn code(&self, row: &Row) -> &str {
        code_in(&self.codes, row)
    }

    pub(super) fn rule_code(&self, row: &Row) -> StoreResult<RuleCode> {
        RuleCode::parse(self.code(row)).map_err(StoreError::Corrupt)
    }

    pub(super) fn rule_id(&self, row: &Row) -> StoreResult<RuleId> {
        Ok(RuleId { code: self.rule_code(row)?, versao: row.versao })
    }

    /// Keeps what a rule applies to, once for all that apply to it.
    pub(super) fn keep_reach(&mut self, reach: Reach) -> StoreResult<u32> {
        self.reaches.index(reach)
    }

    /// What was kept.
    pub(super) fn reach(&self, index: u32) -> StoreResult<Reach> {
        let reach = self.reaches.get(index).copied();
        reach.ok_or_else(|| StoreError::Corrupt(format!("reach {index} of an import")))
    }
}

fn code_in<'c>(codes: &'c str, row: &Row) -> &'c str {
    let at = row.code_at as usize;
    codes.get(at..at + row.code_bytes as usize).unwrap_or_default()
}

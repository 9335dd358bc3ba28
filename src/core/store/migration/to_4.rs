//! Version 4: what publications changed in the answers that were given. The new tables are empty: corrections begin with
//! the first publication after the migration.

use redb::{ReadableTable, TableDefinition, WriteTransaction};

use crate::store::StoreResult;

const SETTINGS: TableDefinition<'static, &'static str, &'static str> = TableDefinition::new("settings");
const PUBLICATIONS: TableDefinition<'static, u64, &'static [u8]> = TableDefinition::new("publications");

pub(super) fn migrate(txn: &WriteTransaction) -> StoreResult<()> {
    let last = txn.open_table(PUBLICATIONS)?.last()?.map_or(0, |(number, _)| number.value());
    txn.open_table(SETTINGS)?.insert("corrections", format!("{{\"feita\":{last}}}").as_str())?;
    Ok(())
}

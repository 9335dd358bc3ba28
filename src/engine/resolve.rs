//! The rules of the store, as the taxes look them up.

use std::cell::RefCell;
use std::sync::Arc;

use super::cache::Sharded;
use super::touched::probe;
use super::version;
use crate::problem::Problem;
use crate::rule::{Chave, Linha, Place, Regra, Regras, RuleResult, VersaoRegra, Vigencia};
use crate::store::{LookupEntry, RuleTables, StoreError};
use crate::value::Date;

/// The rules of one snapshot, or of a transaction under way. Notes every key that is looked up.
pub(super) struct Resolver<'a, T> {
    tables: &'a T,
    /// Decoded versions, shared by all calculations. `None` inside a transaction: its versions may be rolled
    /// back, and their numbers given to others.
    decoded: Option<&'a Sharded<u64, Arc<VersaoRegra>>>,
    probes: RefCell<Vec<u64>>,
}

impl<'a, T: RuleTables> Resolver<'a, T> {
    pub(super) fn new(tables: &'a T, decoded: Option<&'a Sharded<u64, Arc<VersaoRegra>>>) -> Self {
        Resolver { tables, decoded, probes: RefCell::new(Vec::new()) }
    }

    /// Hashes of every scope key that was looked up.
    pub(super) fn into_probes(self) -> Vec<u64> {
        self.probes.into_inner()
    }

    fn regra(&self, found: LookupEntry) -> Result<Regra, StoreError> {
        let versao = match self.decoded.and_then(|d| d.get(&found.number)) {
            Some(versao) => versao,
            None => {
                let versao = version::decode_shared(&self.tables.record(found.number)?)?;
                if let Some(decoded) = self.decoded {
                    decoded.put_if(found.number, Arc::clone(&versao), || true);
                }
                versao
            }
        };
        Ok(Regra { versao, vigencia: found.vigencia })
    }
}

/// The answer to a caller if the store fails.
pub(super) fn failed(error: &StoreError) -> Box<Problem> {
    if error.is_outage() {
        return Box::new(Problem::unavailable());
    }
    let detail = "O serviço não conseguiu ler as regras; repita o pedido e, se persistir, avise o operador.";
    Box::new(Problem::failure(detail, error))
}

impl<T: RuleTables> Regras for Resolver<'_, T> {
    fn em(&self, chave: &Chave, data: Date) -> RuleResult<Option<Regra>> {
        let key = chave.bytes();
        self.probes.borrow_mut().push(probe(&key));
        let found = self.tables.find(&key, data).map_err(|e| failed(&e))?;
        found.map(|f| self.regra(f)).transpose().map_err(|e| failed(&e))
    }

    fn com_qualquer_ultima(&self, chave: &Chave, data: Date) -> RuleResult<Vec<Regra>> {
        let prefix = chave.bytes_before_last();
        self.probes.borrow_mut().push(probe(&prefix));
        let found = self.tables.find_under(&prefix, data).map_err(|e| failed(&e))?;
        found.into_iter().map(|f| self.regra(f)).collect::<Result<_, _>>().map_err(|e| failed(&e))
    }

    fn linhas(&self, prefix: &[u8], place: Place<'_>, max: usize) -> RuleResult<Vec<Linha>> {
        self.tables.rows(prefix, place, max).map_err(|e| failed(&e))
    }

    fn versao(&self, number: u64, vigencia: Vigencia) -> RuleResult<Regra> {
        self.regra(LookupEntry { number, vigencia }).map_err(|e| failed(&e))
    }
}

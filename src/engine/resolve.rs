//! Rules from the store, as the taxes ask for them.

use std::cell::RefCell;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::quality::FixedState;

use super::cache::Sharded;
use super::version;
use crate::problem::Problem;
use crate::rule::{Chave, Regra, Regras, RuleResult, VersaoRegra, Vigencia};
use crate::store::{LookupEntry, RuleTables, StoreError};
use crate::value::Date;

/// The rules of one snapshot (or of a transaction under way), and a note of what was asked.
pub(super) struct Resolver<'a, T> {
    tables: &'a T,
    /// Decoded versions shared with other calculations. Absent inside a transaction, whose
    /// version numbers may yet be undone.
    decoded: Option<&'a Sharded<u64, Arc<VersaoRegra>>>,
    probes: RefCell<Vec<u64>>,
}

impl<'a, T: RuleTables> Resolver<'a, T> {
    pub(super) fn new(tables: &'a T, decoded: Option<&'a Sharded<u64, Arc<VersaoRegra>>>) -> Self {
        Resolver { tables, decoded, probes: RefCell::new(Vec::new()) }
    }

    /// Hashes of every scope key that was asked for.
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

/// Hash of a scope key, or of one without its last dimension.
pub(super) fn probe(bytes: &[u8]) -> u64 {
    FixedState::default().hash_one(bytes)
}

/// Hashes of the scope keys that a publication touched, each also without its last dimension: a lookup asks
/// for one or the other.
#[derive(Debug, Default)]
pub(super) struct Touched(Vec<u64>);

impl Touched {
    pub(super) fn add(&mut self, chave: &Chave) {
        self.0.extend([probe(&chave.bytes()), probe(&chave.bytes_before_last())]);
    }

    /// Makes them quick to look up, once all are there.
    pub(super) fn sort(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
    }

    /// True where the key is among them, once they are sorted.
    pub(super) fn contains(&self, probe: u64) -> bool {
        self.0.binary_search(&probe).is_ok()
    }
}

/// What a caller is told when the store fails.
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

    fn vigencias(&self, prefix: &[u8]) -> RuleResult<Vec<Vigencia>> {
        self.tables.validities(prefix).map_err(|e| failed(&e))
    }
}

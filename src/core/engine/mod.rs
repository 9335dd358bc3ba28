//! Where rules and taxes meet: resolve, calculate, cache, publish.
//!
//! All requests share one [`Engine`]. It has the store, the decoded rules (a version never changes, so a
//! decoded one stays correct) and the result cache. A calculation goes through `calculate`, `resolve` and
//! `answer`; an import begins in `publish`.

mod answer;
mod bundle_faults;
mod cache;
mod calculate;
pub mod catalog;
pub mod changelog;
mod citation;
pub mod coverage;
pub mod examples;
mod figures;
pub mod filter;
mod gaps;
mod import_index;
mod imports;
pub mod interner;
mod lacking;
mod listing;
mod moved_ends;
mod named;
mod national_list;
mod near_codes;
mod numbering;
mod office;
mod official_tables;
mod outcome;
mod outlook;
mod overviews;
mod progress;
pub mod prova;
pub mod provenance;
mod publication_date;
mod publish;
mod published;
mod reading;
mod replay;
mod resolve;
mod sucessao;
mod supposed;
mod sweep;
mod touched;
mod transition;
pub mod upcoming;
pub mod version;

use std::sync::{Arc, Mutex, RwLock};
use std::time::Instant;

pub use answer::{Answer, Extras, PayloadForm};
pub use bundle_faults::{BundleFault, BundleFile, canonical_texts};
pub use cache::CacheState;
pub use filter::{Filter, SituacaoRegra};
pub use imports::{ImportCounts, Imports};
pub use listing::{ClosestRules, Page};
pub use office::OfficeConflict;
pub use official_tables::TableAge;
pub use outcome::{ImportError, ImportOptions, ImportReport, Published, ReadReport, ReportList, Superseded};
pub use outlook::{OpenQuestion, Outlook, RulesAt, program_mark, read_failed};
pub use overviews::OverviewsMade;
pub use progress::{Progress, Stage, Step};
pub use provenance::{BundleRecord, OfficialTable, Signed};
pub use publication_date::ClockFault;
pub use replay::{
    CallState, PayloadOutcome, PublicationComparison, ReplayedPayload, Replayer, RuleComparison, SituacaoChamada,
};
pub use supposed::no_proof;

use crate::base::document::{Node, Object};
use crate::base::value::{Clock, Timestamp};
use crate::law::rule::RuleResult;
use crate::law::tax::{Suposicao, TaxAnswer};
use crate::store::{Store, StoreResult};

use cache::keys::Kept;
use cache::{Decoded, ResultCache, Sharded};
use catalog::Catalog;
use publication_date::Instants;

use overviews::Overviews;
use publish::ImportRequest;
use resolve::Resolver;
use sweep::{Sweep, Swept};

/// Most decoded rule versions in memory: the built-in rules, and room for a firm's own.
const DECODED_RULES: usize = 32_768;

/// Calculates by the rules of one store, and publishes to it.
pub struct Engine {
    store: Arc<Store>,
    clock: Clock,
    decoded: Decoded,
    results: ResultCache,
    kept: Kept,
    /// When `results` and `kept` may be read and written. Without it, a caller could get an answer from before a
    /// publication that it has seen.
    sweep: Sweep,
    /// Dates publications, so that no answer about a past instant ever changes.
    instants: Instants,
    imports: Imports,
    catalog: RwLock<Arc<Catalog>>,
    /// Serializes updates of the catalog, which would otherwise each do the same work.
    catalog_update: Mutex<()>,
    overviews: Overviews,
}

impl Engine {
    /// An engine on `store` that caches up to `cached_results` answers.
    pub fn new(store: Store, cached_results: usize) -> Engine {
        Engine {
            store: Arc::new(store),
            clock: Clock::system(),
            decoded: Sharded::new(DECODED_RULES),
            results: ResultCache::new(cached_results),
            kept: Kept::default(),
            sweep: Sweep::default(),
            instants: Instants::default(),
            imports: Imports::default(),
            catalog: RwLock::default(),
            catalog_update: Mutex::default(),
            overviews: Overviews::default(),
        }
    }

    /// The same engine with another clock.
    pub fn with_clock(mut self, clock: Clock) -> Engine {
        self.clock = clock;
        self
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The counts of the result cache.
    pub fn cache_state(&self) -> CacheState {
        self.results.state()
    }

    pub fn imports(&self) -> &Imports {
        &self.imports
    }

    /// How often the overviews of all rules were made. Each is kept until the next publication.
    pub fn overviews_made(&self) -> OverviewsMade {
        self.overviews.made()
    }

    /// How many rule versions there are.
    pub fn rule_count(&self) -> StoreResult<u64> {
        self.store.read_rules()?.count()
    }

    /// Answers a payload as bytes: from the cache if the same bytes were answered before and no publication has touched
    /// the keys that they looked up, or else by calculating.
    pub fn calculate(&self, payload: &[u8], extras: impl Into<Extras>) -> RuleResult<Answer> {
        self.calculate_seen(payload, extras.into(), |_| {})
    }

    /// The same. `see` is shown the payload as it is parsed, also if it is then refused, and not shown one that the cache
    /// answers.
    pub fn calculate_seen(&self, payload: &[u8], extras: Extras, see: impl FnOnce(&Node<'_>)) -> RuleResult<Answer> {
        let swept = self.sweep.closed();
        let key = swept.and_then(|_| self.results.key(payload, extras));
        if let Some(answer) = self.results.get(key, payload, extras) {
            return Ok(answer);
        }
        let document = calculate::parsed(payload)?;
        see(&document);
        let (answer, probes) = self.find(PayloadForm::Parsed(payload, &document), extras, swept, &[])?;
        let answer = Answer::of(&answer)?;
        if let Some((key, swept)) = key.zip(swept) {
            self.results.put(key, payload, extras, &answer, probes, || self.sweep.is_still(swept));
        }
        Ok(answer)
    }

    /// Answers a payload that this program made. The answer is the same, typed, and not cached: the rows of a list and the
    /// items of documents seldom repeat, and would evict what callers ask again. With `known_at`, as
    /// [`calculate_at`](Self::calculate_at).
    pub fn answer(
        &self,
        payload: &Object<'_>,
        extras: impl Into<Extras>,
        known_at: Option<Timestamp>,
    ) -> RuleResult<TaxAnswer> {
        self.look_up(PayloadForm::Object(payload), extras.into(), known_at, &[])
    }

    /// Calculates without the cache, by the rules in force or by those of a past instant.
    fn look_up(
        &self,
        asked: PayloadForm<'_>,
        extras: Extras,
        known_at: Option<Timestamp>,
        supondo: &[Suposicao],
    ) -> RuleResult<TaxAnswer> {
        match known_at {
            Some(instant) => self.find_as_known(asked, extras, instant, supondo),
            None => Ok(self.find(asked, extras, self.sweep.closed(), supondo)?.0),
        }
    }

    /// Calculates by the rules in force, and returns the keys that were looked up.
    fn find(
        &self,
        asked: PayloadForm<'_>,
        extras: Extras,
        swept: Option<Swept>,
        supondo: &[Suposicao],
    ) -> RuleResult<(TaxAnswer, Vec<u64>)> {
        let rules = self.store.read_rules().map_err(|e| resolve::failed(&e))?;
        let is_still = || swept.is_some_and(|swept| self.sweep.is_still(swept));
        let resolver = Resolver::new(&*rules, Some(&self.decoded)).with_kept(&self.kept, &is_still);
        let resolver = resolver.with_extras(extras).supposing(supondo);
        let answer = calculate::answer(&resolver, asked, extras)?;
        Ok((answer, resolver.into_probes()))
    }

    /// Waits until what is dated at that instant or before is committed. Later publications are dated after it.
    pub fn settle(&self, instant: Timestamp) {
        self.instants.answer_for(instant, self.now());
    }

    /// Answers by the rules that were published at a past instant, with the ends that they had then. Does not use the
    /// cache. The answer is final: no later publication is dated at that instant or before. Waits if a publication is being
    /// committed.
    fn find_as_known(
        &self,
        asked: PayloadForm<'_>,
        extras: Extras,
        instant: Timestamp,
        supondo: &[Suposicao],
    ) -> RuleResult<TaxAnswer> {
        self.settle(instant);
        let rules = self.store.read_rules_as_of(instant.millis()).map_err(|e| resolve::failed(&e))?;
        let resolver = Resolver::new(&rules, Some(&self.decoded)).with_extras(extras).supposing(supondo);
        calculate::answer(&resolver, asked, extras).map_err(|problem| match rules.first_later() {
            Some(first) => publication_date::refusal_before_first(problem, instant, first),
            None => problem,
        })
    }

    /// As [`calculate`](Self::calculate), or as it would have been answered at a past instant.
    pub fn calculate_at(
        &self,
        payload: &[u8],
        extras: impl Into<Extras>,
        known_at: Option<Timestamp>,
    ) -> RuleResult<Answer> {
        let Some(instant) = known_at else { return self.calculate(payload, extras) };
        Answer::of(&self.find_as_known(PayloadForm::Text(payload), extras.into(), instant, &[])?)
    }

    /// Await this before [`calculate_at`](Self::calculate_at) for an instant that is not in the
    /// future: it then does not block the thread.
    pub async fn answers_are_final(&self, instant: Timestamp) {
        self.instants.answer_for_by_task(|| instant).await;
    }

    /// Await this before the changelog is read for a caller, who will continue from the date of this query:
    /// every event dated up to now is visible then, and later events are dated later. Waits while a publication
    /// is being committed.
    pub async fn changelog_is_complete(&self) {
        self.instants.answer_for_by_task(|| self.now()).await;
    }

    /// Opens the data file again after an outage. It may contain a publication whose commit was reported as
    /// failed, so the result cache is emptied and the catalog updated.
    pub fn reopen(&self) -> StoreResult<()> {
        let mut unswept = None;
        let reopened = self.store.reopen(|| unswept = Some(self.sweep.begin()));
        if let Some(unswept) = unswept {
            self.results.forget_all();
            self.kept.forget_all();
            unswept.done();
        }
        reopened.and_then(|()| self.renew_catalog(false))
    }

    /// Publishes bundles, all of them or nothing, at the given instant.
    pub fn import(
        &self,
        files: &[BundleFile],
        published_at: Timestamp,
        options: ImportOptions,
    ) -> Result<ImportReport, ImportError> {
        self.import_by(files, &|| published_at, options, &mut |_| {})
    }

    /// Publishes bundles, all of them or nothing, by the engine's clock, and reports its progress.
    pub fn import_with_progress(
        &self,
        files: &[BundleFile],
        options: ImportOptions,
        progress: Progress<'_>,
    ) -> Result<ImportReport, ImportError> {
        self.import_by(files, &|| self.now(), options, progress)
    }

    fn import_by(
        &self,
        files: &[BundleFile],
        clock: &dyn Fn() -> Timestamp,
        options: ImportOptions,
        progress: Progress<'_>,
    ) -> Result<ImportReport, ImportError> {
        let began = Instant::now();
        let mut unswept = None;
        let before_commit = || unswept = Some(self.sweep.begin());
        let import =
            ImportRequest { store: &self.store, instants: &self.instants, files, clock, options, stages: false };
        let imported = import.run(before_commit, progress);
        if let Some(unswept) = unswept {
            // A commit that failed is visible to no reader. If it left anything in the file, that becomes visible
            // when the file is opened again, which empties the cache.
            if let Ok(imported) = &imported {
                self.results.forget(&imported.touched);
                self.kept.forget(&imported.touched);
            }
            unswept.done();
            // The next listing tries again, and so does the end of an outage, which is logged in one place.
            if let Err(error) = self.renew_catalog(false)
                && !error.is_outage()
            {
                tracing::error!(%error, "the catalog of rules could not be updated; the next listing tries again");
            }
        }
        let done = imported.map(|imported| imported.report);
        if !options.dry_run {
            self.imports.record(files, &done, began.elapsed());
        }
        done
    }
}

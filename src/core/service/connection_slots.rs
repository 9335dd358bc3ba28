//! Slots for connections: how many may be open, and which one is evicted when all slots are taken.

use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::sleep_until;

/// When another origin needs a slot, an origin with more than one in so many slots may lose a request in flight.
const SHARES: usize = 4;
/// The state of an evicted connection: no request starts on it any more.
const EVICTED: u64 = u64::MAX;
/// The instant from which the changes of connections are counted.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Where a connection comes from: an IPv4 address, or an IPv6 network of 64 bits, which is what one customer of
/// a provider gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Origin(u128);

impl From<IpAddr> for Origin {
    fn from(address: IpAddr) -> Origin {
        match address.to_canonical() {
            IpAddr::V4(v4) => Origin(v4.to_ipv6_mapped().to_bits()),
            IpAddr::V6(v6) => Origin(v6.to_bits() & !u128::from(u64::MAX)),
        }
    }
}

/// What a connection is doing. Shared by its slot, its stream and its answers.
#[derive(Debug, Default)]
pub struct ConnectionActivity {
    /// Twice the time of the last change, in nanoseconds since [`START`], plus one while a request is in flight; or
    /// [`EVICTED`]. One atomic value, so that a request and an eviction cannot both win.
    state: AtomicU64,
    /// True while bytes of an answer wait for the caller to read.
    unread: AtomicBool,
    /// The task that waits until they are read.
    waiting: Mutex<Option<Waker>>,
    /// Wakes the task of the connection when it is evicted.
    eviction: Notify,
}

impl ConnectionActivity {
    fn new() -> ConnectionActivity {
        let activity = ConnectionActivity::default();
        activity.change(false);
        activity
    }

    /// Records a change; false if the connection was evicted.
    fn change(&self, in_flight: bool) -> bool {
        let changed = changed_now() + u64::from(in_flight);
        let change = |state| (state != EVICTED).then_some(changed);
        self.state.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change).is_ok()
    }

    /// The time of [`overdue`](Self::overdue) begins again, if no request is in flight.
    pub fn begin_waiting(&self) {
        let change = |state: u64| state.is_multiple_of(2).then(changed_now);
        // The error is the state of a connection with a request, or of an evicted one: nothing is to be done.
        let _ = self.state.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change);
    }

    /// Waits until the connection has been idle for `limit`. This takes one timer for many requests, where a timer for
    /// the head of each would cost a call a twentieth of its time.
    pub async fn overdue(&self, limit: Duration) {
        loop {
            let idle_since = self.idle().map(|state| *START + Duration::from_nanos(state / 2));
            let deadline = idle_since.unwrap_or_else(Instant::now) + limit;
            if deadline <= Instant::now() {
                return;
            }
            sleep_until(deadline.into()).await;
        }
    }

    /// Starts a request, which is in flight until the value is dropped. `None` if the connection was evicted.
    #[must_use]
    pub fn request(self: &Arc<Self>) -> Option<RequestInFlight> {
        self.change(true).then(|| RequestInFlight(Arc::clone(self)))
    }

    /// Records whether bytes of an answer wait for the caller to read.
    pub fn set_unread(&self, unread: bool) {
        self.unread.store(unread, Ordering::Relaxed);
        if unread {
            return;
        }
        self.begin_waiting();
        if let Some(waker) = self.waiting().take() {
            waker.wake();
        }
    }

    /// Waits until the caller has read the answers so far. Must be polled by the task that also calls
    /// [`set_unread`](Self::set_unread).
    pub async fn read(&self) {
        poll_fn(|context| {
            if !self.unread.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            *self.waiting() = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Waits until the connection is evicted.
    pub async fn evicted(&self) {
        self.eviction.notified().await;
    }

    fn waiting(&self) -> MutexGuard<'_, Option<Waker>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Evicts the connection if its state is still that one; false if a request started or ended meanwhile.
    fn evict(&self, state: u64) -> bool {
        let evicted = self.state.compare_exchange(state, EVICTED, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if evicted {
            self.eviction.notify_one();
        }
        evicted
    }

    /// Returns the state of an idle connection: no request is in flight, and no answer is unread.
    fn idle(&self) -> Option<u64> {
        let state = self.state.load(Ordering::Relaxed);
        (state.is_multiple_of(2) && !self.unread.load(Ordering::Relaxed)).then_some(state)
    }
}

/// The state of a connection that changes now, without a request in flight.
fn changed_now() -> u64 {
    u64::try_from(START.elapsed().as_nanos()).unwrap_or(EVICTED / 2) * 2
}

/// A request from its head to the end of its answer.
#[derive(Debug)]
pub struct RequestInFlight(Arc<ConnectionActivity>);

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        self.0.change(false);
    }
}

#[derive(Debug)]
pub struct ConnectionSlots {
    max: usize,
    taken: Mutex<TakenSlots>,
}

#[derive(Debug, Default)]
struct TakenSlots {
    count: usize,
    next: u64,
    /// Connections by origin, then by number.
    by_origin: HashMap<Origin, BTreeMap<u64, Arc<ConnectionActivity>>>,
}

/// A connection that may be evicted.
struct Candidate {
    origin: Origin,
    number: u64,
    state: u64,
}

/// A taken slot; it is free again when this is dropped.
#[derive(Debug)]
pub struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    origin: Origin,
    number: u64,
    /// What the connection in the slot is doing.
    pub activity: Arc<ConnectionActivity>,
}

impl ConnectionSlots {
    pub fn new(max: usize) -> Arc<ConnectionSlots> {
        Arc::new(ConnectionSlots { max, taken: Mutex::default() })
    }

    /// Takes a slot for a new connection.
    ///
    /// When all are taken, evicts the connection that has been idle for longest, at the origin with the most
    /// connections. If none is idle, an origin with more than its share loses the request that has been in
    /// flight for longest, but only to another origin. `None` if no connection may be evicted.
    #[must_use]
    pub fn acquire(self: &Arc<Self>, origin: Origin) -> Option<ConnectionSlot> {
        let mut taken = self.lock();
        while taken.count >= self.max {
            let candidate = taken.longest_idle().or_else(|| taken.beyond_share(origin, self.max / SHARES))?;
            taken.evict(&candidate);
        }
        let activity = Arc::new(ConnectionActivity::new());
        let number = taken.next;
        taken.next += 1;
        taken.count += 1;
        taken.by_origin.entry(origin).or_default().insert(number, Arc::clone(&activity));
        Some(ConnectionSlot { slots: Arc::clone(self), origin, number, activity })
    }

    fn lock(&self) -> MutexGuard<'_, TakenSlots> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TakenSlots {
    /// Returns the connection that has been idle for longest, at the origin with the most connections that has
    /// an idle one.
    fn longest_idle(&self) -> Option<Candidate> {
        let mut origins: Vec<_> = self.by_origin.iter().collect();
        origins.sort_unstable_by_key(|(_, connections)| std::cmp::Reverse(connections.len()));
        origins.into_iter().find_map(|(origin, connections)| {
            let idle = connections.iter().filter_map(|(number, activity)| Some((activity.idle()?, *number)));
            idle.min().map(|(state, number)| Candidate { origin: *origin, number, state })
        })
    }

    /// Returns the connection whose request has been in flight for longest, at the origin with the most
    /// connections. `None` if that origin is the newcomer's or has no more than its share.
    fn beyond_share(&self, newcomer: Origin, share: usize) -> Option<Candidate> {
        let (origin, connections) = self.by_origin.iter().max_by_key(|(_, connections)| connections.len())?;
        if *origin == newcomer || connections.len() <= share {
            return None;
        }
        let states = connections.iter().map(|(number, activity)| (activity.state.load(Ordering::Relaxed), *number));
        states.min().map(|(state, number)| Candidate { origin: *origin, number, state })
    }

    /// Evicts the connection and frees its slot, unless its state has changed.
    fn evict(&mut self, candidate: &Candidate) {
        let Candidate { origin, number, state } = *candidate;
        let activity = self.by_origin.get(&origin).and_then(|connections| connections.get(&number));
        if activity.is_some_and(|activity| activity.evict(state)) {
            self.free(origin, number);
        }
    }

    fn free(&mut self, origin: Origin, number: u64) {
        let Some(connections) = self.by_origin.get_mut(&origin) else { return };
        if connections.remove(&number).is_some() {
            self.count -= 1;
        }
        if connections.is_empty() {
            self.by_origin.remove(&origin);
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        // Has no effect if the connection was evicted: its slot is already free.
        self.slots.lock().free(self.origin, self.number);
    }
}

//! Places of connections: how many there are, and which connection gives way when all are taken.

use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use tokio::sync::Notify;

/// An address may keep a request in flight on up to one in so many places when another address needs one.
const SHARES: usize = 4;

/// Where a connection comes from: an IPv4 address, or the network of 64 bits around an IPv6 address,
/// which is what one customer of a provider gets.
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

/// What a connection is doing. Shared by the connection, its stream and its answers.
#[derive(Debug, Default)]
pub struct ConnectionActivity {
    /// Counts the changes of all connections: the smallest number changed longest ago.
    clock: Arc<AtomicU64>,
    /// Twice the number of the last change, and one more while a request is in flight.
    state: AtomicU64,
    /// Bytes of an answer wait for the caller to read.
    unread: AtomicBool,
    /// What waits until they are read.
    waiting: Mutex<Option<Waker>>,
    /// Wakes the connection that has to give way.
    eviction: Notify,
}

impl ConnectionActivity {
    fn begin(clock: &Arc<AtomicU64>) -> ConnectionActivity {
        let activity = ConnectionActivity { clock: Arc::clone(clock), ..ConnectionActivity::default() };
        activity.change(false);
        activity
    }

    fn change(&self, in_flight: bool) {
        let number = self.clock.fetch_add(1, Ordering::Relaxed);
        self.state.store(number * 2 + u64::from(in_flight), Ordering::Relaxed);
    }

    /// A request has arrived. It is in flight until the value is dropped.
    #[must_use]
    pub fn request(self: &Arc<Self>) -> RequestInFlight {
        self.change(true);
        RequestInFlight(Arc::clone(self))
    }

    /// Says whether bytes of an answer wait for the caller to read.
    pub fn set_unread(&self, unread: bool) {
        self.unread.store(unread, Ordering::Relaxed);
        let waker = if unread { None } else { self.waiting().take() };
        if let Some(waker) = waker {
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

    /// Waits until the connection has to give way to another one.
    pub async fn evicted(&self) {
        self.eviction.notified().await;
    }

    fn waiting(&self) -> MutexGuard<'_, Option<Waker>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the last change of a connection on which nothing is asked and nothing is unread.
    fn idle(&self) -> Option<u64> {
        let state = self.state.load(Ordering::Relaxed);
        (state.is_multiple_of(2) && !self.unread.load(Ordering::Relaxed)).then_some(state)
    }
}

/// A request from its head to the end of its answer.
#[derive(Debug)]
pub struct RequestInFlight(Arc<ConnectionActivity>);

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        self.0.change(false);
    }
}

/// The places of a listener.
#[derive(Debug)]
pub struct ConnectionSlots {
    most: usize,
    clock: Arc<AtomicU64>,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    count: usize,
    /// Number of the next connection.
    next: u64,
    /// Connections by where they come from, and there by number.
    by_origin: HashMap<Origin, BTreeMap<u64, Arc<ConnectionActivity>>>,
}

/// A place that is taken; it is free again when this is dropped.
#[derive(Debug)]
pub struct ConnectionSlot {
    connection_slots: Arc<ConnectionSlots>,
    origin: Origin,
    number: u64,
    /// What its connection is doing.
    pub activity: Arc<ConnectionActivity>,
}

impl ConnectionSlots {
    /// So many places, none taken.
    #[must_use]
    pub fn new(most: usize) -> Arc<ConnectionSlots> {
        Arc::new(ConnectionSlots { most, clock: Arc::default(), taken: Mutex::default() })
    }

    /// A place for a new connection.
    ///
    /// When all are taken, the connection gives way that has been idle for longest, at the origin with the
    /// most connections. If none is idle, an origin with more than its share gives up the request that is
    /// in flight for longest, but only to another origin. `None` if nobody has to give way.
    #[must_use]
    pub fn enter(self: &Arc<Self>, origin: Origin) -> Option<ConnectionSlot> {
        let mut taken = self.lock();
        if taken.count >= self.most {
            let (from, number) = taken.idle().or_else(|| taken.beyond_share(origin, self.most / SHARES))?;
            if let Some(activity) = taken.remove(from, number) {
                activity.eviction.notify_one();
            }
        }
        let activity = Arc::new(ConnectionActivity::begin(&self.clock));
        let number = taken.next;
        taken.next += 1;
        taken.count += 1;
        taken.by_origin.entry(origin).or_default().insert(number, Arc::clone(&activity));
        Some(ConnectionSlot { connection_slots: Arc::clone(self), origin, number, activity })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// The connection that has been idle for longest, at the origin with the most connections that has one.
    fn idle(&self) -> Option<(Origin, u64)> {
        let mut origins: Vec<_> = self.by_origin.iter().collect();
        origins.sort_unstable_by_key(|(_, connections)| std::cmp::Reverse(connections.len()));
        origins.into_iter().find_map(|(origin, connections)| {
            let idle = connections.iter().filter_map(|(number, activity)| Some((activity.idle()?, *number)));
            idle.min().map(|(_, number)| (*origin, number))
        })
    }

    /// The connection whose request is in flight for longest, at the origin with the most connections; none if
    /// that origin is the newcomer's or has no more than its share.
    fn beyond_share(&self, newcomer: Origin, share: usize) -> Option<(Origin, u64)> {
        let (origin, connections) = self.by_origin.iter().max_by_key(|(_, connections)| connections.len())?;
        if *origin == newcomer || connections.len() <= share {
            return None;
        }
        let last_change = |activity: &ConnectionActivity| activity.state.load(Ordering::Relaxed);
        connections.iter().min_by_key(|(_, activity)| last_change(activity)).map(|(number, _)| (*origin, *number))
    }

    fn remove(&mut self, origin: Origin, number: u64) -> Option<Arc<ConnectionActivity>> {
        let connections = self.by_origin.get_mut(&origin)?;
        let removed = connections.remove(&number)?;
        if connections.is_empty() {
            self.by_origin.remove(&origin);
        }
        self.count -= 1;
        Some(removed)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        // One that had to give way is removed already.
        self.connection_slots.lock().remove(self.origin, self.number);
    }
}

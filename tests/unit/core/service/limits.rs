//! Which connection is evicted when all slots are taken, and memory for requests and answers in flight.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use taxd_core::service::{ConnectionCapacity, ConnectionSlot, ConnectionSlots, MemoryBudget, Origin};

fn from(address: &str) -> Origin {
    Origin::from(address.parse::<IpAddr>().unwrap())
}

/// True if the connection was evicted.
fn is_evicted(slot: &ConnectionSlot) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        tokio::select! {
            biased;
            () = slot.activity.evicted() => true,
            () = std::future::ready(()) => false,
        }
    })
}

#[test]
fn the_longest_idle_connection_of_the_largest_origin_is_evicted() {
    let slots = ConnectionSlots::new(4);
    let alone = slots.acquire(from("10.0.0.1")).unwrap();
    let crowd: Vec<ConnectionSlot> = (0..3).map(|_| slots.acquire(from("10.0.0.2")).unwrap()).collect();
    // The first of the crowd was used last.
    drop(crowd[0].activity.request().unwrap());
    let next = slots.acquire(from("10.0.0.3")).unwrap();
    assert!(is_evicted(&crowd[1]));
    assert!(![&alone, &crowd[0], &crowd[2], &next].into_iter().any(is_evicted));
    // The slot is freed once, also when the evicted connection ends later.
    drop(crowd);
    let more: Vec<ConnectionSlot> = (0..2).map(|_| slots.acquire(from("10.0.0.4")).unwrap()).collect();
    assert!(![&alone, &next].into_iter().chain(&more).any(is_evicted));
}

#[test]
fn a_connection_with_a_request_in_flight_or_an_unread_answer_is_not_idle() {
    let slots = ConnectionSlots::new(2);
    let (asking, unread) = (slots.acquire(from("10.0.0.1")).unwrap(), slots.acquire(from("10.0.0.1")).unwrap());
    let request = asking.activity.request().unwrap();
    unread.activity.set_unread(true);
    assert!(slots.acquire(from("10.0.0.1")).is_none());
    unread.activity.set_unread(false);
    let next = slots.acquire(from("10.0.0.1"));
    assert!(next.is_some() && is_evicted(&unread));
    drop((next, request));
    assert!(slots.acquire(from("10.0.0.1")).is_some());
    assert!(!is_evicted(&asking), "a slot was free");
}

/// A request that arrived while its idle connection was being evicted was cut in the middle.
#[test]
fn no_request_starts_on_an_evicted_connection_and_none_that_started_is_evicted() {
    let slots = ConnectionSlots::new(1);
    let idle = slots.acquire(from("10.0.0.1")).unwrap();
    let next = slots.acquire(from("10.0.0.1")).unwrap();
    assert!(is_evicted(&idle) && idle.activity.request().is_none());
    let request = next.activity.request().unwrap();
    assert!(slots.acquire(from("10.0.0.1")).is_none() && !is_evicted(&next));
    drop(request);
}

#[test]
fn only_an_origin_beyond_its_share_gives_up_a_request_and_only_to_another() {
    let slots = ConnectionSlots::new(8);
    let busy = |address: &str| {
        let slot = slots.acquire(from(address)).unwrap();
        let request = slot.activity.request().unwrap();
        (slot, request)
    };
    let mut four: Vec<_> = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].map(|a| [busy(a), busy(a)]).into();
    assert!(slots.acquire(from("10.0.0.5")).is_none(), "nobody has more than a quarter");
    four.pop();
    let third = [busy("10.0.0.1"), busy("10.0.0.1")];
    assert!(slots.acquire(from("10.0.0.1")).is_none(), "its own requests stay");
    let next = slots.acquire(from("10.0.0.5"));
    assert!(next.is_some() && is_evicted(&four[0][0].0), "the oldest request of the largest origin");
    assert!(!third.iter().any(|(slot, _)| is_evicted(slot)));
}

#[test]
fn an_origin_is_an_ipv4_address_or_the_network_of_an_ipv6_customer() {
    assert_eq!(from("2001:db8:1:2::1"), from("2001:db8:1:2:ffff::9"));
    assert_ne!(from("2001:db8:1:2::1"), from("2001:db8:1:3::1"));
    assert_eq!(from("::ffff:10.0.0.1"), from("10.0.0.1"));
    assert_ne!(from("10.0.0.1"), from("10.0.0.2"));
}

#[test]
fn a_request_waits_until_earlier_answers_are_read() {
    let slots = ConnectionSlots::new(1);
    let slot = slots.acquire(from("10.0.0.1")).unwrap();
    let activity = Arc::clone(&slot.activity);
    activity.set_unread(true);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        assert!(tokio::time::timeout(Duration::from_millis(20), activity.read()).await.is_err());
        tokio::join!(activity.read(), async { activity.set_unread(false) });
        activity.read().await;
    });
}

#[test]
fn one_account_gets_a_quarter_of_the_budget_and_waits_for_more() {
    const KIB: usize = 1024;
    let budget = MemoryBudget::new(64 * KIB);
    let (one, two): (Arc<str>, Arc<str>) = ("acc_1".into(), "acc_2".into());
    let mut first = budget.try_acquire(&one, 10 * KIB).unwrap();
    assert!(budget.try_acquire(&one, 7 * KIB).is_none(), "16 KiB are its share");
    let others = budget.try_acquire(&two, 100 * KIB).unwrap();
    assert!(budget.try_acquire(&two, 1).is_none(), "more than its share counts as its share");
    assert!(budget.resize(&mut first, 4 * KIB));
    let rest = budget.try_acquire(&one, 12 * KIB).unwrap();
    assert!(!budget.resize(&mut first, 5 * KIB), "it cannot grow");
    let part = first.split(3 * KIB).unwrap();
    assert!(first.split(2 * KIB).is_none());
    drop(part);
    drop(budget.try_acquire(&one, 3 * KIB).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        assert!(budget.acquire(&one, 4 * KIB, Duration::from_millis(20)).await.is_none());
        let wait = budget.acquire(&one, 4 * KIB, Duration::from_mins(1));
        let (held, ()) = tokio::join!(wait, async { drop(rest) });
        assert!(held.is_some());
    });
    drop((first, others));
    // In all: four shares, and no fifth.
    let accounts: Vec<Arc<str>> = (0..5).map(|i| format!("acc_{i}").into()).collect();
    let held: Vec<_> = accounts.iter().map(|account| budget.try_acquire(account, 16 * KIB)).collect();
    assert_eq!(held.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, true, true, false]);
}

#[test]
fn connections_leave_descriptors_for_the_rest() {
    for (limit, asked, served) in [
        (None, 1_000_000, 1_000_000),
        (Some(4_352), 4_096, 4_096),
        (Some(1_024), 4_096, 768),
        (Some(64), 4_096, 32),
        (Some(1_024), 8, 8),
    ] {
        let room = ConnectionCapacity::under(limit, asked);
        assert_eq!((room.served, room.shortage().is_some()), (served, served < asked), "{limit:?} {asked}");
    }
    let told = ConnectionCapacity::under(Some(1_024), 4_096).shortage().unwrap();
    assert!(["4096", "1024", "768", "4352"].iter().all(|figure| told.contains(figure)), "{told}");
}

//! Who gets a place when all are taken, and memory for what is in flight.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use taxd::service::{ConnectionCapacity, ConnectionSlot, ConnectionSlots, MemoryBudget, Origin};

fn from(address: &str) -> Origin {
    Origin::from(address.parse::<IpAddr>().unwrap())
}

/// True if the connection was told to give way.
fn gives_way(place: &ConnectionSlot) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        tokio::select! {
            biased;
            () = place.activity.evicted() => true,
            () = std::future::ready(()) => false,
        }
    })
}

#[test]
fn the_longest_idle_connection_of_the_largest_origin_gives_way() {
    let places = ConnectionSlots::new(4);
    let alone = places.enter(from("10.0.0.1")).unwrap();
    let crowd: Vec<ConnectionSlot> = (0..3).map(|_| places.enter(from("10.0.0.2")).unwrap()).collect();
    // The first of the crowd was used last.
    drop(crowd[0].activity.request());
    let next = places.enter(from("10.0.0.3")).unwrap();
    assert!(gives_way(&crowd[1]));
    assert!(![&alone, &crowd[0], &crowd[2], &next].into_iter().any(gives_way));
    // The place counts once, also when the connection that gave way ends later.
    drop(crowd);
    let more: Vec<ConnectionSlot> = (0..2).map(|_| places.enter(from("10.0.0.4")).unwrap()).collect();
    assert!(![&alone, &next].into_iter().chain(&more).any(gives_way));
}

#[test]
fn a_connection_with_a_request_in_flight_or_an_unread_answer_is_not_idle() {
    let places = ConnectionSlots::new(2);
    let (asking, unread) = (places.enter(from("10.0.0.1")).unwrap(), places.enter(from("10.0.0.1")).unwrap());
    let request = asking.activity.request();
    unread.activity.set_unread(true);
    assert!(places.enter(from("10.0.0.1")).is_none());
    unread.activity.set_unread(false);
    let next = places.enter(from("10.0.0.1"));
    assert!(next.is_some() && gives_way(&unread));
    drop((next, request));
    assert!(places.enter(from("10.0.0.1")).is_some());
    assert!(!gives_way(&asking), "a place was free");
}

#[test]
fn only_an_origin_beyond_its_share_gives_up_a_request_and_only_to_another() {
    let places = ConnectionSlots::new(8);
    let busy = |address: &str| {
        let place = places.enter(from(address)).unwrap();
        let request = place.activity.request();
        (place, request)
    };
    let mut four: Vec<_> = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].map(|a| [busy(a), busy(a)]).into();
    assert!(places.enter(from("10.0.0.5")).is_none(), "nobody has more than a quarter");
    four.pop();
    let third = [busy("10.0.0.1"), busy("10.0.0.1")];
    assert!(places.enter(from("10.0.0.1")).is_none(), "its own requests stay");
    let next = places.enter(from("10.0.0.5"));
    assert!(next.is_some() && gives_way(&four[0][0].0), "the oldest request of the largest origin");
    assert!(!third.iter().any(|(place, _)| gives_way(place)));
}

#[test]
fn an_origin_is_an_ipv4_address_or_the_network_of_an_ipv6_customer() {
    assert_eq!(from("2001:db8:1:2::1"), from("2001:db8:1:2:ffff::9"));
    assert_ne!(from("2001:db8:1:2::1"), from("2001:db8:1:3::1"));
    assert_eq!(from("::ffff:10.0.0.1"), from("10.0.0.1"));
    assert_ne!(from("10.0.0.1"), from("10.0.0.2"));
}

#[test]
fn what_is_unread_is_waited_for() {
    let places = ConnectionSlots::new(1);
    let place = places.enter(from("10.0.0.1")).unwrap();
    let activity = Arc::clone(&place.activity);
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
    let memory_budget = MemoryBudget::new(64 * KIB);
    let (one, two): (Arc<str>, Arc<str>) = ("acc_1".into(), "acc_2".into());
    let mut first = memory_budget.try_acquire(&one, 10 * KIB).unwrap();
    assert!(memory_budget.try_acquire(&one, 7 * KIB).is_none(), "16 KiB are its share");
    let others = memory_budget.try_acquire(&two, 100 * KIB).unwrap();
    assert!(memory_budget.try_acquire(&two, 1).is_none(), "more than its share counts as its share");
    assert!(memory_budget.resize(&mut first, 4 * KIB));
    let rest = memory_budget.try_acquire(&one, 12 * KIB).unwrap();
    assert!(!memory_budget.resize(&mut first, 5 * KIB), "it cannot grow");
    let part = first.split(3 * KIB).unwrap();
    assert!(first.split(2 * KIB).is_none());
    drop(part);
    drop(memory_budget.try_acquire(&one, 3 * KIB).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        assert!(memory_budget.acquire(&one, 4 * KIB, Duration::from_millis(20)).await.is_none());
        let wait = memory_budget.acquire(&one, 4 * KIB, Duration::from_mins(1));
        let (held, ()) = tokio::join!(wait, async { drop(rest) });
        assert!(held.is_some());
    });
    drop((first, others));
    // In all: four shares, and no fifth.
    let accounts: Vec<Arc<str>> = (0..5).map(|i| format!("acc_{i}").into()).collect();
    let held: Vec<_> = accounts.iter().map(|account| memory_budget.try_acquire(account, 16 * KIB)).collect();
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

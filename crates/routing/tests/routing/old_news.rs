//! Copies of a request that a node knows: what may be kept from its router.

use crate::script::{request, stream};
use acklab_base::{Duration, Instant, NodeId};
use acklab_routing::{Aodv, AodvConfig, Router};
use acklab_wire::aodv::Message;
use acklab_wire::{Body, Packet};

fn copy(origin: u32, number: u32, from: u32) -> Packet {
    let message = Message::Request(request(number, (origin, 4), (8, 0), 2));
    Packet {
        id: 0,
        source: NodeId(from),
        destination: NodeId::BROADCAST,
        ttl: 20,
        bytes: 48,
        body: Body::Aodv(message),
    }
}

/// Floods of few nodes with few numbers, in any order, over several times the memory of requests:
/// what is called old news changes nothing at all, and what is new is not called so.
#[test]
fn what_is_old_news_changes_nothing_when_it_comes() {
    let config = AodvConfig::ns2();
    let mut router = Router::Aodv(Box::new(Aodv::new(NodeId(4), config, stream(1, 4))));
    let mut draws = stream(7, 4);
    let (mut old, mut heard_again) = (0, 0);
    let mut now = Instant::ZERO;
    for _ in 0..3000 {
        now += draws.interval_below(Duration::from_millis(30));
        while router.next_wake() <= now {
            let at = router.next_wake();
            router.on_wake(at);
        }
        while router.poll().is_some() {}
        let packet = copy(draws.below(6), draws.below(40), 3);
        let is_old = router.is_old_news(now, &packet);
        let before = format!("{router:?}");
        router.on_packet(now, packet.clone(), Some(NodeId(3)));
        let changed = format!("{router:?}") != before;
        assert!(!(is_old && changed), "{packet:?} at {now:?}");
        assert!(is_old || changed, "{packet:?} at {now:?}");
        old += u32::from(is_old);
        heard_again += u32::from(!is_old && now > Instant::ZERO + Duration::from_secs(10));
    }
    assert!(old > 500 && heard_again > 500, "{old}, {heard_again}");
    // Beyond the next look at what may be forgotten nothing is promised.
    let packet = copy(0, 1, 3);
    router.on_packet(now, packet.clone(), Some(NodeId(3)));
    assert!(router.is_old_news(now, &packet));
    assert!(!router.is_old_news(now + Duration::from_millis(500), &packet));
}

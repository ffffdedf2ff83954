//! The contract of the link layer under random treatment: a spurious wake changes nothing, and no packet is
//! lost from sight.
//!
//! Each case has a seed, which a failure prints.

use crate::spurious_wakes::{ME, packet, stream};
use acklab_base::{Duration, Instant, NodeId, Purpose};
use acklab_mac::{LinkConfig, LinkLayer, LinkOutput};
use acklab_wire::Payload;
use acklab_wire::arp::Arp;

/// What comes out of the link layer, and when.
fn drain_link(link: &mut LinkLayer, now: Instant, out: &mut Vec<(Instant, LinkOutput)>) {
    while let Some(output) = link.poll() {
        out.push((now, output));
    }
}

/// Wakes a link layer whenever it asks for it, and at `extra` instants.
fn run_link(
    link: &mut LinkLayer,
    until: Instant,
    extra: Option<Instant>,
    out: &mut Vec<(Instant, LinkOutput)>,
) {
    let mut extra = extra.filter(|&at| at <= until);
    loop {
        let next = extra.unwrap_or(Instant::NEVER).min(link.next_wake());
        if next > until {
            return;
        }
        extra = extra.filter(|&at| at != next);
        link.on_wake(next);
        drain_link(link, next, out);
    }
}

/// A spurious wake changes nothing, and every packet that goes in comes out once: down, failed,
/// dropped, or it is held for a neighbour (one for each).
#[test]
fn the_link_layer_keeps_the_contract_and_loses_nothing() {
    for seed in 0..300 {
        let mut draw = stream(seed, Purpose::TieShuffle);
        let new = || LinkLayer::new(ME, LinkConfig::ns2());
        let (mut plain, mut woken) = (new(), new());
        let (mut said, mut also_said) = (Vec::new(), Vec::new());
        let mut now = Instant::ZERO;
        let mut put_in = 0;
        for step in 0..100 {
            let until = now + Duration::from_micros(u64::from(draw.below(60)));
            let extra = now + Duration::from_micros(u64::from(draw.below(60)));
            run_link(&mut plain, until, None, &mut said);
            run_link(&mut woken, until, Some(extra), &mut also_said);
            now = until;
            let neighbour = NodeId(1 + draw.below(3));
            let arp = Payload::Arp(Arp {
                request: draw.below(2) == 0,
                sender: neighbour,
                target: ME,
            });
            let sends = draw.below(4) > 0;
            put_in += usize::from(sends);
            for (link, out) in [(&mut plain, &mut said), (&mut woken, &mut also_said)] {
                if sends {
                    link.on_send(now, packet(step, neighbour), neighbour);
                } else {
                    link.on_payload(now, &arp, neighbour);
                }
                drain_link(link, now, out);
            }
            assert_eq!(said, also_said, "seed {seed}, step {step}");
        }
        run_link(&mut plain, now + Duration::from_secs(1), None, &mut said);
        let is_packet = |(_, output): &&(Instant, LinkOutput)| match output {
            LinkOutput::Down { payload, .. } => matches!(payload, Payload::Ip(_)),
            LinkOutput::Failed { .. } | LinkOutput::Dropped(_) => true,
            LinkOutput::Up { .. } => false,
        };
        let came_out = said.iter().filter(is_packet).count();
        assert!(
            came_out <= put_in && put_in <= came_out + 3,
            "seed {seed}: {put_in} went in, {came_out} came out"
        );
    }
}

//! The combiner: which second packet leaves in a frame (yuki2004 §3 ¶2), and in what order the
//! two stand.
//!
//! It looks at the items only; sending is the machine's business. The one invariant: neither of a
//! pair waits for an echo.

use super::config::{Coding, QueueRule, SlottedConfig};
use super::items::Item;

/// The partner of item `chosen`, which is about to be sent in `slot`: the oldest item that the
/// rules allow.
pub(super) fn partner(
    items: &[Item],
    chosen: usize,
    (slot, spaced_until): (u64, u64),
    config: &SlottedConfig,
) -> Option<usize> {
    let one = &items[chosen];
    let barred = one.part.to.is_broadcast() || (!config.combine_relays && one.is_first_relay());
    if config.coding == Coding::Off || barred {
        return None;
    }
    let fits = |other: &Item| {
        other.waits()
            && !other.part.to.is_broadcast()
            && (config.same_hop || other.part.to != one.part.to)
            && (config.combine_relays || !other.is_first_relay())
            && (config.pull_forward || other.may_go(slot, spaced_until, config))
    };
    let mut pairs = items
        .iter()
        .enumerate()
        .filter(|&(place, other)| place != chosen && pairs(one, other, config.coding));
    match config.queue {
        QueueRule::Any => pairs.find(|(_, other)| fits(other)),
        QueueRule::Fifo => pairs.next().filter(|(_, head)| fits(head)),
    }
    .map(|(place, _)| place)
}

/// Whether two packets are of the kind that shares a frame.
fn pairs(one: &Item, other: &Item, coding: Coding) -> bool {
    match coding {
        Coding::Off => false,
        Coding::Combine => one.part.kind != other.part.kind,
        // Each next hop must hold the other packet: it has sent it here.
        Coding::Xor => one.from == Some(other.part.to) && other.from == Some(one.part.to),
    }
}

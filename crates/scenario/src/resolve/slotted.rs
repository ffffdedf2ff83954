//! The slotted radio: the options of a reading, and what cannot stand beside them.

use super::{Filling, fixed, millis, text};
use crate::document::{Document, Routing, Topology};
use crate::document_slotted::{
    self, BackoffFrom, Busy, Combining, Duplicates, Reading, RelayAccess, Sensing, SlotsOrOff,
    SlottedQueue, Spaced,
};
use crate::error::ScenarioError;
use crate::quantities::{CountOrOff, Off};
use crate::resolved_slotted::Slotted;
use acklab_base::Duration;

pub(super) fn slotted(
    filling: &mut Filling<'_>,
    document: &Document,
    on_graph: bool,
) -> Result<Option<Slotted>, ScenarioError> {
    let Some(given) = document.slotted.as_ref() else {
        return if on_graph {
            let message = "a graph has no distances, which the 802.11 radio needs";
            let accepted = "the slotted radio ([slotted]), or the kinds chain and positions";
            Err(filling.error("topology.kind", Some(&"graph"), message, accepted))
        } else {
            Ok(None)
        };
    };
    alone(filling, document)?;
    uncaptured(filling)?;
    let (reading, sensing) = sensing(filling, given, on_graph)?;
    let times = times(filling, given, reading)?;
    let rules = rules(filling, given, (reading, sensing), &times);
    effective(filling, &rules)?;
    Ok(Some(rules))
}

/// What belongs to 802.11 would have no effect.
fn alone(filling: &Filling<'_>, document: &Document) -> Result<(), ScenarioError> {
    let on_graph = matches!(document.topology, Topology::Graph { .. });
    let of_radios = [
        ("radio", document.radio.is_some()),
        ("energy", document.energy.is_some()),
    ];
    for (key, given) in of_radios {
        if on_graph && given {
            let message = "a graph says who hears whom, and no radio has a part in it";
            let accepted = format!("[{key}] with the kinds chain and positions only");
            return Err(filling.error(key, None::<&u32>, message, accepted));
        }
    }
    let tables = [
        ("mac", document.mac.is_some()),
        ("link", document.link.is_some()),
        ("queue", document.queue.is_some()),
    ];
    for (key, given) in tables {
        if given {
            let message = "belongs to 802.11, but the network has a slotted radio";
            let accepted = format!("[{key}] or [slotted], not both");
            return Err(filling.error(key, None::<&u32>, message, accepted));
        }
    }
    let message = "waits for link failures, which the slotted radio does not report";
    let protocol = match &document.routing {
        Some(Routing::Aodv(_)) => "aodv",
        Some(Routing::Dsr(_)) => "dsr",
        Some(Routing::Dsdv(given)) if given.link_detection == Some(true) => {
            return Err(filling.error("routing.link_detection", Some(&true), message, "false"));
        }
        _ => return Ok(()),
    };
    let accepted = "\"static\", \"dsdv\"";
    Err(filling.error("routing.protocol", Some(&protocol), message, accepted))
}

/// Frames that meet in a slot are lost, whatever their powers.
fn uncaptured(filling: &Filling<'_>) -> Result<(), ScenarioError> {
    for key in ["radio.capture", "radio.capture_threshold"] {
        if filling.is_given(key) {
            let message = "the slotted radio has no capture";
            return Err(filling.error(key, None::<&u32>, message, "this key left out"));
        }
    }
    Ok(())
}

/// Refuses what is given and has no effect beside the other rules. Defaults stand, so that a
/// resolved scenario, which shows them all, is a scenario.
fn effective(filling: &Filling<'_>, rules: &Slotted) -> Result<(), ScenarioError> {
    let idle = |key: &str, message: &str, with: &str| {
        let key = format!("slotted.{key}");
        let accepted = format!("{with}, or this key left out");
        match filling.is_given(&key) {
            true => Err(filling.error(&key, None::<&u32>, message, accepted)),
            false => Ok(()),
        }
    };
    if rules.combining == Combining::None {
        let message = "has an effect only on packets that share a frame";
        for key in ["combine_relays", "pull_forward", "postpone"] {
            idle(key, message, "slotted.combining = \"data-ack\" or \"xor\"")?;
        }
        idle("same_hop", message, "slotted.combining = \"data-ack\"")?;
    }
    if rules.combining == Combining::Xor {
        // Packets that cross at a node go to two neighbours.
        let message = "packets that are added bit by bit never go to the same neighbour";
        idle("same_hop", message, "slotted.combining = \"data-ack\"")?;
    }
    if (rules.mini_slots, rules.relay_access) == (1, RelayAccess::Contend) {
        let message = "all begin at once, and nobody finds the channel busy";
        idle("busy", message, "slotted.mini_slots of at least 2")?;
    }
    if rules.queue == SlottedQueue::Any {
        let message = "no packet blocks another, in however many queues";
        idle("two_queues", message, "slotted.queue = \"fifo\"")?;
    }
    if rules.spacing_max == 0 {
        let message = "there is no pause that could hold anything back";
        idle("spaced", message, "slotted.spacing_max of at least 1")?;
    }
    Ok(())
}

fn sensing(
    filling: &mut Filling<'_>,
    given: &document_slotted::Slotted,
    on_graph: bool,
) -> Result<(Reading, Sensing), ScenarioError> {
    let reading = filling.pick(
        "slotted.reading",
        given.reading,
        fixed(Reading::P1, "the reading that fits yuki2004 best over all"),
    );
    let sensing = filling.pick(
        "slotted.sensing",
        given.sensing,
        fixed(
            Sensing::Neighbours,
            "yuki2004 Fig. 3: lines between nodes are all that there is",
        ),
    );
    if on_graph && sensing == Sensing::Radio {
        let message = "a graph has no radio with a sensing threshold";
        let accepted = "\"neighbours\", \"two-hops\"";
        return Err(filling.error("slotted.sensing", Some(&sensing), message, accepted));
    }
    Ok((reading, sensing))
}

/// Lengths, waits and pauses: what is checked against each other.
struct Times {
    slot: Duration,
    ack_slot: Duration,
    retry: (u32, u32),
    spacing: (u32, u32),
}

fn times(
    filling: &mut Filling<'_>,
    given: &document_slotted::Slotted,
    reading: Reading,
) -> Result<Times, ScenarioError> {
    let open = "open in yuki2004";
    let slot = filling.pick("slotted.slot", given.slot, fixed(millis(10), open));
    let why = "yuki2004 §2: slots of one length";
    let ack_slot = filling.pick("slotted.ack_slot", given.ack_slot, fixed(slot, why));
    if ack_slot.0 > slot.0 {
        let message = "longer than the slots that fit every frame";
        let accepted = format!("at most slotted.slot = {}", text(&slot));
        return Err(filling.error("slotted.ack_slot", Some(&ack_slot), message, accepted));
    }
    let why = "yuki2004 §2 ¶3";
    let retry_min = filling.pick("slotted.retry_min", given.retry_min, fixed(3, why));
    let best = 17.max(retry_min);
    let why = "yuki2004 §4.2: 3-17 slots, the best there";
    let retry_max = filling.pick("slotted.retry_max", given.retry_max, fixed(best, why));
    let most = if reading == Reading::H { 3 } else { 5 };
    let why = of(reading, "the pause of a source is open in yuki2004");
    let spacing_min = filling.pick("slotted.spacing_min", given.spacing_min, fixed(3, &why));
    let spacing_max = filling.pick(
        "slotted.spacing_max",
        given.spacing_max,
        fixed(most.max(spacing_min), &why),
    );
    for (key, (least, most)) in [
        ("slotted.retry_max", (retry_min, retry_max)),
        ("slotted.spacing_max", (spacing_min, spacing_max)),
    ] {
        if least > most {
            let message = "the longest is shorter than the shortest";
            return Err(filling.error(key, Some(&most), message, format!("at least {least}")));
        }
    }
    Ok(Times {
        slot: slot.0,
        ack_slot: ack_slot.0,
        retry: (retry_min, retry_max),
        spacing: (spacing_min, spacing_max),
    })
}

/// Why a default is what it is, where readings differ.
fn of(reading: Reading, why: &str) -> String {
    let name = match reading {
        Reading::P1 => "p1",
        Reading::H => "h",
        Reading::P2 => "p2",
    };
    format!("reading {name}: {why}")
}

fn rules(
    filling: &mut Filling<'_>,
    given: &document_slotted::Slotted,
    (reading, sensing): (Reading, Sensing),
    times: &Times,
) -> Slotted {
    let combining = filling.pick(
        "slotted.combining",
        given.combining,
        fixed(Combining::None, "FRN as it is sold (yuki2004 §2)"),
    );
    let (lifetime, retry_limit) = lives(filling, given);
    let (mini_slots, relay_access, busy) = access(filling, given);
    let (queue, two_queues, spaced, duplicates) =
        queueing(filling, given, reading, combining != Combining::None);
    let (late_echoes, backoff_from) = echoes(filling, given);
    let [combine_relays, pull_forward, same_hop, postpone] = pairing(filling, given);
    Slotted {
        reading,
        slot: times.slot,
        ack_slot: times.ack_slot,
        lifetime,
        retry_min: times.retry.0,
        retry_max: times.retry.1,
        retry_limit,
        combining,
        mini_slots,
        relay_access,
        sensing,
        busy,
        queue,
        two_queues,
        spacing_min: times.spacing.0,
        spacing_max: times.spacing.1,
        spaced,
        duplicates,
        late_echoes,
        backoff_from,
        combine_relays,
        pull_forward,
        same_hop,
        postpone,
    }
}

fn lives(
    filling: &mut Filling<'_>,
    given: &document_slotted::Slotted,
) -> (Option<u32>, Option<u32>) {
    let lifetime = filling.pick(
        "slotted.lifetime",
        given.lifetime,
        fixed(SlotsOrOff::At(32), "yuki2004 §2 and §4.1: 32 slots"),
    );
    let retry_limit = filling.pick(
        "slotted.retry_limit",
        given.retry_limit,
        fixed(
            CountOrOff::Off(Off::Off),
            "yuki2004 §2 names the lifetime only",
        ),
    );
    (lifetime.into(), retry_limit.into())
}

fn access(
    filling: &mut Filling<'_>,
    given: &document_slotted::Slotted,
) -> (u32, RelayAccess, Busy) {
    let open = "open in yuki2004";
    (
        filling.pick("slotted.mini_slots", given.mini_slots, fixed(32, open)),
        filling.pick(
            "slotted.relay_access",
            given.relay_access,
            fixed(
                RelayAccess::Contend,
                "yuki2004 §2 ¶2: who sends senses the carrier",
            ),
        ),
        filling.pick("slotted.busy", given.busy, fixed(Busy::Wait, open)),
    )
}

fn queueing(
    filling: &mut Filling<'_>,
    given: &document_slotted::Slotted,
    reading: Reading,
    combines: bool,
) -> (SlottedQueue, bool, Spaced, Duplicates) {
    let h = reading == Reading::H;
    let queue = if h {
        SlottedQueue::Fifo
    } else {
        SlottedQueue::Any
    };
    let duplicates = if reading == Reading::P1 {
        Duplicates::Drop
    } else {
        Duplicates::Forward
    };
    let why = |text: &str| of(reading, text);
    (
        filling.pick(
            "slotted.queue",
            given.queue,
            fixed(queue, &why("the discipline is open in yuki2004")),
        ),
        filling.pick(
            "slotted.two_queues",
            given.two_queues,
            fixed(
                !h || combines,
                &why("yuki2004 §3 ¶2 gives two queues to who combines"),
            ),
        ),
        filling.pick(
            "slotted.spaced",
            given.spaced,
            fixed(
                Spaced::OwnAndRetries,
                "what the pause holds back is open in yuki2004",
            ),
        ),
        filling.pick(
            "slotted.duplicates",
            given.duplicates,
            fixed(duplicates, &why("duplicates are open in yuki2004")),
        ),
    )
}

fn echoes(filling: &mut Filling<'_>, given: &document_slotted::Slotted) -> (bool, BackoffFrom) {
    (
        filling.pick(
            "slotted.late_echoes",
            given.late_echoes,
            fixed(true, "who hears the packet forwarded knows"),
        ),
        filling.pick(
            "slotted.backoff_from",
            given.backoff_from,
            fixed(BackoffFrom::Transmission, "open in yuki2004"),
        ),
    )
}

fn pairing(filling: &mut Filling<'_>, given: &document_slotted::Slotted) -> [bool; 4] {
    [
        (
            "combine_relays",
            given.combine_relays,
            true,
            "yuki2004 Fig. 2(c)",
        ),
        (
            "pull_forward",
            given.pull_forward,
            true,
            "yuki2004 §3 ¶3: what is sent again is combined if it can be",
        ),
        (
            "same_hop",
            given.same_hop,
            false,
            "yuki2004 §3: two destinations",
        ),
        ("postpone", given.postpone, true, "yuki2004 Fig. 2(d, e)"),
    ]
    .map(|(key, given, default, why)| {
        filling.pick(&format!("slotted.{key}"), given, fixed(default, why))
    })
}

//! The slotted radio from a resolved scenario back to a document.

use crate::document_slotted::Slotted;
use crate::quantities::Time;
use crate::resolved_slotted;

pub(crate) fn slotted(radio: &resolved_slotted::Slotted) -> Slotted {
    Slotted {
        reading: Some(radio.reading),
        slot: Some(Time(radio.slot)),
        ack_slot: Some(Time(radio.ack_slot)),
        lifetime: Some(radio.lifetime.into()),
        retry_min: Some(radio.retry_min),
        retry_max: Some(radio.retry_max),
        retry_limit: Some(radio.retry_limit.into()),
        combining: Some(radio.combining),
        mini_slots: Some(radio.mini_slots),
        relay_access: Some(radio.relay_access),
        sensing: Some(radio.sensing),
        busy: Some(radio.busy),
        queue: Some(radio.queue),
        two_queues: Some(radio.two_queues),
        spacing_min: Some(radio.spacing_min),
        spacing_max: Some(radio.spacing_max),
        spaced: Some(radio.spaced),
        duplicates: Some(radio.duplicates),
        late_echoes: Some(radio.late_echoes),
        backoff_from: Some(radio.backoff_from),
        combine_relays: Some(radio.combine_relays),
        pull_forward: Some(radio.pull_forward),
        same_hop: Some(radio.same_hop),
        postpone: Some(radio.postpone),
    }
}

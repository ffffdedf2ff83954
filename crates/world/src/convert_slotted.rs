//! From the words of a resolved scenario to the parameters of the slotted radio.

use acklab_mac::slotted::{
    BackoffFrom, Busy, Coding, Duplicates, QueueRule, RelayAccess, SlottedConfig, Sources,
};
use acklab_scenario as scenario;

pub(crate) fn config(radio: &scenario::Slotted) -> SlottedConfig {
    SlottedConfig {
        lifetime: radio.lifetime,
        retry: (radio.retry_min, radio.retry_max),
        retry_limit: radio.retry_limit,
        coding: match radio.combining {
            scenario::Combining::None => Coding::Off,
            scenario::Combining::DataAck => Coding::Combine,
            scenario::Combining::Xor => Coding::Xor,
        },
        mini_slots: radio.mini_slots,
        relay_access: match radio.relay_access {
            scenario::RelayAccess::Contend => RelayAccess::Contend,
            scenario::RelayAccess::First => RelayAccess::First,
            scenario::RelayAccess::Unconditional => RelayAccess::Unconditional,
        },
        busy: match radio.busy {
            scenario::Busy::Wait => Busy::Wait,
            scenario::Busy::BackOff => Busy::BackOff,
        },
        queue: match radio.queue {
            scenario::SlottedQueue::Any => QueueRule::Any,
            scenario::SlottedQueue::Fifo => QueueRule::Fifo,
        },
        two_queues: radio.two_queues,
        spacing: (radio.spacing_min, radio.spacing_max),
        spaced: match radio.spaced {
            scenario::Spaced::OwnAndRetries => Sources::OwnAndRetries,
            scenario::Spaced::Own => Sources::Own,
        },
        duplicates: match radio.duplicates {
            scenario::Duplicates::Drop => Duplicates::Drop,
            scenario::Duplicates::Confirm => Duplicates::Confirm,
            scenario::Duplicates::Forward => Duplicates::Forward,
        },
        late_echoes: radio.late_echoes,
        backoff_from: match radio.backoff_from {
            scenario::BackoffFrom::Transmission => BackoffFrom::Transmission,
            scenario::BackoffFrom::Echo => BackoffFrom::Echo,
        },
        combine_relays: radio.combine_relays,
        pull_forward: radio.pull_forward,
        same_hop: radio.same_hop,
        postpone: radio.postpone,
    }
}

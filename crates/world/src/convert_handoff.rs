//! The handoff scheme of a flow, from the words of a scenario to the machines' parameters.

use acklab_scenario as scenario;
use acklab_tcp::{Freeze, Handoff, HeldAcks, Pacing, PacingEnd};

pub(crate) const fn handoff(options: scenario::HandoffOptions) -> Handoff {
    match options {
        scenario::HandoffOptions::Unaware => Handoff::Unaware,
        scenario::HandoffOptions::Pacing {
            interval,
            held,
            end,
        } => Handoff::Pacing(Pacing {
            interval,
            held: match held {
                scenario::HeldAcks::Every => HeldAcks::Every,
                scenario::HeldAcks::Newest => HeldAcks::Newest,
            },
            end: match end {
                scenario::PacingEnd::AtOnce => PacingEnd::AtOnce,
                scenario::PacingEnd::Paced => PacingEnd::Paced,
            },
        }),
        scenario::HandoffOptions::Freeze { reopening_acks } => {
            Handoff::Freeze(Freeze { reopening_acks })
        }
        scenario::HandoffOptions::MTcp => Handoff::Announce,
    }
}

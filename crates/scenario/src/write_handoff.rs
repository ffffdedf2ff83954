//! The handoff scheme of a resolved scenario, back to a document.

use crate::document_handoff::HandoffTable;
use crate::quantities::Time;
use crate::resolved::HandoffOptions;

pub(crate) const fn handoff(handoff: HandoffOptions) -> HandoffTable {
    match handoff {
        HandoffOptions::Unaware => HandoffTable::Unaware {},
        HandoffOptions::Pacing {
            interval,
            held,
            end,
        } => HandoffTable::Pacing {
            interval: Some(Time(interval)),
            held: Some(held),
            end: Some(end),
        },
        HandoffOptions::Freeze { reopening_acks } => HandoffTable::Freeze {
            reopening_acks: Some(reopening_acks),
        },
        HandoffOptions::MTcp => HandoffTable::MTcp {},
    }
}

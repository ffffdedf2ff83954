//! What a mobile end does around a handoff, and probes of a closed window.

use super::{Filling, by, fixed, millis};
use crate::document_flow::FtpFlow;
use crate::document_handoff::{Handoff, HandoffName, HandoffTable, HeldAcks, PacingEnd};
use crate::error::ScenarioError;
use crate::profile::Profile;
use crate::resolved::HandoffOptions;

/// The scheme, and whether the sender probes a closed window.
pub(super) fn handoff(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    profile: Profile,
) -> Result<(HandoffOptions, bool), ScenarioError> {
    let scheme = scheme(filling, &format!("{key}.handoff"), given.handoff.as_ref());
    let probes_key = format!("{key}.window_probes");
    let closes = match scheme {
        HandoffOptions::Freeze { .. } => Some("Freeze-TCP"),
        HandoffOptions::MTcp => Some("M-TCP"),
        HandoffOptions::Unaware | HandoffOptions::Pacing { .. } => None,
    };
    let default = if closes.is_some() {
        fixed(true, "a window that the scheme closes must be respected")
    } else {
        by(
            profile,
            (false, "ns-2 reads no advertised window"),
            (true, "RFC 9293 §3.8.6.1"),
        )
    };
    let probes = filling.pick(&probes_key, given.window_probes, default);
    if let (Some(name), false) = (closes, probes) {
        let message = format!("{name} needs a sender that respects a closed window");
        let accepted = "true, or another handoff scheme";
        return Err(filling.error(&probes_key, Some(&probes), message, accepted));
    }
    Ok((scheme, probes))
}

fn scheme(filling: &mut Filling<'_>, key: &str, given: Option<&Handoff>) -> HandoffOptions {
    let (name, table) = match given {
        None => (None, None),
        Some(Handoff::Name(name)) => (Some(*name), None),
        Some(Handoff::Table(table)) => (Some(table.name()), Some(table.clone())),
    };
    let default = fixed(HandoffName::Unaware, "TCP knows nothing of handoffs");
    let name = filling.pick(&format!("{key}.scheme"), name, default);
    match table.unwrap_or_else(|| name.into()) {
        HandoffTable::Unaware {} => HandoffOptions::Unaware,
        HandoffTable::Pacing {
            interval,
            held,
            end,
        } => HandoffOptions::Pacing {
            interval: filling
                .pick(
                    &format!("{key}.interval"),
                    interval,
                    fixed(millis(100), "cho2005 §3.2"),
                )
                .0,
            held: filling.pick(
                &format!("{key}.held"),
                held,
                fixed(
                    HeldAcks::Every,
                    "cho2005 §3.2 paces the sending of ACKs and drops none",
                ),
            ),
            end: filling.pick(
                &format!("{key}.end"),
                end,
                fixed(
                    PacingEnd::AtOnce,
                    "cho2005 §3.2: pacing is finished above the level",
                ),
            ),
        },
        HandoffTable::Freeze { reopening_acks } => HandoffOptions::Freeze {
            reopening_acks: filling.pick(
                &format!("{key}.reopening_acks"),
                reopening_acks,
                fixed(3, "Goff et al. 2000: triplicate reconnection ACKs"),
            ),
        },
        HandoffTable::MTcp {} => HandoffOptions::MTcp,
    }
}

impl HandoffTable {
    /// The scheme that the table is of.
    const fn name(&self) -> HandoffName {
        match self {
            Self::Unaware {} => HandoffName::Unaware,
            Self::Pacing { .. } => HandoffName::Pacing,
            Self::Freeze { .. } => HandoffName::Freeze,
            Self::MTcp {} => HandoffName::MTcp,
        }
    }
}

/// The scheme of this name with nothing given.
impl From<HandoffName> for HandoffTable {
    fn from(name: HandoffName) -> Self {
        match name {
            HandoffName::Unaware => Self::Unaware {},
            HandoffName::Pacing => Self::Pacing {
                interval: None,
                held: None,
                end: None,
            },
            HandoffName::Freeze => Self::Freeze {
                reopening_acks: None,
            },
            HandoffName::MTcp => Self::MTcp {},
        }
    }
}

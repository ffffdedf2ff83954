//! ACK policies.

use super::delayed_dupacks::delayed_dupacks;
use super::{Filling, by, fixed, millis};
use crate::document_flow::{Ack, AckName, AckTable, DelayTimer, DelayedDupacks, Numbering};
use crate::error::ScenarioError;
use crate::profile::Profile;
use crate::quantities::Time;
use crate::resolved::{AckOptions, PolicyName};
use acklab_base::Duration;

/// The parameters that all delayed policies share, as they are given.
type Delay = (Option<Time>, Option<DelayTimer>);

pub(super) fn ack(
    filling: &mut Filling<'_>,
    key: &str,
    given: Option<&Ack>,
    profile: Profile,
) -> Result<AckOptions, ScenarioError> {
    match chosen(filling, key, given, profile) {
        AckTable::Every {} => Ok(AckOptions::Every),
        AckTable::Delayed {
            count,
            interval,
            timer,
        } => {
            let default = fixed(2, "RFC 1122 §4.2.3.2: every second segment");
            let count = filling.pick(&format!("{key}.count"), count, default);
            let (interval, timer) = delay(filling, key, (interval, timer), profile);
            Ok(AckOptions::Delayed {
                count,
                interval: interval.0,
                timer,
            })
        }
        AckTable::Rfc5681 { interval, timer } => rfc5681(filling, key, (interval, timer), profile),
        AckTable::Dynamic {
            thresholds,
            numbering,
            interval,
            timer,
        } => {
            let numbering = dynamic_numbering(filling, key, numbering);
            let (thresholds, interval, timer) =
                growing(filling, key, thresholds, (interval, timer), profile)?;
            Ok(AckOptions::Dynamic {
                thresholds,
                interval,
                timer,
                numbering,
            })
        }
        AckTable::OracleWindow {
            thresholds,
            interval,
            timer,
        } => {
            let (thresholds, interval, timer) =
                growing(filling, key, thresholds, (interval, timer), profile)?;
            Ok(AckOptions::OracleWindow {
                thresholds,
                interval,
                timer,
            })
        }
        AckTable::DelayedDupacks(given) => delayed_dupacks(filling, key, &given),
        AckTable::Own { name } => own(filling, key, name.as_deref()),
    }
}

fn own(
    filling: &mut Filling<'_>,
    key: &str,
    given: Option<&str>,
) -> Result<AckOptions, ScenarioError> {
    let key = format!("{key}.name");
    let accepted = "the name of the policy that is handed over, of 1 to 63 ASCII characters";
    let Some(text) = given else {
        return Err(filling.error(&key, None::<&String>, "missing key", accepted));
    };
    let Some(name) = PolicyName::new(text) else {
        return Err(filling.error(&key, Some(&text), "is no name of a policy", accepted));
    };
    filling.given(&key);
    Ok(AckOptions::Own { name })
}

/// The policy's table, with the name picked.
fn chosen(filling: &mut Filling<'_>, key: &str, given: Option<&Ack>, profile: Profile) -> AckTable {
    let default = by(
        profile,
        (AckName::Every, "TCPSink"),
        (
            AckName::Rfc5681,
            "RFC 5681 §4.2: delayed ACKs SHOULD be used",
        ),
    );
    let (name, table) = match given {
        None => (None, None),
        Some(Ack::Name(name)) => (Some(*name), None),
        Some(Ack::Table(table)) => (Some(table.name()), Some(table)),
    };
    let name = filling.pick(&format!("{key}.policy"), name, default);
    table.cloned().unwrap_or_else(|| name.into())
}

/// What the policies share whose count grows.
fn growing(
    filling: &mut Filling<'_>,
    key: &str,
    thresholds: Option<[u32; 3]>,
    given: Delay,
    profile: Profile,
) -> Result<([u32; 3], Duration, DelayTimer), ScenarioError> {
    let thresholds = dynamic_thresholds(filling, key, thresholds)?;
    let (interval, timer) = delay(filling, key, given, profile);
    Ok((thresholds, interval.0, timer))
}

fn dynamic_numbering(filling: &mut Filling<'_>, key: &str, given: Option<Numbering>) -> Numbering {
    filling.pick(
        &format!("{key}.numbering"),
        given,
        fixed(
            Numbering::Altman2003,
            "altman2003 §4.2, by the numbers of ns-2",
        ),
    )
}

fn rfc5681(
    filling: &mut Filling<'_>,
    key: &str,
    given: Delay,
    profile: Profile,
) -> Result<AckOptions, ScenarioError> {
    let (interval, timer) = delay(filling, key, given, profile);
    if interval.0 > Duration::from_millis(500) {
        let message = "longer than RFC 5681 §4.2 allows";
        let accepted = "at most \"500 ms\"; the policy \"delayed\" has no such limit";
        let key = format!("{key}.interval");
        return Err(filling.error(&key, Some(&interval), message, accepted));
    }
    Ok(AckOptions::Rfc5681 {
        interval: interval.0,
        timer,
    })
}

fn dynamic_thresholds(
    filling: &mut Filling<'_>,
    key: &str,
    given: Option<[u32; 3]>,
) -> Result<[u32; 3], ScenarioError> {
    let key = format!("{key}.thresholds");
    let default = fixed([2, 5, 9], "altman2003 §4.3, the best there");
    let thresholds = filling.pick(&key, given, default);
    if thresholds[0] >= thresholds[1] || thresholds[1] >= thresholds[2] {
        let accepted = "three increasing numbers such as [2, 5, 9]";
        return Err(filling.error(&key, Some(&thresholds), "not increasing", accepted));
    }
    Ok(thresholds)
}

fn delay(
    filling: &mut Filling<'_>,
    key: &str,
    given: Delay,
    profile: Profile,
) -> (Time, DelayTimer) {
    let interval = filling.pick(
        &format!("{key}.interval"),
        given.0,
        by(
            profile,
            (millis(100), "interval_ of TCPSink/DelAck"),
            (
                millis(200),
                "the common choice within the 500 ms of RFC 1122 §4.2.3.2",
            ),
        ),
    );
    let timer = filling.pick(
        &format!("{key}.timer"),
        given.1,
        fixed(
            DelayTimer::FirstWaiting,
            "RFC 1122 §4.2.3.2, and the released ns-2",
        ),
    );
    (interval, timer)
}

impl AckTable {
    /// The policy that the table is of.
    const fn name(&self) -> AckName {
        match self {
            Self::Every {} => AckName::Every,
            Self::Delayed { .. } => AckName::Delayed,
            Self::Rfc5681 { .. } => AckName::Rfc5681,
            Self::Dynamic { .. } => AckName::Dynamic,
            Self::OracleWindow { .. } => AckName::OracleWindow,
            Self::DelayedDupacks(_) => AckName::DelayedDupacks,
            Self::Own { .. } => AckName::Own,
        }
    }
}

/// The policy of this name with nothing given.
impl From<AckName> for AckTable {
    fn from(name: AckName) -> Self {
        match name {
            AckName::Every => Self::Every {},
            AckName::Delayed => Self::Delayed {
                count: None,
                interval: None,
                timer: None,
            },
            AckName::Rfc5681 => Self::Rfc5681 {
                interval: None,
                timer: None,
            },
            AckName::Dynamic => Self::Dynamic {
                thresholds: None,
                numbering: None,
                interval: None,
                timer: None,
            },
            AckName::OracleWindow => Self::OracleWindow {
                thresholds: None,
                interval: None,
                timer: None,
            },
            AckName::DelayedDupacks => Self::DelayedDupacks(DelayedDupacks::default()),
            AckName::Own => Self::Own { name: None },
        }
    }
}

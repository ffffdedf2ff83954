//! DSDV.

use super::{Filling, by, fixed, millis, secs, text};
use crate::document::DsdvRouting;
use crate::error::ScenarioError;
use crate::profile::Profile;
use crate::quantities::Time;
use crate::resolved::DsdvOptions;

/// The longest update period and settling time that are accepted: what is made from them stays
/// in range.
const LONGEST: Time = secs(1_000_000);

pub(super) fn dsdv(
    filling: &mut Filling<'_>,
    given: &DsdvRouting,
    (profile, in_slots): (Profile, bool),
) -> Result<DsdvOptions, ScenarioError> {
    let update_period = bounded(
        filling,
        "routing.update_period",
        given.update_period,
        (secs(15), "perup_ of ns-2"),
    )?;
    let silent_periods = filling.pick(
        "routing.silent_periods",
        given.silent_periods,
        fixed(3, "min_update_periods_ of ns-2"),
    );
    let first_settling = bounded(
        filling,
        "routing.first_settling",
        given.first_settling,
        (secs(6), "wst0_ of ns-2"),
    )?;
    let trigger_spacing = filling.pick(
        "routing.trigger_spacing",
        given.trigger_spacing,
        fixed(secs(1), "DSDV_MIN_TUP_PERIOD of ns-2"),
    );
    let by_layer_2 = "Perkins and Bhagwat 1994, §3: broken links by layer 2";
    let detects = if in_slots {
        fixed(false, "the slotted radio reports no link failures")
    } else {
        by(profile, (false, "use_mac_ 0"), (true, by_layer_2))
    };
    let link_detection = filling.pick("routing.link_detection", given.link_detection, detects);
    let (start_jitter, broadcast_jitter, buffer_capacity) = jitters(filling, given);
    Ok(DsdvOptions {
        update_period: update_period.0,
        silent_periods,
        first_settling: first_settling.0,
        trigger_spacing: trigger_spacing.0,
        link_detection,
        start_jitter: start_jitter.0,
        broadcast_jitter: broadcast_jitter.0,
        buffer_capacity,
    })
}

/// Random delays, and packets that wait.
fn jitters(filling: &mut Filling<'_>, given: &DsdvRouting) -> (Time, Time, u32) {
    let start_jitter = filling.pick(
        "routing.start_jitter",
        given.start_jitter,
        fixed(secs(2), "DSDV_STARTUP_JITTER of ns-2"),
    );
    let broadcast_jitter = filling.pick(
        "routing.broadcast_jitter",
        given.broadcast_jitter,
        fixed(millis(10), "DSDV_BROADCAST_JITTER of ns-2"),
    );
    let buffer_capacity = filling.pick(
        "routing.buffer_capacity",
        given.buffer_capacity,
        fixed(5, "MAX_QUEUE_LENGTH of ns-2"),
    );
    (start_jitter, broadcast_jitter, buffer_capacity)
}

/// A time that is not absurdly long.
fn bounded(
    filling: &mut Filling<'_>,
    key: &str,
    given: Option<Time>,
    default: (Time, &str),
) -> Result<Time, ScenarioError> {
    let time = filling.pick(key, given, fixed(default.0, default.1));
    if time.0 > LONGEST.0 {
        let accepted = format!("at most {}", text(&LONGEST));
        return Err(filling.error(key, Some(&time), "longer than any run", accepted));
    }
    Ok(time)
}

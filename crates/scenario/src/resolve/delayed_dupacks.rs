//! The ACK policy Delayed Dupacks.

use super::{Filling, fixed, millis, text};
use crate::document_flow::{DelayedDupacks, Release};
use crate::error::ScenarioError;
use crate::quantities::{Time, TimeOrAdaptive};
use crate::resolved::{AckOptions, DupackDelay, DupackRelease};
use acklab_base::Duration;

pub(super) fn delayed_dupacks(
    filling: &mut Filling<'_>,
    key: &str,
    given: &DelayedDupacks,
) -> Result<AckOptions, ScenarioError> {
    let bounds = [given.initial, given.min, given.max];
    let delay = filling.pick(
        &format!("{key}.delay"),
        given.delay,
        fixed(
            TimeOrAdaptive::At(millis(80)),
            "vaidya1999 §6.3: good at all congestion losses there",
        ),
    );
    let delay = match delay {
        TimeOrAdaptive::At(delay) => {
            for (name, value) in ["initial", "min", "max"].iter().zip(bounds) {
                unused(
                    filling,
                    &format!("{key}.{name}"),
                    value,
                    "delay = \"adaptive\"",
                )?;
            }
            DupackDelay::Fixed(delay.0)
        }
        TimeOrAdaptive::Adaptive(_) => adaptive(filling, key, bounds)?,
    };
    let release = filling.pick(
        &format!("{key}.release"),
        given.release,
        fixed(
            Release::AtOnce,
            "vaidya1999 §5: after d, all the delayed dupacks are released",
        ),
    );
    let release = match release {
        Release::AtOnce => {
            let spacing = format!("{key}.spacing");
            unused(filling, &spacing, given.spacing, "release = \"paced\"")?;
            DupackRelease::AtOnce
        }
        Release::Paced => DupackRelease::Paced(
            filling
                .pick(
                    &format!("{key}.spacing"),
                    given.spacing,
                    fixed(
                        millis(4),
                        "a packet of 1000 B at the 2 Mbit/s of vaidya1999",
                    ),
                )
                .0,
        ),
    };
    Ok(AckOptions::DelayedDupacks { delay, release })
}

fn adaptive(
    filling: &mut Filling<'_>,
    key: &str,
    given: [Option<Time>; 3],
) -> Result<DupackDelay, ScenarioError> {
    let [initial_key, min_key, max_key] =
        ["initial", "min", "max"].map(|name| format!("{key}.{name}"));
    let initial = filling.pick(
        &initial_key,
        given[0],
        fixed(
            millis(80),
            "the delay that is the default where it is fixed",
        ),
    );
    let min = filling.pick(
        &min_key,
        given[1],
        fixed(Time(Duration::ZERO), "no bound of our own"),
    );
    let max = filling.pick(
        &max_key,
        given[2],
        fixed(millis(200), "vaidya1999 §6: the longest delay there"),
    );
    for (key, value) in [(&min_key, min), (&initial_key, initial)] {
        if value.0 > max.0 {
            let accepted = format!("at most {max_key} = {}", text(&max));
            return Err(filling.error(key, Some(&value), "above the longest delay", accepted));
        }
    }
    Ok(DupackDelay::Adaptive {
        initial: initial.0,
        min: min.0,
        max: max.0,
    })
}

/// A key that has an effect only with another one.
fn unused(
    filling: &Filling<'_>,
    key: &str,
    given: Option<Time>,
    only_with: &str,
) -> Result<(), ScenarioError> {
    match given {
        None => Ok(()),
        Some(value) => Err(filling.error(
            key,
            Some(&value),
            format!("has an effect only with {only_with}"),
            format!("{only_with}, or this key left out"),
        )),
    }
}

//! ACK policies of a resolved scenario, back to a document.

use crate::document_flow::{AckTable, DelayedDupacks, Release};
use crate::quantities::{Adaptive, Time, TimeOrAdaptive};
use crate::resolved::{AckOptions, DupackDelay, DupackRelease};

pub(crate) fn ack(ack: &AckOptions) -> AckTable {
    match *ack {
        AckOptions::Every => AckTable::Every {},
        AckOptions::Delayed {
            count,
            interval,
            timer,
        } => AckTable::Delayed {
            count: Some(count),
            interval: Some(Time(interval)),
            timer: Some(timer),
        },
        AckOptions::Rfc5681 { interval, timer } => AckTable::Rfc5681 {
            interval: Some(Time(interval)),
            timer: Some(timer),
        },
        AckOptions::Dynamic {
            thresholds,
            numbering,
            interval,
            timer,
        } => AckTable::Dynamic {
            thresholds: Some(thresholds),
            numbering: Some(numbering),
            interval: Some(Time(interval)),
            timer: Some(timer),
        },
        AckOptions::OracleWindow {
            thresholds,
            interval,
            timer,
        } => AckTable::OracleWindow {
            thresholds: Some(thresholds),
            interval: Some(Time(interval)),
            timer: Some(timer),
        },
        AckOptions::DelayedDupacks { delay, release } => delayed_dupacks(delay, release),
        AckOptions::Own { ref name } => AckTable::Own {
            name: Some(name.as_str().to_owned()),
        },
    }
}

fn delayed_dupacks(delay: DupackDelay, release: DupackRelease) -> AckTable {
    let (delay, bounds) = match delay {
        DupackDelay::Fixed(delay) => (TimeOrAdaptive::At(Time(delay)), [None; 3]),
        DupackDelay::Adaptive { initial, min, max } => (
            TimeOrAdaptive::Adaptive(Adaptive::Adaptive),
            [initial, min, max].map(|bound| Some(Time(bound))),
        ),
    };
    let [initial, min, max] = bounds;
    let (release, spacing) = match release {
        DupackRelease::AtOnce => (Release::AtOnce, None),
        DupackRelease::Paced(spacing) => (Release::Paced, Some(Time(spacing))),
    };
    AckTable::DelayedDupacks(DelayedDupacks {
        delay: Some(delay),
        initial,
        min,
        max,
        release: Some(release),
        spacing,
    })
}

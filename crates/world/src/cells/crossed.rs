//! When a mobile crossed the levels that its agent watches, to the nanosecond, beside the beacons at
//! which the agent noticed it. Nothing here decides anything.
//!
//! A level is crossed where the path loss alone reaches it: on a circle around the station. With
//! shadowing or blackouts there is no such circle, and nothing is noted. Invariant: a crossing is
//! noted only if the mobile has been beyond it since.

use super::{Cells, HandoffSample};
use acklab_base::Instant;
use acklab_radio::{Level, PathLoss};

/// A level, and how far from a station it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    level: Level,
    /// Nothing if even the pilot at the reference distance is weaker.
    radius_nm: Option<u64>,
}

impl Mark {
    pub(super) fn new(loss: &PathLoss, level: Level) -> Self {
        let radius_nm = loss.radius_nm(level);
        Self { level, radius_nm }
    }
}

impl Cells {
    /// A mobile heard a beacon of the station that it listens to: since when it knows that the pilot
    /// is below L_Pacing and below L_Handoff.
    pub(super) fn notice(&mut self, now: Instant, index: usize, level: Level) {
        let noticed = &mut self.mobiles[index].noticed;
        for (noticed, mark) in noticed.iter_mut().zip(&self.marks) {
            *noticed = (level < mark.level).then(|| noticed.unwrap_or(now));
        }
    }

    /// What is to be said of the way out of a station that a mobile turns away from; all else is left
    /// empty.
    pub(super) fn way_out(&mut self, now: Instant, index: usize, old: usize) -> HandoffSample {
        let mobile = &mut self.mobiles[index];
        let noticed = std::mem::take(&mut mobile.noticed);
        let mobile = &self.mobiles[index];
        let hidden = mobile.pairs[old].shadow.is_some() || !self.sky.blackouts.is_empty();
        let since = mobile.last.map_or(Instant::ZERO, |(at, _)| at);
        let crossed = self.marks.map(|mark| {
            let radius_nm = mark.radius_nm.filter(|_| !hidden)?;
            let centre = self.stations[old].spot;
            let ways = mobile.track.crossings(centre, radius_nm, (since, now));
            ways.last().filter(|last| !last.inward).map(|last| last.at)
        });
        let after = |which: usize| {
            let (crossed, noticed) = (crossed[which]?, noticed[which]?);
            Some(noticed.saturating_since(crossed).as_secs_f64())
        };
        let [pacing, handoff, reception] = crossed.map(|at| at.map(Instant::as_secs_f64));
        HandoffSample {
            pacing_crossed_s: pacing,
            pacing_noticed_after_s: after(0),
            handoff_crossed_s: handoff,
            handoff_noticed_after_s: after(1),
            reception_crossed_s: reception,
            ..HandoffSample::default()
        }
    }
}

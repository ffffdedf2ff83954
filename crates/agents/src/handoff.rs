//! The agent at a mobile that watches pilot signals, decides to which base station it listens, and
//! tells the ends of connections when a handoff draws near and is over (cho2005 §3).
//!
//! It knows what beacons tell: who sent them and how strong they were. It knows no place, no path
//! loss and no connection. *Good*: the own station's pilot is at or above the pacing level, or has
//! not fallen below it since. *Low*: it fell below (§3.2: pacing begins), or the station went
//! silent; until a beacon of the station that the mobile then listens to is above that level (§3.2:
//! pacing ends). A handoff starts when the own pilot is below the handoff level and another
//! station's last beacon is stronger. Invariant: begins and ends alternate.

use acklab_base::{Duration, Instant, NodeId};
use std::collections::VecDeque;

/// A level in thousandths of a dBm.
pub type Level = i32;

/// Parameters of the agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HandoffConfig {
    /// L_Handoff: below it the mobile looks for another station.
    pub handoff_level: Level,
    /// L_Pacing: below it ACKs are paced.
    pub pacing_level: Level,
    /// How much stronger another station must be, in thousandths of a dB.
    pub hysteresis: Level,
    /// A station of which nothing was heard for so long is lost, and its last beacon forgotten.
    pub patience: Duration,
    /// How long before it listens to the new station a mobile sends an update through it
    /// (semisoft handoff); nothing: hard handoff.
    pub semisoft: Option<Duration>,
}

/// What the agent wants done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandoffOutput {
    /// Listen to this station from now on.
    Attach(NodeId),
    /// Send an update through this station, and go on listening to the other one.
    Prepare(NodeId),
    /// A handoff or a blackout draws near: connections pace or freeze.
    Low,
    /// It is over.
    Good,
}

/// A station's last beacon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Heard {
    station: NodeId,
    level: Level,
    at: Instant,
}

/// The agent of one mobile.
#[derive(Clone, Debug)]
pub struct HandoffAgent {
    config: HandoffConfig,
    station: NodeId,
    /// When its last beacon came.
    last: Instant,
    /// Its level; nothing if it is lost.
    level: Option<Level>,
    is_low: bool,
    others: Vec<Heard>,
    /// A semisoft handoff in preparation.
    preparing: Option<(NodeId, Instant)>,
    outputs: VecDeque<HandoffOutput>,
}

impl HandoffAgent {
    /// A mobile that listens to `station`, whose pilot has this level.
    #[must_use]
    pub fn new(config: HandoffConfig, now: Instant, station: NodeId, level: Level) -> Self {
        let mut agent = Self {
            config,
            station,
            last: now,
            level: Some(level),
            is_low: false,
            others: Vec::new(),
            preparing: None,
            outputs: VecDeque::with_capacity(4),
        };
        agent.judge(level);
        agent
    }

    /// A beacon was heard.
    pub fn on_beacon(&mut self, now: Instant, station: NodeId, level: Level) {
        if station == self.station {
            self.last = now;
            self.level = Some(level);
            self.judge(level);
        } else {
            let heard = Heard {
                station,
                level,
                at: now,
            };
            match self
                .others
                .iter_mut()
                .find(|other| other.station == station)
            {
                Some(other) => *other = heard,
                None => self.others.push(heard),
            }
        }
        self.consider(now);
    }

    /// What the own station's pilot says of pacing.
    fn judge(&mut self, level: Level) {
        if self.is_low && level > self.config.pacing_level {
            self.is_low = false;
            self.outputs.push_back(HandoffOutput::Good);
        } else if level < self.config.pacing_level {
            self.sink();
        }
    }

    fn sink(&mut self) {
        if !self.is_low {
            self.is_low = true;
            self.outputs.push_back(HandoffOutput::Low);
        }
    }

    /// Whether it is time for another station.
    fn consider(&mut self, now: Instant) {
        let patience = self.config.patience;
        self.others
            .retain(|other| now.saturating_since(other.at) < patience);
        if self.preparing.is_some() {
            return;
        }
        let least = match self.level {
            Some(level) if level >= self.config.handoff_level => return,
            Some(level) => level.saturating_add(self.config.hysteresis),
            None => Level::MIN,
        };
        // The strongest; of equals the one with the lowest number.
        let order = |other: &&Heard| (other.level, std::cmp::Reverse(other.station.0));
        let Some(best) = self.others.iter().max_by_key(order).copied() else {
            return;
        };
        if best.level <= least {
            return;
        }
        match self.config.semisoft {
            Some(ahead) if self.level.is_some() => {
                self.preparing = Some((best.station, now + ahead));
                self.outputs.push_back(HandoffOutput::Prepare(best.station));
            }
            _ => self.attach(now, best.station),
        }
    }

    fn attach(&mut self, now: Instant, station: NodeId) {
        // The old station is one of the others now.
        if let Some(level) = self.level {
            self.others.push(Heard {
                station: self.station,
                level,
                at: self.last,
            });
        }
        let place = self
            .others
            .iter()
            .position(|other| other.station == station);
        let heard = place.map(|place| self.others.swap_remove(place));
        self.station = station;
        self.last = heard.map_or(now, |heard| heard.at);
        self.level = heard.map(|heard| heard.level);
        self.sink();
        self.outputs.push_back(HandoffOutput::Attach(station));
        if let Some(level) = self.level {
            self.judge(level);
        }
    }

    /// Completes a semisoft handoff, or notices that the own station is silent.
    pub fn on_wake(&mut self, now: Instant) {
        if let Some((station, at)) = self.preparing
            && at <= now
        {
            self.preparing = None;
            self.attach(now, station);
        }
        if self.level.is_some() && now.saturating_since(self.last) >= self.config.patience {
            self.level = None;
            self.sink();
            self.consider(now);
        }
    }

    /// The next thing to be done.
    pub fn poll(&mut self) -> Option<HandoffOutput> {
        self.outputs.pop_front()
    }

    /// When [`HandoffAgent::on_wake`] is to be called next.
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        let prepared = self.preparing.map_or(Instant::NEVER, |(_, at)| at);
        let lost = match self.level {
            Some(_) => self.last + self.config.patience,
            None => Instant::NEVER,
        };
        prepared.min(lost)
    }

    /// The station that the mobile listens to.
    #[must_use]
    pub const fn station(&self) -> NodeId {
        self.station
    }
}

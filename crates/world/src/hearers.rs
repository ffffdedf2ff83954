//! Who hears whose frames among folded stations, the station that a frame is for apart from the others.
//!
//! Nobody can predict at which place of a list the one stands, so it stands in none.

use acklab_base::{Instant, NodeId};
use acklab_radio::{Audible, Reach};
use std::ops::Range;

/// Who hears a frame of one station for another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hearers {
    /// That one, if it does.
    pub(crate) meant: Option<Audible>,
    /// Where all others stand.
    others: (u32, u32),
}

/// Who hears whom, in a network that stands still.
#[derive(Debug, Default)]
pub(crate) struct Hearing {
    radios: usize,
    listeners: Vec<Audible>,
    /// Of all frames of the first station, by whom they are for, broadcasts last; then those of the next one.
    hearers: Vec<Hearers>,
}

impl Hearing {
    pub(crate) fn new(radios: u32, reach: &mut Reach) -> Self {
        let mut hearing = Self {
            radios: radios as usize,
            ..Self::default()
        };
        for from in (0..radios).map(NodeId) {
            let row = reach.row(from, Instant::ZERO);
            let row = reach.list(row);
            let all = hearing.add(row.iter().copied());
            for to in (0..radios).map(NodeId) {
                let meant = row.iter().find(|one| one.node == to).copied();
                let others = match meant {
                    None => all,
                    Some(_) => hearing.add(row.iter().filter(|one| one.node != to).copied()),
                };
                hearing.hearers.push(Hearers { meant, others });
            }
            hearing.hearers.push(Hearers {
                meant: None,
                others: all,
            });
        }
        hearing
    }

    fn add(&mut self, row: impl Iterator<Item = Audible>) -> (u32, u32) {
        let start = self.listeners.len() as u32;
        self.listeners.extend(row);
        (start, self.listeners.len() as u32)
    }

    /// Who hears a frame.
    #[inline(always)]
    pub(crate) fn of(&self, from: NodeId, to: NodeId) -> Hearers {
        let to = to.index().min(self.radios);
        self.hearers[from.index() * (self.radios + 1) + to]
    }

    #[inline(always)]
    pub(crate) fn list(&self, row: Range<usize>) -> &[Audible] {
        &self.listeners[row]
    }
}

impl Hearers {
    #[inline(always)]
    pub(crate) fn others(&self) -> Range<usize> {
        self.others.0 as usize..self.others.1 as usize
    }
}

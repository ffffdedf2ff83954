//! A soft-state cache: which neighbours lead to a mobile, and until when that is believed.
//!
//! Nothing is ever sent to remove an entry: it is refreshed by what the mobile sends, replaced by
//! what comes from elsewhere, or dies. The one invariant: an entry that is not refreshed within the
//! timeout is never used.

use acklab_base::{Duration, Instant, NodeId};

/// An entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    mobile: NodeId,
    pub(super) via: NodeId,
    expires: Instant,
    /// Made by a semisoft update, and not confirmed since.
    pub(super) semisoft: bool,
}

/// How an entry is to be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Manner {
    /// In the place of all others.
    Replace,
    /// Beside the others.
    Beside,
}

/// The cache of one node.
#[derive(Clone, Debug, Default)]
pub(super) struct Cache {
    entries: Vec<Entry>,
}

impl Cache {
    /// Something from `mobile` came from `via`. Whether a semisoft handoff is now complete.
    pub(super) fn refresh(
        &mut self,
        now: Instant,
        (mobile, via): (NodeId, NodeId),
        timeout: Duration,
        manner: Manner,
    ) -> bool {
        self.entries.retain(|entry| entry.expires > now);
        let expires = now + timeout;
        let mut known = self.entries.iter_mut();
        let known = known.find(|entry| entry.mobile == mobile && entry.via == via);
        let completed = match known {
            Some(entry) => {
                entry.expires = expires;
                manner == Manner::Replace && std::mem::take(&mut entry.semisoft)
            }
            None => {
                if manner == Manner::Replace {
                    self.forget(mobile);
                }
                self.entries.push(Entry {
                    mobile,
                    via,
                    expires,
                    semisoft: manner == Manner::Beside,
                });
                return false;
            }
        };
        if completed {
            self.entries
                .retain(|entry| entry.mobile != mobile || entry.via == via);
        }
        completed
    }

    fn forget(&mut self, mobile: NodeId) {
        self.entries.retain(|entry| entry.mobile != mobile);
    }

    /// The entries of a mobile that are still believed, oldest first.
    pub(super) fn of(&self, now: Instant, mobile: NodeId) -> impl Iterator<Item = &Entry> {
        let mine = move |entry: &&Entry| entry.mobile == mobile && entry.expires > now;
        self.entries.iter().filter(mine)
    }

    /// The newest entry of a mobile, believed or not.
    pub(super) fn newest(&self, mobile: NodeId) -> Option<NodeId> {
        let mine = |entry: &&Entry| entry.mobile == mobile;
        self.entries
            .iter()
            .filter(mine)
            .map(|entry| entry.via)
            .next_back()
    }

    /// The node was switched off: everything is forgotten.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }
}

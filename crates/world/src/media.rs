//! Links that share a medium: the machine that lets one frame at a time through, and its links.
//!
//! The links stay where all links are, among the wires; those of one medium share the slot of the
//! first of them.

use crate::links::Wire;
use crate::world::World;
use acklab_base::Instant;
use acklab_kernel::Slot;
use acklab_mac::p2p::{Link, Links, Medium, Refused, Side};
use acklab_wire::Packet;

/// A medium with its place in the world.
#[derive(Debug)]
pub(crate) struct SharedMedium {
    machine: Medium,
    /// Its links among the wires, ascending.
    members: Vec<usize>,
    slot: Slot,
}

/// A link's place in a medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Membership {
    medium: usize,
    place: usize,
}

/// The links of one medium.
struct Members<'a> {
    wires: &'a mut [Wire],
    places: &'a [usize],
}

impl Links for Members<'_> {
    fn count(&self) -> usize {
        self.places.len()
    }

    fn link(&mut self, place: usize) -> &mut Link {
        &mut self.wires[self.places[place]].link
    }
}

/// The media that links name, in the order in which they are first named.
pub(crate) fn media<'a>(
    names: impl Iterator<Item = Option<&'a str>>,
    wires: &mut [Wire],
) -> Vec<SharedMedium> {
    let mut known: Vec<&str> = Vec::new();
    let mut media: Vec<SharedMedium> = Vec::new();
    for (index, name) in names.enumerate() {
        let Some(name) = name else { continue };
        let medium = known.iter().position(|known| *known == name);
        let medium = medium.unwrap_or_else(|| {
            known.push(name);
            media.push(SharedMedium {
                machine: Medium::default(),
                members: Vec::new(),
                slot: wires[index].slot,
            });
            known.len() - 1
        });
        let shared = &mut media[medium];
        let place = shared.members.len();
        shared.members.push(index);
        wires[index].slot = shared.slot;
        wires[index].medium = Some(Membership { medium, place });
    }
    media
}

impl World {
    /// Sends a packet over a link that shares a medium.
    pub(crate) fn send_over_medium(
        &mut self,
        at: Instant,
        member: Membership,
        side: Side,
        packet: Packet,
    ) -> Result<(), Refused> {
        let (sent, wake) = self.with_medium(member.medium, |machine, links| {
            let sent = machine.on_send(links, at, (member.place, side), packet);
            (sent, machine.next_wake(links))
        });
        self.agenda.set(self.media[member.medium].slot, wake);
        sent
    }

    /// A medium does what is due by `now`.
    pub(crate) fn wake_medium(&mut self, now: Instant, member: Membership) {
        let index = member.medium;
        self.with_medium(index, |machine, links| machine.on_wake(links, now));
        for place in 0..self.media[index].members.len() {
            self.drain_wire(now, self.media[index].members[place]);
        }
        let wake = self.with_medium(index, |machine, links| machine.next_wake(links));
        self.agenda.set(self.media[index].slot, wake);
    }

    fn with_medium<T>(
        &mut self,
        index: usize,
        work: impl FnOnce(&mut Medium, &mut Members<'_>) -> T,
    ) -> T {
        let shared = &mut self.media[index];
        let mut links = Members {
            wires: &mut self.wires,
            places: &shared.members,
        };
        work(&mut shared.machine, &mut links)
    }
}

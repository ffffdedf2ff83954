//! The machine of one node: what it sends in a slot, and what it makes of silence.
//!
//! Slots are numbered; slot n begins at n times the slot's length. In each slot that the node is
//! awake for, the channel calls [`SlottedMac::on_slot`], then [`SlottedMac::on_sent`] or
//! [`SlottedMac::on_busy`], then [`SlottedMac::on_frame`] if something was received, then
//! [`SlottedMac::on_slot_end`]. A node without items and FRN ACKs need not be called at all.
//! A call that finds nothing to do changes nothing and draws nothing.

use super::air::Contender;
use super::config::{BackoffFrom, Busy, Coding, RelayAccess, SlottedConfig};
use super::counters::SlottedCounters;
use super::items::{Item, State};
use super::seen::Seen;
use acklab_base::{NodeId, Stream};
use acklab_wire::slotted::{Kind, Part, SlottedFrame, Uid};
use acklab_wire::{Class, Packet};
use std::collections::VecDeque;

/// The draws of a node.
#[derive(Clone, Debug)]
pub struct Streams {
    /// Mini-slots.
    pub contention: Stream,
    /// Waits before retransmissions.
    pub retry: Stream,
    /// Pauses between a node's own packets.
    pub spacing: Stream,
}

/// What a node hands out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlottedOutput {
    /// A packet for this node or through it: the sender has it. What is for another node is then
    /// given back, to [`SlottedMac::on_relay`] if routing sends it on over this radio, else to
    /// [`SlottedMac::on_kept`].
    Up(Arrival),
    /// The lifetime of a packet was over.
    Expired(Class),
    /// A packet was tried as often as the rules allow.
    GivenUp(Class),
}

/// A packet as it came to a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The packet.
    pub part: Part,
    /// The previous hop.
    pub from: NodeId,
    /// The slot in which it came.
    pub came: u64,
    /// The slot in which it is to be relayed.
    pub due: u64,
}

/// What a node is about to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Plan {
    Nothing,
    Confirm(usize),
    One(usize),
    /// The part that is postponed, and the other.
    Two(usize, usize),
}

/// An FRN ACK that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Confirm {
    pub(super) uid: Uid,
    pub(super) to: NodeId,
    pub(super) due: u64,
}

impl Confirm {
    pub(super) const fn of(arrival: &Arrival) -> Self {
        Self {
            uid: arrival.part.uid,
            to: arrival.from,
            due: arrival.due,
        }
    }
}

/// The MAC of a node.
#[derive(Clone, Debug)]
pub struct SlottedMac {
    pub(super) node: NodeId,
    pub(super) config: SlottedConfig,
    pub(super) items: Vec<Item>,
    pub(super) confirms: Vec<Confirm>,
    /// Packets that this node was given.
    pub(super) seen: Seen,
    /// Packets that it sent, where frames are coded.
    pub(super) sent: Seen,
    /// No packet leaves before this slot: the node listens for echoes.
    pub(super) listens_until: u64,
    /// No packet leaves before this slot: the node holds back, for a neighbour to hear two echoes.
    pub(super) holds_until: u64,
    pub(super) spaced_until: u64,
    /// No item expires before this slot.
    first_expiry: u64,
    /// No awaited echo is missed before the end of this slot.
    pub(super) first_deadline: u64,
    pub(super) plan: Plan,
    made: u32,
    pub(super) streams: Streams,
    pub(super) outputs: VecDeque<SlottedOutput>,
    pub(super) counters: SlottedCounters,
}

impl SlottedMac {
    /// A node with nothing to send. Panics if a range of the configuration is empty, or shorter
    /// than an echo takes.
    #[must_use]
    pub fn new(node: NodeId, config: SlottedConfig, streams: Streams) -> Self {
        assert!(config.mini_slots > 0, "a slot has a mini-slot");
        let (shortest, longest) = config.retry;
        assert!(
            shortest >= 3 && shortest <= longest,
            "no wait before a retransmission"
        );
        assert!(config.spacing.0 <= config.spacing.1, "no spacing");
        Self {
            node,
            config,
            items: Vec::new(),
            confirms: Vec::new(),
            seen: Seen::default(),
            sent: Seen::default(),
            listens_until: 0,
            holds_until: 0,
            spaced_until: 0,
            first_expiry: u64::MAX,
            first_deadline: u64::MAX,
            plan: Plan::Nothing,
            made: 0,
            streams,
            outputs: VecDeque::new(),
            counters: SlottedCounters::default(),
        }
    }

    /// A packet that was made here, which may be sent from slot `due` on.
    pub fn on_packet(&mut self, due: u64, packet: Packet, next_hop: NodeId) {
        self.made += 1;
        let made_in = due.saturating_sub(1);
        let part = Part {
            uid: Uid::new(self.node, self.made),
            to: next_hop,
            destination: packet.destination,
            kind: Kind::of(packet.class()),
            expiry: match self.config.lifetime {
                Some(slots) => made_in + u64::from(slots),
                None => u64::MAX,
            },
        };
        self.insert(part, packet, None, (made_in, due));
    }

    /// The packet of [`SlottedOutput::Up`] goes on to `next_hop`.
    pub fn on_relay(&mut self, arrival: Arrival, packet: Packet, next_hop: NodeId) {
        let Arrival {
            part,
            from,
            came,
            due,
        } = arrival;
        let part = Part {
            to: next_hop,
            ..part
        };
        self.insert(part, packet, Some(from), (came, due));
    }

    /// The packet of [`SlottedOutput::Up`] was for another node and leaves this radio here: over a
    /// wire, into an agent's or a router's hands, or for want of a route. Nobody sends it on, so
    /// that the previous hop gets an FRN ACK for it as from a destination.
    pub fn on_kept(&mut self, arrival: Arrival) {
        self.confirms.push(Confirm::of(&arrival));
    }

    fn insert(
        &mut self,
        part: Part,
        packet: Packet,
        from: Option<NodeId>,
        (came, due): (u64, u64),
    ) {
        self.first_expiry = self.first_expiry.min(part.expiry);
        self.items.push(Item {
            part,
            packet,
            from,
            came,
            tries: 0,
            state: State::Waiting { due },
        });
    }

    /// A slot begins: what is over is dropped, and the node says whether it wants the slot.
    pub fn on_slot(&mut self, slot: u64) -> Option<Contender> {
        if self.first_expiry <= slot {
            self.expire(slot);
        }
        self.plan = self.choose(slot);
        let first = match self.plan {
            Plan::Nothing => return None,
            Plan::Confirm(_) => true,
            Plan::One(place) => self.items[place].is_first_relay(),
            Plan::Two(one, two) => {
                self.items[one].is_first_relay() || self.items[two].is_first_relay()
            }
        };
        let drawn = self.streams.contention.below(self.config.mini_slots);
        let (mini_slot, senses) = match self.config.relay_access {
            RelayAccess::Contend => (drawn, true),
            RelayAccess::First if first => (drawn, true),
            RelayAccess::First => (self.config.mini_slots + drawn, true),
            RelayAccess::Unconditional if first => (0, false),
            RelayAccess::Unconditional => (1 + drawn, true),
        };
        Some(Contender {
            node: self.node,
            mini_slot,
            senses,
        })
    }

    /// The channel was busy.
    pub fn on_busy(&mut self, slot: u64) {
        self.counters.busy += 1;
        let plan = std::mem::replace(&mut self.plan, Plan::Nothing);
        if self.config.busy == Busy::BackOff {
            let (one, two) = match plan {
                Plan::Nothing | Plan::Confirm(_) => return,
                Plan::One(place) => (place, None),
                Plan::Two(one, two) => (one, Some(two)),
            };
            for place in [Some(one), two].into_iter().flatten() {
                let due = slot + self.retry_wait();
                self.items[place].state = State::Waiting { due };
            }
        }
    }

    /// The node has the slot: the frame that it sends.
    pub fn on_sent(&mut self, slot: u64) -> Option<SlottedFrame> {
        let frame = match std::mem::replace(&mut self.plan, Plan::Nothing) {
            Plan::Nothing => return None,
            Plan::Confirm(place) => {
                let Confirm { uid, to, .. } = self.confirms.remove(place);
                self.counters.confirms += 1;
                return Some(SlottedFrame::Confirm { uid, to });
            }
            Plan::One(place) => {
                self.count_relay(&[place]);
                let part = self.mark(place, slot, slot + 1);
                match part.kind {
                    Kind::Data => self.counters.data += 1,
                    Kind::Ack => self.counters.ack += 1,
                }
                if !part.to.is_broadcast() {
                    self.listens_until = slot + 2;
                }
                SlottedFrame::Single(part)
            }
            Plan::Two(first, second) => {
                self.count_relay(&[first, second]);
                self.counters.combined += 1;
                let later = 1 + u64::from(self.config.postpone);
                self.listens_until = slot + later + 1;
                SlottedFrame::Combined {
                    first: self.mark(first, slot, slot + later),
                    second: self.mark(second, slot, slot + 1),
                    coded: self.config.coding == Coding::Xor,
                }
            }
        };
        let (least, most) = self.config.spacing;
        let pause = least + self.streams.spacing.below(most - least + 1);
        self.spaced_until = slot + u64::from(pause);
        Some(frame)
    }

    /// A slot is over: echoes that did not come are missed.
    pub fn on_slot_end(&mut self, slot: u64) {
        if self.first_deadline > slot {
            return;
        }
        self.first_deadline = u64::MAX;
        let mut place = 0;
        while place < self.items.len() {
            let State::Awaiting { sent, deadline } = self.items[place].state else {
                place += 1;
                continue;
            };
            if deadline > slot {
                self.first_deadline = self.first_deadline.min(deadline);
            } else if self.items[place].part.to.is_broadcast() {
                // Nobody answers a broadcast.
                self.items.remove(place);
                continue;
            } else {
                self.counters.unechoed += 1;
                if self
                    .config
                    .retry_limit
                    .is_some_and(|most| self.items[place].tries >= most)
                {
                    let class = self.items.remove(place).packet.class();
                    self.outputs.push_back(SlottedOutput::GivenUp(class));
                    continue;
                }
                let from = match self.config.backoff_from {
                    BackoffFrom::Transmission => sent,
                    BackoffFrom::Echo => deadline,
                };
                let due = from + self.retry_wait();
                self.items[place].state = State::Waiting { due };
            }
            place += 1;
        }
    }

    /// The next thing to hand out.
    pub fn poll(&mut self) -> Option<SlottedOutput> {
        self.outputs.pop_front()
    }

    /// Whether the node has nothing to do until something arrives.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.items.is_empty() && self.confirms.is_empty() && self.outputs.is_empty()
    }

    /// The packet behind a part of the frame that the node sent last.
    #[must_use]
    pub fn packet(&self, uid: Uid) -> Option<&Packet> {
        let held = self.items.iter().find(|item| item.part.uid == uid);
        held.map(|item| &item.packet)
    }

    /// Packets that the node holds.
    #[must_use]
    pub fn held(&self) -> usize {
        self.items.len()
    }

    /// The last slot in which an item of the node may exist, its oldest; for tests of lifetimes.
    #[must_use]
    pub fn oldest_expiry(&self) -> Option<u64> {
        self.items.iter().map(|item| item.part.expiry).min()
    }

    /// What was counted so far.
    #[must_use]
    pub const fn counters(&self) -> &SlottedCounters {
        &self.counters
    }

    /// Drops what is over: a packet made in slot c exists in slots below c + lifetime, in every
    /// state and at every node.
    fn expire(&mut self, slot: u64) {
        self.first_expiry = u64::MAX;
        let (outputs, first) = (&mut self.outputs, &mut self.first_expiry);
        self.items.retain(|item| {
            let lives = item.part.expiry > slot;
            if lives {
                *first = (*first).min(item.part.expiry);
            } else {
                outputs.push_back(SlottedOutput::Expired(item.packet.class()));
            }
            lives
        });
    }
}

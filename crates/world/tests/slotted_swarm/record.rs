//! What an event log says of each slot, against what the air of a network allows.
//!
//! The checker finds by itself who hears whom, from the links or the places alone.

use crate::common::integer;
use acklab_base::Duration;
use acklab_scenario::{Duplicates, RelayAccess, Sensing, Slotted};
use acklab_world::RunResult;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of places that are so near to each other, in metres.
pub(crate) fn within(places: &[(i32, i32)], range: i32) -> Vec<(u32, u32)> {
    let near = |a: usize, b: usize| {
        let (dx, dy) = (places[a].0 - places[b].0, places[a].1 - places[b].1);
        dx * dx + dy * dy <= range * range
    };
    let pairs = (0..places.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs
        .filter(|&(a, b)| near(a, b))
        .map(|(a, b)| (a as u32, b as u32))
        .collect()
}

/// Who hears and who senses whom, and the rules.
pub(crate) struct Network {
    hears: Vec<BTreeSet<u64>>,
    senses: Vec<BTreeSet<u64>>,
    /// The radio with a wire, by which packets come as well.
    gateway: Option<u64>,
    rules: Slotted,
}

impl Network {
    pub(crate) fn new(
        (nodes, gateway): (u32, Option<u32>),
        links: &[(u32, u32)],
        far: &[(u32, u32)],
        rules: Slotted,
    ) -> Self {
        let sets = |links: &[(u32, u32)]| {
            let mut sets = vec![BTreeSet::new(); nodes as usize];
            for &(one, other) in links {
                sets[one as usize].insert(u64::from(other));
                sets[other as usize].insert(u64::from(one));
            }
            sets
        };
        let hears = sets(links);
        let senses = match rules.sensing {
            Sensing::Neighbours => hears.clone(),
            Sensing::Radio => sets(far),
            Sensing::TwoHops => {
                let two = |(node, near): (usize, &BTreeSet<u64>)| {
                    let next = near.iter().flat_map(|&other| &hears[other as usize]);
                    let all = near.iter().chain(next).copied();
                    all.filter(|&other| other != node as u64).collect()
                };
                hears.iter().enumerate().map(two).collect()
            }
        };
        Self {
            hears,
            senses,
            gateway: gateway.map(u64::from),
            rules,
        }
    }
}

/// A packet in a frame.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Part {
    what: String,
    uid: (u64, u64),
    /// `None` for a broadcast.
    to: Option<u64>,
}

/// What a slot has in the log.
#[derive(Default)]
struct Slot {
    start: u64,
    sent: BTreeMap<u64, Vec<Part>>,
    /// Node, and the sender it heard or how many it heard at once.
    heard: BTreeSet<(u64, Result<u64, u64>)>,
}

/// A log that was checked.
pub(crate) struct Record<'a> {
    network: &'a Network,
    slot: Slot,
    /// First and last transmission of a packet.
    alive: BTreeMap<(u64, u64), (u64, u64)>,
    /// Packets that transports took: at a node, in a slot.
    taken: BTreeSet<(u64, (u64, u64))>,
    sending: BTreeMap<u64, u64>,
    receiving: BTreeMap<u64, u64>,
    /// Slots in which two nodes sent that sense each other.
    together: u32,
}

impl<'a> Record<'a> {
    /// Reads and checks a log.
    pub(crate) fn read(network: &'a Network, events: &[Value]) -> Result<Self, String> {
        let mut record = Record {
            network,
            slot: Slot::default(),
            alive: BTreeMap::new(),
            taken: BTreeSet::new(),
            sending: BTreeMap::new(),
            receiving: BTreeMap::new(),
            together: 0,
        };
        // At one instant the log goes by nodes; what is over comes before what begins.
        let order = |event: &&Value| (integer(event, "time_ns"), event["kind"] == "slot_sent");
        let mut events: Vec<&Value> = events.iter().collect();
        events.sort_by_key(order);
        for event in events {
            record
                .take(event)
                .map_err(|what| format!("{what}: {event}"))?;
        }
        Ok(record)
    }

    fn take(&mut self, event: &Value) -> Result<(), String> {
        let (at, node) = (integer(event, "time_ns"), integer(event, "node"));
        match event["kind"].as_str() {
            Some("slot_sent") => self.sent(at, node, event),
            Some("slot_heard") => self.heard(at, node, Ok(integer(event, "from"))),
            Some("slot_collided") => self.heard(at, node, Err(integer(event, "senders"))),
            Some("tcp_received") => self.delivered(node, event["forward"] == true),
            Some("udp_received") => self.delivered(node, true),
            _ => Ok(()),
        }
    }

    fn sent(&mut self, at: u64, node: u64, event: &Value) -> Result<(), String> {
        if at != self.slot.start || self.slot.sent.is_empty() {
            self.close(at)?;
            self.slot = Slot {
                start: at,
                ..Slot::default()
            };
        }
        let part = |prefix: &str| Part {
            what: event[format!("{prefix}what")]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            uid: (
                integer(event, &format!("{prefix}source")),
                integer(event, &format!("{prefix}number")),
            ),
            to: event[format!("{prefix}to")].as_u64(),
        };
        let mut parts = vec![part("")];
        if !event["second_what"].is_null() {
            parts.push(part("second_"));
        }
        for part in &parts {
            if part
                .to
                .is_some_and(|to| !self.network.hears[node as usize].contains(&to))
            {
                return Err("for somebody who cannot hear it".to_owned());
            }
            if part.what != "frn_ack" {
                self.live(part.uid, at)?;
            }
        }
        *self.sending.entry(node).or_default() += self.length(&parts);
        match self.slot.sent.insert(node, parts) {
            None => Ok(()),
            Some(_) => Err("a second frame in one slot".to_owned()),
        }
    }

    /// A packet that was made in slot c is sent in slots c + 1 to c + lifetime − 1 at most.
    fn live(&mut self, uid: (u64, u64), at: u64) -> Result<(), String> {
        let (first, last) = self.alive.entry(uid).or_insert((at, at));
        *last = at;
        let rules = &self.network.rules;
        let most = rules.lifetime.map_or(u64::MAX, |slots| {
            u64::from(slots - 1) * rules.slot.as_nanos()
        });
        if *last - *first >= most {
            return Err(format!("sent first at {first} ns, and past its lifetime"));
        }
        Ok(())
    }

    fn length(&self, parts: &[Part]) -> u64 {
        let rules = &self.network.rules;
        let data = parts.iter().any(|part| part.what == "data");
        let length: Duration = if data { rules.slot } else { rules.ack_slot };
        length.as_nanos()
    }

    /// What a node heard of the slot, which is over.
    fn heard(&mut self, at: u64, node: u64, what: Result<u64, u64>) -> Result<(), String> {
        let length = self
            .slot
            .sent
            .values()
            .map(|parts| self.length(parts))
            .max();
        if Some(at) != length.map(|length| self.slot.start + length) {
            return Err("not at the end of a slot".to_owned());
        }
        let near = &self.network.hears[node as usize];
        let sent = self
            .slot
            .sent
            .iter()
            .filter(|(from, _)| near.contains(*from));
        let longest = sent.map(|(_, parts)| self.length(parts)).max();
        if !self.slot.sent.contains_key(&node) {
            *self.receiving.entry(node).or_default() += longest.unwrap_or_default();
        }
        match self.slot.heard.insert((node, what)) {
            true => Ok(()),
            false => Err("heard twice".to_owned()),
        }
    }

    /// The slot has to be as the air makes it, if there was time for its end.
    fn close(&mut self, next: u64) -> Result<(), String> {
        let (network, slot) = (self.network, &self.slot);
        let length = slot.sent.values().map(|parts| self.length(parts)).max();
        if next < slot.start + length.unwrap_or_default() {
            return Err(format!("the slot of {} ns is not over", slot.start));
        }
        let mut expected = BTreeSet::new();
        for (node, near) in network.hears.iter().enumerate() {
            let node = node as u64;
            let mut senders = slot.sent.keys().filter(|from| near.contains(*from));
            let first = senders.next();
            let count = u64::from(first.is_some()) + senders.count() as u64;
            match first {
                None => {}
                Some(&from) if count == 1 && !slot.sent.contains_key(&node) => {
                    expected.insert((node, Ok(from)));
                }
                Some(_) => {
                    expected.insert((node, Err(count)));
                }
            }
        }
        if expected != slot.heard {
            return Err(format!(
                "{expected:?} hear {:?}, not {:?}",
                slot.sent, slot.heard
            ));
        }
        // Of so many mini-slots two nodes draw the same once by chance, and all of them listen.
        let rules = &network.rules;
        let listen = rules.relay_access != RelayAccess::Unconditional;
        let senders: Vec<u64> = slot.sent.keys().copied().collect();
        let senses = |a: &u64| {
            senders
                .iter()
                .any(|b| network.senses[*a as usize].contains(b))
        };
        if rules.mini_slots == 65_536 && listen && senders.iter().any(senses) {
            self.together += 1;
            if self.together > 1 {
                return Err(format!("{senders:?} sense each other and send"));
            }
        }
        Ok(())
    }

    /// A transport took a packet from the frame that its node heard last, if it has no wire.
    fn delivered(&mut self, node: u64, forward: bool) -> Result<(), String> {
        if self.network.hears.len() as u64 <= node || self.network.gateway == Some(node) {
            return Ok(());
        }
        let from = self.slot.heard.iter().find(|(at, _)| *at == node);
        let Some((_, Ok(from))) = from else {
            return Err("taken from nowhere".to_owned());
        };
        let what = if forward { "data" } else { "ack" };
        let parts = self.slot.sent[from].iter();
        let uids: Vec<(u64, u64)> = parts
            .filter(|part| part.to == Some(node) && part.what == what)
            .map(|part| part.uid)
            .collect();
        if uids.is_empty() {
            return Err("taken from a frame that does not have it".to_owned());
        }
        let filtered = self.network.rules.duplicates != Duplicates::Forward;
        if uids.len() == 1 && !self.taken.insert((node, uids[0])) && filtered {
            return Err(format!("packet {uids:?} is delivered twice"));
        }
        Ok(())
    }

    /// What was counted is what was logged.
    pub(crate) fn counts(&self, result: &RunResult) -> Result<(), String> {
        for (index, node) in result.nodes.iter().enumerate() {
            let logged = |times: &BTreeMap<u64, u64>| {
                times.get(&(index as u64)).copied().unwrap_or_default() as f64 / 1e9
            };
            let (sending, receiving) = (logged(&self.sending), logged(&self.receiving));
            let off = (node["airtime_s"] - sending).abs() + (node["receiving_s"] - receiving).abs();
            if off > 1e-6 {
                return Err(format!(
                    "node {index} sends {sending} s and receives {receiving} s, not {} and {}",
                    node["airtime_s"], node["receiving_s"]
                ));
            }
        }
        Ok(())
    }
}

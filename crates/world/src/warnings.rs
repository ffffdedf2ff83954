//! What the reader of a result must know: shortcuts of the models that were hit, idealisations, and
//! figures to be careful with.

use crate::agents::{Agent, Kind};
use crate::flow::{Flow, Traffic};
use crate::world::World;
use acklab_base::NodeId;
use acklab_trace::NodeCounters;
use acklab_wire::frame::LONGEST_PACKET_BYTES;
use serde::Serialize;
use std::collections::BTreeSet;

/// So many silent flows are named in the warning.
const NAMED: usize = 3;

/// A shortcut of the model that was hit, or a figure to be careful with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// A short name, the same in every run.
    pub code: &'static str,
    /// What it means for the reader of the result.
    pub message: String,
    /// How often it happened.
    pub count: u64,
}

impl World {
    /// All warnings of a run that came to its end or was stopped before.
    pub(crate) fn warnings(&self, complete: bool) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |code, count: u64, message: String| {
            if count > 0 {
                let warning = Warning {
                    code,
                    message,
                    count,
                };
                warnings.push(warning);
            }
        };
        let at = self.now.as_secs_f64();
        let stopped = format!("the run was stopped at {at} s");
        warn("stopped", u64::from(!complete), stopped);
        let recorder = self.recorder.as_ref();
        if let Some(at) = recorder.and_then(|recorder| recorder.truncated_at()) {
            let message = format!(
                "the record is full from about {} s on (receptions of the last frames before may be \
                 missing, too)",
                at.as_secs_f64()
            );
            warn("record_truncated", 1, message);
        }
        warn(
            "short_run",
            self.batches.as_ref().map_or(0, |b| b.missing()),
            "packets that were not delivered before the run's duration was over".to_owned(),
        );
        let taken = self.rest_of_counters().map(|rest| rest.pair_seconds);
        warn(
            "unconfirmed_part",
            taken.sum(),
            "packets that came as the second part of a combined 802.11 frame, which only the \
             receiver of the first part acknowledges"
                .to_owned(),
        );
        let hasty = self.wires.iter().filter(|wire| wire.repeats_too_soon);
        warn(
            "link_timer_too_short",
            hasty.count() as u64,
            "links whose arq.min_timer runs out before a link ACK can come: each frame is sent \
             again, until the timer learns better from one that is not"
                .to_owned(),
        );
        self.warn_of_frames(&mut warn);
        self.warn_of_ideals(&mut warn);
        self.warn_of_cells(&mut warn);
        self.warn_of_silence(&mut warn);
        warnings
    }

    /// Frames that no real station of 802.11 sends.
    fn warn_of_frames(&self, warn: &mut impl FnMut(&'static str, u64, String)) {
        warn(
            "frame_too_long",
            self.too_long,
            format!(
                "packets of more than {LONGEST_PACKET_BYTES} B given to an 802.11 MAC, whose frames carry \
                 no more: they went as frames that no real station would send"
            ),
        );
        warn(
            "short_preamble",
            u64::from(self.shared.short_preamble),
            "a short preamble with a basic rate of 1 Mbit/s, at which 802.11b has the long one \
             alone (clause 18.2.2.2): control frames and broadcasts are 96 us shorter than a real \
             station's"
                .to_owned(),
        );
    }

    /// What nobody can build: roads and policies of ACKs, and slots whose length all know.
    fn warn_of_ideals(&self, warn: &mut impl FnMut(&'static str, u64, String)) {
        let roads = self
            .flows
            .iter()
            .filter_map(|flow| flow.oracle_acks.as_ref());
        warn(
            "oracle_ack_path",
            roads.map(|road| road.taken).sum(),
            "ACKs that reached their sender over no channel (oracle_ack_path): an idealisation, \
             and no scheme that could be built"
                .to_owned(),
        );
        let sees = |flow: &&Flow| matches!(&flow.traffic, Traffic::Tcp(tcp) if tcp.receiver.knows_window());
        let acks = self.flows.iter().filter(sees);
        warn(
            "oracle_ack_policy",
            acks.map(|flow| flow.counters.acks_sent).sum(),
            "ACKs of receivers that go by their sender's window, which no receiver knows \
             (oracle-window): an idealisation, and no scheme that could be built"
                .to_owned(),
        );
        let short_slots = (self.slotted.as_deref()).is_some_and(|one| one.has_short_slots());
        warn(
            "slots_of_known_length",
            u64::from(short_slots),
            "slots without data that are shorter (ack_slot), and all nodes know at once which: an \
             idealisation, and no radio that could be built"
                .to_owned(),
        );
    }

    /// Flows that delivered nothing, and why that may be.
    fn warn_of_silence(&self, warn: &mut impl FnMut(&'static str, u64, String)) {
        let flows = self.flows.iter().enumerate();
        let is_silent = |(_, flow): &(usize, &Flow)| flow.counters.delivered_packets == 0;
        let silent: Vec<_> = flows.filter(is_silent).collect();
        let mut names: Vec<_> = (silent.iter().take(NAMED))
            .map(|(index, flow)| format!("{index} from node {} to {}", flow.from.0, flow.to.0))
            .collect();
        if silent.len() > NAMED {
            names.push("…".to_owned());
        }
        let message = format!("flows that delivered nothing at all: {}", names.join(", "));
        warn("silent_flow", silent.len() as u64, message);
        let sources: BTreeSet<_> = silent.iter().map(|(_, flow)| flow.from).collect();
        let arp_drops = |node: &NodeId| self.stacks[self.seats.of(*node)].counters.arp_drops;
        let unasked = sources.iter().map(|node| u64::from(arp_drops(node)));
        warn(
            "arp_unanswered",
            unasked.sum(),
            "packets of nodes with a silent flow that ARP found no address for: its requests \
             are broadcasts, which no MAC repeats, and those of nodes that send in step collide each time \
             (start_jitter parts them, link.arp = false needs none)"
                .to_owned(),
        );
    }

    /// The counters of nodes that few nodes have.
    fn rest_of_counters(&self) -> impl Iterator<Item = &NodeCounters> {
        let stacks = self.stacks.iter();
        stacks.filter_map(|stack| stack.counters.counted_rest())
    }

    /// What a network of base stations leaves out of the air and of the agents at them.
    fn warn_of_cells(&self, warn: &mut impl FnMut(&'static str, u64, String)) {
        let Some(cells) = &self.cells else {
            return;
        };
        warn(
            "uncontended_cells",
            cells.uncontended(),
            "mobiles with a channel of their own to each station: they take no capacity from each \
             other (cells.mac = \"802.11\" lets them share a cell)"
                .to_owned(),
        );
        let heard = self.rest_of_counters().map(|rest| rest.beacons_heard);
        warn(
            "beacons_off_air",
            if cells.on_air() { heard.sum() } else { 0 },
            "beacons that mobiles heard and that took no airtime from the 802.11 below".to_owned(),
        );
        let split = |agent: &Agent| matches!(agent.kind, Kind::Split(_));
        let ended = if self.agents.iter().any(split) {
            cells.log.len() as u64
        } else {
            0
        };
        warn(
            "split_left_behind",
            ended,
            "handoffs at which a split connection stays at the old station: its state is not \
             handed over, as I-TCP's would be"
                .to_owned(),
        );
    }
}

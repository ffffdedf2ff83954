//! Counters of nodes and flows: public fields, bumped by the world in the hot path.
//!
//! They hold integers and integer time only, so that sums do not depend on their order. What is
//! a quotient of counters lives in [`crate::report`]. The one invariant: counters never fall, so
//! the figures of a measured interval are a difference ([`NodeCounters::since`]).

use crate::measure::{Measure, Pooling, Quantity, Scope};
use acklab_base::Duration;
use acklab_wire::FrameHeader;
use std::ops::AddAssign;

/// Declares a struct of counters together with its part of the table of measures.
macro_rules! counters {
    (
        $(#[$meta:meta])* $name:ident, $scope:expr, $(#[$table_meta:meta])* $table:ident;
        $( $field:ident: $kind:ty as $measure:literal in $unit:literal, $what:literal; )*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct $name { $( #[doc = $what] pub $field: $kind, )* }

        $(#[$table_meta])*
        pub const $table: &[Measure] = &[$( Measure {
            name: $measure, unit: $unit, scope: $scope, pooling: Pooling::Sum, what: $what,
        }, )*];

        impl $name {
            /// What was counted since `earlier`, an older copy of the same counters.
            #[must_use]
            pub fn since(&self, earlier: &Self) -> Self {
                Self { $( $field: self.$field.since(earlier.$field), )* }
            }

            /// Gives each counter's name and value to `take`, in the order of declaration.
            pub fn visit(&self, mut take: impl FnMut(&'static str, f64)) {
                $( take($measure, self.$field.value()); )*
            }
        }

        impl Amounts<{ $table.len() }> for $name {
            fn amounts(&self) -> [u64; $table.len()] {
                [$( self.$field.amount(), )*]
            }

            fn of_amounts(amounts: &[u64; $table.len()]) -> Self {
                let [$( $field, )*] = *amounts;
                Self { $( $field: Quantity::of_amount($field), )* }
            }
        }

        impl AddAssign<&$name> for $name {
            fn add_assign(&mut self, other: &Self) {
                $( self.$field += other.$field; )*
            }
        }
    };
}

/// Counters as whole numbers, in the order of declaration; times in nanoseconds.
pub(crate) trait Amounts<const N: usize> {
    fn amounts(&self) -> [u64; N];
    fn of_amounts(amounts: &[u64; N]) -> Self;
}

counters! {
    /// What one node counted below TCP: frames, losses, routing, airtime.
    NodeCounters, Scope::Node,
    /// The measures that [`NodeCounters`] gives.
    NODE_COUNTERS;
    rts_sent: u64 as "rts_sent" in "frames", "RTS frames put on the air";
    cts_sent: u64 as "cts_sent" in "frames", "CTS frames put on the air";
    data_sent: u64 as "data_sent" in "frames", "Unicast data frames put on the air, retransmissions included";
    ack_sent: u64 as "ack_sent" in "frames", "802.11 ACK frames put on the air";
    broadcast_sent: u64 as "broadcast_sent" in "frames", "Broadcast data frames put on the air";
    missing_cts: u64 as "missing_cts" in "frames", "RTS frames that no CTS answered in time";
    missing_ack: u64 as "missing_ack" in "frames", "Unicast data frames that no 802.11 ACK answered in time";
    unicast_done_tcp_data: u64 as "unicast_done_tcp_data" in "packets", "TCP data packets whose 802.11 ACK arrived (per hop)";
    unicast_done_tcp_ack: u64 as "unicast_done_tcp_ack" in "packets", "TCP ACK packets whose 802.11 ACK arrived (per hop)";
    unicast_done: u64 as "unicast_done" in "packets", "Unicast packets of any kind whose 802.11 ACK arrived (per hop)";
    collisions: u64 as "collisions" in "frames", "Frames meant for this node that an overlapping frame destroyed at its receiver, which did not send itself";
    collisions_hidden: u64 as "collisions_hidden" in "frames", "Collisions whose two senders could not sense each other";
    collisions_same_slot: u64 as "collisions_same_slot" in "frames", "Collisions whose two senders, in sensing range, chose the same slot";
    capture_lost: u64 as "capture_lost" in "frames", "Frames meant for this node that were ignored because the receiver stayed with a stronger one";
    retry_drops: u64 as "retry_drops" in "packets", "Packets given up by the MAC at a retry limit";
    retry_drops_tcp_data: u64 as "retry_drops_tcp_data" in "packets", "TCP data packets among the retry drops";
    retry_drops_tcp_ack: u64 as "retry_drops_tcp_ack" in "packets", "TCP ACK packets among the retry drops";
    queue_drops: u64 as "queue_drops" in "packets", "Packets that found the interface queue full";
    arp_drops: u64 as "arp_drops" in "packets", "Packets dropped while they waited for address resolution, and those to which nobody answered, which routing may still send another way";
    link_failures: u64 as "link_failures" in "events", "Link failures that the MAC, or address resolution, reported to routing";
    false_route_failures: u64 as "false_route_failures" in "events", "Link failures reported although the neighbour is in range";
    rreq_originated: u64 as "rreq_originated" in "packets", "Route requests that this node made itself";
    rreq_sent: u64 as "rreq_sent" in "packets", "Route requests sent or forwarded";
    rrep_sent: u64 as "rrep_sent" in "packets", "Route replies sent or forwarded";
    rerr_sent: u64 as "rerr_sent" in "packets", "Route errors sent or forwarded";
    route_updates_sent: u64 as "route_updates_sent" in "packets", "Route tables that this node sent to its neighbours (DSDV), or route and paging updates that it made (Cellular IP)";
    salvaged_packets: u64 as "salvaged_packets" in "packets", "Packets of other nodes that were given a new route here (DSR)";
    no_route_drops: u64 as "no_route_drops" in "packets", "Packets dropped for want of a route";
    loop_drops: u64 as "loop_drops" in "packets", "Packets dropped because they came back to their source";
    ttl_drops: u64 as "ttl_drops" in "packets", "Packets dropped because their time to live ran out";
    purged_drops: u64 as "purged_drops" in "packets", "Queued packets dropped when their next hop was declared lost";
    pair_seconds: u64 as "pair_seconds" in "packets", "Second packets of combined 802.11 frames that the node took (queue.combining)";
    slot_data_frames: u64 as "slot_data_frames" in "frames", "Slots in which the node sent one data packet (slotted radio)";
    slot_ack_frames: u64 as "slot_ack_frames" in "frames", "Slots in which the node sent one ACK packet (slotted radio)";
    slot_combined_frames: u64 as "slot_combined_frames" in "frames", "Slots in which the node sent two packets in one frame (slotted radio)";
    slot_frn_acks: u64 as "slot_frn_acks" in "frames", "Slots in which the node sent an FRN ACK (slotted radio)";
    slot_resent: u64 as "slot_resent" in "packets", "Packets in those frames that the node itself had put on the air before; a duplicate that it was given anew counts as new (slotted radio)";
    slot_relay_frames: u64 as "slot_relay_frames" in "frames", "Frames with a packet of another node (slotted radio)";
    slot_relay_frames_both: u64 as "slot_relay_frames_both" in "frames", "Those sent while both queues held a packet (slotted radio)";
    slot_busy: u64 as "slot_busy" in "frames", "Slots that the node wanted and found busy (slotted radio)";
    slot_unechoed: u64 as "slot_unechoed" in "packets", "Packets sent whose echo did not come in time (slotted radio)";
    slot_missed_collided: u64 as "slot_missed_collided" in "packets", "Those (slot_unechoed) that met another frame at the next hop (slotted radio)";
    slot_missed_deaf: u64 as "slot_missed_deaf" in "packets", "Those that found the next hop sending (slotted radio)";
    slot_missed_undecoded: u64 as "slot_missed_undecoded" in "packets", "Those whose part of a coded frame the next hop could not read (slotted radio)";
    slot_missed_duplicate: u64 as "slot_missed_duplicate" in "packets", "Those that the next hop had been given before and dropped silently (slotted radio)";
    slot_missed_echo_busy: u64 as "slot_missed_echo_busy" in "packets", "Those whose next hop found the channel busy when it was to answer (slotted radio)";
    slot_missed_echo_listening: u64 as "slot_missed_echo_listening" in "packets", "Those whose next hop listened for an echo of its own when it was to answer (slotted radio)";
    slot_missed_echo_held: u64 as "slot_missed_echo_held" in "packets", "Those whose next hop held back then, for a combined frame that it had received (slotted radio)";
    slot_missed_echo_behind: u64 as "slot_missed_echo_behind" in "packets", "Those whose next hop sent something else first, or whose queue's head barred the way (slotted radio)";
    slot_missed_echo_gone: u64 as "slot_missed_echo_gone" in "packets", "Those that the next hop did not have any more, as it knew them to have gone on (slotted radio)";
    slot_missed_echo_collided: u64 as "slot_missed_echo_collided" in "packets", "Those whose echo met another frame at this node (slotted radio)";
    slot_missed_echo_deaf: u64 as "slot_missed_echo_deaf" in "packets", "Those whose echo found this node sending an FRN ACK (slotted radio)";
    slot_pairs_taken: u64 as "slot_pairs_taken" in "frames", "Combined frames both of whose next hops took their packet (slotted radio)";
    slot_pairs_at_once: u64 as "slot_pairs_at_once" in "frames", "Combined frames whose two next hops both answered in the next slot (slotted radio)";
    slot_pairs_met: u64 as "slot_pairs_met" in "frames", "Those after which this node heard neither answer (slotted radio)";
    slot_pairs_unechoed: u64 as "slot_pairs_unechoed" in "frames", "Combined frames of which neither echo came in time (slotted radio)";
    slot_late_echoes: u64 as "slot_late_echoes" in "packets", "Echoes that came after their slot (slotted radio)";
    slot_duplicates: u64 as "slot_duplicates" in "packets", "Packets received that the node had been given before (slotted radio)";
    slot_undecoded: u64 as "slot_undecoded" in "packets", "Coded packets whose other part the receiver did not know (slotted radio)";
    slot_hops: u64 as "slot_hops" in "packets", "Packets that the next hop is known to have (slotted radio)";
    slot_hop_slots: u64 as "slot_hop_slots" in "slots", "How long those were here, summed (slotted radio)";
    slot_collisions_data_ack: u64 as "slot_collisions_data_ack" in "frames", "Collisions in which a data packet met an ACK packet or an FRN ACK (slotted radio)";
    slot_deaf: u64 as "slot_deaf" in "frames", "Frames for this node that found it sending (slotted radio)";
    expired_drops: u64 as "expired_drops" in "packets", "Packets dropped because their lifetime in slots was over (slotted radio)";
    airtime_rts: Duration as "airtime_rts_s" in "s", "Time spent sending RTS frames, preamble included";
    airtime_cts: Duration as "airtime_cts_s" in "s", "Time spent sending CTS frames, preamble included";
    airtime_ack: Duration as "airtime_ack_s" in "s", "Time spent sending 802.11 ACK frames, preamble included, or FRN ACKs (slotted radio)";
    airtime_data: Duration as "airtime_data_s" in "s", "Time spent sending unicast data frames, preamble included";
    airtime_broadcast: Duration as "airtime_broadcast_s" in "s", "Time spent sending broadcast frames, preamble included";
    receiving: Duration as "receiving_s" in "s", "Time in which the receiver was busy with sensed frames and the radio did not send itself; a busy time counts when it is over";
    p2p_frames_sent: u64 as "p2p_frames_sent" in "frames", "Frames with packets sent over point-to-point links, link-level retransmissions included";
    p2p_retransmissions: u64 as "p2p_retransmissions" in "frames", "Link-level retransmissions over point-to-point links";
    p2p_timer_retransmissions: u64 as "p2p_timer_retransmissions" in "frames", "Link-level retransmissions that a timer asked for, not the ACK of a later frame; one acknowledged before it leaves is not sent, but counts here";
    p2p_acks_sent: u64 as "p2p_acks_sent" in "frames", "Link ACKs sent over point-to-point links";
    p2p_frames_lost: u64 as "p2p_frames_lost" in "frames", "Frames with packets from this node that transmission errors destroyed on point-to-point links";
    p2p_acks_lost: u64 as "p2p_acks_lost" in "frames", "Link ACKs from this node that transmission errors destroyed";
    p2p_duplicates: u64 as "p2p_duplicates" in "frames", "Frames from this node that arrived as a second copy and were not handed up";
    p2p_queue_drops: u64 as "p2p_queue_drops" in "packets", "Packets that found the queue of a point-to-point link full";
    p2p_ack_queue_drops: u64 as "p2p_ack_queue_drops" in "frames", "Link ACKs that found their queue full";
    p2p_congestion_drops: u64 as "p2p_congestion_drops" in "packets", "TCP data packets that the congestion loss of a point-to-point link took";
    p2p_given_up: u64 as "p2p_given_up" in "packets", "Packets given up at the retry limit of a point-to-point link";
    p2p_recovered: u64 as "p2p_recovered" in "packets", "Packets whose link ACK came after a link-level retransmission";
    p2p_recovery: Duration as "p2p_recovery_s" in "s", "Time from the end of the first transmission of recovered packets to their link ACK, summed up";
    agent_suppressed: u64 as "agent_suppressed" in "packets", "Duplicate ACKs that an agent on this node (Snoop) kept from the sender";
    agent_retransmissions: u64 as "agent_retransmissions" in "packets", "Packets that an agent on this node (Snoop) sent again";
    agent_timer_retransmissions: u64 as "agent_timer_retransmissions" in "packets", "Retransmissions of an agent that its local timer asked for";
    agent_marked: u64 as "agent_marked" in "packets", "Duplicate ACKs that an agent on this node marked: the wireless link lost what they ask for (Explicit Loss Notification)";
    agent_acks_sent: u64 as "agent_acks_sent" in "packets", "ACKs that an agent on this node made by itself, in another node's name (split connections, M-TCP)";
    agent_bytes_held: u64 as "agent_bytes_held" in "packets", "ACKs whose last byte an agent on this node kept from the sender (M-TCP)";
    agent_windows_closed: u64 as "agent_windows_closed" in "events", "Times an agent on this node closed a sender's window because the mobile was silent (M-TCP)";
    handoffs: u64 as "handoffs" in "events", "Handoffs of this mobile to another base station";
    handoffs_rerouted: u64 as "handoffs_rerouted" in "events", "Those after which the crossover node had the new route before the next handoff";
    reroute_time: Duration as "reroute_time_s" in "s", "Time from those handoffs until the crossover node had the new route, added up";
    handoff_lost_packets: u64 as "handoff_lost_packets" in "packets", "Packets for this mobile that a base station sent while it listened to another one";
    handoffs_with_burst: u64 as "handoffs_with_burst" in "events", "Handoffs after which at least three packets were lost in that way";
    handoffs_with_timeout: u64 as "handoffs_with_timeout" in "events", "Handoffs within 2 s after which a sender of or to this mobile had a timeout; what follows a handoff counts when it happens, even if the handoff was before the measured interval";
    handoffs_with_two_timeouts: u64 as "handoffs_with_two_timeouts" in "events", "Those with at least two timeouts";
    handoff_delivered_packets: u64 as "handoff_delivered_packets" in "packets", "Packets delivered, of flows of or to this mobile, within 3 s after a handoff";
    handoff_delivered_before_packets: u64 as "handoff_delivered_before_packets" in "packets", "Packets delivered, of flows of or to this mobile, within 1 s before a handoff";
    too_weak_packets: u64 as "too_weak_packets" in "packets", "Packets for this node that came too weak, or from or to a base station that was off";
    low_signals: u64 as "low_signals" in "events", "Times when this mobile's signal fell below the pacing level or its station fell silent";
    low_signal: Duration as "low_signal_s" in "s", "How long that lasted, added up";
    cell_frames_lost: u64 as "cell_frames_lost" in "frames", "802.11 frames of any kind for this node that errors of its cell destroyed";
    beacons_heard: u64 as "beacons_heard" in "frames", "Beacons of base stations that this mobile heard";
    p2p_busy: Duration as "p2p_busy_s" in "s", "Time in which this node sent over point-to-point links; a frame counts whole when it begins";
}

counters! {
    /// What one end-to-end flow counted.
    FlowCounters, Scope::Flow,
    /// The measures that [`FlowCounters`] gives.
    FLOW_COUNTERS;
    delivered_packets: u64 as "delivered_packets" in "packets", "Packets handed to the receiving application: of TCP in order, each once; of UDP every copy that arrives";
    delivered_bytes: u64 as "delivered_bytes" in "bytes", "Payload bytes handed to the receiving application";
    acked_packets: u64 as "acked_packets" in "packets", "Packets acknowledged to the sender, each once";
    sent_packets: u64 as "sent_packets" in "packets", "Packets that the transport sent, retransmissions included";
    retransmissions: u64 as "retransmissions" in "packets", "Packets that the transport sent again";
    timeouts: u64 as "timeouts" in "events", "Expiries of the retransmission timer";
    window_cuts: u64 as "window_cuts" in "events", "Reductions of the congestion window, those at a timeout included (but, by RFC 5681, none at a timeout before the connection is open)";
    fast_retransmits: u64 as "fast_retransmits" in "events", "Fast retransmits, each starting a recovery";
    vegas_grown: u64 as "vegas_grown" in "events", "Rounds of congestion avoidance after which Vegas let the window grow";
    vegas_held: u64 as "vegas_held" in "events", "Rounds after which it held the window";
    vegas_shrunk: u64 as "vegas_shrunk" in "events", "Rounds after which it made the window smaller, without a loss";
    acks_sent: u64 as "acks_sent" in "packets", "Acknowledgements that the receiver sent";
    acks_by_count: u64 as "acks_by_count" in "packets", "Acknowledgements sent because enough segments waited; those of the policies `every` and `delayed-dupacks` for data in order, which make none wait, count with none of these reasons";
    acks_by_timer: u64 as "acks_by_timer" in "packets", "Acknowledgements sent because the delay timer expired";
    acks_by_timer_small_window: u64 as "acks_by_timer_small_window" in "packets", "Those of them that were sent while the sender's window was below 4 packets";
    acks_immediate: u64 as "acks_immediate" in "packets", "Acknowledgements sent at once: out of order, duplicate, gap filled, or SYN";
    dupacks_held: u64 as "dupacks_held" in "packets", "Duplicate ACKs that the receiver held back (Delayed Dupacks, or a policy of one's own)";
    dupacks_discarded: u64 as "dupacks_discarded" in "packets", "Held duplicate ACKs that were thrown away because the next expected packet came";
    dupacks_released: u64 as "dupacks_released" in "packets", "Held duplicate ACKs that left after their time";
    datagram_delay: Duration as "datagram_delay_s" in "s", "One-way delay of the delivered datagrams, added up";
    sessions_completed: u64 as "sessions_completed" in "sessions", "Short transfers whose last ACK reached the source";
    session_time: Duration as "session_time_s" in "s", "Delay of the completed transfers, from opening to the last ACK at the source, added up";
    acks_paced: u64 as "acks_paced" in "packets", "Acknowledgements that waited for their turn around a handoff (ACK Pacing)";
    acks_of_window: u64 as "acks_of_window" in "packets", "Acknowledgements sent to close or open the window, or because a closed one was probed";
    data_paced: u64 as "data_paced" in "events", "Turns at which data left that pacing had put off at a mobile sender";
    window_probes: u64 as "window_probes" in "packets", "Probes of a closed window";
    handoff_timeouts: u64 as "handoff_timeouts" in "events", "Expiries of the retransmission timer within 2 s after a handoff of an end";
    tail_probes: u64 as "tail_probes" in "packets", "Probes of the tail of a window (RFC 8985)";
    duplicate_acks: u64 as "duplicate_acks" in "packets", "ACKs that reached the sender and repeat the last one";
    repeated_packets: u64 as "repeated_packets" in "packets", "Data packets that reached the receiver and brought nothing new";
    gaps_filled: u64 as "gaps_filled" in "packets", "Packets that reached the receiver after later ones, and filled the first gap";
    gap_time: Duration as "gap_s" in "s", "Time from the arrival that showed a gap (or left it the first one) to the packet that filled it, added up";
    gaps_filled_fast: u64 as "gaps_filled_fast" in "packets", "Those of them (gaps_filled) that a fast retransmit filled, with no timeout after it";
    gap_time_fast: Duration as "gap_fast_s" in "s", "Time from the arrival that showed such a gap to the fast retransmit that filled it, added up";
    gap_groups: u64 as "gap_groups" in "events", "Times with a gap in which more than one was filled, one after the other: several losses of a window";
    gap_group_time: Duration as "gap_group_s" in "s", "Length of those times, from the first gap shown to the last one filled, added up";
    repeated_fast: u64 as "repeated_fast" in "packets", "Fast retransmits that reached the receiver when it had the packet already";
    timeout_wait: Duration as "timeout_wait_s" in "s", "Time that the sender sent no data (or SYN) and got no ACK until its retransmission timer ran out, added up";
    holds: u64 as "holds" in "events", "Gaps whose duplicate ACKs were held back (Delayed Dupacks)";
    holds_in_time: u64 as "holds_in_time" in "events", "Those that were filled before the time of the held ACKs was over";
    loss_notices: u64 as "loss_notices" in "packets", "Segments sent again because an ACK said that the radio lost them (ELN)";
}

/// Frames that a radio put on the air, and their airtime, by kind; broadcasts come last. Packed, so that
/// other counters can follow without a gap: a network has many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C, packed(4))]
pub struct FramesSent {
    airtimes: [Duration; 5],
    /// Enough for a month of frames.
    counts: [u32; 5],
}

impl FramesSent {
    /// Counts a frame.
    #[inline]
    pub fn count(&mut self, header: &FrameHeader) {
        let place = header.kind as usize + usize::from(header.to.is_broadcast());
        self.counts[place] += 1;
        // A packed field lends no reference, which += would ask for.
        let airtime = self.airtimes[place] + header.airtime;
        self.airtimes[place] = airtime;
    }
}

impl NodeCounters {
    /// Counts a frame that the node puts on the air.
    pub fn count_sent(&mut self, header: &FrameHeader) {
        let mut sent = FramesSent::default();
        sent.count(header);
        self.add_sent(&sent);
    }

    /// Counts frames that the node put on the air.
    pub fn add_sent(&mut self, sent: &FramesSent) {
        // In the order of the kinds of frame.
        let all = [
            (&mut self.rts_sent, &mut self.airtime_rts),
            (&mut self.cts_sent, &mut self.airtime_cts),
            (&mut self.ack_sent, &mut self.airtime_ack),
            (&mut self.data_sent, &mut self.airtime_data),
            (&mut self.broadcast_sent, &mut self.airtime_broadcast),
        ];
        let sent = sent.counts.into_iter().zip(sent.airtimes);
        for ((count, airtime), (frames, time)) in all.into_iter().zip(sent) {
            *count += u64::from(frames);
            *airtime += time;
        }
    }

    /// All the time that the node spent sending.
    #[must_use]
    pub fn airtime(&self) -> Duration {
        self.airtime_rts
            + self.airtime_cts
            + self.airtime_ack
            + self.airtime_data
            + self.airtime_broadcast
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_difference_and_a_network_is_a_sum() {
        let early = NodeCounters {
            rts_sent: 3,
            airtime_rts: Duration::from_micros(1_056),
            ..Default::default()
        };
        let mut late = early;
        late.rts_sent += 2;
        late.airtime_rts += Duration::from_micros(704);
        let between = late.since(&early);
        assert_eq!(
            (between.rts_sent, between.airtime()),
            (2, Duration::from_micros(704))
        );
        let mut sum = early;
        sum += &between;
        assert_eq!(sum, late);
    }
}

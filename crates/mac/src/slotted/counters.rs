//! What a node of the slotted radio counts. Counters never fall.

/// What a node counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SlottedCounters {
    /// Frames with one data packet.
    pub data: u64,
    /// Frames with one ACK packet.
    pub ack: u64,
    /// Frames with two packets.
    pub combined: u64,
    /// FRN ACKs.
    pub confirms: u64,
    /// Packet transmissions that were not the first at this node.
    pub repeated: u64,
    /// Frames with packets of other nodes.
    pub relay_frames: u64,
    /// Those with a packet in both queues at that time.
    pub relay_frames_both: u64,
    /// Slots lost to a busy channel.
    pub busy: u64,
    /// Packet transmissions without an echo in time.
    pub unechoed: u64,
    /// Echoes that came after their slot.
    pub late_echoes: u64,
    /// Packets that had been here before.
    pub duplicates: u64,
    /// Coded parts that could not be read.
    pub undecoded: u64,
    /// Packets whose next hop is known to have them.
    pub hops: u64,
    /// Slots that those were here, summed.
    pub hop_slots: u64,
}

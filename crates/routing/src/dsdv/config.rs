//! The parameters of DSDV, with the values of two profiles.
//!
//! A parameter is a number or a named rule. The one invariant: nothing that differs between the
//! profiles is decided anywhere else than by a field of [`DsdvConfig`].

use acklab_base::Duration;

/// What a newer sequence number of a known destination does, apart from being believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FreshSequence {
    /// It waits for the next update, even if it says that the route is lost (ns-2).
    Waits,
    /// It triggers an update if the length has changed: at once if the route is lost or found
    /// again, else after the settling time (Perkins and Bhagwat 1994, §3).
    TriggersOnChange,
}

/// What a packet that the MAC gave up on means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MacFailure {
    /// Nothing: the packet is dropped (ns-2 with `use_mac_ 0`, its default).
    Ignored,
    /// The neighbour is lost, with every route through it; the packet is routed again
    /// (ns-2 with `use_mac_ 1`; Perkins and Bhagwat 1994, §3: "detected by the layer-2 protocol").
    BreaksLink,
}

/// Parameters of [`super::Dsdv`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DsdvConfig {
    /// The longest time between full updates (perup_); the shortest is three quarters of it.
    pub update_period: Duration,
    /// The time above the shortest is uniform below this: a quarter of the period.
    pub period_jitter: Duration,
    /// The first update of a node comes within this time.
    pub start_jitter: Duration,
    /// Updates wait for a uniform time below this before they are sent.
    pub broadcast_jitter: Duration,
    /// The least time between a triggered update and the update before it.
    pub trigger_spacing: Duration,
    /// Update periods of silence after which a neighbour is lost (min_update_periods_).
    pub silent_periods: u32,
    /// The settling time that is assumed for a new destination (wst0_).
    pub first_settling: Duration,
    /// The weight of the newest measurement in the average settling time is one in so many:
    /// 8 is ns-2's alpha_ of 0.875.
    pub settling_weight: u32,
    /// Routes are advertised after so many average settling times.
    pub settling_multiple: u32,
    /// Packets that wait for a route to one destination; the oldest leaves for a newcomer.
    pub buffer_packets: usize,
    /// TTL of packets made here.
    pub ttl: u8,
    /// Bytes of an update with the IP header and without entries.
    pub update_bytes: u32,
    /// Bytes of each entry of an update.
    pub entry_bytes: u32,
    /// Bytes that the router adds to each TCP segment made here, though TCP has already counted
    /// its IP header (ns-2: 20).
    pub extra_tcp_bytes: u32,
    /// Whether a packet that leaves the buffer goes through the router once more from the start:
    /// one made here gets the bytes of another IP header, one from elsewhere loses another hop
    /// (ns-2: yes).
    pub flushes_as_new: bool,
    /// What a newer sequence number does.
    pub fresh_sequence: FreshSequence,
    /// What a failure of the MAC does.
    pub mac_failure: MacFailure,
}

impl DsdvConfig {
    /// ns-2.35: the port of the CMU Monarch project's DSDV.
    #[must_use]
    pub fn ns2() -> Self {
        Self {
            update_period: Duration::from_secs(15),
            period_jitter: Duration::from_millis(3_750),
            start_jitter: Duration::from_secs(2),
            broadcast_jitter: Duration::from_millis(10),
            trigger_spacing: Duration::from_secs(1),
            silent_periods: 3,
            first_settling: Duration::from_secs(6),
            settling_weight: 8,
            settling_multiple: 2,
            buffer_packets: 5,
            ttl: 32,
            update_bytes: 20,
            entry_bytes: 12,
            extra_tcp_bytes: 20,
            flushes_as_new: true,
            fresh_sequence: FreshSequence::Waits,
            mac_failure: MacFailure::Ignored,
        }
    }

    /// Perkins and Bhagwat 1994, which gives no times: those of ns-2 where there are none. Broken
    /// links come from layer 2 and are announced at once; updates travel over UDP.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            ttl: 64,
            update_bytes: 28,
            extra_tcp_bytes: 0,
            flushes_as_new: false,
            fresh_sequence: FreshSequence::TriggersOnChange,
            mac_failure: MacFailure::BreaksLink,
            ..Self::ns2()
        }
    }
}

//! The parameters of AODV, with the values of two profiles.
//!
//! A parameter is a number or a named rule. The one invariant: nothing that differs between the
//! profiles is decided anywhere else than by a field of [`AodvConfig`].

use acklab_base::Duration;

/// How far the first search for a destination reaches that was never known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstSearch {
    /// The whole network: the unknown hop count is taken as infinite (ns-2).
    NetworkWide,
    /// `ttl_start` hops, and on from there (RFC 3561 §6.4).
    Ring,
}

/// How long a node waits for a reply before it may ask again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequestWait {
    /// `2 × TTL × time per hop × network-wide tries so far`, the time per hop being the mean of the
    /// last three measured discoveries (ns-2).
    Measured,
    /// `2 × node_traversal_time × (TTL + 2)` within a ring, twice the traversal time of the network
    /// for the first network-wide try, doubled with each further one (RFC 3561 §6.3, §6.4).
    Traversal,
}

/// What makes a node ask again once the wait is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequestRepeat {
    /// The next packet for the destination, or the purge timer (ns-2).
    OnPurge,
    /// The end of the wait itself, while a packet is buffered (RFC 3561 §6.3).
    OnTimeout,
}

/// When a node repairs a broken route itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalRepair {
    /// Never: it drops the packet and reports.
    Off,
    /// When the packet has come farther than it still had to go (ns-2).
    PastHalfway,
    /// When the destination was at most 0.3 × `network_diameter` hops away (RFC 3561 §6.12,
    /// MAX_REPAIR_TTL).
    Near,
}

/// What ends a local repair that finds nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RepairGuard {
    /// Nothing: the purge timer goes on asking.
    Never,
    /// A timer that is handed the *time* at which the wait for a reply ends as if it were a delay, so
    /// that it fires at about twice the present time. If the route is then under repair, for
    /// whatever later reason, it goes down without a report (ns-2).
    TwiceThePresent,
    /// The end of the wait for the first reply: the route is given up and reported (RFC 3561 §6.12).
    EndOfWait,
}

/// How a node counts its own sequence number, and those of routes that it repairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SequenceRule {
    /// In steps of two (even: alive, odd: broken); also at each lost neighbour. A reply carries
    /// `max(own, requested) + 1`, rounded up to even. A route under repair keeps its number, and
    /// its old length counts when a reply is judged (ns-2).
    EvenSteps,
    /// In steps of one. A reply carries `max(own, requested)`. A repair starts with the number one
    /// higher, and any reply with that number is welcome (RFC 3561 §6.1, §6.7, §6.12).
    Rfc3561,
}

/// Parameters of [`super::Aodv`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AodvConfig {
    /// The TTL of network-wide requests, of replies, and of data made here. No route is longer,
    /// nor longer than 254 hops: a hop count of 255 means that there is no path.
    pub network_diameter: u8,
    /// How long a route lives after its last use (ACTIVE_ROUTE_TIMEOUT).
    pub active_route_timeout: Duration,
    /// The lifetime that a destination puts into its replies (MY_ROUTE_TIMEOUT).
    pub my_route_timeout: Duration,
    /// How long a reverse route lives at least (REV_ROUTE_LIFE).
    pub reverse_route_life: Duration,
    /// Whether that is shorter by the time that the request has been on its way already, twice
    /// `node_traversal_time` for each hop (RFC 3561 §6.5, MinimalLifetime: yes; ns-2: no).
    pub reverse_life_counts_hops: bool,
    /// How long a request is remembered (BCAST_ID_SAVE, PATH_DISCOVERY_TIME).
    pub request_memory: Duration,
    /// Network-wide tries after the first (RREQ_RETRIES).
    pub request_retries: u8,
    /// The longest wait for a reply (MAX_RREQ_TIMEOUT).
    pub longest_wait: Duration,
    /// How long a destination is left alone after its search was given up.
    pub hold_off: Duration,
    /// TTL of the first ring (TTL_START); without effect with [`FirstSearch::NetworkWide`].
    pub ttl_start: u8,
    /// Growth of the ring (TTL_INCREMENT).
    pub ttl_increment: u8,
    /// A ring from this TTL on is followed by the whole network (TTL_THRESHOLD).
    pub ttl_threshold: u8,
    /// Estimate of the time for one hop (NODE_TRAVERSAL_TIME).
    pub node_traversal_time: Duration,
    /// Period of the timer that expires routes and looks after buffered packets.
    pub purge_period: Duration,
    /// Packets that the send buffer holds.
    pub buffer_packets: usize,
    /// How long a packet may wait there.
    pub buffer_timeout: Duration,
    /// Spacing of buffered packets that leave when a reply comes, so that ARP, which holds one
    /// packet, loses none.
    pub flush_spacing: Duration,
    /// Requests and errors that are passed on wait for a uniform time below this.
    pub broadcast_jitter: Duration,
    /// Bytes of a request with the IP header.
    pub request_bytes: u32,
    /// Bytes of a reply with the IP header.
    pub reply_bytes: u32,
    /// Bytes of an error with the IP header and without entries.
    pub error_bytes: u32,
    /// Bytes of each entry of an error.
    pub error_entry_bytes: u32,
    /// Reach of the first search.
    pub first_search: FirstSearch,
    /// Wait for a reply.
    pub request_wait: RequestWait,
    /// What repeats a request.
    pub request_repeat: RequestRepeat,
    /// Local repair.
    pub local_repair: LocalRepair,
    /// End of a local repair.
    pub repair_guard: RepairGuard,
    /// Sequence numbers.
    pub sequence_rule: SequenceRule,
    /// Whether a route under repair is still good enough to answer a request from (ns-2: yes).
    pub answers_under_repair: bool,
    /// Whether a reply from the table truncates the lifetime left to whole seconds, in 32 bits
    /// without sign (ns-2: yes).
    pub whole_second_lifetimes: bool,
    /// Whether a packet that has waited for longer than `buffer_timeout` goes on asking for its route, and
    /// is dropped only when the buffer is next used (ns-2: yes).
    pub overdue_packets_ask: bool,
    /// Whether data and forwarded replies also bring a route's end nearer, to `active_route_timeout`
    /// from now (ns-2: yes; RFC 3561 §6.2, §6.7: never).
    pub use_shortens_life: bool,
    /// Whether a local repair leaves the broken link alone: other routes over it stay up, packets for
    /// that neighbour stay in the interface queue, and news of the link ends the repair itself
    /// (ns-2: yes; RFC 3561 §6.12: no).
    pub repair_spares_link: bool,
    /// Whether a packet that is passed on also refreshes the route back to its source
    /// (RFC 3561 §6.2: yes; ns-2: no).
    pub refreshes_reverse_route: bool,
}

impl AodvConfig {
    /// ns-2.35: draft-era AODV with link-layer detection and local repair, without HELLOs.
    #[must_use]
    pub fn ns2() -> Self {
        Self {
            network_diameter: 30,
            active_route_timeout: Duration::from_secs(10),
            my_route_timeout: Duration::from_secs(10),
            reverse_route_life: Duration::from_secs(6),
            reverse_life_counts_hops: false,
            request_memory: Duration::from_secs(6),
            request_retries: 3,
            longest_wait: Duration::from_secs(10),
            hold_off: Duration::from_secs(10),
            ttl_start: 5,
            ttl_increment: 2,
            ttl_threshold: 7,
            node_traversal_time: Duration::from_millis(30),
            purge_period: Duration::from_millis(500),
            buffer_packets: 64,
            buffer_timeout: Duration::from_secs(30),
            flush_spacing: Duration::from_millis(10),
            broadcast_jitter: Duration::from_millis(10),
            request_bytes: 48,
            reply_bytes: 44,
            error_bytes: 24,
            error_entry_bytes: 8,
            first_search: FirstSearch::NetworkWide,
            request_wait: RequestWait::Measured,
            request_repeat: RequestRepeat::OnPurge,
            local_repair: LocalRepair::PastHalfway,
            repair_guard: RepairGuard::TwiceThePresent,
            sequence_rule: SequenceRule::EvenSteps,
            answers_under_repair: true,
            whole_second_lifetimes: true,
            overdue_packets_ask: true,
            use_shortens_life: true,
            repair_spares_link: true,
            refreshes_reverse_route: false,
        }
    }

    /// RFC 3561 §10, with link-layer detection and without HELLOs. Message sizes are those of
    /// §5 with 8 bytes of UDP and 20 of IP.
    #[must_use]
    pub fn standard() -> Self {
        let node_traversal_time = Duration::from_millis(40);
        let network_diameter = 35;
        let net_traversal_time = node_traversal_time * 2 * u64::from(network_diameter);
        Self {
            network_diameter,
            active_route_timeout: Duration::from_secs(3),
            my_route_timeout: Duration::from_secs(6),
            reverse_route_life: net_traversal_time * 2,
            reverse_life_counts_hops: true,
            request_memory: net_traversal_time * 2,
            request_retries: 2,
            longest_wait: net_traversal_time * 4,
            hold_off: Duration::ZERO,
            ttl_start: 1,
            ttl_increment: 2,
            ttl_threshold: 7,
            node_traversal_time,
            purge_period: Duration::from_millis(500),
            buffer_packets: 64,
            buffer_timeout: Duration::from_secs(30),
            flush_spacing: Duration::ZERO,
            broadcast_jitter: Duration::from_millis(10),
            request_bytes: 52,
            reply_bytes: 48,
            error_bytes: 32,
            error_entry_bytes: 8,
            first_search: FirstSearch::Ring,
            request_wait: RequestWait::Traversal,
            request_repeat: RequestRepeat::OnTimeout,
            local_repair: LocalRepair::Near,
            repair_guard: RepairGuard::EndOfWait,
            sequence_rule: SequenceRule::Rfc3561,
            answers_under_repair: false,
            whole_second_lifetimes: false,
            overdue_packets_ask: false,
            use_shortens_life: false,
            repair_spares_link: false,
            refreshes_reverse_route: true,
        }
    }
}

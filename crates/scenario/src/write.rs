//! From a resolved scenario back to a document, with units, and to text.

use crate::document::{
    AodvRouting, Document, DsdvRouting, DsrRouting, Energy, Link, Mac, Measure, Queue, Radio,
    Routing, StaticRouting, Topology,
};
use crate::document_flow::{Ack, CbrFlow, Flow, FtpFlow, NewReno, Rto};
use crate::document_handoff::Handoff;
use crate::document_sessions::{PauseTable, SessionPause, SessionSize, SessionsFlow, SizeTable};
use crate::quantities::{Frequency, Length, Power, Rate, Ratio, Size, Time};
use crate::resolved::{
    self, AodvOptions, Cbr, DsdvOptions, DsrOptions, FlowKind, Ftp, PauseLaw, Resolved,
    SenderOptions, Sessions, SizeLaw,
};
use crate::resolved_cells::has_mac;
use crate::write_ack::ack;
use crate::write_cells::{cells, moving};
use crate::write_handoff::handoff;
use crate::write_links;
use crate::write_sack::{sack, westwood};
use crate::write_slotted::slotted;
use serde::{Serialize, Serializer};

impl Serialize for Resolved {
    /// As a scenario in which everything is given, with the sources beside it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_document().serialize(serializer)
    }
}

impl Resolved {
    /// The scenario in which everything is given.
    #[must_use]
    pub fn to_document(&self) -> Document {
        let sources = self
            .sources
            .iter()
            .map(|(key, source)| (key, source.to_string()));
        Document {
            title: (!self.title.is_empty()).then(|| self.title.clone()),
            profile: Some(self.profile.into()),
            duration: Time(self.duration),
            measure: Some(Measure {
                from: Some(Time(self.measure_from)),
                sample: self.sample.map(Time),
                batch: self.batch,
                stop_after: self.stop_after,
            }),
            topology: self.topology(),
            moving: moving(&self.moving),
            wired_nodes: self.wired_nodes(),
            point_to_point: (!self.links.is_empty())
                .then(|| self.links.iter().map(write_links::link).collect()),
            agent: (!self.agents.is_empty())
                .then(|| self.agents.iter().map(write_links::agent).collect()),
            cells: self.cells.as_ref().map(cells),
            radio: self.has_places().then(|| radio(&self.radio)),
            energy: self.has_places().then_some(Energy {
                transmit: Some(Power(self.energy.transmit_w)),
                receive: Some(Power(self.energy.receive_w)),
                idle: Some(Power(self.energy.idle_w)),
            }),
            mac: self.has_mac().then(|| mac(&self.mac)),
            slotted: self.slotted.as_ref().map(slotted),
            link: self.has_interfaces().then_some(Link {
                delay: Some(Time(self.link.delay)),
                arp: Some(self.link.arp),
            }),
            queue: self.has_interfaces().then_some(Queue {
                kind: Some(self.queue.kind),
                capacity: Some(self.queue.capacity),
                combining: Some(self.queue.combining),
            }),
            routing: Some(match &self.routing {
                &resolved::Routing::Static { separate_acks } => Routing::Static(StaticRouting {
                    separate_acks: Some(separate_acks),
                }),
                resolved::Routing::Aodv(options) => Routing::Aodv(aodv(options)),
                resolved::Routing::Dsdv(options) => Routing::Dsdv(dsdv(options)),
                resolved::Routing::Dsr(options) => Routing::Dsr(dsr(options)),
            }),
            random_flows: None,
            flow: self.flows.iter().map(flow).collect(),
            sources: Some(sources.collect()),
        }
    }

    fn topology(&self) -> Topology {
        if self.positions.is_empty() {
            return Topology::Nodes { nodes: self.nodes };
        }
        if let Some(edges) = &self.graph {
            return Topology::Graph {
                nodes: self.positions.len() as u32,
                edges: edges.clone(),
            };
        }
        let places = self.positions.iter();
        Topology::Positions {
            positions: places
                .map(|place| [Length(place.x_mm), Length(place.y_mm)])
                .collect(),
        }
    }

    /// Whether there are nodes with a radio whose waves fall with distance.
    fn has_places(&self) -> bool {
        !self.positions.is_empty() && self.graph.is_none()
    }

    /// Whether such nodes have an interface of 802.11, with its queue and link layer.
    fn has_interfaces(&self) -> bool {
        self.has_places() && self.slotted.is_none()
    }

    /// Whether anything runs over 802.11.
    fn has_mac(&self) -> bool {
        has_mac(self.cells.as_ref(), self.has_interfaces())
    }

    fn wired_nodes(&self) -> Option<u32> {
        let wired = self.nodes - self.positions.len() as u32;
        (wired > 0 && !self.positions.is_empty()).then_some(wired)
    }

    /// As TOML, with units. Reads back as the same resolved scenario.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(&self.to_document()).expect("a document has only tables with text keys")
    }

    /// As JSON, with units. Reads back as the same resolved scenario.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.to_document()).expect("a document has only text keys")
    }
}

fn radio(radio: &resolved::Radio) -> Radio {
    Radio {
        propagation: Some(radio.propagation),
        frequency: Some(Frequency(radio.frequency_hz)),
        tx_power: Some(Power(radio.tx_power_w)),
        rx_threshold: Some(Power(radio.rx_threshold_w)),
        cs_threshold: Some(Power(radio.cs_threshold_w)),
        antenna_height: Some(Length((radio.antenna_height_m * 1e3).round() as i64)),
        capture: Some(radio.capture),
        capture_threshold: Some(Ratio(radio.capture_ratio)),
    }
}

fn mac(mac: &resolved::Mac) -> Mac {
    Mac {
        profile: Some(mac.profile.into()),
        data_rate: Some(Rate(mac.data_rate)),
        basic_rate: Some(Rate(mac.basic_rate)),
        preamble: Some(mac.preamble),
        rts_threshold: Some(mac.rts_threshold.into()),
        short_retry_limit: Some(mac.short_retry_limit.into()),
        long_retry_limit: Some(mac.long_retry_limit.into()),
        cw_min: Some(mac.cw_min),
        cw_max: Some(mac.cw_max),
        access: Some(mac.access),
        cts_resets_window: Some(mac.cts_resets_window),
        data_resets_retries: Some(mac.data_resets_retries),
        slot: Some(Time(mac.slot)),
        sifs: Some(Time(mac.sifs)),
    }
}

fn dsr(options: &DsrOptions) -> DsrRouting {
    DsrRouting {
        primary_routes: Some(options.primary_routes),
        secondary_routes: Some(options.secondary_routes),
        replies_from_cache: Some(options.replies_from_cache),
        overhears: Some(options.overhears),
        asks_neighbours_first: Some(options.asks_neighbours_first),
        salvages: Some(options.salvages),
        flow_state: Some(options.flow_state),
        request_period: Some(Time(options.request_period)),
        max_request_period: Some(Time(options.max_request_period)),
        broadcast_jitter: Some(Time(options.broadcast_jitter)),
        buffer_capacity: Some(options.buffer_capacity),
        buffer_timeout: Some(Time(options.buffer_timeout)),
    }
}

fn dsdv(options: &DsdvOptions) -> DsdvRouting {
    DsdvRouting {
        update_period: Some(Time(options.update_period)),
        silent_periods: Some(options.silent_periods),
        first_settling: Some(Time(options.first_settling)),
        trigger_spacing: Some(Time(options.trigger_spacing)),
        link_detection: Some(options.link_detection),
        start_jitter: Some(Time(options.start_jitter)),
        broadcast_jitter: Some(Time(options.broadcast_jitter)),
        buffer_capacity: Some(options.buffer_capacity),
    }
}

fn aodv(options: &AodvOptions) -> AodvRouting {
    AodvRouting {
        network_diameter: Some(options.network_diameter),
        local_repair: Some(options.local_repair),
        active_route_timeout: Some(Time(options.active_route_timeout)),
        my_route_timeout: Some(Time(options.my_route_timeout)),
        reverse_route_life: Some(Time(options.reverse_route_life)),
        request_memory: Some(Time(options.request_memory)),
        request_retries: Some(options.request_retries),
        max_request_wait: Some(Time(options.max_request_wait)),
        ttl_start: options.ttl_start,
        ttl_increment: Some(options.ttl_increment),
        ttl_threshold: Some(options.ttl_threshold),
        node_traversal_time: Some(Time(options.node_traversal_time)),
        broadcast_jitter: Some(Time(options.broadcast_jitter)),
        buffer_capacity: Some(options.buffer_capacity),
        buffer_timeout: Some(Time(options.buffer_timeout)),
    }
}

fn flow(flow: &resolved::Flow) -> Flow {
    let (from, to) = (Some(flow.from.0), Some(flow.to.0));
    let (start, start_jitter) = (Some(Time(flow.start)), Some(Time(flow.start_jitter)));
    match &flow.kind {
        FlowKind::Ftp(ftp) => Flow::Ftp(FtpFlow {
            from,
            to,
            start,
            start_jitter,
            ..sender(ftp)
        }),
        FlowKind::Sessions(sessions) => Flow::Sessions(SessionsFlow {
            connection: FtpFlow {
                from,
                to,
                start,
                start_jitter,
                ..sender(&sessions.connection)
            },
            ..transfers(sessions)
        }),
        FlowKind::Cbr(Cbr {
            packet,
            interval,
            jitter,
        }) => Flow::Cbr(CbrFlow {
            from,
            to,
            start,
            start_jitter,
            packet: Some(Size(*packet)),
            interval: Some(Time(*interval)),
            rate: None,
            jitter: Some(Time(*jitter)),
        }),
    }
}

fn transfers(sessions: &Sessions) -> SessionsFlow {
    SessionsFlow {
        connection: FtpFlow::default(),
        size: Some(match sessions.size {
            SizeLaw::Constant(bytes) => SessionSize::Constant(Size(bytes)),
            SizeLaw::Pareto { mean, shape } => SessionSize::Drawn(SizeTable::Pareto {
                mean: Some(Size(mean)),
                shape: Some(shape),
            }),
        }),
        pause: Some(match sessions.pause {
            PauseLaw::Constant(pause) => SessionPause::Constant(Time(pause)),
            PauseLaw::Exponential(mean) => SessionPause::Drawn(PauseTable::Exponential {
                mean: Some(Time(mean)),
            }),
        }),
        whole_packets: Some(sessions.whole_packets),
    }
}

fn sender(ftp: &Ftp) -> FtpFlow {
    let sender = &ftp.sender;
    FtpFlow {
        profile: Some(sender.profile.into()),
        variant: Some(sender.variant),
        window: Some(sender.window),
        packet: Some(Size(sender.packet)),
        initial_window: Some(sender.initial_window),
        initial_ssthresh: Some(sender.initial_ssthresh),
        rto: Some(Rto {
            initial: Some(Time(sender.initial_rto)),
            min: Some(Time(sender.min_rto)),
            max: Some(Time(sender.max_rto)),
            tick: Some(Time(sender.tick)),
            estimator: Some(sender.estimator),
        }),
        recovery_exit: (sender.variant.has_recovery_exit()).then_some(sender.recovery_exit),
        handshake: Some(sender.handshake),
        limited_transmit: Some(sender.limited_transmit),
        dupack_threshold: Some(sender.dupack_threshold),
        halving: Some(sender.halving),
        inflate_unguarded: (sender.variant.inflates()).then_some(sender.inflate_unguarded),
        syn_ack_at_once: Some(sender.syn_ack_at_once),
        repetition_acked_at_once: Some(sender.repetition_acked_at_once),
        newreno: newreno(sender),
        vegas: sender.vegas.as_ref().map(crate::write_vegas::vegas),
        ack: Some(Ack::Table(ack(&ftp.ack))),
        handoff: Some(Handoff::Table(handoff(ftp.handoff))),
        window_probes: Some(sender.window_probes),
        encrypted: Some(ftp.encrypted),
        oracle_ack_path: ftp.oracle_ack_path.map(Time),
        sack: sender.sack.map(sack),
        westwood: sender.westwood.map(westwood),
        eln: Some(sender.eln),
        ..FtpFlow::default()
    }
}

/// What the variant has a use for.
fn newreno(sender: &SenderOptions) -> Option<NewReno> {
    let (options, partial) = (sender.newreno, sender.variant.has_partial_acks());
    sender.variant.has_guard().then(|| NewReno {
        guard: Some(options.guard),
        impatient: partial.then_some(options.impatient),
        partial_deflation: partial.then_some(options.partial_deflation),
    })
}

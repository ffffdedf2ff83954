//! Building a world from a resolved scenario.

use crate::RunOptions;
use crate::batches::Batches;
use crate::cells;
use crate::convert;
use crate::flow::{Cbr, Flow, Tcp, Traffic};
use crate::folded::{Folded, Folds, Times};
use crate::gaps::GapWatch;
use crate::hearers::Hearing;
use crate::nodes;
use crate::oracle::OracleAckPath;
use crate::sampler::Sampler;
use crate::sessions::Sessions;
use crate::slotted;
use crate::station::Told;
use crate::tracks;
use crate::wiring;
use crate::world::{Part, Shared, World};
use acklab_base::{Address, BitRate, Duration, FlowId, Instant, NodeId, Purpose, Stream};
use acklab_kernel::{Agenda, Phase, Slot};
use acklab_mac::dcf::Rules as MacRules;
use acklab_radio::{Reach, Strengths};
use acklab_scenario::{FlowKind, Preamble, Profile, Resolved, Routing, ScenarioError};
use acklab_tcp::ack::AckPolicy;
use acklab_trace::{FlowCounters, PackedCounters, Recorder, RecorderConfig, WindowMeter};
use acklab_wire::packet::UDP_IP_HEADER_BYTES;
use acklab_wire::tcp::IP_HEADER_BYTES;
use std::sync::Arc;

/// Who hears whom at the start.
pub(crate) struct Heard {
    pub(crate) reach: Reach,
    /// For each node those that decode it, by distance or by the links of a graph.
    pub(crate) decoded_by: Vec<Vec<NodeId>>,
}

/// Who hears whom in a scenario at its start.
///
/// # Errors
/// A flow whose end points no chain of nodes in decoding range connects.
pub(crate) fn heard(resolved: &Resolved) -> Result<Heard, ScenarioError> {
    let positions = match &resolved.graph {
        // Nobody has a place, and no station ever sends.
        Some(_) => Arc::default(),
        None => Arc::clone(&resolved.positions),
    };
    let reach = Reach::new(positions, &resolved.radio.thresholds());
    let decoded_by = wiring::hears(resolved, &reach);
    resolved.check_reachability(&decoded_by)?;
    Ok(Heard { reach, decoded_by })
}

/// An agenda without slots.
fn agenda(options: &RunOptions) -> Agenda {
    let mut agenda = Agenda::new();
    if let Some(seed) = options.shuffle_ties {
        let purpose = Purpose::TieShuffle;
        agenda.shuffle_ties(
            Address {
                seed,
                run: 0,
                node: NodeId(0),
                purpose,
            }
            .open(),
        );
    }
    agenda
}

fn draws(options: &RunOptions, node: u32, purpose: Purpose) -> Stream {
    Address {
        seed: options.seed,
        run: options.run,
        node: NodeId(node),
        purpose,
    }
    .open()
}

/// Builds the network and its traffic; nothing has happened yet. `own` holds the ACK policy of
/// each flow that has one of one's own.
pub(crate) fn assemble(
    resolved: &Resolved,
    Heard { reach, decoded_by }: Heard,
    options: &RunOptions,
    own: Vec<Option<Box<dyn AckPolicy>>>,
) -> World {
    let draws = |node: u32, purpose: Purpose| draws(options, node, purpose);
    let (mut agenda, mut parts) = (agenda(options), Vec::new());
    let (wires, media) = wiring::wires(resolved, &draws, options);
    add_nodes(resolved, &mut agenda);
    let agents = wiring::agents(resolved, &mut agenda, &mut parts);
    let cells = cells::cells(resolved, &draws, (&mut agenda, &mut parts));
    let flows = flows(resolved, own, &draws, &mut agenda, &mut parts);
    let heard = (&*decoded_by, &reach);
    let slotted = slotted::network(resolved, heard, &draws, (&mut agenda, &mut parts));
    let mut reach = tracks::set_moving(reach, resolved, &draws);
    let sampler = Sampler::new(resolved.sample);
    let warm_at = crate::result::warm_at(Instant::ZERO + resolved.measure_from);
    let slot = add_observers((warm_at, sampler.first()), &mut agenda, &mut parts);
    let nodes = nodes::build(resolved, options, (&decoded_by, &reach), &draws);
    start(World {
        now: Instant::ZERO,
        end: Instant::ZERO + resolved.duration,
        measure_from: Instant::ZERO + resolved.measure_from,
        warm_at,
        shared: shared(resolved),
        agenda,
        parts,
        folds: folds(resolved, options, &mut reach, nodes.crowd.gathers()),
        strengths: Strengths::new(&reach, resolved.radio.capture_ratio),
        reach,
        not_to_wait: Vec::with_capacity(resolved.positions.len()),
        ack_ends: None,
        told: Told::new(options.records()),
        crowd: nodes.crowd,
        nodes: resolved.nodes as usize,
        radios: resolved.positions.len(),
        slotted,
        wires,
        media,
        seats: nodes.seats,
        stations: nodes.stations,
        ears: nodes.ears,
        stacks: nodes.stacks,
        agents,
        cells,
        recorder: recorder(resolved, &flows, options),
        flows,
        sampler,
        batches: Batches::new(slot, resolved.batch, resolved.stop_after),
        baseline: PackedCounters::default(),
        powers: convert::powers(&resolved.energy),
        frames_sent: 0,
        too_long: 0,
        waiting_bytes: 0,
        unsettled: None,
        eager: options.eager,
    })
}

/// Every node says when it is to be woken first.
fn start(mut world: World) -> World {
    if world.measure_from == Instant::ZERO {
        world.start_measuring();
    }
    world.seat_ends();
    world.find_relays();
    for node in (0..world.nodes as u32).map(NodeId) {
        if world.seats.has(node) {
            world.reschedule_station(node);
            world.reschedule_stack(node);
        }
    }
    world.start_cells();
    world
}

/// Whoever looks at the network from outside, with when two of them do so first; the slot of the one that
/// ends batches.
fn add_observers(
    (warm_at, first_sample): (Instant, Instant),
    agenda: &mut Agenda,
    parts: &mut Vec<Part>,
) -> Slot {
    observe(agenda, parts, Part::Measure, warm_at);
    observe(agenda, parts, Part::Sample, first_sample);
    observe(agenda, parts, Part::Batch, Instant::NEVER)
}

/// The slot of an observer that is first woken at `first`.
fn observe(agenda: &mut Agenda, parts: &mut Vec<Part>, part: Part, first: Instant) -> Slot {
    parts.push(part);
    let slot = agenda.add_slot(Phase::Observe);
    agenda.set(slot, first);
    slot
}

/// The slots of radios, links and stacks, in this order.
fn add_nodes(resolved: &Resolved, agenda: &mut Agenda) {
    let nodes = resolved.positions.len() + resolved.nodes as usize;
    agenda.reserve(nodes + wiring::links(resolved).len() + 2 * resolved.flows.len());
    for _ in 0..resolved.positions.len() + wiring::links(resolved).len() {
        agenda.add_slot(Phase::Medium);
    }
    for _ in 0..resolved.nodes {
        agenda.add_slot(Phase::Stack);
    }
}

fn shared(resolved: &Resolved) -> Shared {
    Shared {
        pace: convert::dcf(&resolved.mac).pace(),
        answer_slack: if resolved.link.delay >= resolved.mac.sifs {
            resolved.mac.sifs
        } else {
            Duration::ZERO
        },
        udp_header: match resolved.profile {
            // ns-2 counts the IP header of a datagram, but no UDP header.
            Profile::Ns2 | Profile::Ns2At21b9 => IP_HEADER_BYTES,
            Profile::Standard => UDP_IP_HEADER_BYTES,
        },
        overhears: overhears(resolved),
        short_preamble: resolved.mac.preamble == Preamble::Short
            && resolved.mac.basic_rate <= BitRate::MBPS_1,
    }
}

pub(crate) fn overhears(resolved: &Resolved) -> bool {
    resolved.queue.combining || matches!(&resolved.routing, Routing::Dsr(dsr) if dsr.overhears)
}

fn flows(
    resolved: &Resolved,
    own: Vec<Option<Box<dyn AckPolicy>>>,
    draws: &impl Fn(u32, Purpose) -> Stream,
    agenda: &mut Agenda,
    parts: &mut Vec<Part>,
) -> Vec<Flow> {
    let mut flows = Vec::with_capacity(resolved.flows.len());
    for (index, (flow, own)) in resolved.flows.iter().zip(own).enumerate() {
        let id = FlowId(index as u16);
        let mut jitter = draws(index as u32, Purpose::StartJitter);
        let start = Instant::ZERO + flow.start + jitter.interval_below(flow.start_jitter);
        let traffic = match &flow.kind {
            FlowKind::Ftp(ftp) => {
                let phase = jitter.interval_below(ftp.sender.tick);
                Traffic::Tcp(tcp(id, ftp, phase, start, own))
            }
            FlowKind::Sessions(options) => {
                let phase = jitter.interval_below(options.connection.sender.tick);
                let of = |purpose| draws(index as u32, purpose);
                let chances = (of(Purpose::SessionSize), of(Purpose::SessionPause));
                let policy = own.clone();
                let sessions = Sessions::new(id, *options, phase, start, chances, policy);
                Traffic::Tcp(Tcp {
                    sessions: Some(Box::new(sessions)),
                    ..tcp(id, &options.connection, phase, start, own)
                })
            }
            FlowKind::Cbr(cbr) => Traffic::Cbr(Cbr {
                packet: cbr.packet,
                interval: cbr.interval,
                jitter: cbr.jitter,
                draws: draws(index as u32, Purpose::PacingJitter),
                sent: 0,
            }),
        };
        let source = agenda.add_slot(Phase::Stack);
        parts.push(Part::Source(index as u32));
        let sink = agenda.add_slot(Phase::Stack);
        parts.push(Part::Sink(index as u32));
        agenda.set(source, start);
        let oracle_acks = oracle_ack_path(&flow.kind)
            .map(|delay| Box::new(OracleAckPath::new(delay, agenda.add_slot(Phase::Stack))));
        parts.extend(oracle_acks.iter().map(|_| Part::OracleAcks(index as u32)));
        flows.push(Flow {
            id,
            from: flow.from,
            to: flow.to,
            start,
            traffic,
            source,
            sink,
            oracle_acks,
            encrypted: encrypted(&flow.kind),
            counters: FlowCounters::default(),
            baseline: None,
        });
    }
    flows
}

/// Whether agents cannot read a flow's headers.
const fn encrypted(kind: &FlowKind) -> bool {
    match kind {
        FlowKind::Ftp(ftp) => ftp.encrypted,
        FlowKind::Sessions(sessions) => sessions.connection.encrypted,
        FlowKind::Cbr(_) => false,
    }
}

/// How long the ACKs of a flow take that go over no channel.
const fn oracle_ack_path(kind: &FlowKind) -> Option<Duration> {
    match kind {
        FlowKind::Ftp(ftp) => ftp.oracle_ack_path,
        FlowKind::Sessions(sessions) => sessions.connection.oracle_ack_path,
        FlowKind::Cbr(_) => None,
    }
}

fn tcp(
    id: FlowId,
    ftp: &acklab_scenario::Ftp,
    phase: Duration,
    start: Instant,
    own: Option<Box<dyn AckPolicy>>,
) -> Tcp {
    let sender = acklab_tcp::Sender::new(convert::sender(id, ftp, phase));
    let windows = WindowMeter::new(start, sender.cwnd(), sender.window());
    Tcp {
        receiver: acklab_tcp::Receiver::new(convert::receiver(id, ftp, own)),
        sender,
        windows,
        mss: ftp.sender.packet,
        gaps: GapWatch::default(),
        opened: false,
        sessions: None,
    }
}

/// Whoever listens, if anybody does.
fn recorder(resolved: &Resolved, flows: &[Flow], options: &RunOptions) -> Option<Box<Recorder>> {
    if !options.records() {
        return None;
    }
    let ends = |flow: &Flow| acklab_trace::FlowEnds {
        from: flow.from,
        to: flow.to,
    };
    let ends = flows.iter().map(ends).collect();
    Some(Box::new(Recorder::new(RecorderConfig {
        frequency_mhz: (resolved.radio.frequency_hz / 1e6) as u16,
        receive_threshold_dbm: 10.0
            * acklab_base::math::log10(resolved.radio.rx_threshold_w * 1000.0),
        ..RecorderConfig::new(resolved.nodes, ends)
    })))
}

/// Stations that fold, where the rules and what is asked allow it.
fn folds(resolved: &Resolved, options: &RunOptions, reach: &mut Reach, crowd: bool) -> Folds {
    let config = convert::dcf(&resolved.mac);
    let times = Times::new(&config, reach.longest_delay());
    let on = !crowd
        && !options.records()
        && !options.eager
        && options.shuffle_ties.is_none()
        && resolved.slotted.is_none()
        && resolved.cells.is_none()
        && resolved.graph.is_none()
        && !overhears(resolved)
        && !reach.moves()
        && config.rules == MacRules::ns2()
        && config.uses_rts(40)
        && Times::divides(&config)
        && resolved.link.delay >= resolved.mac.sifs
        && reach.longest_delay() < config.sifs
        // A station that is to answer hears no frame to its end before it does, and who sent it waits until then.
        && config.sifs < config.ack_airtime()
        && resolved.nodes as usize == resolved.positions.len()
        && resolved.positions.len() <= Folds::MOST
        && reach.longest_row() <= 64
        && wiring::links(resolved).is_empty()
        && convert::reception(resolved).follows_locks();
    let radios = if on {
        resolved.positions.len() as u32
    } else {
        0
    };
    let station = |node| Folded::new(draws(options, node, Purpose::Backoff), &times);
    Folds {
        stations: (0..radios).map(station).collect(),
        hearing: Hearing::new(radios, reach),
        times,
        config,
        pending: Vec::new(),
        airtimes: [(0, Duration::ZERO); 2],
    }
}

//! From the words of a resolved scenario to the parameters of the machines.

use crate::{convert_handoff, convert_sack};
use acklab_base::{Duration, FlowId, Seq32};
use acklab_mac::InterfaceQueue;
use acklab_mac::LinkConfig;
use acklab_mac::dcf::{Access, DcfConfig, Preamble, Rules as MacRules};
use acklab_radio::{CaptureRule, Rules as RadioRules};
use acklab_routing::{AodvConfig, DsdvConfig, DsrConfig, LocalRepair, MacFailure};
use acklab_scenario as scenario;
use acklab_scenario::{Profile, Resolved};
use acklab_tcp::ack::AckPolicy;
use acklab_tcp::{
    AckConfig, AdaptiveDelay, Cut, DelayTimer, DupackDelay, Estimator, FullAck, Guard,
    NewestRepeated, Numbering, ReceiverConfig, Release, RtoConfig, SackReceiver, SenderConfig,
    Variant,
};
use acklab_trace::Powers;

/// What a radio draws.
pub(crate) fn powers(energy: &scenario::Energy) -> Powers {
    Powers {
        transmit_w: energy.transmit_w,
        receive_w: energy.receive_w,
        idle_w: energy.idle_w,
    }
}

pub(crate) fn reception(resolved: &Resolved) -> RadioRules {
    RadioRules {
        capture: match resolved.radio.capture {
            scenario::CaptureRule::Ns2 => CaptureRule::LockedOnly,
            scenario::CaptureRule::NoCapture => CaptureRule::None,
            scenario::CaptureRule::Strongest => CaptureRule::Strongest,
        },
        energy_detection: resolved.mac.profile == Profile::Standard,
    }
}

pub(crate) fn dcf(mac: &scenario::Mac) -> DcfConfig {
    DcfConfig {
        data_rate: mac.data_rate,
        basic_rate: mac.basic_rate,
        preamble: match mac.preamble {
            scenario::Preamble::Long => Preamble::Long,
            scenario::Preamble::Short => Preamble::Short,
        },
        rts_threshold: mac.rts_threshold,
        short_retry_limit: mac.short_retry_limit,
        long_retry_limit: mac.long_retry_limit,
        cw_min: mac.cw_min,
        cw_max: mac.cw_max,
        slot: mac.slot,
        sifs: mac.sifs,
        rules: MacRules {
            access: match mac.access {
                scenario::Access::Backoff => Access::Backoff,
                scenario::Access::Immediate => Access::Immediate,
                scenario::Access::Deferral => Access::Deferral { random: false },
                scenario::Access::RandomDeferral => Access::Deferral { random: true },
            },
            cts_resets_window: mac.cts_resets_window,
            data_resets_retries: mac.data_resets_retries,
            ..match mac.profile {
                Profile::Ns2 | Profile::Ns2At21b9 => MacRules::ns2(),
                Profile::Standard => MacRules::standard(),
            }
        },
    }
}

pub(crate) fn link(link: &scenario::Link) -> LinkConfig {
    LinkConfig {
        delay: link.delay,
        arp: link.arp,
        ..LinkConfig::ns2()
    }
}

/// The interface queue of a node.
pub(crate) fn queue(resolved: &Resolved) -> InterfaceQueue {
    let mut queue = match resolved.queue.kind {
        scenario::QueueKind::RoutingFirst => InterfaceQueue::new(queue_capacity(resolved)),
        // ns-2's queue with classes counts as one would expect.
        scenario::QueueKind::Priority => InterfaceQueue::with_classes(resolved.queue.capacity),
    };
    if resolved.queue.combining {
        queue.combine();
    }
    queue
}

/// ns-2 drops when the queue would come to its limit, so one packet fewer than the limit waits.
fn queue_capacity(resolved: &Resolved) -> u32 {
    let limit = resolved.queue.capacity;
    match resolved.profile {
        Profile::Ns2 | Profile::Ns2At21b9 => limit.saturating_sub(1).max(1),
        Profile::Standard => limit,
    }
}

pub(crate) fn aodv(profile: Profile, options: &scenario::AodvOptions) -> AodvConfig {
    let base = match profile {
        Profile::Ns2 | Profile::Ns2At21b9 => AodvConfig::ns2(),
        Profile::Standard => AodvConfig::standard(),
    };
    AodvConfig {
        network_diameter: options.network_diameter,
        active_route_timeout: options.active_route_timeout,
        my_route_timeout: options.my_route_timeout,
        reverse_route_life: options.reverse_route_life,
        request_memory: options.request_memory,
        request_retries: options.request_retries,
        longest_wait: options.max_request_wait,
        // ns-2 takes MAX_RREQ_TIMEOUT for both.
        hold_off: match profile {
            Profile::Ns2 | Profile::Ns2At21b9 => options.max_request_wait,
            Profile::Standard => base.hold_off,
        },
        ttl_start: options.ttl_start.unwrap_or(base.ttl_start),
        ttl_increment: options.ttl_increment,
        ttl_threshold: options.ttl_threshold,
        node_traversal_time: options.node_traversal_time,
        broadcast_jitter: options.broadcast_jitter,
        buffer_packets: options.buffer_capacity as usize,
        buffer_timeout: options.buffer_timeout,
        local_repair: if options.local_repair {
            base.local_repair
        } else {
            LocalRepair::Off
        },
        ..base
    }
}

pub(crate) fn dsdv(profile: Profile, options: &scenario::DsdvOptions) -> DsdvConfig {
    let base = match profile {
        Profile::Ns2 | Profile::Ns2At21b9 => DsdvConfig::ns2(),
        Profile::Standard => DsdvConfig::standard(),
    };
    DsdvConfig {
        update_period: options.update_period,
        period_jitter: options.update_period / 4,
        start_jitter: options.start_jitter,
        broadcast_jitter: options.broadcast_jitter,
        trigger_spacing: options.trigger_spacing,
        silent_periods: options.silent_periods,
        first_settling: options.first_settling,
        buffer_packets: options.buffer_capacity as usize,
        mac_failure: if options.link_detection {
            MacFailure::BreaksLink
        } else {
            MacFailure::Ignored
        },
        ..base
    }
}

pub(crate) fn dsr(profile: Profile, options: &scenario::DsrOptions) -> DsrConfig {
    let base = match profile {
        Profile::Ns2 | Profile::Ns2At21b9 => DsrConfig::ns2(),
        Profile::Standard => DsrConfig::standard(),
    };
    DsrConfig {
        primary_routes: options.primary_routes as usize,
        secondary_routes: options.secondary_routes as usize,
        replies_from_cache: options.replies_from_cache,
        overhears: options.overhears,
        asks_neighbours_first: options.asks_neighbours_first,
        salvages: options.salvages,
        flow_state: options.flow_state,
        request_period: options.request_period,
        longest_request_period: options.max_request_period,
        broadcast_jitter: options.broadcast_jitter,
        buffer_packets: options.buffer_capacity as usize,
        buffer_timeout: options.buffer_timeout,
        ..base
    }
}

const fn estimator(estimator: scenario::Estimator) -> Estimator {
    match estimator {
        scenario::Estimator::Ticks => Estimator::Ticks,
        scenario::Estimator::Exact => Estimator::Exact,
        scenario::Estimator::Rounded => Estimator::Rounded,
    }
}

const fn newreno(
    options: &scenario::SenderOptions,
    base: acklab_tcp::NewRenoConfig,
) -> acklab_tcp::NewRenoConfig {
    acklab_tcp::NewRenoConfig {
        impatient: options.newreno.impatient,
        deflate: options.newreno.partial_deflation,
        full_ack: match options.recovery_exit {
            scenario::RecoveryExit::KeepWindow => FullAck::KeepWindow,
            scenario::RecoveryExit::Ssthresh => FullAck::Ssthresh,
            scenario::RecoveryExit::MinFlight => FullAck::MinFlight,
        },
        ..base
    }
}

/// `phase` says how far the sender's clock is into its tick at time zero.
pub(crate) fn sender(flow: FlowId, ftp: &scenario::Ftp, phase: Duration) -> SenderConfig {
    let options = &ftp.sender;
    let base = match options.profile {
        Profile::Ns2 | Profile::Ns2At21b9 => SenderConfig::ns2(flow, options.window),
        Profile::Standard => SenderConfig::standard(flow, options.window),
    };
    SenderConfig {
        variant: match options.variant {
            scenario::Variant::Tahoe => Variant::Tahoe,
            scenario::Variant::Reno => Variant::Reno,
            scenario::Variant::NewReno | scenario::Variant::Westwood => Variant::NewReno,
            scenario::Variant::Sack | scenario::Variant::Rack => Variant::Sack,
            scenario::Variant::Vegas => Variant::Vegas,
        },
        mss: options.packet,
        initial_window: options.initial_window,
        initial_ssthresh: Some(options.initial_ssthresh),
        rto: RtoConfig {
            tick: options.tick,
            phase,
            initial: options.initial_rto,
            min: options.min_rto,
            max: options.max_rto,
            estimator: estimator(options.estimator),
            ..base.rto
        },
        handshake: options.handshake,
        limited_transmit: options.limited_transmit,
        honour_advertised: base.honour_advertised || options.window_probes,
        window_probes: options.window_probes,
        handoff: convert_handoff::handoff(ftp.handoff),
        dupack_threshold: options.dupack_threshold,
        guard: match options.newreno.guard {
            scenario::Guard::Careful => Guard::Careful,
            scenario::Guard::LessCareful => Guard::LessCareful,
            scenario::Guard::Off => Guard::Off,
        },
        cut: match options.halving {
            scenario::Halving::Window => Cut::Window { fractional: true },
            scenario::Halving::WholeWindow => Cut::Window { fractional: false },
            scenario::Halving::Threshold => Cut::Threshold,
            scenario::Halving::FlightSize => Cut::FlightSize,
        },
        inflate_unguarded: options.inflate_unguarded,
        newreno: newreno(options, base.newreno),
        sack: convert_sack::sender(options.variant, base.sack),
        westwood: options.westwood.map(convert_sack::westwood),
        eln: options.eln,
        vegas: options
            .vegas
            .as_ref()
            .map_or(base.vegas, crate::convert_vegas::vegas),
        iss: Seq32(0),
        ..base
    }
}

/// `own` is the policy of one's own, where the scenario names one.
pub(crate) fn receiver(
    flow: FlowId,
    ftp: &scenario::Ftp,
    own: Option<Box<dyn AckPolicy>>,
) -> ReceiverConfig {
    let options = &ftp.sender;
    let ack = ack(&ftp.ack, own);
    let window = options.window.saturating_mul(options.packet);
    let (base, sack) = match options.profile {
        Profile::Ns2 | Profile::Ns2At21b9 => {
            let base = ReceiverConfig::ns2(flow, ack);
            (ReceiverConfig { window, ..base }, SackReceiver::ns2())
        }
        Profile::Standard => {
            let base = ReceiverConfig::standard(flow, ack, window);
            (base, SackReceiver::standard())
        }
    };
    ReceiverConfig {
        handshake: options.handshake,
        handoff: convert_handoff::handoff(ftp.handoff),
        syn_at_once: options.syn_ack_at_once,
        newest_repeated: if options.repetition_acked_at_once {
            NewestRepeated::AtOnce
        } else {
            NewestRepeated::Waits
        },
        sack: options
            .sack
            .map(|options| convert_sack::receiver(options, sack)),
        ..base.with_mss(options.packet)
    }
}

fn ack(options: &scenario::AckOptions, own: Option<Box<dyn AckPolicy>>) -> AckConfig {
    match *options {
        scenario::AckOptions::Every => AckConfig::EverySegment,
        scenario::AckOptions::Delayed {
            count,
            interval,
            timer,
        } => AckConfig::Delayed {
            count,
            interval,
            timer: delay_timer(timer),
        },
        scenario::AckOptions::Rfc5681 { interval, timer } => AckConfig::Rfc5681 {
            interval,
            timer: delay_timer(timer),
        },
        scenario::AckOptions::Dynamic {
            thresholds,
            numbering,
            interval,
            timer,
        } => AckConfig::Dynamic {
            thresholds,
            interval,
            timer: delay_timer(timer),
            numbering: match numbering {
                scenario::Numbering::Altman2003 => Numbering::Altman2003,
                scenario::Numbering::DataIsZero => Numbering::DataIsZero,
                scenario::Numbering::ElRakabawy2005 => Numbering::ElRakabawy2005,
            },
        },
        scenario::AckOptions::OracleWindow {
            thresholds,
            interval,
            timer,
        } => AckConfig::OracleWindow {
            thresholds,
            interval,
            timer: delay_timer(timer),
        },
        scenario::AckOptions::DelayedDupacks { delay, release } => AckConfig::DelayedDupacks {
            delay: match delay {
                scenario::DupackDelay::Fixed(delay) => DupackDelay::Fixed(delay),
                scenario::DupackDelay::Adaptive { initial, min, max } => {
                    DupackDelay::Adaptive(AdaptiveDelay { initial, min, max })
                }
            },
            release: match release {
                scenario::DupackRelease::AtOnce => Release::AtOnce,
                scenario::DupackRelease::Paced(spacing) => Release::Paced(spacing),
            },
        },
        scenario::AckOptions::Own { .. } => match own {
            Some(policy) => AckConfig::Custom(policy),
            None => unreachable!("a world is only built when all policies were handed over"),
        },
    }
}

const fn delay_timer(timer: scenario::DelayTimer) -> DelayTimer {
    match timer {
        scenario::DelayTimer::FirstWaiting => DelayTimer::FirstWaiting,
        scenario::DelayTimer::EveryWaiting => DelayTimer::EveryWaiting,
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, aodv, scenario};

    /// ns-2's MAX_RREQ_TIMEOUT is both: a search that was given up is not begun again for as long as a request
    /// may be waited for. The standard knows no hold-off.
    #[test]
    fn the_longest_wait_between_requests_is_the_hold_off_of_ns2() {
        for (profile, seconds, hold_off) in [("ns2", 3, 3), ("ns2", 30, 30), ("standard", 30, 0)] {
            let text = format!(
                "duration = \"1 s\"\nprofile = \"{profile}\"\n[topology]\nkind = \"chain\"\nnodes = 2\nspacing = \"9 m\"\n\
                 [routing]\nprotocol = \"aodv\"\nmax_request_wait = \"{seconds} s\"\n\
                 [[flow]]\nkind = \"ftp\"\nstart = \"0 s\"\n"
            );
            let written = scenario::parse_toml("test.toml", &text).expect("valid");
            let resolved = written.resolve().expect("complete");
            let scenario::Routing::Aodv(options) = &resolved.routing else {
                unreachable!("the protocol is AODV");
            };
            let config = aodv(resolved.profile, options);
            assert_eq!(config.longest_wait, Duration::from_secs(seconds));
            assert_eq!(config.hold_off, Duration::from_secs(hold_off));
        }
    }
}

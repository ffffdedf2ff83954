//! TCP senders.

use super::flow::{Setting, fits};
use super::{
    Filling, ack, by, by_version, fixed, handoff, millis, recovery, sack, secs, tcp_rules, text,
    vegas,
};
use crate::document_flow::{Estimator, FtpFlow, Variant};
use crate::error::ScenarioError;
use crate::profile::Profile;
use crate::quantities::Size;
use crate::resolved::{Ftp, SenderOptions};
use crate::resolved_vegas::VegasOptions;
use acklab_base::Duration;

pub(super) fn ftp(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    setting: &Setting,
) -> Result<Ftp, ScenarioError> {
    let (profile, variant) = kind(filling, key, given, setting);
    let (packet, window) = window(filling, key, given, profile, setting)?;
    let (initial_window, initial_ssthresh) =
        initial(filling, key, given, profile, (packet, window));
    let [initial_rto, min_rto, max_rto, tick] = rto(filling, key, given, profile)?;
    let handshake = handshake(filling, key, given, profile);
    let (limited_transmit, dupack_threshold) = duplicates(filling, key, given, (variant, profile));
    let inflate_unguarded = recovery::inflation(filling, key, given, (variant, profile))?;
    let newreno = recovery::newreno(filling, key, given, (variant, profile))?;
    let recovery_exit = recovery::exit(filling, key, given, (variant, profile))?;
    let vegas = vegas(filling, &format!("{key}.vegas"), given, (variant, profile))?;
    let (sack, westwood, eln) = sack::repairs(filling, key, given, (variant, profile))?;
    let ack = ack::ack(filling, &format!("{key}.ack"), given.ack.as_ref(), profile)?;
    let (handoff, window_probes) = handoff::handoff(filling, key, given, profile)?;
    let sender = SenderOptions {
        profile,
        variant,
        window,
        packet,
        initial_window,
        initial_ssthresh,
        initial_rto,
        min_rto,
        max_rto,
        tick,
        estimator: estimator(filling, key, given, profile),
        recovery_exit,
        handshake,
        limited_transmit,
        dupack_threshold,
        halving: tcp_rules::halving(filling, key, given, profile),
        inflate_unguarded,
        syn_ack_at_once: tcp_rules::syn_ack(filling, key, given, profile),
        repetition_acked_at_once: tcp_rules::repetition(filling, key, given, profile),
        newreno,
        window_probes,
        sack,
        westwood,
        eln,
        vegas,
    };
    let oracle_ack_path = oracle_ack_path(filling, key, given);
    Ok(Ftp {
        sender,
        ack,
        handoff,
        encrypted: encrypted(filling, key, given),
        oracle_ack_path,
    })
}

/// Whether the connection opens with a SYN.
fn handshake(filling: &mut Filling<'_>, key: &str, given: &FtpFlow, profile: Profile) -> bool {
    filling.pick(
        &format!("{key}.handshake"),
        given.handshake,
        by(profile, (true, "syn_"), (true, "RFC 9293 §3.5")),
    )
}

/// Whose rules, and which family of loss recovery.
fn kind(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    setting: &Setting,
) -> (Profile, Variant) {
    let profile = filling.pick(
        &format!("{key}.profile"),
        given.profile.map(Profile::from),
        fixed(setting.profile, "the profile of the scenario"),
    );
    let variant = filling.pick(
        &format!("{key}.variant"),
        given.variant,
        fixed(Variant::NewReno, "the variant of altman2003, and RFC 6582"),
    );
    (profile, variant)
}

/// What duplicate ACKs do: Limited Transmit, and how many start a repair.
fn duplicates(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    (variant, profile): (Variant, Profile),
) -> (bool, u32) {
    let limited_transmit = filling.pick(
        &format!("{key}.limited_transmit"),
        given.limited_transmit,
        if variant == Variant::Vegas {
            fixed(
                false,
                "Vegas is older than RFC 3042, and ns-2's has no singledup_",
            )
        } else {
            by(
                profile,
                (true, "singledup_"),
                (true, "RFC 3042, recommended by RFC 5681 §3.2"),
            )
        },
    );
    let dupack_threshold = filling.pick(
        &format!("{key}.dupack_threshold"),
        given.dupack_threshold,
        by(profile, (3, "numdupacks_"), (3, "RFC 5681 §3.2")),
    );
    (limited_transmit, dupack_threshold)
}

/// Options of Vegas, refused for any other variant.
fn vegas(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    (variant, profile): (Variant, Profile),
) -> Result<Option<VegasOptions>, ScenarioError> {
    let table = given.vegas.as_ref();
    if variant == Variant::Vegas {
        return vegas::vegas(filling, key, table, profile).map(Some);
    }
    match table {
        None => Ok(None),
        Some(_) => {
            let message = format!("options of Vegas for the variant {}", text(&variant));
            Err(filling.error::<()>(key, None, message, "variant = \"vegas\", or no such table"))
        }
    }
}

fn encrypted(filling: &mut Filling<'_>, key: &str, given: &FtpFlow) -> bool {
    let plain = fixed(false, "headers as RFC 9293 §3.1 has them");
    filling.pick(&format!("{key}.encrypted"), given.encrypted, plain)
}

/// It has no default: without it, ACKs take the network.
fn oracle_ack_path(filling: &mut Filling<'_>, key: &str, given: &FtpFlow) -> Option<Duration> {
    let time = given.oracle_ack_path?;
    filling.given(&format!("{key}.oracle_ack_path"));
    Some(time.0)
}

/// How the timeout is estimated.
fn estimator(filling: &mut Filling<'_>, key: &str, given: &FtpFlow, profile: Profile) -> Estimator {
    filling.pick(
        &format!("{key}.rto.estimator"),
        given.rto.as_ref().and_then(|rto| rto.estimator),
        by(
            profile,
            (Estimator::Ticks, "t_srtt_ and t_rttvar_ in ticks"),
            (Estimator::Exact, "RFC 6298 §2"),
        ),
    )
}

/// The congestion window and the slow-start threshold at the start.
fn initial(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    profile: Profile,
    (packet, window): (u32, u32),
) -> (u32, u32) {
    let initial_window = filling.pick(
        &format!("{key}.initial_window"),
        given.initial_window,
        by(
            profile,
            (2, "windowInit_"),
            (
                rfc6928_window(packet),
                "RFC 6928: min(10 MSS, max(2 MSS, 14600 B))",
            ),
        ),
    );
    let initial_ssthresh = filling.pick(
        &format!("{key}.initial_ssthresh"),
        given.initial_ssthresh,
        by(
            profile,
            // The agent reads its window when it is made, before a script sets another one: only the
            // class default shows in the growth of the window (measured against ns-2.35).
            (20, "ssthresh_ is the class default of window_"),
            (
                window,
                "RFC 5681 §3.1: as high as the largest window advertised",
            ),
        ),
    );
    (initial_window, initial_ssthresh)
}

/// RFC 6928 §2, in whole segments.
fn rfc6928_window(mss: u32) -> u32 {
    (10 * mss).min((2 * mss).max(14_600)) / mss
}

/// Packet and receiver window.
fn window(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    profile: Profile,
    setting: &Setting,
) -> Result<(u32, u32), ScenarioError> {
    let (packet_key, window_key) = (format!("{key}.packet"), format!("{key}.window"));
    let packet = filling.pick(
        &packet_key,
        given.packet,
        by(
            profile,
            (Size(1_000), "packetSize_"),
            (Size(1_460), "a packet of 1500 B with headers"),
        ),
    );
    fits(filling, &packet_key, packet, 40, setting)?;
    let unscaled = (65_535 / packet.0).max(1);
    let window = filling.pick(
        &window_key,
        given.window,
        by(
            profile,
            (20, "window_"),
            (unscaled, "RFC 9293: 65535 B, the most without scaling"),
        ),
    );
    if u64::from(window) * u64::from(packet.0) > 1 << 30 {
        return Err(filling.error(
            &window_key,
            Some(&window),
            "the window would be larger than the 1 GiB that TCP can number (RFC 7323 §2.3)",
            format!("1 to {}", (1 << 30) / packet.0),
        ));
    }
    Ok((packet.0, window))
}

/// Initial, least and largest RTO, and the tick.
fn rto(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    profile: Profile,
) -> Result<[Duration; 4], ScenarioError> {
    let given = given.rto.clone().unwrap_or_default();
    let [initial_key, min_key, max_key, tick_key] =
        ["initial", "min", "max", "tick"].map(|name| format!("{key}.rto.{name}"));
    let initial = filling.pick(
        &initial_key,
        given.initial,
        by_version(
            profile,
            (secs(6), "rtxcur_init_ before 2006"),
            (secs(3), "rtxcur_init_"),
            (secs(1), "RFC 6298 §2.1"),
        ),
    );
    let min = filling.pick(
        &min_key,
        given.min,
        by_version(
            profile,
            (secs(1), "minrto_ before October 2004"),
            (millis(200), "minrto_ since October 2004"),
            (secs(1), "RFC 6298 §2.4"),
        ),
    );
    let max = filling.pick(
        &max_key,
        given.max,
        by_version(
            profile,
            (secs(100_000), "maxrto_ before 2007"),
            (secs(60), "maxrto_"),
            (secs(60), "RFC 6298 §2.5: at least 60 s"),
        ),
    );
    let tick = filling.pick(
        &tick_key,
        given.tick,
        by(
            profile,
            (millis(10), "tcpTick_ since March 2002"),
            (millis(1), "RFC 6298 §4: finer than 100 ms"),
        ),
    );
    for (key, value) in [(&min_key, min), (&initial_key, initial), (&tick_key, tick)] {
        if value.0 > max.0 {
            let accepted = format!("at most {max_key} = {}", text(&max));
            return Err(filling.error(key, Some(&value), "above the largest timeout", accepted));
        }
    }
    Ok([initial.0, min.0, max.0, tick.0])
}

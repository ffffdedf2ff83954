//! The rules of TCP that changed from version to version of ns-2 and are no older options.

use super::{Filling, by_version};
use crate::document_flow::{FtpFlow, Halving};
use crate::profile::Profile;

/// What a loss halves.
pub(super) fn halving(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    profile: Profile,
) -> Halving {
    filling.pick(
        &format!("{key}.halving"),
        given.halving,
        by_version(
            profile,
            (Halving::WholeWindow, "precisionReduce_ before 2006"),
            (Halving::Window, "precisionReduce_"),
            (Halving::FlightSize, "RFC 5681 equation 4"),
        ),
    )
}

/// Whether the receiver acknowledges the SYN at once.
pub(super) fn syn_ack(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    profile: Profile,
) -> bool {
    filling.pick(
        &format!("{key}.syn_ack_at_once"),
        given.syn_ack_at_once,
        by_version(
            profile,
            (false, "before SYN_immediate_ack_ of 2010"),
            (true, "SYN_immediate_ack_"),
            (true, "RFC 9293 §3.10.7.2"),
        ),
    )
}

/// Whether the receiver acknowledges a repetition of the newest segment at once.
pub(super) fn repetition(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    profile: Profile,
) -> bool {
    let ns2 = (false, "DelAckSink looks at the number only");
    filling.pick(
        &format!("{key}.repetition_acked_at_once"),
        given.repetition_acked_at_once,
        by_version(profile, ns2, ns2, (true, "RFC 5681 §4.2")),
    )
}

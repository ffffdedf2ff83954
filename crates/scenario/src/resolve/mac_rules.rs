//! The rules of the MAC that changed from version to version of ns-2.

use super::{Filling, by_version};
use crate::document::{Access, Mac};
use crate::profile::Profile;
use crate::quantities::CountOrOff;

pub(super) fn access(filling: &mut Filling<'_>, given: &Mac, profile: Profile) -> Access {
    filling.pick(
        "mac.access",
        given.access,
        by_version(
            profile,
            (Access::Deferral, "the defer timer, random since June 2002"),
            (Access::Backoff, "bugFix_timer_ since 2006"),
            (Access::Immediate, "IEEE 802.11 clause 9.2.5.1"),
        ),
    )
}

/// Whether a CTS resets the contention window, and whether data that is received resets the retry
/// counter and the window.
pub(super) fn resets(filling: &mut Filling<'_>, given: &Mac, profile: Profile) -> (bool, bool) {
    let changed = "until February 2003, when ns-2 found that it retried too often";
    let cts = filling.pick(
        "mac.cts_resets_window",
        given.cts_resets_window,
        by_version(
            profile,
            (true, changed),
            (false, "since ns-2.26"),
            (false, "IEEE 802.11 clause 9.2.4: the ACK resets it"),
        ),
    );
    let data = filling.pick(
        "mac.data_resets_retries",
        given.data_resets_retries,
        by_version(
            profile,
            (true, changed),
            (false, "since ns-2.26"),
            (false, "IEEE 802.11 clause 9.2.4"),
        ),
    );
    (cts, data)
}

/// Attempts for RTS and for frames without RTS, and for frames that follow an RTS.
pub(super) fn retry_limits(
    filling: &mut Filling<'_>,
    given: &Mac,
    profile: Profile,
) -> (Option<u32>, Option<u32>) {
    let short = filling.pick(
        "mac.short_retry_limit",
        given.short_retry_limit,
        by_version(
            profile,
            (CountOrOff::At(7), "ShortRetryLimit_"),
            (CountOrOff::At(7), "ShortRetryLimit_"),
            (CountOrOff::At(7), "IEEE 802.11: dot11ShortRetryLimit"),
        ),
    );
    let long = filling.pick(
        "mac.long_retry_limit",
        given.long_retry_limit,
        by_version(
            profile,
            (
                CountOrOff::At(5),
                "LongRetryLimit_ 4, which had to be exceeded",
            ),
            (CountOrOff::At(4), "LongRetryLimit_"),
            (CountOrOff::At(4), "IEEE 802.11: dot11LongRetryLimit"),
        ),
    );
    (short.into(), long.into())
}

//! Rules of loss recovery that only some variants of TCP have a use for.
//!
//! The one invariant: where a variant has none for a key, whoever writes it is told, and a resolved
//! scenario does not show it.

use super::{Filling, by, by_version, text};
use crate::document_flow::{FtpFlow, Guard, RecoveryExit, Variant};
use crate::error::ScenarioError;
use crate::profile::Profile;
use crate::resolved::NewRenoOptions;
use serde::Serialize;

impl Variant {
    /// Whether duplicate ACKs alone start its repairs, so that those of repairs must be told apart.
    pub(crate) const fn has_guard(self) -> bool {
        matches!(
            self,
            Self::Tahoe | Self::Reno | Self::NewReno | Self::Westwood
        )
    }

    /// Whether its fast recovery goes on at an ACK for a part of what was under way.
    pub(crate) const fn has_partial_acks(self) -> bool {
        matches!(self, Self::NewReno | Self::Westwood)
    }

    /// Whether duplicate ACKs inflate its window, by the rules of RFC 5681.
    pub(crate) const fn inflates(self) -> bool {
        matches!(self, Self::Reno | Self::NewReno | Self::Westwood)
    }

    /// Whether it has a fast recovery that ends with a choice of windows.
    pub(crate) const fn has_recovery_exit(self) -> bool {
        !matches!(self, Self::Tahoe | Self::Vegas)
    }
}

/// Options of fast recovery with partial ACKs, and the guard against repeated repairs.
pub(super) fn newreno(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    (variant, profile): (Variant, Profile),
) -> Result<NewRenoOptions, ScenarioError> {
    let given = given.newreno.clone().unwrap_or_default();
    let [guard_key, impatient_key, deflation_key] =
        ["guard", "impatient", "partial_deflation"].map(|name| format!("{key}.newreno.{name}"));
    let guard = filling.pick(
        &guard_key,
        given.guard,
        by(
            profile,
            (Guard::Careful, "bugFix_"),
            (Guard::Careful, "RFC 6582 §3.2 step 2"),
        ),
    );
    let impatient = filling.pick(
        &impatient_key,
        given.impatient,
        by_version(
            profile,
            (false, "newreno_changes1_ before May 2003"),
            (true, "newreno_changes1_ since May 2003"),
            (true, "RFC 6582 §3.2 step 3"),
        ),
    );
    let partial_deflation = filling.pick(
        &deflation_key,
        given.partial_deflation,
        by_version(
            profile,
            (false, "partial_window_deflation_ before May 2003"),
            (true, "partial_window_deflation_ since May 2003"),
            (true, "RFC 6582 §3.2 step 3"),
        ),
    );
    let partial = variant.has_partial_acks();
    used(filling, &guard_key, guard, (variant, variant.has_guard()))?;
    used(filling, &impatient_key, impatient, (variant, partial))?;
    used(
        filling,
        &deflation_key,
        partial_deflation,
        (variant, partial),
    )?;
    Ok(NewRenoOptions {
        guard,
        impatient,
        partial_deflation,
    })
}

/// What the ACK that ends fast recovery leaves of the window.
pub(super) fn exit(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    (variant, profile): (Variant, Profile),
) -> Result<RecoveryExit, ScenarioError> {
    let key = format!("{key}.recovery_exit");
    let exit = filling.pick(
        &key,
        given.recovery_exit,
        by(
            profile,
            (RecoveryExit::KeepWindow, "only dupwnd_ goes"),
            (RecoveryExit::MinFlight, "RFC 6582 §3.2 step 3"),
        ),
    );
    used(filling, &key, exit, (variant, variant.has_recovery_exit()))?;
    Ok(exit)
}

/// Whether duplicate ACKs inflate the window outside fast recovery. That they do not may be said of
/// any variant.
pub(super) fn inflation(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    (variant, profile): (Variant, Profile),
) -> Result<bool, ScenarioError> {
    let key = format!("{key}.inflate_unguarded");
    let inflates = filling.pick(
        &key,
        given.inflate_unguarded,
        by_version(
            profile,
            (true, "before exitFastRetrans_ of July 2003"),
            (false, "exitFastRetrans_"),
            (false, "RFC 6582 §3.2"),
        ),
    );
    if !inflates && !variant.inflates() {
        filling.sources.remove(&key);
    } else {
        used(filling, &key, inflates, (variant, variant.inflates()))?;
    }
    Ok(inflates && variant.inflates())
}

/// Refuses a key that the variant has no use for, or forgets it if it is a default.
fn used<T: Serialize>(
    filling: &mut Filling<'_>,
    key: &str,
    value: T,
    (variant, is_used): (Variant, bool),
) -> Result<(), ScenarioError> {
    if is_used {
        return Ok(());
    }
    if filling.is_given(key) {
        let message = format!("without effect with variant = {}", text(&variant));
        let accepted = "no such key, or another variant";
        return Err(filling.error(key, Some(&value), message, accepted));
    }
    filling.sources.remove(key);
    Ok(())
}

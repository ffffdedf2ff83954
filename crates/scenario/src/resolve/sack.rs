//! Selective acknowledgements and TCP Westwood.

use super::{Filling, by, fixed, millis, text};
use crate::document_flow::{FtpFlow, Variant};
use crate::document_sack::{SackLength, WestwoodEstimate};
use crate::error::ScenarioError;
use crate::profile::Profile;
use crate::resolved::{SackOptions, WestwoodOptions};

/// What the variant needs of both, and whether loss notices are heeded.
pub(super) fn repairs(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    (variant, profile): (Variant, Profile),
) -> Result<(Option<SackOptions>, Option<WestwoodOptions>, bool), ScenarioError> {
    let sack = match variant {
        Variant::Sack | Variant::Rack => Some(sack(filling, key, given, profile)),
        _ => {
            let only = "variant = \"sack\" or \"rack\"";
            refused(filling, &format!("{key}.sack"), given.sack.as_ref(), only)?;
            None
        }
    };
    let westwood_key = format!("{key}.westwood");
    let westwood = if variant == Variant::Westwood {
        Some(westwood(filling, &westwood_key, given)?)
    } else {
        let only = "variant = \"westwood\"";
        refused(filling, &westwood_key, given.westwood.as_ref(), only)?;
        None
    };
    let default = fixed(false, "an option of its own sender and base station");
    let eln = filling.pick(&format!("{key}.eln"), given.eln, default);
    Ok((sack, westwood, eln))
}

/// A table that belongs to another variant.
fn refused<T: serde::Serialize>(
    filling: &Filling<'_>,
    key: &str,
    given: Option<&T>,
    only: &str,
) -> Result<(), ScenarioError> {
    match given {
        None => Ok(()),
        Some(table) => {
            let accepted = format!("{only}, or no such table");
            let message = "options of another variant";
            Err(filling.error(key, Some(table), message, accepted))
        }
    }
}

fn sack(filling: &mut Filling<'_>, key: &str, given: &FtpFlow, profile: Profile) -> SackOptions {
    let table = given.sack.clone().unwrap_or_default();
    let duplicates = filling.pick(
        &format!("{key}.sack.duplicates"),
        table.duplicates,
        by(
            profile,
            (false, "generateDSacks_"),
            (true, "RFC 2883, which RFC 8985 §7.4 relies on"),
        ),
    );
    let length = filling.pick(
        &format!("{key}.sack.length"),
        table.length,
        by(
            profile,
            (SackLength::BlocksOnly, "TCPSink/Sack1"),
            (SackLength::Option, "RFC 2018 §3"),
        ),
    );
    SackOptions { duplicates, length }
}

fn westwood(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
) -> Result<WestwoodOptions, ScenarioError> {
    let table = given.westwood.clone().unwrap_or_default();
    let default = fixed(WestwoodEstimate::Original, "the paper that cho2005 cites");
    let estimate = filling.pick(&format!("{key}.estimate"), table.estimate, default);
    let tau_key = format!("{key}.tau");
    match estimate {
        WestwoodEstimate::Original => {
            let default = fixed(
                millis(500),
                "a choice of ours: several round trips of a wireless path",
            );
            let tau = filling.pick(&tau_key, table.tau, default);
            Ok(WestwoodOptions::Original { tau: tau.0 })
        }
        WestwoodEstimate::Plus => match table.tau {
            None => Ok(WestwoodOptions::Plus),
            Some(tau) => {
                let only = format!("estimate = {}", text(&WestwoodEstimate::Original));
                let message = format!("has an effect only with {only}");
                let accepted = format!("{only}, or this key left out");
                Err(filling.error(&tau_key, Some(&tau), message, accepted))
            }
        },
    }
}

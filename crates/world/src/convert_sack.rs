//! The options of the variants `sack`, `rack` and `westwood`, from the words of a scenario to the
//! machines' parameters.

use acklab_scenario as scenario;
use acklab_tcp::{BandwidthFilter, SackConfig, SackLength, SackReceiver};

/// `base` is the profile's.
pub(crate) const fn sender(variant: scenario::Variant, base: SackConfig) -> SackConfig {
    match variant {
        scenario::Variant::Rack => SackConfig::rack(),
        _ => base,
    }
}

/// `base` is the profile's.
pub(crate) const fn receiver(options: scenario::SackOptions, base: SackReceiver) -> SackReceiver {
    SackReceiver {
        duplicates: options.duplicates,
        length: match options.length {
            scenario::SackLength::Nothing => SackLength::Nothing,
            scenario::SackLength::BlocksOnly => SackLength::BlocksOnly,
            scenario::SackLength::Option => SackLength::Option,
        },
        ..base
    }
}

pub(crate) const fn westwood(options: scenario::WestwoodOptions) -> BandwidthFilter {
    match options {
        scenario::WestwoodOptions::Original { tau } => BandwidthFilter::Original { tau },
        scenario::WestwoodOptions::Plus => BandwidthFilter::Plus,
    }
}

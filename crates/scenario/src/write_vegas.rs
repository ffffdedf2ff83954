//! TCP Vegas back to a document.

use crate::document_vegas::VegasTable;
use crate::resolved_vegas::VegasOptions;

/// The table in which every option is given.
pub(crate) fn vegas(options: &VegasOptions) -> VegasTable {
    VegasTable {
        rules: Some(options.rules),
        alpha: Some(options.alpha),
        beta: Some(options.beta),
        gamma: Some(options.gamma),
        diff: Some(options.diff),
        rates: Some(options.rates),
        round_trip: Some(options.round_trip),
        increase: Some(options.increase),
        base_rtt: Some(options.base_rtt),
        handshake: Some(options.handshake),
        first_flight: Some(options.first_flight),
        records: Some(options.records),
        fine_timeout: Some(options.fine_timeout),
        deflation: Some(options.deflation),
        recheck: Some(options.recheck),
        backs_off_at_repair: Some(options.backs_off_at_repair),
        after_timeout: Some(options.after_timeout),
        new_round_after_timeout: Some(options.new_round_after_timeout),
    }
}

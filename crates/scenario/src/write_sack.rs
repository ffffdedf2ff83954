//! Options of selective acknowledgements and of Westwood, back to a document.

use crate::document_sack::{SackTable, WestwoodEstimate, WestwoodTable};
use crate::quantities::Time;
use crate::resolved::{SackOptions, WestwoodOptions};

pub(crate) const fn sack(options: SackOptions) -> SackTable {
    SackTable {
        duplicates: Some(options.duplicates),
        length: Some(options.length),
    }
}

pub(crate) const fn westwood(options: WestwoodOptions) -> WestwoodTable {
    let (estimate, tau) = match options {
        WestwoodOptions::Original { tau } => (WestwoodEstimate::Original, Some(Time(tau))),
        WestwoodOptions::Plus => (WestwoodEstimate::Plus, None),
    };
    WestwoodTable {
        estimate: Some(estimate),
        tau,
    }
}

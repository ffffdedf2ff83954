//! Keys of cells that other keys leave without effect.
//!
//! The one invariant: a resolved scenario has none of them, and whoever writes one is told.

use super::Filling;
use crate::document_cells::HandoffManner;
use crate::error::ScenarioError;
use crate::quantities::{Length, Time};
use crate::resolved_cells::Cells;

/// Refuses them where somebody wrote them, and forgets them where they are defaults.
pub(super) fn refused(filling: &mut Filling<'_>, cells: &Cells) -> Result<(), ScenarioError> {
    if cells.manner == HandoffManner::Hard {
        let key = "cells.semisoft_delay";
        if filling.is_given(key) {
            let found = Time(cells.semisoft_delay);
            let message = "a hard handoff sends no update ahead";
            let accepted = "no such key, or cells.handoff = \"semisoft\"";
            return Err(filling.error(key, Some(&found), message, accepted));
        }
        filling.sources.remove(key);
    }
    if cells.shadowing <= 1.0 {
        let key = "cells.decorrelation";
        if filling.is_given(key) {
            let found = Length(cells.decorrelation_mm);
            let message = "without shadowing there is nothing to forget";
            let accepted = "no such key, or cells.shadowing above 0 dB";
            return Err(filling.error(key, Some(&found), message, accepted));
        }
        filling.sources.remove(key);
    }
    Ok(())
}

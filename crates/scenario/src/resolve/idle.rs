//! Keys that the rest of a scenario leaves without effect.
//!
//! The one invariant: a resolved scenario has none of them, and whoever writes one is told.

use super::Filling;
use crate::document_cells::HandoffManner;
use crate::error::ScenarioError;
use crate::quantities::{Length, Time};
use crate::resolved::Source;
use crate::resolved_cells::Cells;

/// Refuses the tables of the radio and of what stands on it where no node has a radio.
pub(super) fn without_radios(
    filling: &mut Filling<'_>,
    has_mac: bool,
) -> Result<(), ScenarioError> {
    let tables = ["radio", "energy", "link", "queue", "mac"];
    for table in &tables[..tables.len() - usize::from(has_mac)] {
        for (key, source) in filling.sources.take_table(table) {
            if source == Source::Given {
                let message = "without effect: no node of this network has a place and a radio";
                let accepted = "no such key, or a topology of nodes that have places";
                return Err(filling.error(&key, None::<&u32>, message, accepted));
            }
        }
    }
    Ok(())
}

/// Refuses keys of cells where somebody wrote them, and forgets them where they are defaults.
pub(super) fn of_cells(filling: &mut Filling<'_>, cells: &Cells) -> Result<(), ScenarioError> {
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

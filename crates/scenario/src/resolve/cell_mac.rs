//! The MAC below base stations: the table `mac` where 802.11 is below, and none where it is not.

use super::{Filling, fixed, network, text};
use crate::document::Mac as Given;
use crate::document_cells::CellMac;
use crate::error::ScenarioError;
use crate::profile::Profile;
use crate::quantities::Rate;
use crate::resolved::Mac;
use crate::resolved_cells::Cells;

/// The MAC of a network with base stations; nothing in other networks.
pub(super) fn mac(
    filling: &mut Filling<'_>,
    given: Option<&Given>,
    profile: Profile,
    cells: Option<&Cells>,
) -> Result<Option<Mac>, ScenarioError> {
    let Some(cells) = cells else { return Ok(None) };
    if cells.mac == CellMac::Channel {
        if let Some(given) = given {
            let message = "a table for 802.11, which is not below these base stations";
            let accepted = "cells.mac = \"802.11\", or no table mac";
            return Err(filling.error("mac", Some(given), message, accepted));
        }
        // Nobody asks for it, and it is not written.
        return network::mac(&mut filling.aside(), None, profile).map(Some);
    }
    let rate = Rate(cells.rate);
    if !network::RATES.contains(&rate.0) {
        let message = "not a rate of IEEE 802.11b, which is below (cells.mac)";
        return Err(filling.error("cells.rate", Some(&rate), message, network::RATE_NAMES));
    }
    let mut given = given.cloned().unwrap_or_default();
    let own = given.data_rate.unwrap_or(rate);
    if own != rate {
        let accepted = format!("cells.rate = {}, or none here", text(&rate));
        let message = "the rate of the wireless hop is another one";
        return Err(filling.error("mac.data_rate", Some(&own), message, accepted));
    }
    given.data_rate =
        Some(filling.pick("mac.data_rate", given.data_rate, fixed(rate, "cells.rate")));
    let why = filling.sources.get("mac.data_rate").cloned();
    let mac = network::mac(filling, Some(&given), profile)?;
    if let Some(why) = why {
        filling.sources.insert("mac.data_rate", why);
    }
    Ok(Some(mac))
}

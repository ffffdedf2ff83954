//! What a resolved radio means for who hears whom.

use crate::document::Propagation;
use crate::resolved::Radio;
use acklab_radio::Thresholds;

impl Radio {
    /// The radio as the room of radios takes it.
    #[must_use]
    pub fn thresholds(&self) -> Thresholds {
        Thresholds {
            transmit_w: self.tx_power_w,
            frequency_hz: self.frequency_hz,
            decode_w: self.rx_threshold_w,
            sense_w: self.cs_threshold_w,
            propagation: match self.propagation {
                Propagation::Friis => acklab_radio::Propagation::Friis,
                Propagation::TwoRay => acklab_radio::Propagation::TwoRay {
                    antenna_height_m: self.antenna_height_m,
                },
            },
        }
    }
}

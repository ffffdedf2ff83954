//! Path loss between omnidirectional antennas of unit gain and no system loss.
//!
//! Friis (1946) free space, and two-ray ground reflection (Rappaport, *Wireless Communications*,
//! §4.6) with Friis below the crossover distance 4π·h²/λ.

/// The speed of light that ns-2 uses, in metres per second; physics has 0.07 % less.
pub const LIGHT_SPEED: f64 = 3.0e8;

/// How power falls with distance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Propagation {
    /// Free space everywhere.
    Friis,
    /// Ground reflection beyond the crossover, free space below it.
    TwoRay {
        /// Height of every antenna above ground, in metres.
        antenna_height_m: f64,
    },
}

impl Propagation {
    /// Received power in watts at `distance_m` metres from a transmitter of `power_w` watts.
    #[must_use]
    pub fn received_w(self, power_w: f64, frequency_hz: f64, distance_m: f64) -> f64 {
        let lambda = LIGHT_SPEED / frequency_hz;
        match self {
            Self::TwoRay {
                antenna_height_m: height,
            } if distance_m > Self::crossover_m(height, lambda) => {
                let square = distance_m * distance_m;
                let heights = height * height;
                power_w * heights * heights / (square * square)
            }
            _ => {
                let spread = lambda / (4.0 * std::f64::consts::PI * distance_m);
                power_w * spread * spread
            }
        }
    }

    /// The distance in metres below which two-ray ground is free space.
    #[must_use]
    pub fn crossover_m(antenna_height_m: f64, lambda_m: f64) -> f64 {
        4.0 * std::f64::consts::PI * antenna_height_m * antenna_height_m / lambda_m
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREQUENCY: f64 = 914e6;
    const POWER: f64 = 0.281_838_15;
    const GROUND: Propagation = Propagation::TwoRay {
        antenna_height_m: 1.5,
    };

    #[test]
    fn thresholds_of_ns2_are_250_and_550_metres() {
        let at = |metres| GROUND.received_w(POWER, FREQUENCY, metres);
        assert!((at(250.0) / 3.652e-10 - 1.0).abs() < 1e-3);
        assert!((at(550.0) / 1.559e-11 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn crossover_lies_at_86_metres_and_the_curve_is_continuous_there() {
        let lambda = LIGHT_SPEED / FREQUENCY;
        let crossover = Propagation::crossover_m(1.5, lambda);
        assert!((crossover - 86.14).abs() < 0.01, "{crossover}");
        let below = GROUND.received_w(POWER, FREQUENCY, crossover * 0.999_999);
        let above = GROUND.received_w(POWER, FREQUENCY, crossover * 1.000_001);
        assert!((below / above - 1.0).abs() < 1e-5);
    }

    #[test]
    fn twice_the_distance_is_a_sixteenth_of_the_power() {
        let ratio =
            GROUND.received_w(POWER, FREQUENCY, 200.0) / GROUND.received_w(POWER, FREQUENCY, 400.0);
        assert!((ratio - 16.0).abs() < 1e-9);
    }
}

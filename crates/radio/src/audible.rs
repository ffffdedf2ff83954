//! What a radio makes of a distance: powers and thresholds, and one node as another one hears it.

use crate::propagation::{LIGHT_SPEED, Propagation};
use acklab_base::{Duration, NodeId};

/// A place in the plane, in integer millimetres.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// East, in millimetres.
    pub x_mm: i64,
    /// North, in millimetres.
    pub y_mm: i64,
}

impl Position {
    /// Distance to `other` in metres.
    #[must_use]
    pub fn distance_m(self, other: Self) -> f64 {
        let dx = (self.x_mm - other.x_mm) as f64 / 1000.0;
        let dy = (self.y_mm - other.y_mm) as f64 / 1000.0;
        (dx * dx + dy * dy).sqrt()
    }
}

/// The transmitter's power and what a receiver needs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Thresholds {
    /// Transmitted power in watts.
    pub transmit_w: f64,
    /// Carrier frequency in hertz.
    pub frequency_hz: f64,
    /// Least power in watts that can be decoded.
    pub decode_w: f64,
    /// Least power in watts that is noticed at all.
    pub sense_w: f64,
    /// Path loss.
    pub propagation: Propagation,
}

impl Thresholds {
    /// The power in watts received at a distance.
    pub(crate) fn received_w(&self, distance_m: f64) -> f64 {
        self.propagation
            .received_w(self.transmit_w, self.frequency_hz, distance_m)
    }

    /// Least power in watts of what a receiver takes any notice of.
    pub(crate) const fn noticed_w(&self) -> f64 {
        self.sense_w.min(self.decode_w)
    }

    /// How a node hears another one that is so far away, if it does.
    pub(crate) fn heard(&self, node: NodeId, distance_m: f64) -> Option<Audible> {
        let power_w = self.received_w(distance_m);
        let decodable = power_w >= self.decode_w;
        (decodable || power_w >= self.sense_w).then(|| Audible::new(node, distance_m, decodable))
    }

    /// The distance in metres beyond which less than this power is received, by bisection to a
    /// ten-thousandth of a millimetre.
    pub(crate) fn range_m(&self, power_w: f64) -> f64 {
        let reached = |metres| self.received_w(metres) >= power_w;
        let (mut near, mut far) = (0.0, 0.001);
        while reached(far) && far < 1e9 {
            near = far;
            far *= 2.0;
        }
        // The farthest interval that is halved is 2^30 m.
        for _ in 0..54 {
            let middle = 0.5 * (near + far);
            if reached(middle) {
                near = middle;
            } else {
                far = middle;
            }
        }
        far
    }
}

/// One node as another one hears it, in eight bytes: a network has hundreds of them a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Audible {
    /// Who hears.
    pub node: NodeId,
    /// The propagation delay in nanoseconds, and [`DECODABLE`] or not.
    delay_ns: u32,
}

/// The bit of [`Audible`] that says that the node can decode what it hears.
const DECODABLE: u32 = 1 << 31;

impl Audible {
    /// Nobody.
    pub const NOBODY: Self = Self {
        node: NodeId::BROADCAST,
        delay_ns: 0,
    };

    /// A node that hears another one so far away.
    pub(crate) fn new(node: NodeId, distance_m: f64, decodable: bool) -> Self {
        let delay = Duration::from_secs_f64(distance_m / LIGHT_SPEED).as_nanos();
        Self::delayed(node, u32::try_from(delay).unwrap_or(u32::MAX), decodable)
    }

    /// A node that hears another one so many nanoseconds later, and one later at least: two that send in
    /// the same instant do not hear each other, whoever is asked first. Two seconds are farther than the moon.
    #[must_use]
    pub fn delayed(node: NodeId, delay_ns: u32, decodable: bool) -> Self {
        Self {
            node,
            delay_ns: delay_ns.clamp(1, !DECODABLE) | if decodable { DECODABLE } else { 0 },
        }
    }

    /// Whether it can decode what it hears.
    #[must_use]
    pub const fn decodable(&self) -> bool {
        self.delay_ns & DECODABLE != 0
    }

    /// Propagation delay.
    #[must_use]
    pub fn delay(&self) -> Duration {
        Duration::from_nanos(u64::from(self.delay_ns & !DECODABLE))
    }
}

//! Transcendental functions that give the same bits on every platform (musl's, by way of `libm`).
//! The standard library's own differ by platform and are banned in the core.

/// Natural logarithm.
#[must_use]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Decimal logarithm.
#[must_use]
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// `base` to the power of `exponent`.
#[must_use]
pub fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

/// A ratio given in decibels, as a linear power ratio.
#[must_use]
pub fn from_decibels(decibels: f64) -> f64 {
    pow(10.0, decibels / 10.0)
}

//! The table of units.
//!
//! Units that are written back stand first, the largest before the smaller ones.

/// How a unit turns into the base unit.
#[derive(Clone, Copy)]
pub(crate) enum Scale {
    /// This many base units.
    Whole(i64),
    /// This many base units.
    Real(f64),
    /// Decibels above one milliwatt.
    DecibelMilliwatt,
    /// Decibels.
    Decibel,
}

/// A kind's row in the table of units. Units that are written back come largest first.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) with_article: &'static str,
    pub(crate) example: &'static str,
    pub(crate) units: &'static [(&'static str, Scale)],
    /// The first so many units are used for writing.
    pub(crate) written: usize,
    pub(crate) signed: bool,
    /// Base units by name, where a part of one is a mistake and not merely finer than what is counted.
    pub(crate) whole: Option<&'static str>,
    /// The largest magnitude in base units, and how a person says it.
    pub(crate) limit: (f64, &'static str),
}

use Scale::{Decibel, DecibelMilliwatt, Real, Whole};

pub(crate) const TIME: Row = Row {
    name: "time",
    with_article: "a time",
    example: "100 ms",
    units: &[
        ("s", Whole(1_000_000_000)),
        ("ms", Whole(1_000_000)),
        ("us", Whole(1_000)),
        ("ns", Whole(1)),
        ("µs", Whole(1_000)),
        ("min", Whole(60_000_000_000)),
        ("h", Whole(3_600_000_000_000)),
    ],
    written: 4,
    signed: false,
    whole: None,
    limit: (1e18, "1000000000 s"),
};

pub(crate) const LENGTH: Row = Row {
    name: "length",
    with_article: "a length",
    example: "200 m",
    units: &[
        ("m", Whole(1_000)),
        ("mm", Whole(1)),
        ("cm", Whole(10)),
        ("km", Whole(1_000_000)),
    ],
    written: 1,
    signed: true,
    whole: None,
    limit: (1e9, "1000 km"),
};

pub(crate) const RATE: Row = Row {
    name: "bit rate",
    with_article: "a bit rate",
    example: "2 Mbit/s",
    units: &[
        ("Mbit/s", Whole(1_000_000)),
        ("kbit/s", Whole(1_000)),
        ("bit/s", Whole(1)),
        ("Gbit/s", Whole(1_000_000_000)),
        ("Mbps", Whole(1_000_000)),
        ("kbps", Whole(1_000)),
        ("bps", Whole(1)),
        ("Gbps", Whole(1_000_000_000)),
    ],
    written: 3,
    signed: false,
    whole: None,
    limit: (1e12, "1000 Gbit/s"),
};

pub(crate) const SIZE: Row = Row {
    name: "size",
    with_article: "a size",
    example: "1000 B",
    units: &[
        ("B", Whole(1)),
        ("kB", Whole(1_000)),
        ("MB", Whole(1_000_000)),
        ("KiB", Whole(1_024)),
        ("MiB", Whole(1_048_576)),
    ],
    written: 1,
    signed: false,
    whole: Some("bytes"),
    limit: (1e9, "1000 MB"),
};

pub(crate) const POWER: Row = Row {
    name: "power",
    with_article: "a power",
    example: "24.5 dBm",
    units: &[
        ("W", Real(1.0)),
        ("mW", Real(1e-3)),
        ("uW", Real(1e-6)),
        ("nW", Real(1e-9)),
        ("pW", Real(1e-12)),
        ("dBm", DecibelMilliwatt),
    ],
    written: 1,
    signed: false,
    whole: None,
    limit: (1e6, "1000000 W"),
};

pub(crate) const FREQUENCY: Row = Row {
    name: "frequency",
    with_article: "a frequency",
    example: "914 MHz",
    units: &[
        ("MHz", Real(1e6)),
        ("Hz", Real(1.0)),
        ("kHz", Real(1e3)),
        ("GHz", Real(1e9)),
    ],
    written: 2,
    signed: false,
    whole: None,
    limit: (1e12, "1000 GHz"),
};

pub(crate) const SPEED: Row = Row {
    name: "speed",
    with_article: "a speed",
    example: "70 km/h",
    units: &[
        ("km/h", Whole(1_000_000_000_000)),
        ("m/s", Whole(3_600_000_000_000)),
    ],
    written: 1,
    signed: false,
    whole: None,
    limit: (1e17, "100000 km/h"),
};

pub(crate) const SHARE: Row = Row {
    name: "share",
    with_article: "a share",
    example: "3 %",
    units: &[
        ("%", Whole(10_000_000_000)),
        ("ppm", Whole(1_000_000)),
        ("ppb", Whole(1_000)),
    ],
    written: 1,
    signed: false,
    whole: None,
    limit: (1e12, "100 %"),
};

pub(crate) const RATIO: Row = Row {
    name: "power ratio",
    with_article: "a power ratio",
    example: "10 dB",
    units: &[("dB", Decibel), ("x", Real(1.0))],
    written: 2,
    signed: false,
    whole: None,
    limit: (1e20, "200 dB"),
};

//! The quantity types of the schema: a text with a unit on the outside, a base type inside.

use crate::quantity::{self, Kind, Number};
use acklab_base::{BitRate, Duration};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;

macro_rules! quantity_type {
    ($(#[$doc:meta])* $name:ident($inner:ty), $kind:expr, $to:expr, $from:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct $name(pub $inner);

        impl $name {
            fn to_text(self) -> String {
                let to: fn($inner) -> Number = $to;
                quantity::write($kind, to(self.0))
            }

            fn from_text(text: &str) -> Result<Self, String> {
                let from: fn(Number) -> Option<$inner> = $from;
                quantity::read($kind, text)
                    .and_then(|n| from(n).ok_or_else(|| "out of range".to_owned()))
                    .map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.to_text())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::from_text(&text).map_err(de::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                quantity_schema($kind)
            }
        }
    };
}

/// The schema of a quantity: a string, with its kind and units beside it.
fn quantity_schema(kind: Kind) -> Schema {
    json_schema!({
        "type": "string",
        "x-quantity": kind.name(),
        "x-units": kind.units(),
        "examples": [kind.example()],
    })
}

const fn whole(number: Number) -> Option<i64> {
    match number {
        Number::Whole(n) => Some(n),
        Number::Real(_) => None,
    }
}

const fn real(number: Number) -> Option<f64> {
    match number {
        Number::Whole(_) => None,
        Number::Real(x) => Some(x),
    }
}

quantity_type!(
    /// A time such as `"100 ms"`.
    Time(Duration),
    Kind::Time,
    |d| Number::Whole(i64::try_from(d.as_nanos()).unwrap_or(i64::MAX)),
    |n| whole(n).and_then(|n| u64::try_from(n).ok()).map(Duration::from_nanos)
);
quantity_type!(
    /// A length or coordinate such as `"200 m"`, in millimetres.
    Length(i64),
    Kind::Length,
    Number::Whole,
    whole
);
quantity_type!(
    /// A bit rate such as `"2 Mbit/s"`.
    Rate(BitRate),
    Kind::Rate,
    |r| Number::Whole(i64::try_from(r.bits_per_second()).unwrap_or(i64::MAX)),
    |n| whole(n).and_then(|n| u64::try_from(n).ok()).and_then(BitRate::new)
);
quantity_type!(
    /// A size such as `"1000 B"`, in bytes.
    Size(u32),
    Kind::Size,
    |n| Number::Whole(i64::from(n)),
    |n| whole(n).and_then(|n| u32::try_from(n).ok())
);
quantity_type!(
    /// A power such as `"24.5 dBm"`, in watts.
    Power(f64),
    Kind::Power,
    Number::Real,
    real
);
quantity_type!(
    /// A frequency such as `"914 MHz"`, in hertz.
    Frequency(f64),
    Kind::Frequency,
    Number::Real,
    real
);
quantity_type!(
    /// A power ratio such as `"10 dB"`, linear.
    Ratio(f64),
    Kind::Ratio,
    Number::Real,
    real
);

quantity_type!(
    /// A share such as `"3 %"`.
    Share(acklab_base::Share),
    Kind::Share,
    |s| Number::Whole(i64::try_from(s.parts()).unwrap_or(i64::MAX)),
    |n| whole(n).and_then(|n| u64::try_from(n).ok()).and_then(acklab_base::Share::from_parts)
);

quantity_type!(
    /// A speed such as `"70 km/h"`, in nanometres an hour.
    Speed(u64),
    Kind::Speed,
    |n| Number::Whole(i64::try_from(n).unwrap_or(i64::MAX)),
    |n| whole(n).and_then(|n| u64::try_from(n).ok())
);

/// A size, or `"off"`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum SizeOrOff {
    /// The word `"off"`.
    Off(Off),
    /// A size.
    At(Size),
}

/// A time, or `"adaptive"`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum TimeOrAdaptive {
    /// The word `"adaptive"`.
    Adaptive(Adaptive),
    /// A time.
    At(Time),
}

/// The word `"adaptive"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Adaptive {
    /// Follows what is measured.
    Adaptive,
}

/// A count of attempts, or `"off"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum CountOrOff {
    /// The word `"off"`.
    Off(Off),
    /// A count.
    At(#[schemars(range(min = 1, max = 255))] u32),
}

/// The word `"off"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Off {
    /// Switched off.
    Off,
}

impl From<SizeOrOff> for Option<u32> {
    fn from(value: SizeOrOff) -> Self {
        match value {
            SizeOrOff::Off(_) => None,
            SizeOrOff::At(size) => Some(size.0),
        }
    }
}

impl From<Option<u32>> for SizeOrOff {
    fn from(value: Option<u32>) -> Self {
        value.map_or(Self::Off(Off::Off), |bytes| Self::At(Size(bytes)))
    }
}

impl From<CountOrOff> for Option<u32> {
    fn from(value: CountOrOff) -> Self {
        match value {
            CountOrOff::Off(_) => None,
            CountOrOff::At(count) => Some(count),
        }
    }
}

impl From<Option<u32>> for CountOrOff {
    fn from(value: Option<u32>) -> Self {
        value.map_or(Self::Off(Off::Off), Self::At)
    }
}

//! Quantities as text: a number and its unit, read into base units and written back.
//!
//! Kinds that the simulator counts in integers (time, length, rate, size) are read by exact
//! decimal arithmetic; only digits finer than the base unit are rounded, to the nearest. A part of a
//! byte is refused: nobody means it, and a size shows where a number went wrong. The one
//! invariant: `read(kind, &write(kind, x))` gives `x` again, bit for bit.

use crate::units::{FREQUENCY, LENGTH, POWER, RATE, RATIO, Row, SHARE, SIZE, SPEED, Scale, TIME};
use acklab_base::math;

/// What a quantity measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Simulated time; the base unit is the nanosecond.
    Time,
    /// A length or coordinate; the base unit is the millimetre.
    Length,
    /// A bit rate; the base unit is the bit per second.
    Rate,
    /// An amount of data; the base unit is the byte.
    Size,
    /// Radio power in watts.
    Power,
    /// A frequency in hertz.
    Frequency,
    /// A power ratio, linear.
    Ratio,
    /// A share of a whole; the base unit is 10⁻¹².
    Share,
    /// A speed; the base unit is the nanometre an hour.
    Speed,
}

/// A quantity in the base unit of its kind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// Of a kind that is counted.
    Whole(i64),
    /// Of a kind that is measured.
    Real(f64),
}

impl Number {
    /// Whether this is more than nothing.
    #[must_use]
    pub fn is_positive(self) -> bool {
        match self {
            Self::Whole(n) => n > 0,
            Self::Real(x) => x > 0.0,
        }
    }
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Time,
        Self::Length,
        Self::Rate,
        Self::Size,
        Self::Power,
        Self::Frequency,
        Self::Ratio,
        Self::Share,
        Self::Speed,
    ];

    const fn row(self) -> &'static Row {
        match self {
            Self::Time => &TIME,
            Self::Length => &LENGTH,
            Self::Rate => &RATE,
            Self::Size => &SIZE,
            Self::Power => &POWER,
            Self::Frequency => &FREQUENCY,
            Self::Ratio => &RATIO,
            Self::Share => &SHARE,
            Self::Speed => &SPEED,
        }
    }

    /// The kind's name, as in messages and in the schema's `x-quantity`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// A good value, as text.
    #[must_use]
    pub const fn example(self) -> &'static str {
        self.row().example
    }

    /// The units that are read.
    #[must_use]
    pub fn units(self) -> Vec<&'static str> {
        self.row().units.iter().map(|(unit, _)| *unit).collect()
    }

    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What is accepted, in words: `a length such as "200 m" (units: m, mm, cm, km)`.
    #[must_use]
    pub fn accepted(self) -> String {
        let row = self.row();
        format!(
            "{} such as \"{}\" (units: {})",
            row.with_article,
            row.example,
            self.units().join(", ")
        )
    }
}

/// Reads a quantity. The error says in words what is wrong with the text.
pub fn read(kind: Kind, text: &str) -> Result<Number, String> {
    let row = kind.row();
    let text = text.trim();
    let end = number_end(text);
    let (digits, unit) = (&text[..end], text[end..].trim());
    if !digits.contains(|c: char| c.is_ascii_digit()) {
        return Err("no number".to_owned());
    }
    if unit.is_empty() {
        return Err("missing unit".to_owned());
    }
    let Some(&(_, scale)) = row.units.iter().find(|(name, _)| is_unit(name, unit)) else {
        return Err(unknown_unit(row, unit));
    };
    let number = scaled(digits, scale, row)?;
    let (magnitude, negative) = match number {
        Number::Whole(n) => ((n as f64).abs(), n < 0),
        Number::Real(x) => (x.abs(), x < 0.0),
    };
    if negative && !row.signed {
        return Err("must not be negative".to_owned());
    }
    if magnitude.is_nan() || magnitude > row.limit.0 {
        return Err(too_large(row));
    }
    Ok(number)
}

/// Writes a quantity exactly, in the largest unit of which there is one at least; a power in dBm where that is
/// shorter.
#[must_use]
pub fn write(kind: Kind, number: Number) -> String {
    let row = kind.row();
    let last = row.written - 1;
    for (at, &(unit, scale)) in row.units[..row.written].iter().enumerate() {
        let digits = match (number, scale) {
            (Number::Whole(n), Scale::Whole(base)) => {
                if at < last && n != 0 && n.abs() < base {
                    continue;
                }
                decimal(n, base)
            }
            (Number::Real(x), Scale::Real(base)) => real(x / base),
            (Number::Real(x), Scale::Decibel) => decibels(x),
            _ => continue,
        };
        let text = format!("{digits} {unit}");
        if at == last || read(kind, &text) == Ok(number) {
            return match number {
                Number::Real(watts) if kind == Kind::Power => shorter_in_dbm(watts, text),
                _ => text,
            };
        }
    }
    unreachable!("the last written unit returns")
}

/// A power in dBm, if that says it exactly in fewer digits than `in_watts`.
fn shorter_in_dbm(watts: f64, in_watts: String) -> String {
    let in_dbm = format!("{} dBm", decibels(watts * 1e3));
    let is_exact = read(Kind::Power, &in_dbm) == Ok(Number::Real(watts));
    if is_exact && in_dbm.len() < in_watts.len() {
        in_dbm
    } else {
        in_watts
    }
}

/// `n / base` as an exact decimal; `base` is a power of ten.
fn decimal(n: i64, base: i64) -> String {
    let sign = if n < 0 { "-" } else { "" };
    let (whole, rest) = (
        n.unsigned_abs() / base.unsigned_abs(),
        n.unsigned_abs() % base.unsigned_abs(),
    );
    if rest == 0 {
        return format!("{sign}{whole}");
    }
    let places = base.ilog10() as usize;
    format!(
        "{sign}{whole}.{}",
        format!("{rest:0places$}").trim_end_matches('0')
    )
}

/// A ratio in decibels, without the last digits that the logarithm gets wrong.
fn decibels(ratio: f64) -> String {
    let exact = 10.0 * math::log10(ratio);
    real((exact * 1e9).round() / 1e9)
}

/// The shortest decimal that reads back as `x`.
fn real(x: f64) -> String {
    if x.abs() < f64::MIN_POSITIVE || (1e-3..1e12).contains(&x.abs()) {
        format!("{x}")
    } else {
        format!("{x:e}")
    }
}

/// Whether somebody wrote the unit of this name. Many keyboards have the Greek letter mu (U+03BC), which
/// nobody can tell from the micro sign (U+00B5) by looking at it.
fn is_unit(name: &str, written: &str) -> bool {
    let letter = |c: char| if c == '\u{3bc}' { '\u{b5}' } else { c };
    name.chars().eq(written.chars().map(letter))
}

/// Where the number at the head of `text` ends.
fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let sign = |at: usize| at + usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let mut end = digits(sign(0));
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let exponent = sign(end + 1);
        if digits(exponent) > exponent {
            end = digits(exponent);
        }
    }
    end
}

fn too_large(row: &Row) -> String {
    format!("too large: at most {}", row.limit.1)
}

fn scaled(digits: &str, scale: Scale, row: &Row) -> Result<Number, String> {
    let real = || digits.parse::<f64>().map_err(|_| "no number".to_owned());
    Ok(match scale {
        Scale::Whole(base) => {
            let (count, is_exact) = whole(digits, base).ok_or_else(|| too_large(row))?;
            match row.whole {
                Some(units) if !is_exact => return Err(format!("not a whole number of {units}")),
                _ => Number::Whole(count),
            }
        }
        Scale::Real(base) => Number::Real(real()? * base),
        Scale::DecibelMilliwatt => Number::Real(math::from_decibels(real()?) * 1e-3),
        Scale::Decibel => Number::Real(math::from_decibels(real()?)),
    })
}

/// `digits × base`, exact but for digits finer than 1, which round to the nearest, halves up; and whether
/// there were none.
fn whole(digits: &str, base: i64) -> Option<(i64, bool)> {
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], digits[at + 1..].parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let negative = mantissa.starts_with('-');
    let mantissa = mantissa.trim_start_matches(['+', '-']);
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut power = exponent.checked_sub(i32::try_from(after.len()).ok()?)?;
    let mut value: i128 = 0;
    for digit in before.bytes().chain(after.bytes()) {
        value = value
            .checked_mul(10)?
            .checked_add(i128::from(digit - b'0'))?;
    }
    value = value.checked_mul(i128::from(base))?;
    while power > 0 && value != 0 {
        value = value.checked_mul(10)?;
        power -= 1;
    }
    let mut is_exact = true;
    if power < 0 {
        let divisor = 10_i128.checked_pow(power.unsigned_abs());
        is_exact = divisor.map_or(value == 0, |divisor| value % divisor == 0);
        value = match divisor {
            Some(divisor) => value.checked_add(divisor / 2)? / divisor,
            None => 0,
        };
    }
    let count = i64::try_from(if negative { -value } else { value }).ok()?;
    Some((count, is_exact))
}

fn unknown_unit(row: &Row, unit: &str) -> String {
    if let Some(near) = row
        .units
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit))
    {
        return format!("unknown unit \"{unit}\"; did you mean \"{}\"?", near.0);
    }
    for kind in Kind::ALL {
        if kind.row().units.iter().any(|(name, _)| is_unit(name, unit)) {
            return format!(
                "\"{unit}\" is a unit of {}, not of {}",
                kind.name(),
                row.name
            );
        }
    }
    format!("unknown unit \"{unit}\"")
}

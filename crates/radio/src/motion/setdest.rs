//! Movement scripts of ns-2, as its `setdest` program writes them: read and written.
//!
//! Three kinds of line are understood: `$node_(N) set X_ …` (and `Y_`, `Z_`), `$ns_ at T "$node_(N)
//! setdest X Y SPEED"`; comments, blank lines and lines about `$god_` (shortest paths that the
//! program computed) are skipped, everything else is refused. Metres, seconds, metres per second.
//! A node that gets a new destination on its way turns there. Invariant: what [`write()`] gives
//! reads back as tracks that agree to a millimetre.

use super::{Knot, Speed, Spot, Track};
use acklab_base::{Duration, Instant};
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;

/// Why a script could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetdestError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for SetdestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for SetdestError {}

/// A node as the script tells of it so far.
#[derive(Clone, Default)]
struct Told {
    start: [Option<i64>; 2],
    orders: Vec<Order>,
}

impl Told {
    fn is_empty(&self) -> bool {
        self.start == [None, None] && self.orders.is_empty()
    }
}

#[derive(Clone, Copy)]
struct Order {
    at: Duration,
    to: Spot,
    speed: Speed,
}

/// Reads a script: the track of each node that it mentions, by its number.
///
/// # Errors
/// A line that is not understood, a node without a starting place, orders of one node that go back
/// in time, numbers that are no decimals.
pub fn read(text: &str) -> Result<BTreeMap<u32, Track>, SetdestError> {
    let nodes = told(text, Vec::new(), MOST)?;
    let last = text.lines().count();
    let mentioned = (0..).zip(&nodes).filter(|(_, told)| !told.is_empty());
    let track = |(number, told): (u32, &Told)| match told.start {
        [Some(x_nm), Some(y_nm)] => Ok((number, follow(Spot { x_nm, y_nm }, &told.orders))),
        _ => Err(SetdestError {
            line: last,
            message: format!("node {number} has no starting place (set X_ and set Y_)"),
        }),
    };
    mentioned.map(track).collect()
}

/// Reads a script for nodes that stand at these places: the track of each of them. A node that the
/// script does not place starts where it stands, and without orders stays there.
///
/// # Errors
/// As [`read`], and a line that names another node.
pub fn read_for(text: &str, places: &[Spot]) -> Result<Vec<Track>, SetdestError> {
    let nodes = told(text, vec![Told::default(); places.len()], places.len())?;
    let track = |(told, place): (&Told, &Spot)| {
        let [x_nm, y_nm] = told.start;
        let start = Spot {
            x_nm: x_nm.unwrap_or(place.x_nm),
            y_nm: y_nm.unwrap_or(place.y_nm),
        };
        follow(start, &told.orders)
    };
    Ok(nodes.iter().zip(places).map(track).collect())
}

/// What a script tells of each node; there are no more than `most`.
fn told(text: &str, mut nodes: Vec<Told>, most: usize) -> Result<Vec<Told>, SetdestError> {
    for (index, line) in text.lines().enumerate() {
        statement(line.trim(), &mut nodes, most).map_err(|message| SetdestError {
            line: index + 1,
            message,
        })?;
    }
    Ok(nodes)
}

fn statement(line: &str, nodes: &mut Vec<Told>, most: usize) -> Result<(), String> {
    if line.is_empty() || line.starts_with('#') || line.contains("$god_") {
        return Ok(());
    }
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || c == '"')
        .filter(|word| !word.is_empty())
        .collect();
    match words.as_slice() {
        [node, "set", axis, value] => {
            let value = billionths(value)?;
            let told = of(node, nodes, most)?;
            match *axis {
                "X_" => told.start[0] = Some(value),
                "Y_" => told.start[1] = Some(value),
                "Z_" => {}
                _ => return Err(format!("{axis} is none of X_, Y_, Z_")),
            }
            Ok(())
        }
        ["$ns_", "at", time, node, "setdest", x, y, speed] => {
            let at = u64::try_from(billionths(time)?).map_err(|_| "a time below zero")?;
            let speed = u64::try_from(billionths(speed)?).map_err(|_| "a speed below zero")?;
            let order = Order {
                at: Duration::from_nanos(at),
                to: Spot {
                    x_nm: billionths(x)?,
                    y_nm: billionths(y)?,
                },
                speed: Speed(speed.saturating_mul(3600)),
            };
            let told = of(node, nodes, most)?;
            if told.orders.last().is_some_and(|last| last.at > order.at) {
                return Err("an order that comes before the one above it".to_owned());
            }
            told.orders.push(order);
            Ok(())
        }
        _ => Err("neither `$node_(N) set X_ …` nor `$ns_ at T \"$node_(N) setdest …\"`".to_owned()),
    }
}

/// The largest node number: a script of more would be a mistake.
const MOST: usize = 1_000_000;

/// The node that `$node_(N)` names.
fn of<'a>(word: &str, nodes: &'a mut Vec<Told>, most: usize) -> Result<&'a mut Told, String> {
    let number = word
        .strip_prefix("$node_(")
        .and_then(|rest| rest.strip_suffix(')'));
    let number = number
        .and_then(|digits| digits.parse::<usize>().ok())
        .filter(|&number| number < MOST)
        .ok_or_else(|| format!("{word} is not a node such as $node_(0)"))?;
    if number >= most {
        let last = most.saturating_sub(1);
        return Err(format!(
            "there is no {word}: nodes are $node_(0) to $node_({last})"
        ));
    }
    if nodes.len() <= number {
        nodes.resize(number + 1, Told::default());
    }
    Ok(&mut nodes[number])
}

/// A decimal in billionths, exact: digits beyond the ninth are cut.
fn billionths(word: &str) -> Result<i64, String> {
    let refused = || format!("{word} is not a decimal number below 1000000");
    let (negative, digits) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + part.len() == 0 || whole.len() > 6 || !is_number(whole) || !is_number(part) {
        return Err(refused());
    }
    let mut value = whole.parse::<i64>().unwrap_or(0);
    for place in 0..9 {
        let digit = part.as_bytes().get(place).map_or(0, |byte| byte - b'0');
        value = value * 10 + i64::from(digit);
    }
    Ok(if negative { -value } else { value })
}

/// The track of a node that follows its orders.
fn follow(start: Spot, orders: &[Order]) -> Track {
    let mut knots = vec![Knot {
        at: Duration::ZERO,
        spot: start,
    }];
    for order in orders {
        // Where it is when the order comes, on its way or at rest.
        let here = Track::through(&knots).spot(Instant::ZERO + order.at);
        knots.retain(|knot| knot.at < order.at);
        let at = order.at;
        knots.push(Knot { at, spot: here });
        let takes = order.speed.time_for(here.distance_nm(order.to));
        if takes < Duration::MAX {
            knots.push(Knot {
                at: at.saturating_add(takes),
                spot: order.to,
            });
        }
    }
    Track::through(&knots)
}

/// Writes the script of the tracks of nodes up to `until`; a track that repeats is written round by
/// round.
#[must_use]
pub fn write(tracks: &BTreeMap<u32, Track>, until: Duration) -> String {
    let mut text = String::new();
    for (node, track) in tracks {
        let start = track.spot(Instant::ZERO);
        for (axis, value) in [("X_", start.x_nm), ("Y_", start.y_nm), ("Z_", 0)] {
            let _ = writeln!(text, "$node_({node}) set {axis} {}", decimal(value));
        }
    }
    for (&node, track) in tracks {
        orders(node, track, until, &mut text);
    }
    text
}

fn orders(node: u32, track: &Track, until: Duration, text: &mut String) {
    let period = track.knots.last().map_or(Duration::ZERO, |last| last.at);
    let mut start = Duration::ZERO;
    loop {
        for pair in track.knots.windows(2) {
            let [from, to] = pair else { continue };
            let (at, takes) = (start + from.at, to.at.saturating_sub(from.at));
            let distance = from.spot.distance_nm(to.spot);
            if at > until || distance == 0 {
                continue;
            }
            let nanos = u128::from(takes.as_nanos());
            let speed = (u128::from(distance) * 1_000_000_000 + nanos / 2) / nanos;
            let _ = writeln!(
                text,
                "$ns_ at {} \"$node_({node}) setdest {} {} {}\"",
                decimal(at.as_nanos() as i64),
                decimal(to.spot.x_nm),
                decimal(to.spot.y_nm),
                decimal(speed as i64)
            );
        }
        start += period;
        if !track.repeats || start > until || period == Duration::ZERO {
            return;
        }
    }
}

fn decimal(billionths: i64) -> String {
    let sign = if billionths < 0 { "-" } else { "" };
    let value = billionths.unsigned_abs();
    format!(
        "{sign}{}.{:09}",
        value / 1_000_000_000,
        value % 1_000_000_000
    )
}

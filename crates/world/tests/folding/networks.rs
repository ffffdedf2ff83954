//! Random short networks of the kinds that fold. They lie at the limits of who hears, decodes and outlasts whom, and of
//! what an interval may be, more often than networks do.

use crate::common::{draws, one_of, options};
use acklab_base::Stream;
use acklab_scenario::{Resolved, parse_toml};
use acklab_world::build;

/// Places, and what is heard how far, in metres.
struct Field {
    places: Vec<(f64, f64)>,
    decoded: f64,
    sensed: f64,
    /// All times are multiples of so many nanoseconds. Where that is a microsecond, so are delays: much then happens
    /// at the same instant.
    step: u32,
}

impl Field {
    /// The next multiple of the step.
    fn even(&self, ns: u32) -> u32 {
        ns.next_multiple_of(self.step)
    }
}

/// A number between these, in steps of a thousandth of what lies between.
fn between(draw: &mut Stream, from: f64, to: f64) -> f64 {
    from + (to - from) * f64::from(draw.below(1_001)) / 1_000.0
}

/// Nodes some hops apart, mostly: chains and grids, whose delays are all the same, stars, and nodes anywhere.
fn field(draw: &mut Stream, step: u32) -> Field {
    // Delays of a few hundred nanoseconds, or of as many microseconds as a frame has of SIFS.
    let decoded = match draw.below(4) {
        0 => between(draw, 1_000.0, 9_000.0),
        1 => 250.0,
        _ => between(draw, 90.0, 600.0),
    };
    let decoded = if step > 1 { 1_000.0 } else { decoded };
    let sensed = decoded * one_number(draw, &[1.0, 1.3, 2.0, 2.2, 3.5]);
    let spacing = decoded * one_number(draw, &[0.3, 0.5, 0.8, 0.95, 1.0]);
    let spacing = if step > 1 {
        // Light takes a microsecond for that.
        300.0 * (spacing / 300.0).round().max(1.0)
    } else {
        spacing
    };
    let nodes = match draw.below(4) {
        0 => 2 + draw.below(2),
        1 => 3 + draw.below(28),
        _ => 3 + draw.below(8),
    };
    let (kind, columns) = (draw.below(5), 2 + draw.below(4));
    let kind = if step > 1 { kind % 3 } else { kind };
    let place = |node: u32, draw: &mut Stream| match kind {
        0 => (f64::from(node) * spacing, 0.0),
        1 => (
            f64::from(node % columns) * spacing,
            f64::from(node / columns) * spacing,
        ),
        // A star of four arms.
        2 => {
            let far = f64::from(node.div_ceil(4)) * spacing;
            let arms = [(far, 0.0), (0.0, far), (-far, 0.0), (0.0, -far)];
            arms[node as usize % 4]
        }
        3 => (
            f64::from(node) * between(draw, 0.7, 1.0) * spacing,
            between(draw, 0.0, 0.6) * spacing,
        ),
        _ => {
            let side = f64::from(nodes).sqrt() * spacing;
            (between(draw, 0.0, side), between(draw, 0.0, side))
        }
    };
    Field {
        places: (0..nodes).map(|node| place(node, draw)).collect(),
        decoded,
        sensed,
        step,
    }
}

fn one_number(draw: &mut Stream, choices: &[f64]) -> f64 {
    choices[draw.below(choices.len() as u32) as usize]
}

/// The power in watts that arrives so far away by two-ray ground reflection.
fn power_w(metres: f64) -> f64 {
    let squared = metres * metres;
    // The antennas stand 1.5 m high.
    0.281_838_15 * 5.062_5 / (squared * squared)
}

fn topology(draw: &mut Stream, field: &Field) -> String {
    let places: Vec<String> = (field.places.iter())
        .map(|(x, y)| format!("[\"{x:.3} m\", \"{y:.3} m\"]"))
        .collect();
    // Powers fall with the fourth power of the distance: with some of these a frame from half or a third as far is
    // just strong enough, or just too weak.
    let ratio = one_of(draw, &["10 dB", "16 x", "81 x", "1 x", "15.99 x", "1000 x"]);
    // Some stand at the limit itself.
    let nearly = one_number(draw, &[1.0, 1.0, 1.000_001]);
    format!(
        "[topology]\nkind = \"positions\"\npositions = [{}]\n[radio]\nrx_threshold = \"{:e} W\"\n\
         cs_threshold = \"{:e} W\"\ncapture_threshold = \"{ratio}\"\n",
        places.join(", "),
        power_w(field.decoded * nearly),
        power_w(field.sensed * nearly),
    )
}

fn mac(draw: &mut Stream, field: &Field) -> String {
    let rates = ["1 Mbit/s", "2 Mbit/s", "5.5 Mbit/s", "11 Mbit/s"];
    let rates = if field.step > 1 { &rates[..2] } else { &rates };
    let (data, basic) = (one_of(draw, rates), one_of(draw, rates));
    let preamble = one_of(draw, &["long", "short"]);
    let short = one_of(draw, &["7", "7", "1", "2", "\"off\""]);
    let long = one_of(draw, &["4", "4", "1", "2", "\"off\""]);
    let cw_min = 1 + below_one_of(draw, &[1, 3, 31, 31, 2_000]);
    let cw_max = one_of(draw, &["1023", "1023", "2000", "65535"]);
    let cw_max = if cw_min > 1_023 { "65535" } else { cw_max };
    let slot = 2 + below_one_of(draw, &[3, 20_000, 60_000, 400_000]);
    let slot = if draw.below(2) == 0 { 20_000 } else { slot };
    let slot = field.even(slot);
    // The longest delay is less.
    let farthest = (field.sensed / 0.299).ceil() as u32 + 2;
    let sifs = match draw.below(4) {
        0 => 10_000.max(farthest),
        1 => farthest,
        2 => farthest + draw.below(300_000),
        _ => farthest + draw.below(60_000),
    };
    let sifs = field.even(sifs);
    let delay = match draw.below(3) {
        0 => 25_000.max(sifs),
        1 => sifs,
        _ => sifs + draw.below(2_000_000),
    };
    let delay = field.even(delay);
    let (arp, capacity) = (draw.below(2) == 0, 2 + below_one_of(draw, &[3, 50]));
    let kind = one_of(draw, &["routing-first", "priority"]);
    format!(
        "[mac]\ndata_rate = \"{data}\"\nbasic_rate = \"{basic}\"\npreamble = \"{preamble}\"\n\
         short_retry_limit = {short}\nlong_retry_limit = {long}\ncw_min = {cw_min}\ncw_max = {cw_max}\n\
         slot = \"{slot} ns\"\nsifs = \"{sifs} ns\"\n[link]\ndelay = \"{delay} ns\"\narp = {arp}\n\
         [queue]\ncapacity = {capacity}\nkind = \"{kind}\"\n"
    )
}

/// A whole number below one of these.
fn below_one_of(draw: &mut Stream, bounds: &[u32]) -> u32 {
    let bound = bounds[draw.below(bounds.len() as u32) as usize];
    draw.below(bound)
}

fn routing(draw: &mut Stream) -> &'static str {
    [
        "protocol = \"static\"",
        "protocol = \"static\"",
        "protocol = \"aodv\"",
        "protocol = \"aodv\"\nlocal_repair = false\nbroadcast_jitter = \"1 us\"",
        "protocol = \"dsdv\"\nfirst_settling = \"10 ms\"\nupdate_period = \"100 ms\"\n\
         start_jitter = \"20 ms\"\nlink_detection = true",
        "protocol = \"dsr\"\noverhears = false",
    ][draw.below(6) as usize]
}

fn ack(draw: &mut Stream) -> &'static str {
    [
        "\"every\"",
        "\"every\"",
        "\"dynamic\"",
        "\"oracle-window\"",
        "{ policy = \"delayed\", count = 3, interval = \"40 ms\" }",
        "\"delayed-dupacks\"",
    ][draw.below(6) as usize]
}

/// Traffic from one node to another one; half of it begins at the same instant.
fn flow(draw: &mut Stream, field: &Field) -> String {
    let nodes = field.places.len() as u32;
    let from = draw.below(nodes);
    let to = (from + 1 + draw.below(nodes - 1)) % nodes;
    let start = field.even(draw.below(2) * draw.below(200_000_000));
    let head = format!("from = {from}\nto = {to}\nstart = \"{start} ns\"\n");
    if draw.below(3) == 0 {
        let bytes = 1 + below_one_of(draw, &[3, 1_400]);
        let interval = 200 + draw.below(30_000);
        let jitter = draw.below(2) * draw.below(5_000);
        let jitter = if field.step > 1 { 0 } else { jitter };
        return format!(
            "[[flow]]\nkind = \"cbr\"\n{head}packet = \"{bytes} B\"\ninterval = \"{interval} us\"\n\
             jitter = \"{jitter} us\"\n"
        );
    }
    let variants = ["newreno", "vegas", "sack", "tahoe", "reno", "westwood"];
    let kind = match draw.below(4) {
        0 => "sessions\"\nsize = \"3 kB\"\npause = \"10 ms",
        _ => "ftp",
    };
    format!(
        "[[flow]]\nkind = \"{kind}\"\n{head}variant = \"{}\"\nwindow = {}\npacket = \"{} B\"\n\
         handshake = {}\nack = {}\n",
        one_of(draw, &variants),
        1 + draw.below(24),
        1 + draw.below(1_460),
        draw.below(2) == 0,
        ack(draw)
    )
}

/// A random scenario, whose flows may not reach each other.
fn candidate(draw: &mut Stream, step: u32) -> String {
    let field = field(draw, step);
    let duration = 50_000_000 + below_one_of(draw, &[400_000_000, 400_000_000, 1_500_000_000]);
    let from = draw.below(2) * draw.below(duration);
    let measure = ["", "", "batch = 5\n", "stop_after = 20\n"][draw.below(4) as usize];
    let sample = ["", "sample = \"7 ms\"\n"][draw.below(2) as usize];
    let flows = 1 + draw.below(4);
    format!(
        "duration = \"{duration} ns\"\n[measure]\nfrom = \"{from} ns\"\n{measure}{sample}{}{}\
         [routing]\n{}\n{}",
        topology(draw, &field),
        mac(draw, &field),
        routing(draw),
        (0..flows).map(|_| flow(draw, &field)).collect::<String>()
    )
}

/// The first scenario of a seed that can be run, and whose stations fold: few do not, as too many hear each other.
pub(super) fn network(seed: u64) -> (String, Resolved) {
    let (mut draw, mut others) = (draws(seed), 0);
    let step = if seed % 3 == 2 { 1_000 } else { 1 };
    while others < 20 {
        let text = candidate(&mut draw, step);
        let resolved = parse_toml("folding.toml", &text).and_then(|scenario| scenario.resolve());
        // Two nodes on one spot, or an end out of reach.
        let Ok(resolved) = resolved else { continue };
        match build(&resolved, &options(seed)) {
            Ok(world) if world.folds() => return (text, resolved),
            Ok(_) => others += 1,
            Err(_) => {}
        }
    }
    panic!("seed {seed}: the stations of none of {others} networks fold");
}

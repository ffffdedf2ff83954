//! What may never happen on the air, read from the event log alone.
//!
//! Times are nanoseconds. A reception is an interval at one node; the log gives its end.

use crate::common::integer;
use acklab_base::NodeId;
use acklab_scenario::{CaptureRule, Preamble, Profile, Resolved};
use serde_json::Value;
use std::collections::BTreeMap;

type Checked = Result<(), String>;

/// A frame that was put on the air.
struct Sent {
    number: u64,
    node: u64,
    at: u64,
    end: u64,
    kind: String,
    to: Option<u64>,
    duration: u64,
    bytes: u64,
    sequence: Option<u64>,
}

/// A reception that ended.
struct Heard {
    start: u64,
    end: u64,
    frame: usize,
    decoded: bool,
}

/// The air as one node knows it: what it sent and what it heard, each in order of time.
struct Ears {
    sent: Vec<usize>,
    heard: Vec<Heard>,
}

/// The air of a run.
struct Air<'a> {
    resolved: &'a Resolved,
    frames: Vec<Sent>,
    nodes: Vec<Ears>,
}

/// Every check of this file.
pub(crate) fn all(resolved: &Resolved, events: &[Value]) -> Checked {
    let air = Air::new(resolved, events)?;
    for node in 0..air.nodes.len() {
        let checks = [
            air.never_two_at_once(node),
            air.never_decodes_while_sending(node),
            air.answers_what_it_decoded(node),
            air.asks_before_it_sends(node),
            air.listens_before_it_talks(node),
            air.heeds_reservations(node),
            air.gives_up_in_time(node),
        ];
        for check in checks {
            check.map_err(|what| format!("{:?}: {what}", NodeId(node as u32)))?;
        }
    }
    Ok(())
}

/// Each node's `receiving_s`, which `reported` holds in nanoseconds, is how long something was in the air
/// at it while it did not send.
pub(crate) fn receiving(resolved: &Resolved, events: &[Value], reported: &[u64]) -> Checked {
    let air = Air::new(resolved, events)?;
    for (node, reported) in reported.iter().enumerate() {
        let (most, last, open) = air.not_sending_but_busy(node);
        // A busy time that the end of the run cuts off does not count; what was received in it before may
        // stand in the log as several. In ns-2 nothing is sensed of a frame that outlasts the stronger one
        // on which the receiver is locked.
        let follows = resolved.radio.capture != CaptureRule::NoCapture
            && resolved.mac.profile != Profile::Standard;
        let is_right =
            [most, most - last, most - open].contains(reported) || (follows && *reported < most);
        told(is_right, || {
            format!(
                "{node} receives for {reported} ns and not {most}, the last {last} of them at once"
            )
        })?;
    }
    Ok(())
}

fn told(condition: bool, what: impl FnOnce() -> String) -> Checked {
    if condition { Ok(()) } else { Err(what()) }
}

impl<'a> Air<'a> {
    fn new(resolved: &'a Resolved, events: &[Value]) -> Result<Self, String> {
        let frames: Vec<Sent> = events
            .iter()
            .filter(|event| event["kind"] == "frame_sent")
            .map(|event| {
                let at = integer(event, "time_ns");
                Sent {
                    number: integer(event, "frame"),
                    node: integer(event, "node"),
                    at,
                    end: at + integer(event, "airtime_ns"),
                    kind: event["type"].as_str().unwrap_or_default().to_owned(),
                    to: event["to"].as_u64(),
                    duration: integer(event, "duration_ns"),
                    bytes: integer(event, "bytes"),
                    sequence: event["sequence"].as_u64(),
                }
            })
            .collect();
        let mut air = Self {
            resolved,
            nodes: resolved
                .positions
                .iter()
                .map(|_| Ears {
                    sent: Vec::new(),
                    heard: Vec::new(),
                })
                .collect(),
            frames,
        };
        let mut places = BTreeMap::new();
        for (place, frame) in air.frames.iter().enumerate() {
            places.insert(frame.number, place);
            air.nodes[frame.node as usize].sent.push(place);
        }
        for event in events.iter().filter(|e| e["kind"] == "frame_received") {
            let number = integer(event, "frame");
            let place = *places
                .get(&number)
                .ok_or_else(|| format!("frame {number} was heard but never sent"))?;
            air.add_reception(event, place)?;
        }
        Ok(air)
    }

    fn add_reception(&mut self, event: &Value, place: usize) -> Checked {
        let frame = &self.frames[place];
        let (end, node) = (integer(event, "time_ns"), integer(event, "node"));
        let outcome = event["outcome"].as_str().unwrap_or_default();
        // Nothing in a swarm is more than 3 km away.
        told(frame.end <= end && end - frame.end < 10_000, || {
            format!(
                "frame {} ended at {} but {end} there",
                frame.number, frame.end
            )
        })?;
        let start = end - (frame.end - frame.at);
        self.nodes[node as usize].heard.push(Heard {
            start,
            end,
            frame: place,
            decoded: outcome == "decoded" || outcome == "captured",
        });
        Ok(())
    }

    fn frames_of(&self, node: usize) -> impl Iterator<Item = &Sent> {
        self.nodes[node]
            .sent
            .iter()
            .map(|&place| &self.frames[place])
    }

    fn never_two_at_once(&self, node: usize) -> Checked {
        let mut free = 0;
        for frame in self.frames_of(node) {
            told(frame.at >= free, || {
                format!("sends frame {} at {} before {free}", frame.number, frame.at)
            })?;
            free = frame.end;
        }
        Ok(())
    }

    fn never_decodes_while_sending(&self, node: usize) -> Checked {
        let mut sent = self.frames_of(node).peekable();
        for heard in &self.nodes[node].heard {
            while sent.peek().is_some_and(|frame| frame.end <= heard.start) {
                sent.next();
            }
            let overlaps = sent.peek().is_some_and(|frame| frame.at < heard.end);
            told(!(heard.decoded && overlaps), || {
                format!("decodes until {} while it sends", heard.end)
            })?;
        }
        Ok(())
    }

    /// For how long something was in the air at a node while it did not send: in all, of that the
    /// last busy time, and what is joined with a frame that outlasts the run, of whose reception the
    /// log knows nothing.
    fn not_sending_but_busy(&self, node: usize) -> (u64, u64, u64) {
        let over = self.resolved.duration.as_nanos();
        let outlasts = |frame: &&Sent| frame.node != node as u64 && frame.end > over;
        let outlasting = self.frames.iter().filter(outlasts).map(|frame| frame.at);
        let open_from = outlasting.min().unwrap_or(over);
        let heard = self.nodes[node].heard.iter();
        let mut heard: Vec<_> = heard.map(|heard| (heard.start, heard.end)).collect();
        heard.sort_unstable();
        let mut busy: Vec<(u64, u64)> = Vec::new();
        for (start, end) in heard {
            match busy.last_mut() {
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => busy.push((start, end)),
            }
        }
        let sent = |&(start, end): &(u64, u64)| -> u64 {
            let overlap = |frame: &Sent| frame.end.min(end).saturating_sub(frame.at.max(start));
            self.frames_of(node).map(overlap).sum()
        };
        let length = |time: &(u64, u64)| time.1 - time.0 - sent(time);
        let open = busy.iter().filter(|time| time.1 > open_from);
        (
            busy.iter().map(length).sum(),
            busy.last().map(length).unwrap_or_default(),
            open.map(length).sum(),
        )
    }

    /// Whether the node decoded a frame of `kind` from `from` to it that ended at `end`.
    fn decoded(&self, node: usize, kind: &str, from: Option<u64>, end: u64) -> bool {
        let heard = &self.nodes[node].heard;
        let first = heard.partition_point(|heard| heard.end < end);
        heard[first..]
            .iter()
            .take_while(|heard| heard.end == end)
            .any(|heard| {
                let frame = &self.frames[heard.frame];
                heard.decoded
                    && frame.kind == kind
                    && frame.to == Some(node as u64)
                    && from.is_none_or(|from| from == frame.node)
            })
    }

    /// Every CTS follows an RTS, and every ACK follows data, by exactly SIFS.
    fn answers_what_it_decoded(&self, node: usize) -> Checked {
        let mac = &self.resolved.mac;
        let sifs = mac.sifs.as_nanos();
        // Without RTS, ns-2's ACK waits if the station itself awaits an ACK.
        let late_acks = mac.profile != Profile::Standard && mac.rts_threshold != Some(0);
        for frame in self.frames_of(node) {
            if late_acks && frame.kind == "ack" {
                continue;
            }
            let asked = match frame.kind.as_str() {
                "cts" => "rts",
                "ack" => "data",
                _ => continue,
            };
            told(self.decoded(node, asked, frame.to, frame.at - sifs), || {
                format!("sends {} at {} that nobody asked for", frame.kind, frame.at)
            })?;
        }
        Ok(())
    }

    fn uses_rts(&self, frame: &Sent) -> bool {
        let mac = &self.resolved.mac;
        let Some(threshold) = mac.rts_threshold.filter(|_| frame.to.is_some()) else {
            return false;
        };
        // ns-2's rules count preamble and PLCP header too, and a frame of the threshold's size.
        let plcp = match mac.preamble {
            Preamble::Long => 24,
            Preamble::Short => 15,
        };
        match mac.profile {
            Profile::Ns2 | Profile::Ns2At21b9 => frame.bytes + plcp >= u64::from(threshold),
            Profile::Standard => frame.bytes > u64::from(threshold),
        }
    }

    /// Unicast data above the RTS threshold goes out SIFS after its CTS, and at no other time.
    fn asks_before_it_sends(&self, node: usize) -> Checked {
        let sifs = self.resolved.mac.sifs.as_nanos();
        for frame in self.frames_of(node).filter(|frame| frame.kind == "data") {
            let answered =
                !self.uses_rts(frame) || self.decoded(node, "cts", frame.to, frame.at - sifs);
            told(answered, || {
                format!("sends data at {} without CTS", frame.at)
            })?;
        }
        Ok(())
    }

    /// Frames that the node contended for.
    fn contended(&self, node: usize) -> impl Iterator<Item = &Sent> {
        self.frames_of(node)
            .filter(|frame| frame.kind == "rts" || (frame.kind == "data" && !self.uses_rts(frame)))
    }

    /// Nothing is on the air at a station that begins to contend for it, save what came too late
    /// to be noticed.
    fn listens_before_it_talks(&self, node: usize) -> Checked {
        let standard = self.resolved.mac.profile == Profile::Standard;
        if !standard && self.resolved.radio.capture == CaptureRule::Strongest {
            // Then the receiver follows the strongest frame and forgets the others.
            return Ok(());
        }
        let unnoticed = if standard { 15_000 } else { 0 };
        let heard = &self.nodes[node].heard;
        for frame in self.contended(node) {
            // Data takes at most 20 ms.
            let first = heard.partition_point(|heard| heard.end <= frame.at);
            let carrier = heard[first..]
                .iter()
                .take_while(|heard| heard.end < frame.at + 20_000_000)
                .find(|heard| heard.start + unnoticed < frame.at);
            told(carrier.is_none(), || {
                format!("sends {} at {} on a busy medium", frame.kind, frame.at)
            })?;
        }
        Ok(())
    }

    /// Neither what is contended for nor a CTS goes out while a reservation of others runs.
    fn heeds_reservations(&self, node: usize) -> Checked {
        let standard = self.resolved.mac.profile == Profile::Standard;
        let mut heard = self.nodes[node].heard.iter().peekable();
        let mut nav = 0;
        for frame in self.frames_of(node) {
            while let Some(heard) = heard.next_if(|heard| heard.end <= frame.at) {
                let other = &self.frames[heard.frame];
                // The standard lets a reservation by RTS end early.
                let binds = other.to != Some(node as u64) && !(standard && other.kind == "rts");
                if heard.decoded && binds {
                    nav = nav.max(heard.end + other.duration);
                }
            }
            let answers = frame.kind == "ack" || (frame.kind == "data" && self.uses_rts(frame));
            told(answers || frame.at >= nav, || {
                format!("sends {} at {} but NAV is {nav}", frame.kind, frame.at)
            })?;
        }
        Ok(())
    }

    /// No data frame is sent more often than its retry limit allows.
    fn gives_up_in_time(&self, node: usize) -> Checked {
        let mac = &self.resolved.mac;
        let mut tries = BTreeMap::new();
        for frame in self.frames_of(node).filter(|frame| frame.kind == "data") {
            let count = tries.entry(frame.sequence).or_insert(0_u32);
            *count += 1;
            let limit = match frame.to {
                None => Some(1),
                Some(_) if self.uses_rts(frame) => mac.long_retry_limit,
                // ns-2.1b9 counted anew after every packet that it received meanwhile.
                Some(_) if mac.data_resets_retries => None,
                Some(_) => mac.short_retry_limit,
            };
            let within = limit.is_none_or(|limit| *count <= limit);
            told(within, || {
                format!("sends data {:?} {count} times", frame.sequence)
            })?;
        }
        Ok(())
    }
}

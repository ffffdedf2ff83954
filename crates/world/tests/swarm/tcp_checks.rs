//! What may never happen to a flow, read from the event log alone.

use crate::common::integer;
use acklab_scenario::{FlowKind, Ftp, Resolved};
use serde_json::Value;

/// A TCP connection as an observer at both ends follows it. Sequence numbers count from the
/// first byte of data; swarms are too short for them to go round.
#[derive(Default)]
struct Connection {
    /// Sequence number of the first byte of data, once a segment showed it.
    base: Option<u64>,
    /// Behind the last byte that was ever sent.
    sent: u64,
    /// Bytes handed to the application.
    delivered: u64,
    /// Greatest acknowledgement that the receiver made.
    acked: u64,
    /// Greatest acknowledgement that the sender received.
    heard: u64,
    /// Another connection of the same flow may follow. Its numbers begin behind a gap, which no
    /// connection of its own could leave.
    is_one_of_many: bool,
}

/// Every check of this file.
pub(crate) fn all(resolved: &Resolved, events: &[Value]) -> Result<(), String> {
    for (flow, options) in resolved.flows.iter().enumerate() {
        let mine = events.iter().filter(|event| event["flow"] == flow);
        let outcome = match options.kind {
            FlowKind::Ftp(ftp) => connection(mine, window(&ftp), Connection::default()),
            FlowKind::Sessions(sessions) => {
                let first = Connection {
                    is_one_of_many: true,
                    ..Connection::default()
                };
                connection(mine, window(&sessions.connection), first)
            }
            FlowKind::Cbr(_) => datagrams(mine),
        };
        outcome.map_err(|what| format!("flow {flow}: {what}"))?;
    }
    Ok(())
}

fn window(ftp: &Ftp) -> u64 {
    u64::from(ftp.sender.window) * u64::from(ftp.sender.packet)
}

fn connection<'a>(
    events: impl Iterator<Item = &'a Value>,
    window: u64,
    mut at: Connection,
) -> Result<(), String> {
    let mut now = 0;
    for event in events {
        let time = integer(event, "time_ns");
        if time > now {
            at.is_possible(window)
                .map_err(|what| format!("at {now} ns: {what}"))?;
            now = time;
        }
        at.follow(event);
    }
    at.is_possible(window)
        .map_err(|what| format!("at {now} ns: {what}"))
}

impl Connection {
    fn follow(&mut self, event: &Value) {
        let kind = event["kind"].as_str().unwrap_or_default();
        if kind == "delivered" {
            self.delivered += integer(event, "bytes");
            return;
        }
        if kind != "tcp_sent" && kind != "tcp_received" {
            return;
        }
        if event["forward"] == true {
            let seq = integer(event, "seq");
            let syn = u64::from(event["syn"] == true);
            let base = *self.base.get_or_insert(seq + syn);
            if seq + syn < base {
                // Of an earlier connection, and late.
                return;
            }
            if kind == "tcp_sent" && self.is_one_of_many && seq > base + self.sent {
                *self = Self {
                    is_one_of_many: true,
                    ..Self::default()
                };
                return self.follow(event);
            }
            if kind == "tcp_sent" {
                let end = seq + syn + integer(event, "len_bytes");
                self.sent = self.sent.max(end - base);
            }
            return;
        }
        let acked = integer(event, "ack").saturating_sub(self.base.unwrap_or(0));
        if kind == "tcp_sent" {
            self.acked = self.acked.max(acked);
        } else {
            self.heard = self.heard.max(acked);
        }
    }

    /// Whether the state after an instant can be that of a connection.
    fn is_possible(&self, window: u64) -> Result<(), String> {
        let Self {
            sent,
            delivered,
            acked,
            heard,
            ..
        } = *self;
        let ordered = [
            (heard, acked, "an ACK was received that nobody sent"),
            (
                acked,
                delivered,
                "bytes were acknowledged before they were delivered",
            ),
            (delivered, sent, "bytes were delivered that nobody sent"),
            (
                sent,
                heard + window,
                "more is in flight than the window allows",
            ),
        ];
        match ordered.into_iter().find(|(less, more, _)| less > more) {
            Some((less, more, what)) => Err(format!("{what}: {less} > {more}")),
            None => Ok(()),
        }
    }
}

/// Datagrams are numbered in the order of sending, and only sent ones arrive.
fn datagrams<'a>(events: impl Iterator<Item = &'a Value>) -> Result<(), String> {
    let mut sent = 0;
    for event in events {
        match event["kind"].as_str() {
            Some("udp_sent") if integer(event, "number") == sent => sent += 1,
            Some("udp_sent") => return Err(format!("datagram {sent} was left out: {event}")),
            Some("udp_received") if integer(event, "number") >= sent => {
                return Err(format!("received before it was sent: {event}"));
            }
            _ => {}
        }
    }
    Ok(())
}

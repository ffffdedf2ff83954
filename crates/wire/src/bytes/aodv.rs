//! AODV messages in the format of RFC 3561 §5.1–5.3.
//!
//! `Request::sent_at` and `Reply::request_sent_at` are ns-2's own and have no place there.

use super::address::ip_address;
use crate::aodv::{Message, Reply, Request, Unreachable};
use acklab_base::Duration;

/// Message types (§5).
const RREQ: u8 = 1;
const RREP: u8 = 2;
const RERR: u8 = 3;
/// The flag of a request that knows no sequence number of its destination (§5.1).
const UNKNOWN_SEQUENCE_NUMBER: u8 = 0x08;

/// The message's bytes.
pub(super) fn encode(message: &Message) -> Vec<u8> {
    match message {
        Message::Request(request) => encode_request(request),
        Message::Reply(reply) => encode_reply(reply),
        Message::Error(lost) => encode_error(lost),
    }
}

fn encode_request(request: &Request) -> Vec<u8> {
    let flags = if request.destination_seq == 0 {
        UNKNOWN_SEQUENCE_NUMBER
    } else {
        0
    };
    let mut out = vec![RREQ, flags, 0, request.hop_count];
    out.extend(request.broadcast_id.to_be_bytes());
    out.extend(ip_address(request.destination));
    out.extend(request.destination_seq.to_be_bytes());
    out.extend(ip_address(request.origin));
    out.extend(request.origin_seq.to_be_bytes());
    out
}

fn encode_reply(reply: &Reply) -> Vec<u8> {
    let mut out = vec![RREP, 0, 0, reply.hop_count];
    out.extend(ip_address(reply.destination));
    out.extend(reply.destination_seq.to_be_bytes());
    out.extend(ip_address(reply.origin));
    out.extend(lifetime_field(reply.lifetime).to_be_bytes());
    out
}

/// The Lifetime field: whole milliseconds, at most what 32 bits count.
fn lifetime_field(lifetime: Duration) -> u32 {
    u32::try_from(lifetime.as_nanos() / 1_000_000).unwrap_or(u32::MAX)
}

/// The format counts at most 255 destinations: what is beyond them is cut.
fn encode_error(lost: &[Unreachable]) -> Vec<u8> {
    let lost = &lost[..lost.len().min(255)];
    let mut out = vec![RERR, 0, 0, lost.len() as u8];
    for unreachable in lost {
        out.extend(ip_address(unreachable.destination));
        out.extend(unreachable.destination_seq.to_be_bytes());
    }
    out
}

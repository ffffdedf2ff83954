//! DSR headers in the format of RFC 4728 §6, flow state of §7.

use super::address::ip_address;
use crate::dsr::{Header, Request};
use acklab_base::NodeId;

/// The IP protocol number of DSR (§6.1).
pub(super) const PROTOCOL: u8 = 48;

/// Option types (§6.2–6.7, §7.2).
const ROUTE_REQUEST: u8 = 1;
const ROUTE_REPLY: u8 = 2;
const ROUTE_ERROR: u8 = 3;
const SOURCE_ROUTE: u8 = 96;
const TIMEOUT: u8 = 128;
const PAD_N: u8 = 0;
/// Error types (§6.4, §7.3).
const NODE_UNREACHABLE: u8 = 1;
const UNKNOWN_FLOW: u8 = 129;
const DEFAULT_FLOW_UNKNOWN: u8 = 130;
/// The lifetime that a flow is established with, in seconds.
const FLOW_SECONDS: u16 = 60;

/// The header's bytes; `next` is the protocol that follows.
pub(super) fn encode(header: &Header, target: NodeId, sender: NodeId, next: u8) -> Vec<u8> {
    let options = options(header, target, sender);
    let mut out = Vec::new();
    if let Some(flow) = header.flow {
        let next = if options.is_empty() { next } else { PROTOCOL };
        out.extend([next, 0x80 | (flow.hops & 0x7F)]);
        out.extend(flow.id.to_be_bytes());
        if options.is_empty() {
            return out;
        }
    }
    out.extend([next, 0]);
    out.extend((options.len() as u16).to_be_bytes());
    out.extend(options);
    out
}

fn options(header: &Header, target: NodeId, sender: NodeId) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(request) = header.request {
        put_request(&mut out, request, target, &header.route);
    } else if header.route.len() >= 2 {
        put_source_route(&mut out, header);
    }
    if let Some(reply) = &header.reply {
        let nodes = reply.get(1..).unwrap_or_default();
        out.extend([ROUTE_REPLY, 1 + 4 * nodes.len() as u8, 0]);
        put_nodes(&mut out, nodes);
    }
    for link in &header.errors {
        out.extend([ROUTE_ERROR, 14, NODE_UNREACHABLE, header.salvaged & 0x0F]);
        put_nodes(&mut out, &[link.from, link.tell, link.to]);
    }
    for flow in &header.unknown_flows {
        let (length, kind) = match flow.id {
            Some(_) => (16, UNKNOWN_FLOW),
            None => (14, DEFAULT_FLOW_UNKNOWN),
        };
        out.extend([ROUTE_ERROR, length, kind, 0]);
        put_nodes(&mut out, &[sender, flow.source, flow.destination]);
        if let Some(id) = flow.id {
            out.extend(id.to_be_bytes());
        }
    }
    if header.establishes_flow {
        out.extend([TIMEOUT, 2]);
        out.extend(FLOW_SECONDS.to_be_bytes());
    }
    match out.len() % 4 {
        0 => {}
        // Pad1 for one byte, PadN for more (§6.9, §6.8).
        3 => out.push(224),
        rest => {
            let more = 4 - rest as u8;
            out.extend([PAD_N, more - 2]);
            out.extend(vec![0; usize::from(more) - 2]);
        }
    }
    out
}

fn put_request(out: &mut Vec<u8>, request: Request, target: NodeId, passed: &[NodeId]) {
    let nodes = passed.get(1..).unwrap_or_default();
    out.extend([ROUTE_REQUEST, 6 + 4 * nodes.len() as u8]);
    out.extend((request.id as u16).to_be_bytes());
    put_nodes(out, &[target]);
    put_nodes(out, nodes);
}

/// The ends of the route stand in the IP header.
fn put_source_route(out: &mut Vec<u8>, header: &Header) {
    let between = &header.route[1..header.route.len() - 1];
    let left = (header.route.len() - 1).saturating_sub(usize::from(header.at)) as u16;
    out.extend([SOURCE_ROUTE, 2 + 4 * between.len() as u8]);
    out.extend((u16::from(header.salvaged & 0x0F) << 6 | (left & 0x3F)).to_be_bytes());
    put_nodes(out, between);
}

fn put_nodes(out: &mut Vec<u8>, nodes: &[NodeId]) {
    for &node in nodes {
        out.extend(ip_address(node));
    }
}

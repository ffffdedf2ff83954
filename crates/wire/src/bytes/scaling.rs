//! Window scaling (RFC 7323 §2) as a capture must show it.
//!
//! The simulation's windows have 32 bits and need no option. A capture's have 16, so the encoder
//! looks at all segments first. Only a connection that shows both SYNs and advertises more than
//! 65535 bytes gets the options (maximum segment size, window scale), as any reader expects; its
//! SYNs are then 8 bytes longer than simulated. Without both SYNs no reader could know the scale:
//! a larger window then shows as 65535, "at least that".

use crate::dsr::Data;
use crate::frame::{Frame, Payload};
use crate::options::SackBlock;
use crate::tcp::Segment;
use etherparse::TcpOptionElement;

/// The largest shift (RFC 7323 §2.3).
const MAX_SHIFT: u8 = 14;

/// What the encoder saw of one direction of a connection.
#[derive(Clone, Copy, Debug, Default)]
struct Direction {
    syn: bool,
    window: u32,
    /// The longest segment: the maximum segment size that the other side must have offered.
    data: u32,
}

impl Direction {
    /// The smallest shift that lets every window of this direction fit.
    fn shift(self) -> u8 {
        (0..MAX_SHIFT)
            .find(|&shift| self.window >> shift <= 0xFFFF)
            .unwrap_or(MAX_SHIFT)
    }
}

/// Turns frames and packets into bytes. Show it every segment of a capture with
/// [`Encoder::observe`] first, so that it can scale windows; an encoder that saw none writes
/// windows above 65535 as 65535.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    /// By flow, then by direction: against the data, with the data.
    flows: Vec<[Direction; 2]>,
}

impl Encoder {
    /// An encoder that has seen nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { flows: Vec::new() }
    }

    /// Takes note of a segment that will be encoded.
    pub fn observe(&mut self, segment: &Segment) {
        let flow = segment.flow.index();
        if self.flows.len() <= flow {
            self.flows.resize_with(flow + 1, Default::default);
        }
        let seen = &mut self.flows[flow][usize::from(segment.forward)];
        seen.syn |= segment.flags.syn;
        seen.window = seen.window.max(segment.window);
        seen.data = seen.data.max(segment.len);
    }

    /// Takes note of the segments in a frame, whatever they travel under.
    pub fn observe_frame(&mut self, frame: &Frame) {
        for packet in frame.payload.iter().flat_map(Payload::packets) {
            if let Some(Data::Tcp(segment)) = packet.data() {
                self.observe(&segment);
            }
        }
    }

    /// Both directions of a segment's connection, its own first, if it scales windows.
    fn scaled(&self, segment: &Segment) -> Option<[Direction; 2]> {
        let both = self.flows.get(segment.flow.index())?;
        let large = both.iter().any(|direction| direction.window > 0xFFFF);
        if !large || !both.iter().all(|direction| direction.syn) {
            return None;
        }
        let own = usize::from(segment.forward);
        Some([both[own], both[1 - own]])
    }

    /// The Window field. The window of a SYN itself is never scaled (RFC 7323 §2.2).
    pub(super) fn window_field(&self, segment: &Segment) -> u16 {
        let shift = match self.scaled(segment) {
            Some([own, _]) if !segment.flags.syn => own.shift(),
            _ => 0,
        };
        (segment.window >> shift).min(0xFFFF) as u16
    }

    /// The options of a segment: of a SYN that scales windows or permits selective
    /// acknowledgements, and the blocks of an acknowledgement (RFC 7323 §2, RFC 2018 §2 and §3).
    pub(super) fn options(&self, segment: &Segment) -> Vec<TcpOptionElement> {
        let mut options = Vec::new();
        if segment.flags.syn {
            if let Some([own, other]) = self.scaled(segment) {
                let size = u16::try_from(own.data.max(other.data)).unwrap_or(u16::MAX);
                options.extend([
                    TcpOptionElement::MaximumSegmentSize(size),
                    TcpOptionElement::Noop,
                    TcpOptionElement::WindowScale(own.shift()),
                ]);
            }
            if segment.options.sack_permitted {
                options.push(TcpOptionElement::SelectiveAcknowledgementPermitted);
            }
        }
        let number = |&(start, end): &SackBlock| (start.0, end.0);
        if let [first, others @ ..] = segment.options.sack.as_slice() {
            let mut rest = [None; 3];
            for (place, block) in rest.iter_mut().zip(others) {
                *place = Some(number(block));
            }
            options.extend([
                TcpOptionElement::Noop,
                TcpOptionElement::Noop,
                TcpOptionElement::SelectiveAcknowledgement(number(first), rest),
            ]);
        }
        options
    }
}

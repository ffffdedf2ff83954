//! What a TCP header carries beyond its fixed fields: selective acknowledgements (RFC 2018, with
//! duplicates first as RFC 2883 says) and the mark of Explicit Loss Notification.
//!
//! The invariant: `bytes` is what the options add to the packet's length on the wire, which may
//! be less than captures show (ns-2 counts no options).

use acklab_base::Seq32;

/// Blocks of one acknowledgement: as many as fit beside a timestamp (RFC 2018 §3).
pub const MAX_SACK_BLOCKS: usize = 3;

/// A run of received bytes: the first number and the one behind the last.
pub type SackBlock = (Seq32, Seq32);

/// Up to three blocks, the most recent first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SackBlocks {
    blocks: [SackBlock; MAX_SACK_BLOCKS],
    count: u8,
}

impl SackBlocks {
    /// None.
    pub const NONE: Self = Self {
        blocks: [(Seq32(0), Seq32(0)); MAX_SACK_BLOCKS],
        count: 0,
    };

    /// Adds a block behind the others. One too many is left out.
    pub fn push(&mut self, block: SackBlock) {
        let count = usize::from(self.count);
        if count < MAX_SACK_BLOCKS {
            self.blocks[count] = block;
            self.count += 1;
        }
    }

    /// The blocks in order.
    #[must_use]
    pub fn as_slice(&self) -> &[SackBlock] {
        &self.blocks[..usize::from(self.count)]
    }

    /// Bytes of the option with two bytes of padding before it; nothing without blocks.
    #[must_use]
    pub const fn option_bytes(&self) -> u8 {
        match self.count {
            0 => 0,
            count => 4 + 8 * count,
        }
    }
}

/// Everything beyond the fixed header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// On a SYN: selective acknowledgements may be sent to whoever sent it (RFC 2018 §2).
    pub sack_permitted: bool,
    /// What arrived beyond the acknowledgement number.
    pub sack: SackBlocks,
    /// Explicit Loss Notification: the segment that this ACK asks for was lost to the radio, not to
    /// congestion (Balakrishnan and Katz 1998).
    pub eln: bool,
    /// Bytes that the options count on the wire.
    pub bytes: u8,
}

impl Options {
    /// None.
    pub const NONE: Self = Self {
        sack_permitted: false,
        sack: SackBlocks::NONE,
        eln: false,
        bytes: 0,
    };
}

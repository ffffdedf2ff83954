//! The radiotap header (radiotap.org, "Defined fields"): what the radio knows about a frame.

use crate::frame::FrameHeader;
use acklab_base::{BitRate, Duration, Instant};

/// What the radiotap header says beside the frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RadioInfo {
    /// When the first bit of the MAC header arrived at the receiver (or left the sender).
    pub mac_time: Instant,
    /// Data rate, if known.
    pub rate: Option<BitRate>,
    /// Whether the PLCP preamble was short.
    pub short_preamble: bool,
    /// Carrier frequency, in MHz.
    pub frequency_mhz: u16,
    /// Received power, in dBm; the sender's own frames have none.
    pub signal_dbm: Option<f64>,
    /// Whether the frame was received in error. Its bytes are those sent all the same, with the
    /// right frame check sequence: which bits arrived wrong is not simulated.
    pub bad_fcs: bool,
}

/// PLCP preamble and header, 144 + 48 bits at 1 Mbit/s (IEEE 802.11b-1999 clause 18.2.2.1).
const LONG_PLCP: Duration = Duration::from_micros(192);
/// The short one: 72 bits at 1 Mbit/s and 48 at 2 Mbit/s (clause 18.2.2.2).
const SHORT_PLCP: Duration = Duration::from_micros(96);

/// Bits of the presence word, which are also the order of the fields.
const HAS_TSFT: u32 = 1 << 0;
const HAS_FLAGS: u32 = 1 << 1;
const HAS_RATE: u32 = 1 << 2;
const HAS_CHANNEL: u32 = 1 << 3;
const HAS_SIGNAL: u32 = 1 << 5;

/// Bits of the flags field.
const SHORT_PREAMBLE: u8 = 0x02;
const FCS_AT_END: u8 = 0x10;
const BAD_FCS: u8 = 0x40;

/// Bits of the channel flags.
const CHANNEL_CCK: u16 = 0x0020;
const CHANNEL_2_GHZ: u16 = 0x0080;
const CHANNEL_900_MHZ: u16 = 0x0004;

impl RadioInfo {
    /// What a frame's own header tells: rate and preamble follow from its length and airtime.
    /// `start` is the first instant of the frame's preamble at the place of capture.
    #[must_use]
    pub fn of(header: &FrameHeader, start: Instant, frequency_mhz: u16) -> Self {
        let (plcp, rate) = modulation(header).unzip();
        let plcp = plcp.unwrap_or(LONG_PLCP);
        Self {
            mac_time: start + plcp,
            rate,
            short_preamble: plcp == SHORT_PLCP,
            frequency_mhz,
            signal_dbm: None,
            bad_fcs: false,
        }
    }

    /// Appends the header.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let rate = self.rate.and_then(half_megabits);
        let signal = self.signal_dbm.map(|dbm| dbm.round() as i8);
        let mut present = HAS_TSFT | HAS_FLAGS | HAS_CHANNEL;
        present |= if rate.is_some() { HAS_RATE } else { 0 };
        present |= if signal.is_some() { HAS_SIGNAL } else { 0 };
        // Version, padding, and the length, which is filled in at the end.
        out.extend([0, 0, 0, 0]);
        out.extend(present.to_le_bytes());
        out.extend((self.mac_time.as_nanos() / 1_000).to_le_bytes());
        out.push(self.flags());
        // Without a rate, this byte is the padding that aligns the channel.
        out.push(rate.unwrap_or(0));
        out.extend(self.frequency_mhz.to_le_bytes());
        out.extend(self.channel_flags().to_le_bytes());
        out.extend(signal.map(|dbm| dbm as u8));
        let length = (out.len() - start) as u16;
        out[start + 2..start + 4].copy_from_slice(&length.to_le_bytes());
    }

    const fn flags(&self) -> u8 {
        let preamble = if self.short_preamble {
            SHORT_PREAMBLE
        } else {
            0
        };
        let error = if self.bad_fcs { BAD_FCS } else { 0 };
        FCS_AT_END | preamble | error
    }

    const fn channel_flags(&self) -> u16 {
        match self.frequency_mhz {
            900..1_000 => CHANNEL_CCK | CHANNEL_900_MHZ,
            2_400..2_500 => CHANNEL_CCK | CHANNEL_2_GHZ,
            _ => CHANNEL_CCK,
        }
    }
}

/// The PLCP time and the rate that make a frame of this length last this long. Where both
/// preambles fit, the long one is taken: only a frame of 132 bytes (long at 11, short at 5.5 Mbit/s)
/// or of 24 (long at 2, short at 1 Mbit/s), and no frame is 24 bytes long.
fn modulation(header: &FrameHeader) -> Option<(Duration, BitRate)> {
    let rates = [
        BitRate::MBPS_1,
        BitRate::MBPS_2,
        BitRate::MBPS_5_5,
        BitRate::MBPS_11,
    ];
    let bits = u64::from(header.bytes) * 8;
    [LONG_PLCP, SHORT_PLCP]
        .into_iter()
        .flat_map(|plcp| rates.map(|rate| (plcp, rate)))
        .find(|&(plcp, rate)| plcp + rate.airtime(bits) == header.airtime)
}

/// A rate in the unit of the radiotap field, 500 kbit/s.
fn half_megabits(rate: BitRate) -> Option<u8> {
    let bits = rate.bits_per_second();
    if bits.is_multiple_of(500_000) {
        u8::try_from(bits / 500_000).ok()
    } else {
        None
    }
}

//! A stream of draws that keeps little: for machines of which a large network has many, and which
//! draw now and then.
//!
//! It goes on where a [`Stream`] is: ChaCha with 8 rounds (Bernstein 2008, with a 64-bit counter), one
//! block at a time where that keeps four. The one invariant: its draws are those that the [`Stream`]
//! would have given next.

use crate::random::{Stream, key};
use crate::time::Duration;

/// Words of a block.
const BLOCK: usize = 16;

/// What a [`Stream`] goes on as, at an eighth of its size until it draws.
#[derive(Clone, Debug)]
pub struct ThinStream {
    /// The block of the next word, unless it is the first of it; nothing before the first draw.
    words: Option<Box<[u32; BLOCK]>>,
    /// Words that were drawn.
    position: u64,
    stream: u64,
    seed: u64,
    run: u32,
}

impl From<Stream> for ThinStream {
    fn from(stream: Stream) -> Self {
        let (seed, run, stream, position) = stream.place();
        Self {
            words: None,
            position,
            stream,
            seed,
            run,
        }
    }
}

impl ThinStream {
    /// 32 uniform bits.
    #[inline]
    pub fn bits32(&mut self) -> u32 {
        let place = self.place();
        self.position += 1;
        match &self.words {
            Some(words) if place > 0 => words[place],
            _ => self.refill()[place],
        }
    }

    /// A uniform interval in `[0, limit)`: two draws.
    pub fn interval_below(&mut self, limit: Duration) -> Duration {
        let [low, high] = [self.bits32(), self.bits32()].map(u64::from);
        Stream::interval_of(low | high << 32, limit)
    }

    /// The place of the next word in its block.
    #[inline]
    const fn place(&self) -> usize {
        self.position as usize % BLOCK
    }

    /// Works out the block of the word that is being drawn.
    #[cold]
    #[inline(never)]
    fn refill(&mut self) -> &[u32; BLOCK] {
        let counter = (self.position - 1) / BLOCK as u64;
        let words = self.words.get_or_insert_default();
        **words = block(&key(self.seed, self.run), counter, self.stream);
        words
    }
}

/// A block of ChaCha8.
fn block(key: &[u8; 32], counter: u64, stream: u64) -> [u32; BLOCK] {
    // "expand 32-byte k"
    let mut start = [
        0x6170_7865,
        0x3320_646E,
        0x7962_2D32,
        0x6B20_6574,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ];
    for (word, bytes) in start[4..12].iter_mut().zip(key.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let halves = |number: u64| [number as u32, (number >> 32) as u32];
    start[12..14].copy_from_slice(&halves(counter));
    start[14..].copy_from_slice(&halves(stream));
    let mut words = start;
    for _ in 0..4 {
        for [a, b, c, d] in COLUMNS {
            quarter_round(&mut words, [a, b, c, d]);
        }
        for [a, b, c, d] in DIAGONALS {
            quarter_round(&mut words, [a, b, c, d]);
        }
    }
    for (word, start) in words.iter_mut().zip(start) {
        *word = word.wrapping_add(start);
    }
    words
}

const COLUMNS: [[usize; 4]; 4] = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]];
const DIAGONALS: [[usize; 4]; 4] = [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];

#[inline(always)]
fn quarter_round(words: &mut [u32; BLOCK], [a, b, c, d]: [usize; 4]) {
    let mut step = |to: usize, by: usize, turned: usize, bits: u32| {
        words[to] = words[to].wrapping_add(words[by]);
        words[turned] = (words[turned] ^ words[to]).rotate_left(bits);
    };
    step(a, b, d, 16);
    step(c, d, b, 12);
    step(a, b, d, 8);
    step(c, d, b, 7);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, NodeId, Purpose};

    /// Streams of several addresses, taken over after any number of draws.
    #[test]
    fn it_draws_what_the_stream_would_have_drawn() {
        for number in 0..60 {
            let address = Address {
                seed: u64::from(number) << 30,
                run: number * 77,
                node: NodeId(number << 20),
                purpose: Purpose::Backoff,
            };
            let mut stream = address.open();
            for _ in 0..number {
                stream.bits32();
            }
            let mut thin = ThinStream::from(stream.clone());
            for draw in 0..200 {
                assert_eq!(thin.bits32(), stream.bits32(), "{address:?}, draw {draw}");
                if draw % 3 == 0 {
                    let limit = Duration::from_nanos(u64::MAX);
                    let pair = [thin.interval_below(limit), stream.interval_below(limit)];
                    assert_eq!(pair[0], pair[1], "{address:?}, draw {draw}");
                }
            }
        }
    }

    /// A place of the stream that no test draws its way to.
    #[test]
    fn far_places_of_a_stream_are_its_own() {
        use rand_chacha::ChaCha8Rng;
        use rand_core::{RngCore, SeedableRng};
        let mut generator = ChaCha8Rng::from_seed(key(7, 3));
        generator.set_stream(1 << 45 | 5);
        generator.set_word_pos(1 << 40);
        let own = block(&key(7, 3), 1 << 36, 1 << 45 | 5);
        assert_eq!(own, std::array::from_fn(|_| generator.next_u32()));
    }
}

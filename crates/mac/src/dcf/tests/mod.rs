//! Frame scripts: one station on a made-up medium, each rule with its timeline.
//!
//! The pictures count microseconds. What they share are the toy numbers of ns-2 and 802.11b with a
//! long preamble: SIFS 10, slot 20, DIFS 50, EIFS 364, RTS 352, CTS and ACK 304, and a data frame
//! whose payload is chosen such that it takes 1000. A station draws the slots that its script
//! says. Propagation takes no time, save in `exchange`, where two stations talk.

mod contention;
mod exchange;
mod of_2002;
mod receiving;
mod reservation;
mod retries;
mod script;
mod standard;

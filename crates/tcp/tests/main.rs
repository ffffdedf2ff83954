//! All tests of this crate in one program: each of its own would be linked with the whole crate.

mod against_ns2;
mod common;
mod fates;
mod laws;
mod properties;
mod told_of_acks;

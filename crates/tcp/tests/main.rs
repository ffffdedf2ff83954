//! All tests of this crate in one program, as each of its own would be linked with the whole crate; but for
//! the scripted conversations, which have helpers of their own.

mod against_ns2;
mod closed_windows;
mod common;
mod fates;
mod laws;
mod properties;
mod told_of_acks;

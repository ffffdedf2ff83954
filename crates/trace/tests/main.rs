//! All tests of this crate in one program: each of its own would be linked with the whole crate.

mod air;
mod captures;
mod events;
mod travels_under;

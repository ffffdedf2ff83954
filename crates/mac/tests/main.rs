//! All tests of this crate in one program: each of its own would be linked with the whole crate.

mod cell;
mod cell_common;
mod cell_laws;
mod cell_returns;
mod link_contract;
mod medium;
mod owed_answers;
mod p2p;
mod p2p_common;
mod p2p_properties;
mod passing;
mod spurious_wakes;

//! All tests of this crate in one program: each of its own would be linked with the whole crate.

mod access_tree;
mod common;
mod defaults;
mod defaults_routing;
mod errors_cells;
mod errors_flows;
mod errors_links;
mod errors_moving;
mod errors_network;
mod examples;
mod generate;
mod handoffs;
mod placement;
mod properties;
mod reachability;
mod reference;
mod sessions;
mod slotted;
mod variants;
mod versions;

//! Tests of the slotted machine, without a world.

mod diagrams;
mod misses;
mod options;
mod script;
mod swarm;

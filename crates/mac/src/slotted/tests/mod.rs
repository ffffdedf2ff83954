//! Tests of the slotted machine, without a world.

mod diagrams;
mod script;
mod swarm;

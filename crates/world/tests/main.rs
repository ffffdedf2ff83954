//! All tests of this crate in one program, as each of its own would be linked with the whole crate; but for
//! those of the house, which need no crate, and `steady_state`, which the validation runs as the engine is
//! built.

mod batches;
mod cells;
mod cells_comparators;
mod cells_crossed;
mod cells_dcf;
mod cells_opening;
mod cells_pacing;
mod cells_soft_state;
mod cells_start;
mod cells_tree;
mod common;
mod crowd;
mod determinism;
mod event_log;
mod folding;
mod frame_lengths;
mod laziness;
mod links;
mod local_recovery;
mod measures;
mod motion;
mod mtcp;
mod oracle;
mod pairs;
mod sessions;
mod slotted;
mod slotted_options;
mod slotted_swarm;
mod slotted_wires;
mod swarm;
mod ties;
mod timelines;
mod warm_up;
mod wired_swarm;

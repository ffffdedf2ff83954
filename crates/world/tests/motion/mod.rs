//! An 802.11 radio that sees motion: closed forms first, laws next, routing that heals, scripts of
//! ns-2, side by side with ns-2, and random networks last.

mod closed_forms;
mod crowds;
mod geometry;
mod healing;
mod laws;
mod ns2;
mod scripts;

//! Tests of the house itself: which room may use which, how large things may grow, what is
//! banned, and what a committed file may not name.

mod arrows;
mod bans;
mod citations;
mod names;
mod sizes;
mod tree;

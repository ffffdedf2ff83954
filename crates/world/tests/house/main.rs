//! Tests of the house itself: which room may use which, how large things may grow, what is
//! banned, what a committed file may not name, and that every test is run.

mod arrows;
mod bans;
mod citations;
mod names;
mod programs;
mod sizes;
mod tree;

//! Scripted conversations: one a rule, with the clause that it follows. Times are milliseconds,
//! packets have ns-2's numbers (the SYN is 0, the first data segment 1).

#[macro_use]
mod script;

mod delayed_dupacks;
mod estimator;
mod handoff;
mod handshake;
mod mobile_sender;
mod notices;
mod own_policy;
mod rack;
mod receiver;
mod recovery;
mod sack;
mod timeout;
mod vegas;
mod vegas_repairs;
mod window;

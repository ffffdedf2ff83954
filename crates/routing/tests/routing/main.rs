//! Tests of the routing machines: conversations with one node, and whole networks in a perfect world.

mod answering;
mod broken_links;
mod cellular_ip;
mod dsdv_tables;
mod dsdv_worlds;
mod dsr_routes;
mod dsr_script;
mod dsr_worlds;
mod graphs;
mod old_news;
mod perfect_world;
mod repairing;
mod rfc3561;
mod script;
mod searching;
mod static_paths;
mod world;

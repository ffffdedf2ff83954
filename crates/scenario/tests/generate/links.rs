//! Random point-to-point links.

use super::{number, table, time, truth, whole, with};
use acklab_scenario::quantity::Kind;
use proptest::prelude::*;
use serde_json::{Value, json};

fn share() -> BoxedStrategy<Value> {
    whole(Kind::Share, 0, 1_000_000_000_001).boxed()
}

fn frames() -> BoxedStrategy<Value> {
    proptest::collection::btree_set(1_u32..99, 0..5)
        .prop_map(|frames| json!(frames))
        .boxed()
}

fn errors() -> BoxedStrategy<Value> {
    let mean = whole(Kind::Size, 1, 1_000_000);
    let long = || time(1, 60_000_000_000);
    let bursts = table(vec![("loss_good", share()), ("loss_bad", share())]);
    let bursts = (bursts, long(), long()).prop_map(|(mut table, good, bad)| {
        table["good"] = good;
        table["bad"] = bad;
        table
    });
    let list = (table(vec![("link_acks", frames())]), frames()).prop_map(|(mut table, frames)| {
        table["frames"] = frames;
        table
    });
    prop_oneof![
        Just(json!({"kind": "none"})),
        mean.prop_map(|mean| json!({"kind": "exponential", "mean": mean})),
        share().prop_map(|loss| json!({"kind": "uniform", "loss": loss})),
        with("kind", "gilbert-elliott", bursts.boxed()),
        with("kind", "list", list.boxed()),
        "[.x]{1,9}".prop_map(|fates| json!({"kind": "trace", "fates": fates})),
    ]
    .boxed()
}

fn arq() -> BoxedStrategy<Value> {
    let common = || {
        vec![
            ("ack_size", whole(Kind::Size, 1, 99).boxed()),
            ("min_timer", time(1, 1_000_000_000)),
            ("acks_first", truth()),
            ("retransmissions_first", truth()),
        ]
    };
    // Link ACKs have a queue of their own, or share one.
    let queue = prop_oneof![
        number(1, 99).prop_map(|n| ("ack_queue", n)),
        truth().prop_map(|shared| ("shared_queue", shared)),
    ];
    let limit = prop_oneof![number(1, 256), Just(json!("off"))].boxed();
    let mut loose = common();
    loose.push(("tries", limit));
    let arq = prop_oneof![table(loose), with("order", "sequence", table(common()))];
    (arq, queue)
        .prop_map(|(mut arq, (key, value))| {
            arq[key] = value;
            arq
        })
        .boxed()
}

/// At most two links among the first nodes.
pub(crate) fn links() -> BoxedStrategy<Value> {
    let link = table(vec![
        ("queue", number(1, 99)),
        ("data_loss", share()),
        ("data_loss_lasts", time(0, 1_000_000_000)),
        ("errors", errors()),
        ("errors_forward", errors()),
        ("errors_backward", errors()),
        ("arq", arq()),
        ("medium", "[ab]".prop_map(|name| json!(name)).boxed()),
    ]);
    let rate = whole(Kind::Rate, 1, 1_000_000_000);
    let link = (link, rate, time(0, 1_000_000_000));
    proptest::collection::vec(link, 0..3)
        .prop_map(|links| {
            let mut all = Vec::new();
            for (index, (mut link, rate, delay)) in links.into_iter().enumerate() {
                // Links of one medium have the same first node.
                let shares = all.iter().any(|other: &Value| {
                    link["medium"].is_string() && other["medium"] == link["medium"]
                });
                let first = if shares { 0 } else { index };
                // What has no effect is refused.
                if link["data_loss_lasts"].is_string() {
                    link["data_loss"] = json!("1 %");
                }
                if link["errors_forward"].is_object() && link["errors_backward"].is_object() {
                    link.as_object_mut().expect("a table").remove("errors");
                }
                link["between"] = json!([first, index + 1]);
                link["rate"] = rate;
                link["delay"] = delay;
                all.push(link);
            }
            json!(all)
        })
        .boxed()
}

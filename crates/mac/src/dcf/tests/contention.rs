//! Who may transmit when: DIFS, backoff, freezing, post-backoff (facts common to both profiles
//! are shown with ns-2's rules).

use super::script::{ME, OTHER, PEER, Script, data, frame};
use acklab_wire::FrameKind;

/// ```text
/// packet
/// 0        50     70     90
/// |  DIFS  | slot | slot | RTS       drawn: 2
/// ```
#[test]
fn a_packet_at_an_idle_station_waits_difs_and_its_slots() {
    let mut script = Script::of_ns2(&[2]);
    script.packet(0, PEER);
    script.until(90);
    script.says(&["90 rts to 2"]);
}

/// ```text
/// idle since 0          packet
/// ----------------------1000     1050
///                       |  DIFS  | RTS    drawn: 0
/// ```
#[test]
fn ns2_waits_difs_even_when_the_medium_was_idle_for_long() {
    let mut script = Script::of_ns2(&[0]);
    script.packet(1_000, PEER);
    script.until(1_050);
    script.says(&["1050 rts to 2"]);
}

/// ```text
/// 0    100 packet   500      550    570    590
/// |#### busy #######|  DIFS  | slot | slot | RTS    drawn: 2
/// ```
#[test]
fn a_packet_at_a_busy_station_waits_for_the_medium_first() {
    let mut script = Script::of_ns2(&[2]);
    script.busy(0);
    script.packet(100, PEER);
    script.idle(500);
    script.until(590);
    script.says(&["590 rts to 2"]);
}

/// ```text
/// 0        50     70     90 95          395      445    465    485    505
/// |  DIFS  | slot | slot | .|## busy ###|  DIFS  | slot | slot | slot | RTS
///          5 to go  4      3            3        2             1      0
/// ```
#[test]
fn whole_slots_count_and_a_broken_slot_starts_anew() {
    let mut script = Script::of_ns2(&[5]);
    script.packet(0, PEER);
    script.busy(95);
    script.idle(395);
    script.until(505);
    script.says(&["505 rts to 2"]);
}

/// ```text
/// 0      49          100      150                        250
/// | DIFS |## busy ###|  DIFS  | five slots of five left  | RTS
/// ```
#[test]
fn nothing_counts_while_difs_lasts() {
    let mut script = Script::of_ns2(&[5]);
    script.packet(0, PEER);
    script.busy(49);
    script.idle(100);
    script.until(250);
    script.says(&["250 rts to 2"]);
}

/// ```text
/// 0        50     70     90          200      250                310
/// |  DIFS  | slot | slot |## busy ###|  DIFS  | three slots left | RTS    busy at 90: two count
/// |  DIFS  | slot |      |                                                busy at 89: one counts
/// ```
#[test]
fn a_slot_counts_from_its_very_end() {
    for (busy_at, rts_at) in [(90, "310 rts to 2"), (89, "330 rts to 2")] {
        let mut script = Script::of_ns2(&[5]);
        script.packet(0, PEER);
        script.busy(busy_at);
        script.idle(200);
        script.until(330);
        script.says(&[rts_at]);
    }
}

/// ```text
/// 507      557    577      slots are not on a grid of multiples of 20
/// |  DIFS  | slot | RTS
/// ```
#[test]
fn slots_count_from_the_stations_own_idle_instant() {
    let mut script = Script::of_ns2(&[1]);
    script.busy(0);
    script.packet(3, PEER);
    script.idle(507);
    script.until(577);
    script.says(&["577 rts to 2"]);
}

/// Frozen three times, with one slot counted in between each time.
///
/// ```text
/// 0   50  70 75   100  150 170 175   200  250 270 275   300  350 370
/// |DIFS|sl|. ##### |DIFS| sl|. ##### |DIFS| sl|. ##### |DIFS| sl| RTS    drawn: 4
/// ```
#[test]
fn a_backoff_can_freeze_many_times() {
    let mut script = Script::of_ns2(&[4]);
    script.packet(0, PEER);
    for start in [0, 100, 200] {
        script.busy(start + 75);
        script.idle(start + 100);
    }
    script.until(370);
    script.says(&["370 rts to 2"]);
}

/// Plays the peer's part of an exchange whose RTS is sent at `rts`; it is over at `rts` + 1990.
fn peer_answers(script: &mut Script, rts: u64) {
    script.hear(rts + 362, frame(FrameKind::Cts, PEER, ME, 1_324));
    script.hear(rts + 1_686, frame(FrameKind::Ack, PEER, ME, 0));
}

/// ```text
/// 50 RTS … ACK ends 2040     2090                2150
///                   |  DIFS  | slot | slot | slot | RTS    post-backoff: 3
///                   ready       2100 packet
/// ```
#[test]
fn a_packet_that_finds_a_post_backoff_takes_it_over() {
    let mut script = Script::of_ns2(&[0, 3]);
    script.packet(0, PEER);
    peer_answers(&mut script, 50);
    script.says(&["50 rts to 2", "726 data 0 to 2", "2040 ready"]);
    script.packet(2_100, PEER);
    script.until(2_150);
    script.says(&["2150 rts to 2"]);
}

/// ```text
/// ACK ends 2040     2090   2110     2200     2250     2330
///          |  DIFS  | slot | over   packet   |4 slots | RTS    post-backoff: 1, then drawn: 4
/// ```
#[test]
fn after_the_post_backoff_a_packet_draws_anew() {
    let mut script = Script::of_ns2(&[0, 1, 4]);
    script.packet(0, PEER);
    peer_answers(&mut script, 50);
    script.packet(2_200, PEER);
    script.until(2_330);
    script.says(&[
        "50 rts to 2",
        "726 data 0 to 2",
        "2040 ready",
        "2330 rts to 2",
    ]);
}

/// The post-backoff freezes like any other.
///
/// ```text
/// ACK ends 2040     2090   2110 2115      2500     2550          2590
///          |  DIFS  | slot | .|## busy ###|  DIFS  | slot | slot | RTS    post-backoff: 3
///                              2200 packet
/// ```
#[test]
fn a_post_backoff_freezes_too() {
    let mut script = Script::of_ns2(&[0, 3]);
    script.packet(0, PEER);
    peer_answers(&mut script, 50);
    script.busy(2_115);
    script.packet(2_200, PEER);
    script.idle(2_500);
    script.until(2_590);
    script.says(&[
        "50 rts to 2",
        "726 data 0 to 2",
        "2040 ready",
        "2590 rts to 2",
    ]);
}

/// A packet that comes between an RTS and the CTS that is owed waits for the whole exchange.
///
/// ```text
/// 0   352 355 362   666   676      1676  1686   1990     2040   2060
/// |RTS| SIFS | CTS  |SIFS | DATA   |SIFS | ACK  |  DIFS  | slot | RTS    drawn: 1
///       packet
/// ```
#[test]
fn a_packet_that_comes_before_an_answer_contends_after_it() {
    let mut script = Script::of_ns2(&[1]);
    script.hear(0, frame(FrameKind::Rts, PEER, ME, 1_638));
    script.packet(355, OTHER);
    script.hear(676, data(PEER, ME, 7));
    script.until(2_060);
    script.says(&[
        "362 cts to 2",
        "1676 deliver 7 from 2",
        "1686 ack to 2",
        "2060 rts to 3",
    ]);
}

/// The own transmissions of an exchange freeze a backoff like those of others.
///
/// ```text
/// packet
/// 0    50  70 75    427  437   741   751      1751  1761   2065     2115          2155
/// |DIFS|sl|. | RTS  |SIFS| CTS |SIFS | DATA   |SIFS | ACK  |  DIFS  | slot | slot | RTS    drawn: 3
/// ```
#[test]
fn answering_freezes_the_own_backoff() {
    let mut script = Script::of_ns2(&[3]);
    script.packet(0, OTHER);
    script.hear(75, frame(FrameKind::Rts, PEER, ME, 1_638));
    script.hear(751, data(PEER, ME, 7));
    script.until(2_155);
    script.says(&[
        "437 cts to 2",
        "1751 deliver 7 from 2",
        "1761 ack to 2",
        "2155 rts to 3",
    ]);
}

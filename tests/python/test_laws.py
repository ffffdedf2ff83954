"""The laws against published figures, identities and one another."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from acklab.validate.laws import bianchi, slots, throughput
from acklab.validate.laws.timing import NS2, STANDARD, Timing

# Jun, Peddabachari, Sichitiu (2003): a packet with x bytes of payload takes (a x + b) µs, under
# CSMA/CA and under RTS/CTS, with 34 B of MAC overhead and a mean backoff of 310 µs.
PUBLISHED = [
    (1.0, 8.0, 1138.0, 1814.0),
    (2.0, 4.0, 1002.0, 1678.0),
    (5.5, 1.45455, 915.45, 1591.45),
    (11.0, 0.72727, 890.73, 1566.73),
]


@pytest.mark.parametrize(("rate", "slope", "basic", "reserved"), PUBLISHED)
@pytest.mark.parametrize("payload", [40, 576, 1500])
def test_cycles_are_the_published_ones(rate, slope, basic, reserved, payload):
    timing = replace(STANDARD, data_mbps=rate, mac_overhead_bytes=34)
    without = throughput.cycle_us(timing, payload, rts=False)
    assert without == pytest.approx(slope * payload + basic, abs=0.02)
    with_rts = throughput.cycle_us(timing, payload, rts=True)
    assert with_rts == pytest.approx(slope * payload + reserved, abs=0.02)


def test_airtimes_of_ns2_are_those_of_its_traces():
    assert (NS2.rts_us, NS2.cts_us, NS2.ack_us, NS2.eifs_us) == (352, 304, 304, 364)
    assert NS2.data_us(1040) == 8784
    assert replace(NS2, data_mbps=2.0).data_us(1040) == 4488


@pytest.mark.parametrize("preamble", ["long", "short"])
@pytest.mark.parametrize("basic_mbps", [1.0, 2.0, 11.0])
def test_eifs_has_room_for_an_ack_at_1_mbps_whatever_the_basic_rate(basic_mbps, preamble):
    # SIFS 10, long preamble 192, 14 B at 1 Mbit/s 112, DIFS 50.
    assert replace(STANDARD, basic_mbps=basic_mbps, preamble=preamble).eifs_us == 364


def test_the_cycle_of_ns2_is_the_hop_time_of_its_traces():
    # 352 + 304 + 304 + 30 + 4 propagation delays + DIFS 50 + 15 slots = 1343 µs + DATA.
    timing = replace(NS2, delay_us=200 / 3e8 * 1e6)
    expected = 1342.67 + timing.data_us(1040)
    assert throughput.cycle_us(timing, 1040, rts=True) == pytest.approx(expected, abs=0.01)


def test_a_frame_of_the_standard_has_llc_and_snap():
    # 24 B of header, 8 of LLC and SNAP, IP and UDP with 1000 B, 4 of check sequence: 1064 B.
    timing = replace(STANDARD, delay_us=200 / 299.792458)
    assert timing.data_us(1028) == pytest.approx(192 + 8 * 1064 / 11)
    # DIFS 50, 15.5 slots of 20, 965.818, SIFS 10, ACK 304, twice 0.667 of propagation.
    cycle = throughput.cycle_us(timing, 1028, rts=False)
    assert cycle == pytest.approx(1641.152, abs=0.001)
    assert 1e6 / cycle == pytest.approx(609.328, abs=0.001)


def test_the_table_has_every_case_and_a_json_form(capsys):
    assert throughput.main(["--json", "--payload", "1000"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 2 * 2 * 4 * 2
    assert {row["payload_bytes"] for row in rows} == {1000}
    assert throughput.main([]) == 0
    assert "ns2       long" in capsys.readouterr().out


def test_durations_of_bianchi_2000():
    # Bianchi (2000), FHSS at 1 Mbit/s: Ts and Tc of basic access and of RTS/CTS, in µs.
    class Fhss(Timing):
        """The frames of that paper: PHY header 128 bits, MAC header 272 bits."""

        rts_us = 288.0
        cts_us = 240.0
        ack_us = 240.0
        difs_us = 128.0

        def data_us(self, payload_bytes: int) -> float:
            return 400.0 + 8 * payload_bytes

    timing = Fhss(slot_us=50.0, sifs_us=28.0, delay_us=1.0)
    payload = 8184 // 8
    assert bianchi.busy_times_us("classic", timing, payload, rts=False) == (8982, 8713)
    assert bianchi.busy_times_us("classic", timing, payload, rts=True) == (9568, 417)


@pytest.mark.parametrize("stations", [2, 5, 10, 20, 50])
@pytest.mark.parametrize(("window", "doublings"), [(32, 3), (32, 5), (128, 3), (16, 6)])
def test_the_fixed_point_is_bianchis_equations_7_and_9(stations, window, doublings):
    draws = bianchi.mean_draws("classic", window, doublings)
    tau, p = bianchi.fixed_point(stations, draws)
    assert p == pytest.approx(1 - (1 - tau) ** (stations - 1), abs=1e-9)
    below = (1 - 2 * p) * (window + 1) + p * window * (1 - (2 * p) ** doublings)
    assert tau == pytest.approx(2 * (1 - 2 * p) / below, rel=1e-9)


def test_without_doubling_tau_does_not_depend_on_the_cell():
    # Bianchi (2000), eq. 8: m = 0 gives τ = 2 / (W + 1).
    for stations in (1, 2, 30):
        tau, _ = bianchi.fixed_point(stations, bianchi.mean_draws("classic", 32, 0))
        assert tau == pytest.approx(2 / 33)


@pytest.mark.parametrize("form", bianchi.FORMS)
@pytest.mark.parametrize("rts", [True, False])
@pytest.mark.parametrize("rate", [1.0, 11.0])
def test_one_station_is_the_law_of_maximum_throughput(form, rts, rate):
    timing = replace(STANDARD, data_mbps=rate, delay_us=1.0)
    alone = bianchi.saturation(form, 1, timing, 1000, rts=rts)
    exact = throughput.throughput_mbps(timing, 1000, rts=rts)
    assert alone.throughput_mbps == pytest.approx(exact, rel=1e-12)
    assert alone.collision == 0


@pytest.mark.parametrize("collider_lag", [0, 1])
@pytest.mark.parametrize("stations", [1, 5, 20])
def test_the_refined_form_is_what_the_rule_of_freezing_does(stations, collider_lag):
    seed = 20
    seen = slots.simulate(stations, collider_lag=collider_lag, busy_periods=40_000, seed=seed)
    model = bianchi.saturation("refined", stations, collider_lag=collider_lag)
    error = model.throughput_mbps / seen.throughput_mbps - 1
    assert abs(error) < 0.012, f"seed {seed}: {seen} against {model}"


def test_more_stations_share_less():
    for form in bianchi.FORMS:
        shares = [bianchi.saturation(form, n).share for n in bianchi.STATIONS]
        assert shares == sorted(shares, reverse=True)


def test_commands_print_tables(capsys):
    assert bianchi.main([]) == 0
    assert "classic-eifs" in capsys.readouterr().out
    assert bianchi.main(["--json", "--rts"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 3 * 5
    assert slots.main(["--busy-periods", "400", "--seed", "3"]) == 0
    assert "seed 3" in capsys.readouterr().out
    assert slots.main(["--busy-periods", "400", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["stations"] == 1

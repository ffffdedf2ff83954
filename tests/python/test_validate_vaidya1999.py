"""The speed of the base-TCP points of vaidya1999 beside ns-2: the row, and its acklab side."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import acklab
from acklab.papers.engine.estimate import gain
from acklab.papers.engine.load import load_paper
from acklab.validate.model import FAIL, PASS, SKIPPED, Context
from acklab.validate.vaidya1999 import guide, knee, quick, random_loss
from acklab.validate.vaidya1999.speed import row
from test_peers import load

campaign = load("campaign")


def report(whole: float, alone: float) -> dict[str, Any]:
    spread = {"ns2": 100.0, "acklab": 200.0, "ratio_min": 1.0, "ratio_max": 99.0}
    both = {"parts": 3, "runs": 288, "ratio": whole, "ratio_median": 77.0, **spread}
    point = {"loss": 0.01, "mean": 16384, "ns2": 1.0, "acklab": 2.0, "ratio": 2.0}
    told = {"pairs": 48, "ratio_median": alone, "points": [point], "guided": alone >= 20}
    return {"campaign": both, **told, **spread}


@pytest.mark.parametrize(("whole", "alone", "verdict"), [(20.0, 3.0, PASS), (19.9, 30.0, FAIL)])
def test_the_row_is_judged_by_campaigns_and_shows_the_runs_alone(whole, alone, verdict):
    judged = row(report(whole, alone))
    assert judged.verdict == verdict
    assert f"{whole:.1f} × as campaigns" in judged.figure
    assert f"{alone:.1f} × (median of 48 pairs" in judged.figure
    assert ("guided build" if alone >= 20 else "plain build") in judged.figure
    assert "Until 2026-11-22" in judged.why
    assert all(f"{told} ×" in judged.why for told in ("16.4", "about 16", "about 6"))
    assert ("reaches it too" if alone >= 20 else "would miss it still") in judged.why


def test_a_campaign_is_what_the_package_gives(tmp_path: Path):
    text = (Path(__file__).parents[2] / "examples" / "wireless-link.toml").read_text()
    tree = tomllib.loads(text) | {"duration": "2 s", "measure": {"from": "0 s"}}
    scenario = acklab.Scenario.from_dict(tree)
    (tmp_path / "00.toml").write_text(scenario.to_toml())
    said = list(campaign.campaign(tmp_path, 2, 7))
    alone = acklab.run(scenario, runs=2, seed=7).records
    assert [line["simulated_s"] for line in said] == [2.0, 2.0]
    delivered = [record["measures"]["delivered_packets"] for record in alone]
    assert [line["delivered"] for line in said] == delivered
    assert min(delivered) > 0


CASES = [random_loss.Case("reno", "every", 1, loss) for loss in (0.001, 0.05)]


TIMELESS = [random_loss.Case("rack", "every", 1, loss) for loss in (0.001, 0.05)]


def found(case: random_loss.Case, share: float) -> random_loss.Found:
    rate = share * random_loss.pftk.mathis(case.loss, random_loss.RTT_S, case.b)
    return random_loss.Found(case.loss, rate, 0.0, 0.0, share - 1, share - 1, share - 1)


@pytest.mark.parametrize(("share", "verdict"), [(0.86, PASS), (0.84, FAIL), (1.16, FAIL)])
def test_mathis_formula_is_asked_of_a_sender_without_timeouts_at_every_loss(share, verdict):
    timeless = [(TIMELESS[0], found(TIMELESS[0], 1.0)), (TIMELESS[1], found(TIMELESS[1], share))]
    reno = [(case, found(case, 0.7)) for case in CASES]
    sack = random_loss.Case("sack", "every", 1, 0.05)
    slow = random_loss.Case("rack", "delayed", 2, 0.01)
    plain = [*timeless, *reno, (sack, found(sack, 0.8)), (slow, found(slow, 0.6))]
    row = random_loss.mathis_row(plain, {CASES[1]: reno[1][1].rate * 0.5 / 0.7})
    assert row.verdict == verdict
    assert f"at most {100 * (share - 1):+.1f} % off (5 %, b = 1)" in row.figure
    assert "Reno: at most -30.0 %" in row.figure
    assert "SACK: -20.0 % (5 %, b = 1)" in row.figure
    assert "for 40 ms at most" in row.why
    assert "it is -40.0 % off (1 %, b = 2)" in row.why
    assert "ns-2's Reno over the same path: -50.0 % (5 %, b = 1)" in row.why


def test_a_wait_beyond_the_round_trip_is_not_what_the_formula_describes():
    plain = [case for case in random_loss.cases() if case.lasts == "0 s"]
    asked = {(c.variant, c.b, c.wait) for c in plain if random_loss.is_timeless(c)}
    assert asked == {("rack", 1, "100 ms"), ("rack", 2, "40 ms")}


def test_ns2s_reno_is_a_row_of_its_own():
    judged = [(case, found(case, 1.0)) for case in CASES]
    near = {case: 1.04 * f.rate for case, f in judged}
    assert random_loss.ns2_row(judged, near).verdict == PASS
    assert random_loss.ns2_row(judged, near | {CASES[1]: 1.0}).verdict == FAIL
    assert random_loss.ns2_row(judged, {}).verdict == SKIPPED


def paying(below: float, above: float) -> str:
    """The verdict if d > 0 brings so much on either side of where three packets overtake."""
    plain = [100.0, 101.0, 99.0]
    shares = [above if knee.overtakers(delay) >= 3 else below for delay in knee.DELAYS_MS]
    return knee.paying(
        [gain([rate * (1 + share) for rate in plain], plain) for share in shares]
    ).verdict


def test_d_pays_from_the_knee_on_and_nowhere_else():
    assert paying(0.005, 0.15) == PASS
    assert paying(0.02, 0.15) == FAIL
    assert paying(0.0, 0.005) == FAIL


def a_place(gains: dict[float, float], adaptive: float, delay: float = 10) -> guide.Place:
    return guide.Place(delay, 2000, 16384, gains, 0.1, adaptive)


def test_d_pays_where_three_packets_overtake_and_lasts_until_the_retransmission():
    for delay in knee.DELAYS_MS:
        assert guide.pays(delay, 2000) is (knee.overtakers(delay) >= 3)
    # T = 4 ms: 28.056 ms, so the packet that begins at 32 waits; the third one began at 12.
    assert guide.wait_ms(10, 2000) == 20
    assert guide.choice_ms(10, 2000) == 24
    # T = 16 ms > 2 · 5 ms and the ACK's 0.2 ms.
    assert guide.choice_ms(5, 500) == 0
    # The link's timer runs out before the next packet's ACK is back: 116 ms, not 122.2.
    assert guide.wait_ms(45, 500) == 128 - 48
    # Where 100 ms are over before any ACK can be back it is twice what one takes: 168.056 ms.
    assert guide.wait_ms(80, 2000) == 172 - 12


def test_the_knee_is_measured():
    """As in the quick form: by half of the losses the knee lies where three packets overtake."""
    context = Context(Path(), full=False, workers=1, folder=Path(), say=lambda _: None)
    half, gains = knee.knee(context)
    assert half.verdict == PASS, half
    assert [line[0] for line in half.detail[1:]] == [f"{d:g}" for d in knee.DELAYS_MS]
    assert gains.figure.endswith(" ms")


def test_the_guideline_is_judged_by_what_it_misses_of_the_best_d():
    good = {0.0: 0.0, 10.0: 0.02, 20.0: 0.38, 40.0: 0.55, 80.0: 0.57}
    assert [row.verdict for row in guide.rows([a_place(good, 0.56)])] == [PASS] * 3
    # What would have passed had the guideline been 2 D: all of the gain at 20 ms, none at 40.
    early = {0.0: 0.0, 10.0: 0.02, 20.0: 0.57, 40.0: 0.30, 80.0: 0.20}
    assert [row.verdict for row in guide.rows([a_place(early, 0.2)])] == [FAIL, PASS, FAIL]
    late = {0.0: 0.0, 10.0: 0.02, 20.0: 0.03, 40.0: 0.55, 80.0: 0.57}
    assert guide.rows([a_place(late, 0.56)])[1].verdict == FAIL
    # One place of ten may miss more than 5 %, none more than 12 %.
    nine = [a_place(good, 0.56, delay=11 + k) for k in range(9)]
    assert guide.rows([*nine, a_place(good, 0.45)])[2].verdict == PASS
    assert guide.rows([*nine, a_place(good, 0.36)])[2].verdict == FAIL


def test_the_table_of_the_findings_has_the_guidelines_d():
    paper = load_paper("vaidya1999")
    text = (paper.folder / "summary.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| (\d+) \| (\d+) \| ([\d.]+), (\d+) \| (\S+)", text, re.MULTILINE)
    grid = [int(d) for d in paper.experiments["guide"].axis("d").values if d != guide.ADAPTIVE]
    assert len(lines) == 18
    for delay, rate, wanted, shown, first in lines:
        place = a_place(dict.fromkeys(map(float, grid), 0.0), 0.0)
        chosen = place.next(guide.choice_ms(float(delay), float(rate)))
        assert float(wanted) == pytest.approx(2 * float(delay) + guide.packet_ms(float(rate)))
        assert float(shown) == chosen
        assert (first == "–") is (chosen == 0)


def test_the_quick_form_is_judged_by_its_time_and_tells_what_does_not_pass():
    rows = [{"name": "means", "verdict": PASS}, {"name": "knee", "verdict": FAIL}]
    assert quick.row(rows, 4.9).verdict == PASS
    assert quick.row(rows, 4.9).why == "knee: fail"
    assert "1 of 2 rows pass" in quick.row(rows, 4.9).figure
    assert quick.row(rows, 5.0).verdict == FAIL
    assert quick.row([], 1.0).verdict == FAIL

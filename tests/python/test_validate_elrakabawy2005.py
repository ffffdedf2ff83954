"""What the rows of elrakabawy2005 beside ns-2 judge, without running anything long."""

from __future__ import annotations

from typing import Any

import pytest

from acklab.validate.elrakabawy2005 import chains


def test_the_reference_has_sixteen_cells_of_three_runs() -> None:
    cells = chains.reference()
    assert [(c.hops, c.scheme) for c in cells] == [
        (hops, scheme) for hops in (2, 4, 8, 16) for scheme in sorted(chains.SCHEMES)
    ]
    assert {len(runs) for c in cells for runs in c.theirs.values()} == {3}
    assert {c.packets for c in cells if c.hops < 16} == {12_000}
    assert {c.packets for c in cells if c.hops == 16} == {8_000}


def test_the_rows_own_arithmetic_says_which_timer_they_had() -> None:
    cell = next(c for c in chains.reference() if (c.scheme, c.hops) == ("chain_v2dyn", 4))
    delivered = 0.9 * cell.packets
    group_ms = 1e3 * delivered / cell.theirs["goodput_pps"][0] / cell.theirs["acks_by_timer"][0]
    # Three packets, 29 ms for the first, 22 ms to each further one, and the timer after the last.
    assert group_ms < 29 + 2 * 22 + 100
    assert chains.THINNING["timer"] == "first-waiting"


def test_means_agree_within_ten_per_cent_or_two_errors() -> None:
    assert chains.agrees([10.9, 10.8], [10.0, 10.0])[0]
    assert not chains.agrees([12.0, 12.1], [10.0, 10.1])[0]
    assert chains.agrees([8.0, 16.0], [10.0, 10.1])[0]
    assert chains.agrees([0.0, 0.0], [0.0, 0.0]) == (True, 0.0)


def test_the_first_batch_is_not_counted() -> None:
    def batch(start: float, end: float, packets: float, window: float) -> dict[str, Any]:
        measures = {"delivered_packets": packets, "window_mean": window, "acks_by_timer": 2.0}
        return {"start_s": start, "end_s": end, "measures": measures}

    found = chains.after_warm_up(
        {"samples": {"batches": [batch(0, 9, 5, 9), batch(9, 10, 10, 2), batch(10, 13, 10, 6)]}}
    )
    assert found["goodput_pps"] == pytest.approx(20 / 4)
    assert found["window_mean"] == pytest.approx((1 * 2 + 3 * 6) / 4)
    assert found["acks_by_timer"] == 4.0
    assert found["retransmissions"] == 0.0

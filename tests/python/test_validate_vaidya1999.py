"""The speed of the base-TCP points of vaidya1999 beside ns-2: the row, and its acklab side."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import acklab
from acklab.validate.model import FAIL, PASS
from acklab.validate.vaidya1999.speed import row
from test_peers import load

campaign = load("campaign")


def report(whole: float, alone: float) -> dict[str, Any]:
    spread = {"ns2": 100.0, "acklab": 200.0, "ratio_min": 1.0, "ratio_max": 99.0}
    both = {"parts": 3, "runs": 288, "ratio": whole, "ratio_median": 77.0, **spread}
    point = {"loss": 0.01, "mean": 16384, "ns2": 1.0, "acklab": 2.0, "ratio": 2.0}
    return {"campaign": both, "pairs": 48, "ratio_median": alone, "points": [point], **spread}


@pytest.mark.parametrize(("whole", "alone", "verdict"), [(20.0, 3.0, PASS), (19.9, 30.0, FAIL)])
def test_the_row_is_judged_by_campaigns_and_shows_the_runs_alone(whole, alone, verdict):
    judged = row(report(whole, alone))
    assert judged.verdict == verdict
    assert f"{whole:.1f} × as campaigns" in judged.figure
    assert f"{alone:.1f} × (median of 48 pairs" in judged.figure
    assert "Until 2026-11-22" in judged.why
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

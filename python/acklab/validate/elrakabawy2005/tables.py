"""Table 2: the minimal 4-hop propagation delay."""

from __future__ import annotations

from acklab import papers
from acklab.papers.engine import grid
from acklab.papers.engine.campaign import Campaign
from acklab.papers.engine.provider import NativeProvider
from acklab.validate.model import Check, Context, Row, verdict

STATED = ((2, "long", 29), (5.5, "short", 12), (11, "short", 8))


def table2(context: Context) -> list[Row]:
    """Three bandwidths with the preambles that fit, without backoff."""
    campaign = Campaign(
        paper=papers.load("elrakabawy2005"),
        keys=["delay4"],
        mode="quick",
        provider=NativeProvider(),
        folder=context.folder / "elrakabawy2005-delay",
        workers=context.workers,
        runs=4,
    )
    results = campaign.execute()
    experiment = results.experiments["delay4"].experiment
    rows = []
    for rate, preamble, stated in STATED:
        cells = {
            backoff: grid.match(
                experiment, {"rate": rate, "preamble": preamble, "backoff": backoff}
            )
            for backoff in ("none", "drawn")
        }
        minimal = 1e3 * results.point("delay4", cells["none"], "delay_mean_s").value
        mean = 1e3 * results.point("delay4", cells["drawn"], "delay_mean_s").value
        rows.append(
            Row(
                f"Table 2: 4-hop delay at {rate} Mbit/s, {preamble} preamble",
                f"{minimal:.2f} ms without backoff ({mean:.1f} ms with)",
                f"{stated} ms after rounding",
                verdict(round(minimal) == stated),
            )
        )
    return rows


TABLE2 = Check("table2", "Table 2: 4-hop propagation delay", table2)

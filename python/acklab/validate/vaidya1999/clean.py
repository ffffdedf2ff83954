"""No errors and no losses: what each scheme costs by itself."""

from __future__ import annotations

from acklab.papers.engine.provider import Job, NativeProvider
from acklab.validate.model import Check, Context, Row, verdict
from acklab.validate.vaidya1999 import network

EQUAL = 0.005
LINK_ACK_SHARE = 14 / 1014
RUNS = 6


def clean(context: Context) -> list[Row]:
    """Base TCP, Snoop and Delayed Dupacks at 1 ms over a perfect link."""
    provider = NativeProvider()
    schemes = [("base", 0.0), ("snoop", 0.0), ("dd", 0.0), ("dd", 0.2)]
    jobs = [
        Job(provider.resolve(network.scenario(1.0, 0.0, 0, scheme, d), scheme), 1, run)
        for scheme, d in schemes
        for run in range(RUNS)
    ]
    found = dict(provider.run(jobs, context.workers))
    values = [network.throughput_kbps(found[k]) for k in range(len(jobs))]
    base, snoop, plain, held = (
        sum(values[k * RUNS : (k + 1) * RUNS]) / RUNS for k in range(len(schemes))
    )
    apart = abs(snoop / base - 1.0)
    costs = [1.0 - dd / base for dd in (plain, held)]
    # The link ACKs of TCP's ACKs share the forward direction with the data.
    near = all(abs(cost - LINK_ACK_SHARE) <= 0.1 * LINK_ACK_SHARE for cost in costs)
    return [
        Row(
            "no errors, no losses: Snoop beside base TCP",
            f"{snoop:.1f} and {base:.1f} kbit/s, {100 * apart:.2f} % apart",
            f"equal within {100 * EQUAL:g} %",
            verdict(apart <= EQUAL),
        ),
        Row(
            "no errors, no losses: what link ACKs cost Delayed Dupacks at 1 ms",
            f"{100 * costs[0]:.2f} % (d = 0), {100 * costs[1]:.2f} % (d = 0.2)",
            f"14/1014 = {100 * LINK_ACK_SHARE:.2f} % within a tenth of it",
            verdict(near),
        ),
    ]


CLEAN = Check("vaidya-clean", "no errors, no losses", clean)

"""Measures of one run that compare its flows: who gets what, who starves.

| measure | what it is |
| --- | --- |
| `flow_<n>_bps` | goodput of flow n, from 1 |
| `top_two_bps`, `rest_bps` | mean goodput of the two flows that get most, and of the others |
| `rest_to_top_two` | the ratio of the two |
| `third_to_top_two` | goodput of the flow that gets most behind the two, over the two's mean |
| `top_pair_<i>_<j>` | 1 if flows i and j are the two that get most, else 0 |
| `starving_flows` | flows that get less than 1 % of the sum |

Invariant: made from the flows' goodput alone, so any run of two flows and more has them
(`third_to_top_two`: of three and more).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

STARVING = 0.01
"""A flow with a smaller share of the sum starves."""

NAMES = ("flow_<n>_bps", "top_two_bps", "rest_bps", "rest_to_top_two",
         "third_to_top_two", "top_pair_<i>_<j>", "starving_flows")  # fmt: skip

_ONE = re.compile(r"flow_(\d+)_bps")
_PAIR = re.compile(r"top_pair_(\d+)_(\d+)")


def flow_measure(row: Mapping[str, Any], name: str) -> float | None:
    """The measure of that name, or None if there is none of that name."""
    one, pair = _ONE.fullmatch(name), _PAIR.fullmatch(name)
    if not (one or pair or name in NAMES):
        return None
    goodputs = [float(flow["goodput_bps"]) for flow in row["flows"]]
    if one:
        return goodputs[int(one[1]) - 1]
    ranked = sorted(range(len(goodputs)), key=lambda i: -goodputs[i])
    if pair:
        return float(set(ranked[:2]) == {int(pair[1]) - 1, int(pair[2]) - 1})
    if name == "starving_flows":
        return float(sum(g < STARVING * sum(goodputs) for g in goodputs))
    top = sum(goodputs[i] for i in ranked[:2]) / 2.0
    rest = sum(goodputs[i] for i in ranked[2:]) / max(1, len(goodputs) - 2)
    if name == "top_two_bps":
        return top
    if name == "rest_bps":
        return rest
    if name == "third_to_top_two":
        return goodputs[ranked[2]] / top if top else 0.0
    return rest / top if top else 0.0

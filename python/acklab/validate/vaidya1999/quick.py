"""How long the quick form takes, all its checks together, in a process of its own."""

from __future__ import annotations

import json
import time
from typing import Any

from acklab.validate.foundation.tools import python, run
from acklab.validate.model import PASS, Check, Context, Row, verdict

LIMIT_MIN = 5.0


def quick(context: Context) -> list[Row]:
    """`./do validate vaidya1999`, from its start to its end."""
    started = time.monotonic()
    command = python("-m", "acklab.validate", "vaidya1999", "--json")
    done = run([*command, "--workers", str(context.workers)], context.root)
    minutes = (time.monotonic() - started) / 60.0
    if not done.stdout.strip():
        raise RuntimeError(done.stderr.strip())
    return [row(json.loads(done.stdout)["rows"], minutes)]


def row(found: list[dict[str, Any]], minutes: float) -> Row:
    """Judged by its time; which of its rows do not pass is told."""
    others = [f"{one['name']}: {one['verdict']}" for one in found if one["verdict"] != PASS]
    return Row(
        "the quick form, all its checks: ./do validate vaidya1999",
        f"{minutes:.1f} min, {len(found) - len(others)} of {len(found)} rows pass",
        f"under {LIMIT_MIN:g} min on two cores",
        verdict(minutes < LIMIT_MIN and bool(found)),
        why="; ".join(others),
    )


QUICK = Check("vaidya-quick", "how long the quick form takes", quick, full_only=True)

"""The signals that end a program which has no plans for them, beside Ctrl-C.

SIGTERM comes from batch systems before they kill, SIGHUP where a terminal or a connection to
another machine is closed. Not every system has both.
"""

from __future__ import annotations

import signal

__all__ = ["ENDING"]

ENDING = tuple(
    number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)
"""SIGTERM and SIGHUP, where there are such."""

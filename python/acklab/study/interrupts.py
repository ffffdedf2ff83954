"""A request to end (SIGTERM, as batch systems send it before they kill) is taken as Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["ended_gently"]


@contextmanager
def ended_gently() -> Iterator[None]:
    """Raise `KeyboardInterrupt` at SIGTERM, unless the program has plans of its own for it.

    Once: whoever sends it again does not interrupt the saving of what the first one stopped.
    """
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt

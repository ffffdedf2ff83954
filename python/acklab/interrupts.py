"""A request to end: Ctrl-C, and the signals that end a program otherwise.

All raise `KeyboardInterrupt` where the program is just then. That may be in code of others which
swallows it, so each is remembered besides, and is asked for after each group of runs: there may be
fifty a second. While such a group is taken in, it waits until all of it is.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

__all__ = ["ENDING", "ended_gently", "heard", "held", "not_in_workers"]

ENDING = tuple(
    number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)
"""Signals that end a program which has no plans for them, where there are such.

SIGTERM comes from batch systems before they kill, SIGHUP where a terminal or a connection to
another machine is closed.
"""

_Handler = Callable[[int, FrameType | None], object]


class _Request:
    """Passes a signal on, and remembers that `KeyboardInterrupt` was raised for it."""

    def __init__(self, handler: _Handler) -> None:
        self.handler = handler
        self.came = False
        self._waiting: int | None = None

    @contextmanager
    def at_work(self, number: int) -> Iterator[None]:
        """Stand in for the handler of a signal, and be asked by `heard` meanwhile."""
        before = signal.getsignal(number)
        try:
            _AT_WORK.append(self)
            signal.signal(number, self)
            yield
        finally:
            # However often this is interrupted: what stayed in the list would stop later studies.
            try:
                signal.signal(number, before)
            finally:
                _AT_WORK.remove(self)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if _HOLDING:
            self._waiting = number
            return
        try:
            self.handler(number, frame)
        except KeyboardInterrupt:
            self.came = True
            raise

    def catch_up(self) -> None:
        """Pass on what has waited."""
        if self._waiting is not None:
            number, self._waiting = self._waiting, None
            self(number, None)


_AT_WORK: list[_Request] = []
# Not empty while a block of `held` is run; a lock could stay closed if Ctrl-C came as it is taken.
_HOLDING: list[None] = []


@contextmanager
def ended_gently() -> Iterator[None]:
    """Raise `KeyboardInterrupt` at SIGTERM and SIGHUP, unless the program has plans for them.

    Once: whoever sends it again does not interrupt the saving of what the first one stopped. What
    the program raises by itself at any of these signals is remembered for `heard`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with ExitStack() as undo:
        for number in (*ENDING, signal.SIGINT):
            before = signal.getsignal(number)
            is_default = number != signal.SIGINT and before is signal.SIG_DFL
            handler = _interrupt if is_default else before
            if callable(handler) and not isinstance(handler, _Request):
                undo.enter_context(_Request(handler).at_work(number))
        yield


def heard() -> None:
    """Raise `KeyboardInterrupt` if a request to end came that was swallowed on its way."""
    if any(request.came for request in _AT_WORK):
        raise KeyboardInterrupt


@contextmanager
def held() -> Iterator[None]:
    """Let a request to end wait for the end of the block, where `ended_gently` is at work.

    The block is to be short and to wait for nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    try:
        _HOLDING.append(None)
        yield
    finally:
        _HOLDING.clear()
        with ExitStack() as waiting:
            for request in _AT_WORK:
                waiting.callback(request.catch_up)


@contextmanager
def not_in_workers() -> Iterator[None]:
    """Start processes and threads that a terminal's Ctrl-C does not reach.

    It reaches this process when the block ends, and whoever started the workers ends them.
    """
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover - no such masks on this system
        yield
        return
    from multiprocessing import resource_tracker

    # Which would start with the first process, and lets the signal through from then on.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    if isinstance(mine := signal.getsignal(number), _Request):
        # Sent again, it does nothing more.
        mine.handler = lambda _number, _frame: None
    raise KeyboardInterrupt

"""Keeps dask's own words from a terminal on which acklab says the same in a line."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["dask_is_quiet"]

_LOGGERS = ("distributed.client", "distributed.core", "distributed.scheduler")


@contextmanager
def dask_is_quiet() -> Iterator[None]:
    """Let dask say nothing of who has gone: it does so with tracebacks."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)

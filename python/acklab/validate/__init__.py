"""Validation: every promised figure is a check that one command runs.

    ./do validate foundation
    python -m acklab.validate foundation --full --json

A section is a list of named checks; a check returns rows (what, measured figure with interval, bar,
verdict). The command ends with 0 only when every row passes: a skipped row says why and is not
passed. `--write-page` writes the committed page `docs/validation.md`.
"""

from acklab.validate.model import FAIL, PASS, SKIPPED, Check, Context, Row

__all__ = ["FAIL", "PASS", "SKIPPED", "Check", "Context", "Row"]

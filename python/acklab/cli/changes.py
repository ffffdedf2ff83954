"""`--set`: a scenario's file with some values changed, judged as a whole once they are."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from acklab.changes import parse_change, put
from acklab.errors import InputError, ScenarioError
from acklab.scenario import Scenario, tree_of

__all__ = ["with_changes"]


def with_changes(text: str, name: str, changes: Sequence[str]) -> Scenario:
    """Return the scenario that a text and ``key=value`` after ``key=value`` make together.

    What the text lacks a change may give, and what is wrong in it a change may mend.

    Raises:
        InputError: a change is none, or leads nowhere.
        ScenarioError: the changed scenario makes no sense; the place is that of the text where it
            says so itself, or else the change.
    """
    if not changes:
        return Scenario.parse(text, name)
    tree = tree_of(text, name)
    read = [(change, *parse_change(change)) for change in changes]
    try:
        return _made(tree, name, [(key, value) for _, key, value in read])
    except InputError as error:
        raise _blamed(text, tree, name, read, error) from error


def _made(tree: Mapping[str, Any], name: str, values: Iterable[tuple[str, Any]]) -> Scenario:
    """Make the changes in the order in which they were given: what comes later counts."""
    changed = copy.deepcopy(dict(tree))
    for key, value in values:
        put(changed, key.split("."), value, key)
    return Scenario(changed, name)


def _blamed(
    text: str,
    tree: Mapping[str, Any],
    name: str,
    read: Sequence[tuple[str, str, Any]],
    error: InputError,
) -> InputError:
    """Return the error with the place that causes it: the text with its line, or a change."""
    try:
        Scenario.parse(text, name)
    except InputError as own:
        if _same(own, error, name):
            return own
    within = _within(error, name)
    to_blame = " ".join(f"--set {change}" for change, _, _ in read)
    for change, key, value in read:
        try:
            _made(tree, name, [(key, value)])
        except InputError as alone:
            if _same(alone, error, name):
                to_blame = f"--set {change}"
    # Of a key that leads nowhere the change itself says where.
    place = to_blame if not within or within in to_blame else f"{to_blame}: {within}"
    kind = ScenarioError if isinstance(error, ScenarioError) else InputError
    return kind(error.message, place, error.value, error.accepted)


def _same(one: InputError, other: InputError, name: str) -> bool:
    about = [(e.message, e.value, _within(e, name)) for e in (one, other)]
    return about[0] == about[1]


def _within(error: InputError, name: str) -> str:
    """Where in the scenario an error is, whatever text that was read from."""
    place = (error.place or "").removeprefix(name)
    return re.sub(r"^(:\d+)*(: )?", "", place)

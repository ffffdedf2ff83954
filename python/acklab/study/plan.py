"""What a study asks: read from TOML or made in Python, checked before anything runs."""

from __future__ import annotations

import difflib
import itertools
import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acklab import arguments, door
from acklab.errors import InputError, ScenarioError
from acklab.measures import check_measure
from acklab.scenario import Scenario, share

__all__ = ["KEEPABLE", "Plan", "check_options", "in_file"]

KEEPABLE = ("flows", "nodes", "samples")
"""What can be kept of each run besides its network-wide measures."""

_OPTIONS = ("seed", "runs", "precision", "max_runs", "measure", "baseline", "keep")
# Keys of a scenario that are columns of a study's tables besides.
_COLUMNS = {"flow", "measure"}
_KEYS = ("title", "scenario", "grid", "variants", *_OPTIONS)


@dataclass(frozen=True)
class Plan:
    """A study as asked for.

    Attributes:
        title: a name for people; the folder is named after it.
        base: the scenario that all points share.
        grid: dotted keys of the scenario to the values that they take; all combinations are run.
        variants: named sets of changes (schemes); each is run at every grid point.
        seed: the root seed of all runs. Run *k* of every point sees the same weather.
        runs: runs of each point; with ``precision``, the first round.
        precision: add runs until the interval of ``measure`` is within this share of its mean at
            every point (``0.02`` or ``"2 %"``); ``None``: never.
        max_runs: the cap on runs of a point under ``precision``; without it, it counts for nothing.
        measure: the measure that ``precision`` and ``baseline`` are about.
        baseline: the variant that all others are compared with, run by run.
        keep: what is kept besides network-wide measures: ``flows``, ``nodes``, ``samples``.
    """

    title: str
    base: Scenario
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seed: int = 1
    runs: int = 10
    precision: float | None = None
    max_runs: int = 1000
    measure: str = "goodput_pps"
    baseline: str | None = None
    keep: frozenset[str] = frozenset({"flows"})

    def __post_init__(self) -> None:
        if not isinstance(self.title, str):
            raise InputError("is no text", "title", repr(self.title), "a name in quotes")
        if not isinstance(self.base, Scenario):
            accepted = "acklab.Scenario.load(FILE); a whole study is acklab.Study.load(FILE)"
            raise InputError("is no scenario", "scenario", repr(self.base), accepted)
        object.__setattr__(self, "grid", _grid(self.grid))
        object.__setattr__(self, "variants", _variants(self.variants))
        object.__setattr__(self, "keep", _keep(self.keep))
        if self.precision is not None:
            object.__setattr__(self, "precision", share(self.precision, "precision"))
        _check_numbers(self)
        _check_size(self)
        check_measure(self.measure)
        known = ", ".join(self.variants) or "a study with [variants.NAME]"
        if self.baseline is not None and self.baseline not in list(self.variants):
            raise InputError("is no variant", "baseline", str(self.baseline), known)

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a study from a TOML file; its ``scenario`` is a table, or a file beside it.

        Raises:
            InputError: the file cannot be read or is no study.
            ScenarioError: its base scenario makes no sense.
        """
        path = arguments.path(path, "the path of a study in TOML")
        try:
            tree = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except OSError as error:
            reason = f"cannot be read: {error.strerror}"
            raise InputError(reason, str(path), None, "a study in TOML") from error
        except UnicodeDecodeError as error:
            raise InputError(f"is no TOML: {error}", str(path), None, "TOML 1.0") from error
        except (RecursionError, ValueError) as error:
            reason = f"is no TOML: {arguments.unreadable(error)}"
            raise InputError(reason, str(path), None, "TOML 1.0") from error
        if "scenario" not in tree and {"topology", "flow"} <= tree.keys():
            accepted = f'{door.command(f"run {path}")}, or a study with scenario = "{path.name}"'
            raise InputError("is a scenario, not a study", str(path), None, accepted)
        try:
            return cls.from_dict(tree, path.parent, path.stem)
        except InputError as error:
            raise in_file(path, error) from error

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any], folder: Path, name: str) -> Plan:
        """Make a plan from the tree of a study file that stands in ``folder``."""
        for key in tree:
            _check_key(key, _KEYS, "is no key of a study")
        options: dict[str, Any] = {"title": name} | {
            key: tree[key] for key in ("title", *_OPTIONS) if key in tree
        }
        check_options(options)
        base = _base(tree, folder)
        variants = _variants(tree.get("variants", {}))
        return cls(
            base=base,
            grid=_flat(tree, "grid"),
            variants={
                scheme: _changes(f"variants.{scheme}", changes, base)
                for scheme, changes in variants.items()
            },
            **options,
        )


def check_options(options: Mapping[str, Any]) -> None:
    """Find out that a study has no such options, or not together.

    Raises:
        InputError: it has none; the message says which one is close. Or there is a cap on runs
            without a precision.
    """
    for name in options:
        _check_key(name, ("title", *_OPTIONS), "is no option of a study")
    arguments.check_cap(options.get("max_runs"), options.get("precision"))


def _check_key(key: str, known: Sequence[str], message: str) -> None:
    if key not in known:
        close = difflib.get_close_matches(key, known, 1)
        hint = f"{close[0]}?" if close else ", ".join(known)
        raise InputError(message, key, None, hint)


def in_file(path: str | Path, error: InputError) -> InputError:
    """Return the error with the study's file in its place, where that does not name it yet."""
    named = re.match(rf"{re.escape(str(path))}(?![^:,])", error.place or "")
    if not error.place or named:
        return error
    return type(error)(error.message, f"{path}: {error.place}", error.value, error.accepted)


def _check_numbers(plan: Plan) -> None:
    object.__setattr__(plan, "runs", arguments.run_count(plan.runs))
    object.__setattr__(plan, "max_runs", arguments.run_count(plan.max_runs, "max_runs"))
    object.__setattr__(plan, "seed", arguments.whole(plan.seed, "seed", 0, 2**64 - 1))
    if plan.precision is not None and plan.runs < 2:
        raise InputError("one run has no interval", "runs", str(plan.runs), "2 or more")
    if plan.precision is not None and plan.max_runs < plan.runs:
        raise InputError(
            "is below the first round", "max_runs", str(plan.max_runs), f"{plan.runs} or more"
        )


def _check_size(plan: Plan) -> None:
    """Refuse more runs than can be held, before any of their scenarios is made."""
    points = math.prod(map(len, plan.grid.values())) * max(1, len(plan.variants))
    if points * plan.runs > arguments.MOST_RUNS:
        place = "grid" if points > arguments.MOST_RUNS else "runs"
        accepted = f"points times runs up to {arguments.MOST_RUNS}; or several studies"
        found = f"{points} points of {plan.runs} runs"
        raise InputError("are too many runs to hold", place, found, accepted)


def _base(tree: Mapping[str, Any], folder: Path) -> Scenario:
    scenario = tree.get("scenario")
    if isinstance(scenario, str):
        return Scenario.load(folder / scenario)
    if isinstance(scenario, Mapping):
        # Named as a file beside the study would be: files that it names are looked for there.
        name = str(folder / "scenario")
        try:
            return Scenario.from_dict(scenario, name)
        except ScenarioError as error:
            place = (error.place or "").replace(name, "scenario", 1)
            raise ScenarioError(error.message, place, error.value, error.accepted) from error
    shown = None if scenario is None else repr(scenario)
    raise InputError(
        "a study needs its base scenario", "scenario", shown, "a file name, or a [scenario] table"
    )


def _flat(tree: Mapping[str, Any], section: str) -> dict[str, Any]:
    """Return a section with its tables as dotted keys: ``flow.window`` may go without quotes."""
    table = tree.get(section, {})
    if not isinstance(table, Mapping):
        raise InputError("is no table", section, repr(table), "keys of the scenario")
    return _flattened(section, table)


def _changes(place: str, table: Mapping[str, Any], base: Scenario) -> dict[str, Any]:
    """Return a variant's changes as dotted keys; a section of another kind is replaced whole."""
    tree = base.to_dict()
    whole = {
        key: value
        for key, value in table.items()
        if isinstance(value, Mapping)
        and isinstance(old := tree.get(key), Mapping)
        and value.get("kind", old.get("kind")) != old.get("kind")
    }
    rest = {key: value for key, value in table.items() if key not in whole}
    return whole | _flattened(place, rest)


def _flattened(place: str, table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        path = prefix + key
        # A quoted dotted key names one value, which may be a table; a bare one opens a table.
        is_opened = isinstance(value, Mapping) and "." not in key
        found = _flattened(place, value, f"{path}.") if is_opened else {path: value}
        if twice := flat.keys() & found.keys():
            raise InputError("a key stands twice", place, min(twice), "each key once")
        flat |= found
    return flat


def _grid(grid: object) -> dict[str, tuple[Any, ...]]:
    if not isinstance(grid, Mapping):
        raise InputError("is no table", "grid", repr(grid), "keys of the scenario with lists")
    if taken := sorted(_COLUMNS & set(map(str, grid))):
        reason = "is the name of another column of the tables"
        accepted = f"[variants.NAME] tables that set it, or keys in it, such as {taken[0]}.…"
        raise InputError(reason, f"grid.{taken[0]}", None, accepted)
    return {str(key): _values(f"grid.{key}", values) for key, values in grid.items()}


def _values(place: str, values: object) -> tuple[Any, ...]:
    # A text is a list of letters to Python, and a table one of keys: neither is meant.
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InputError("has no list of values", place, repr(values), "a list of values")
    if isinstance(values, set | frozenset):
        # In each process another one, and with it the order of points.
        raise InputError("has no order", place, repr(values), "a list of values")
    # One more than any study takes, of however many.
    found = tuple(itertools.islice(values, arguments.MOST_RUNS + 1))
    if not found:
        raise InputError("has no value", place, "[]", "a list of values")
    return found


def _variants(variants: object) -> dict[str, Mapping[str, Any]]:
    if not isinstance(variants, Mapping):
        raise InputError("is no table", "variants", repr(variants), "[variants.NAME] tables")
    for name, changes in variants.items():
        place = f"variants.{name}"
        if not isinstance(name, str):
            raise InputError("has a name that is no text", place, repr(name), "a name in quotes")
        arguments.plain(name, f"variants.{name!a}")
        if name.strip() != name or not name.isprintable() or not name:
            accepted = "a name on one line, with no space at its ends"
            raise InputError("is no name of a variant", "variants", repr(name), accepted)
        if not isinstance(changes, Mapping):
            raise InputError("is no table of changes", place, repr(changes), "key = value lines")
    return dict(variants)


def _keep(keep: object) -> frozenset[str]:
    many = list(keep) if isinstance(keep, list | tuple | set | frozenset) else [None]
    if not all(isinstance(item, str) for item in many):
        raise InputError("is no list of texts", "keep", repr(keep), ", ".join(KEEPABLE))
    found = frozenset(map(str, many))
    if unknown := found - set(KEEPABLE):
        raise InputError("cannot be kept", "keep", min(unknown), ", ".join(KEEPABLE))
    return found

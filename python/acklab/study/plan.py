"""What a study asks: read from TOML or made in Python, checked before anything runs."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acklab.errors import InputError
from acklab.scenario import Scenario, share

__all__ = ["KEEPABLE", "Plan"]

KEEPABLE = ("flows", "nodes", "samples")
"""What can be kept of each run besides its network-wide measures."""

_KEYS = (
    "title",
    "scenario",
    "grid",
    "variants",
    "seed",
    "runs",
    "precision",
    "max_runs",
    "measure",
    "baseline",
    "keep",
)


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
            every point; ``None``: never.
        max_runs: the cap on runs of a point under ``precision``.
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
        _check_numbers(self)
        for key, values in self.grid.items():
            if not values:
                raise InputError("has no value", f"grid.{key}", "[]", "a list of values")
        if self.baseline is not None and self.baseline not in self.variants:
            known = ", ".join(self.variants) or "a study with [variants.NAME]"
            raise InputError("is no variant", "baseline", self.baseline, known)
        if unknown := self.keep - set(KEEPABLE):
            raise InputError("cannot be kept", "keep", min(unknown), ", ".join(KEEPABLE))

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a study from a TOML file; its ``scenario`` is a table, or a file beside it.

        Raises:
            InputError: the file cannot be read or is no study.
            ScenarioError: its base scenario makes no sense.
        """
        path = Path(path)
        try:
            tree = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            reason = f"cannot be read: {error.strerror}"
            raise InputError(reason, str(path), None, "a study in TOML") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"is no TOML: {error}", str(path), None, "TOML 1.0") from error
        try:
            return cls.from_dict(tree, path.parent, path.stem)
        except InputError as error:
            if error.place and str(path) not in error.place and error.place != tree.get("scenario"):
                place = f"{path}: {error.place}"
                raise type(error)(error.message, place, error.value, error.accepted) from error
            raise

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any], folder: Path, name: str) -> Plan:
        """Make a plan from the tree of a study file that stands in ``folder``."""
        for key in tree:
            if key not in _KEYS:
                close = difflib.get_close_matches(key, _KEYS, 1)
                hint = f"{close[0]}?" if close else ", ".join(_KEYS)
                raise InputError("is no key of a study", key, None, hint)
        options: dict[str, Any] = {
            key: tree[key]
            for key in ("seed", "runs", "max_runs", "measure", "baseline")
            if key in tree
        }
        if "precision" in tree:
            options["precision"] = share(tree["precision"], "precision")
        if "keep" in tree:
            options["keep"] = frozenset(_texts(tree["keep"], "keep"))
        base = _base(tree, folder, name)
        return cls(
            title=str(tree.get("title", name)),
            base=base,
            grid={key: _values(key, value) for key, value in _flat(tree, "grid").items()},
            variants=_variants(tree),
            **options,
        )


def _check_numbers(plan: Plan) -> None:
    for place, least in (("runs", 1), ("max_runs", 1), ("seed", 0)):
        value = getattr(plan, place)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InputError("is no such number", place, str(value), f"a whole number from {least}")
    if plan.seed >= 2**64:
        raise InputError("a seed is a whole number", "seed", str(plan.seed), "0 to 2^64 - 1")
    if plan.precision is not None and plan.runs < 2:
        raise InputError("one run has no interval", "runs", str(plan.runs), "2 or more")
    if plan.precision is not None and plan.max_runs < plan.runs:
        raise InputError(
            "is below the first round", "max_runs", str(plan.max_runs), f"{plan.runs} or more"
        )


def _base(tree: Mapping[str, Any], folder: Path, name: str) -> Scenario:
    scenario = tree.get("scenario")
    if isinstance(scenario, str):
        return Scenario.load(folder / scenario)
    if isinstance(scenario, Mapping):
        return Scenario.from_dict(scenario, name)
    shown = None if scenario is None else repr(scenario)
    raise InputError(
        "a study needs its base scenario", "scenario", shown, "a file name, or a [scenario] table"
    )


def _flat(tree: Mapping[str, Any], section: str) -> dict[str, Any]:
    """Return a section with its tables as dotted keys: ``flow.window`` may go without quotes."""
    table = tree.get(section, {})
    if not isinstance(table, Mapping):
        raise InputError("is no table", section, repr(table), "keys of the scenario")
    return _flattened(table)


def _flattened(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        path = prefix + key
        # A quoted dotted key names one value, which may be a table; a bare one opens a table.
        if isinstance(value, Mapping) and "." not in key:
            flat |= _flattened(value, f"{path}.")
        else:
            flat[path] = value
    return flat


def _values(key: str, values: object) -> tuple[Any, ...]:
    if not isinstance(values, list) or not values:
        raise InputError("has no list of values", f"grid.{key}", repr(values), "a list of values")
    return tuple(values)


def _variants(tree: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    variants = tree.get("variants", {})
    if not isinstance(variants, Mapping):
        raise InputError("is no table", "variants", repr(variants), "[variants.NAME] tables")
    for name, changes in variants.items():
        if not isinstance(changes, Mapping):
            place = f"variants.{name}"
            raise InputError("is no table of changes", place, repr(changes), "key = value lines")
    return {name: _flattened(changes) for name, changes in variants.items()}


def _texts(value: object, place: str) -> Sequence[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError("is no list of texts", place, repr(value), ", ".join(KEEPABLE))
    return value

"""Scenarios: load, change, resolve, write.

A scenario is an immutable tree of plain values with units in its texts (``"2 Mbit/s"``). What a key
means, which values it takes and what it defaults to is known to the Rust core alone; this module
only carries trees to it. The one invariant: a `Scenario` that exists has passed the core's checks.
"""

from __future__ import annotations

import copy
import hashlib
import io
import json
import numbers
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from acklab import _native, arguments, toml_text
from acklab.changes import flattened, put
from acklab.errors import InputError, ScenarioError
from acklab.policy import AckPolicy, identity

__all__ = ["Resolved", "Scenario", "json_schema", "starter"]


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a scenario, generated from the core's own types."""
    schema: dict[str, Any] = json.loads(_native.json_schema())
    return schema


def starter() -> str:
    """Return a commented scenario in TOML to begin from."""
    return _native.starter()


@dataclass(frozen=True)
class Resolved:
    """A scenario with every default filled in.

    Attributes:
        text: the resolved scenario as JSON, the form in which the core takes it.
        policies: ACK policies of one's own that it names.
    """

    text: str
    policies: Mapping[str, AckPolicy] = field(default_factory=dict, compare=False)

    @cached_property
    def tree(self) -> dict[str, Any]:
        """The resolved tree, units in its values."""
        tree: dict[str, Any] = json.loads(self.text)
        return tree

    @cached_property
    def content(self) -> str:
        """The hash of what decides a run: the tree without title and sources."""
        tree = {key: value for key, value in self.tree.items() if key not in ("title", "sources")}
        text = json.dumps(tree, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    @property
    def sources(self) -> dict[str, str]:
        """Where each value comes from, key to source; ``given`` for those that were stated."""
        sources: dict[str, str] = self.tree.get("sources", {})
        return sources

    def to_toml(self) -> str:
        """Return the resolved scenario as TOML, a scenario in itself.

        Behind each value that was filled in stands a comment: where it came from. The last table
        has the same for those who read it back, to whom it is no value that was given.
        """
        filled = {key: source for key, source in self.sources.items() if source != "given"}
        return toml_text.dumps(_without_none(self.tree), filled)


class Scenario:
    """A network, its traffic and how long to watch it.

    Make one with `load`, `parse` or `from_dict`; each checks the whole scenario at once, so that a
    mistake shows before anything runs. Scenarios do not change: `with_` returns a new one.

    Example:
        >>> chain = acklab.Scenario.load("chain.toml")
        >>> static = chain.with_(routing={"protocol": "static"}, duration="60 s")
        >>> wide = chain.with_({"flow.window": 20})
    """

    def __init__(
        self,
        tree: Mapping[str, Any],
        name: str,
        text: str | None = None,
        policies: Mapping[str, AckPolicy] | None = None,
    ) -> None:
        self._policies = dict(policies or {})
        self._name = name = arguments.text(name, "name")
        # The user's own text keeps its line numbers for the core's messages.
        if text is not None:
            resolved = _native.resolve(text, name, _format(text))
        try:
            self._tree = _named(dict(tree), self._policies, "")
        except RecursionError as error:
            accepted = "tables and lists that do not hold themselves"
            raise ScenarioError("is nested too deeply", name, None, accepted) from error
        if text is None:
            resolved = _native.resolve(json.dumps(self._tree), name, "json")
        _check_profiles(self._tree, name)
        # From here on a scenario stands for what its scripts say, wherever it is written to.
        _inline_scripts(self._tree, Path(name).parent)
        named = {name: one for name, one in self._policies.items() if f'"{name}"' in resolved}
        self._resolved = Resolved(resolved, named)

    @classmethod
    def load(cls, path: str | Path) -> Scenario:
        """Read a scenario from a file, TOML or JSON.

        Raises:
            ScenarioError: the file cannot be read, or the scenario makes no sense.
        """
        path = arguments.path(path, "the path of a scenario in TOML or JSON")
        return cls.parse(text_of(path), str(path))

    @classmethod
    def parse(cls, text: str, name: str = "scenario") -> Scenario:
        """Read a scenario from text, TOML or JSON; ``name`` stands for the file in messages.

        Raises:
            ScenarioError: the text is neither, or the scenario makes no sense.
        """
        return cls(tree_of(text, name), name, text)

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any], name: str = "scenario") -> Scenario:
        """Make a scenario from a tree of dicts, lists, texts, numbers and booleans.

        Raises:
            ScenarioError: the scenario makes no sense.
        """
        if not isinstance(tree, Mapping):
            accepted = "a dict; of a file, Scenario.load; of a text, Scenario.parse"
            raise ScenarioError("is no tree of a scenario", name, repr(tree), accepted)
        return cls(tree, name)

    @property
    def name(self) -> str:
        """The file it came from, or the name it was given."""
        return self._name

    @property
    def title(self) -> str:
        """Its title, or else its file's name without ending."""
        return str(self._tree.get("title") or Path(self._name).stem)

    @property
    def flows(self) -> int:
        """How many flows it has."""
        return len(self._resolved.tree.get("flow", []))

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as given, defaults not filled in (a copy)."""
        return copy.deepcopy(self._tree)

    def to_toml(self) -> str:
        """Return the scenario as given as TOML text."""
        return toml_text.dumps(self._tree)

    def resolve(self) -> Resolved:
        """Return the scenario with all defaults filled in, and where each comes from."""
        return self._resolved

    def movement(self, seed: int = 1, run: int = 0) -> str:
        """Return how the nodes of one run move, as a movement script of ns-2 (``setdest``).

        All nodes with a place are in it, those at rest too; with random motion each seed and run
        has its own. It reads back as ``motion = {kind = "setdest", script_file = ...}``.

        Raises:
            InputError: there is no such seed (0 to 2⁶⁴ − 1) or run (0 to 2³² − 1).
        """
        for name, number, bits in (("seed", seed, 64), ("run", run, 32)):
            arguments.whole(number, name, 0, 2**bits - 1)
        return _native.movement(self._resolved.text, seed, run)

    def with_(self, changes: Mapping[str, Any] | None = None, /, **sections: Any) -> Scenario:
        """Return a new scenario with some values changed.

        Args:
            changes: dotted keys to values: ``{"flow.window": 3, "mac.data_rate": "2 Mbit/s"}``.
                ``flow.window`` changes every flow, ``flow.0.window`` only the first. A value
                replaces what stood there; ``None`` removes the key, so that its default is back.
            sections: the same by top-level key: ``duration="60 s"``, or a mapping whose keys
                replace those of that section: ``routing={"protocol": "static"}``. When the
                section's ``kind`` changes, the mapping replaces the whole section, since the
                other keys belonged to the old kind.

        A value of ``flow.ack`` may be a policy of your own: see `acklab.AckPolicy`.

        Raises:
            InputError: a key leads nowhere.
            ScenarioError: the changed scenario makes no sense.
        """
        tree = copy.deepcopy(self._tree)
        if not isinstance(changes, Mapping | None):
            raise InputError("are no changes", "changes", repr(changes), '{"flow.window": 3}')
        for key, value in (changes or {}).items():
            if not isinstance(key, str):
                raise InputError("is no dotted key", "changes", repr(key), '"flow.window"')
            put(tree, key.split("."), value, key)
        for section, value in sections.items():
            for path, item in flattened(tree, section, value):
                put(tree, path, item, ".".join(path))
        return Scenario(tree, self._name, policies=self._policies)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scenario):
            return NotImplemented
        return self._resolved.text == other._resolved.text

    def __hash__(self) -> int:
        return hash(self._resolved.text)

    def __repr__(self) -> str:
        return f"<acklab.Scenario {self.title!r}, {self.flows} flow(s)>"


def share(value: object, place: str) -> float:
    """Read a share: ``0.02``, ``"2%"`` or ``"2 %"``.

    Raises:
        InputError: it is none, or not between 0 and 1.
    """
    text = str(value)
    number, percent, rest = text.partition("%")
    try:
        found = float(number) / (100.0 if percent else 1.0)
    except ValueError:
        found = -1.0
    if rest.strip() or not 0.0 < found < 1.0:
        accepted = 'more than 0 and less than 1: a share such as "2%" or 0.02'
        raise InputError("is no precision", place, text, accepted)
    return found


def text_of(path: Path) -> str:
    """Return what a scenario's file says.

    Raises:
        ScenarioError: the file cannot be read.
    """
    try:
        written = path.read_bytes()
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        raise ScenarioError(reason, str(path), None, "a scenario in TOML") from error
    return decoded(written, str(path))


def decoded(written: bytes, name: str) -> str:
    """Return the text of a scenario that was written somewhere, with line ends of any system.

    Raises:
        ScenarioError: it is no UTF-8.
    """
    try:
        # Some editors put a mark of the byte order before the text.
        return io.TextIOWrapper(io.BytesIO(written), encoding="utf-8-sig").read()
    except UnicodeDecodeError as error:
        found, accepted = f"byte {error.start}", "a scenario in TOML"
        raise ScenarioError("is not text in UTF-8", name, found, accepted) from error


def tree_of(text: str, name: str) -> dict[str, Any]:
    """Return a scenario's tree as its text gives it, which nobody has judged so far.

    Raises:
        ScenarioError: the text is neither TOML nor JSON.
    """
    if not isinstance(text, str):
        accepted = "a text in TOML or JSON; of a file, Scenario.load"
        raise ScenarioError("is no text", name, repr(text), accepted)
    name = arguments.text(name, "name")
    arguments.plain(text, name)
    kind = _format(text)
    try:
        if kind == "toml":
            return tomllib.loads(text)
        tree = json.loads(text, object_pairs_hook=lambda pairs: _each_once(pairs, name))
    except InputError:
        raise
    except (RecursionError, ValueError) as error:
        # Besides what is wrong in the text: too deep for Python, or a number of too many digits.
        # The core reports the same fault with its line; this is the fallback where the two
        # parsers differ in what they allow.
        _native.resolve(text, name, kind)
        accepted = "TOML 1.0" if kind == "toml" else "JSON"
        raise ScenarioError(arguments.unreadable(error), name, None, accepted) from error
    return dict(_without_none(tree))


def _format(text: str) -> str:
    """Tell the two formats apart: no TOML begins with a brace, and JSON's only table does."""
    return "json" if text.lstrip()[:1] == "{" else "toml"


def _each_once(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    """Make a table of JSON, which says nothing of keys that stand twice."""
    tree = dict(pairs)
    if len(tree) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ScenarioError("a key stands twice", name, twice, "each key once")
    return tree


def _named(value: Any, policies: dict[str, AckPolicy], place: str) -> Any:
    """Put the names of policies of one's own in their places, and keep them beside."""
    if isinstance(value, AckPolicy):
        # What is wrong with it is said before it is copied; a copy may be drawn otherwise.
        identity(value)
        copied = arguments.copied(value, place)
        name = identity(copied)
        policies[name] = copied
        return {"policy": "own", "name": name}
    if isinstance(value, Mapping):
        dot = "." if place else ""
        for key in value:
            arguments.text(key, f"a key of {place or 'the scenario'}")
        return {k: _named(item, policies, f"{place}{dot}{k}") for k, item in value.items()}
    if isinstance(value, list | tuple):
        return [_named(item, policies, f"{place}[{n}]") for n, item in enumerate(value)]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str | int | float):
        return arguments.plain(value, place)
    if isinstance(value, numbers.Integral):
        # A whole number of numpy, say.
        return int(value)
    if isinstance(value, type) and issubclass(value, AckPolicy):
        accepted = f"an object of it: {value.__name__}(…)"
        raise InputError("is a class of policies, no policy", place, value.__name__, accepted)
    accepted = "a text, a number, true or false, a list, a table, or an acklab.AckPolicy"
    raise InputError("is no value of a scenario", place, repr(value), accepted)


def _check_profiles(tree: Mapping[str, Any], name: str) -> None:
    """Refuse a resolved scenario whose profile was changed: its values are the other one's.

    They all stand there, so that the new profile would fill in nothing and only lend its name.
    """
    sources = tree.get("sources") or {}
    for key, source in sources.items():
        if not source.startswith("profile "):
            continue
        filled = source.removeprefix("profile ").partition(":")[0]
        section, _, _ = key.partition(".")
        named = {f"{section}.profile": _section(tree, section).get("profile")}
        if sources.get(f"{section}.profile") != "given":
            named["profile"] = tree.get("profile")
        for where, profile in named.items():
            if profile not in (None, filled, f"{filled}-2.35"):
                accepted = f'"{filled}"; for another profile the scenario that it was resolved from'
                message = f"{key} and others stand here as profile {filled} filled them in"
                raise ScenarioError(message, f"{name}: {where}", str(profile), accepted)


def _section(tree: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    """Return the table that ``mac`` or ``flow[2]`` names; an empty one where it is gone."""
    head, _, place = section.rstrip("]").partition("[")
    found = tree.get(head) or {}
    if place:
        found = dict(enumerate(found)).get(int(place), {})
    return found if isinstance(found, Mapping) else {}


def _inline_scripts(tree: Mapping[str, Any], folder: Path) -> None:
    """Put the texts of movement scripts in the place of their files' names."""
    cells = tree.get("cells") or {}
    for entry in [*(tree.get("moving") or []), *(cells.get("mobile") or [])]:
        motion = entry["motion"]
        if (file := motion.pop("script_file", None)) is not None:
            script = folder / file
            motion["script"] = script.read_text(encoding="utf-8-sig")


def _without_none(value: Any) -> Any:
    """Drop absent values: JSON's null has no form in TOML, where absence says the same."""
    if isinstance(value, Mapping):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_none(item) for item in value]
    return value

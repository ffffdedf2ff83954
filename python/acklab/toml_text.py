"""Writes a tree as TOML text; reading is the standard library's `tomllib`.

Only what a scenario holds: tables, lists of tables, lists, texts, numbers and booleans. The
invariant: ``tomllib.loads(dumps(tree)) == tree``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")
_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
}


def dumps(tree: Mapping[str, Any], notes: Mapping[str, str] | None = None) -> str:
    """Return the tree as TOML: plain keys first, then tables, then lists of tables.

    Args:
        tree: what to write.
        notes: comments for single values, by key path (``flow[0].rto.min``).
    """
    notes = notes or {}
    noted = {path[:end] for path in notes for end, char in enumerate(path) if char == "."}
    return "\n".join(_table(tree, "", "", notes, noted)).lstrip("\n") + "\n"


def _table(
    table: Mapping[str, Any],
    heading: str,
    path: str,
    notes: Mapping[str, str],
    noted: Set[str],
) -> Iterator[str]:
    """Yield the lines of a table: `heading` as TOML names it, `path` as notes do.

    One level of headings, and deeper ones for tables that hold notes (`noted`); what else lies
    deeper reads better on one line.
    """
    sections = []
    for key, value in table.items():
        place = f"{path}.{key}" if path else key
        if _is_section(value) and (not path or _holds_notes(value, place, noted)):
            sections.append((key, value, place))
        else:
            note = f"  # {_comment(notes[place])}" if place in notes else ""
            yield f"{_key(key)} = {inline(value)}{note}"
    for key, value, place in sections:
        inner = f"{heading}.{_key(key)}" if heading else _key(key)
        if isinstance(value, Mapping):
            yield f"\n[{inner}]"
            yield from _table(value, inner, place, notes, noted)
        else:
            for index, element in enumerate(value):
                yield f"\n[[{inner}]]"
                yield from _table(element, inner, f"{place}[{index}]", notes, noted)


def _is_section(value: Any) -> bool:
    return isinstance(value, Mapping) or _is_list_of_tables(value)


def _holds_notes(value: Any, place: str, noted: Set[str]) -> bool:
    if isinstance(value, Mapping):
        return place in noted
    return any(f"{place}[{index}]" in noted for index in range(len(value)))


def _comment(text: str) -> str:
    return " ".join(text.split())


def inline(value: Any) -> str:
    """Return one value as TOML on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return repr(value)
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {inline(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(inline(item) for item in value) + "]"
    raise TypeError(f"TOML has no form for a {type(value).__name__}: {value!r}")


def _is_list_of_tables(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(element, Mapping) for element in value)
    )


def _key(key: str) -> str:
    return key if _BARE_KEY.match(key) else _text(key)


def _text(text: str) -> str:
    escaped = "".join(
        _ESCAPES.get(char)
        or (f"\\u{ord(char):04x}" if ord(char) < 32 or ord(char) == 127 else char)
        for char in text
    )
    return f'"{escaped}"'

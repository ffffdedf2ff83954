"""Writes a tree as TOML text; reading is the standard library's `tomllib`.

Only what a scenario holds: tables, lists of tables, lists, texts, numbers and booleans. The
invariant: ``tomllib.loads(dumps(tree)) == tree``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
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


def dumps(tree: Mapping[str, Any]) -> str:
    """Return the tree as TOML: plain keys first, then tables, then lists of tables."""
    return "\n".join(_table(tree, ())).lstrip("\n") + "\n"


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    sections = []
    for key, value in table.items():
        # One level of headings; what lies deeper reads better on one line.
        if not path and (isinstance(value, Mapping) or _is_list_of_tables(value)):
            sections.append((key, value))
        else:
            yield f"{_key(key)} = {inline(value)}"
    for key, value in sections:
        heading = ".".join(_key(part) for part in (*path, key))
        if isinstance(value, Mapping):
            yield f"\n[{heading}]"
            yield from _table(value, (*path, key))
        else:
            for element in value:
                yield f"\n[[{heading}]]"
                yield from _table(element, (*path, key))


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

"""Changes of a scenario's tree by dotted keys, before anybody judges it.

``flow.window`` leads to every flow, ``flow.0.window`` to the first. What a key means and takes is
known to the core alone; here a key may only lead nowhere.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from acklab import arguments
from acklab.errors import InputError

__all__ = ["apart", "flattened", "parse_change", "put"]


def parse_change(text: str) -> tuple[str, Any]:
    """Read one ``key=value`` as the command line's ``--set`` takes it.

    The value is TOML where it is TOML (``8``, ``true``, ``[2, 5, 9]``, ``{ policy = "every" }``),
    ``default`` removes the key, and anything else is a text: ``duration=60 s`` needs no quotes.

    Raises:
        InputError: there is no ``=`` or no key.
    """
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or not key:
        raise InputError("is no change", "--set", text, "key=value, such as flow.window=8")
    value = value.strip()
    if value == "default":
        return key, None
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except RecursionError as error:
        raise InputError("is nested too deeply", f"--set {key}", None, "a value in TOML") from error
    except (ValueError, KeyError):
        # No TOML; or of more digits than Python reads, which the core will say of the text.
        return key, value


def flattened(tree: Mapping[str, Any], section: str, value: Any) -> Iterator[tuple[list[str], Any]]:
    """Yield the paths that a new value of a section sets: its keys, or the section as a whole."""
    old = tree.get(section)
    if not isinstance(value, Mapping) or not isinstance(old, Mapping | list):
        yield [section], value
        return
    if isinstance(old, Mapping) and value.get("kind", old.get("kind")) != old.get("kind"):
        yield [section], value
        return
    for key, item in value.items():
        yield [section, key], item


def put(node: Any, path: Sequence[str], value: Any, whole: str) -> None:
    """Set ``value`` at ``path`` below ``node``; a list without an index means each element."""
    head, rest = path[0], path[1:]
    if isinstance(node, list):
        if not head.isdecimal():
            for element in node:
                put(element, path, value, whole)
            return
        if int(head) >= len(node):
            raise InputError("no such element", whole, head, f"0 to {len(node) - 1}")
        if not rest and value is None:
            del node[int(head)]
        elif not rest:
            node[int(head)] = apart(value, whole)
        else:
            put(node[int(head)], rest, value, whole)
        return
    if not isinstance(node, dict) or not head:
        raise InputError("leads nowhere: there is no table on the way", whole)
    if not rest:
        if value is None:
            node.pop(head, None)
        else:
            node[head] = apart(value, whole)
        if head == "script_file":
            # The script of a file that was named before stands there by now.
            node.pop("script", None)
        return
    below = node.get(head)
    # `ack = "every"` gives way to a table as soon as one of a table's keys is set.
    if not isinstance(below, dict | list):
        if value is None:
            return
        below = node[head] = {}
    put(below, rest, value, whole)


def apart(value: Any, place: str) -> Any:
    """Copy a value part by part, so that a policy in it whose copy is none is seen.

    Raises:
        InputError: something in it cannot be copied, or a table or a list holds itself.
    """
    try:
        return _apart(value, place)
    except RecursionError as error:
        accepted = "tables and lists that do not hold themselves"
        raise InputError("is nested too deeply", place, None, accepted) from error


def _apart(value: Any, place: str) -> Any:
    if isinstance(value, Mapping):
        return {key: _apart(item, place) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_apart(item, place) for item in value]
    return arguments.copied(value, place)

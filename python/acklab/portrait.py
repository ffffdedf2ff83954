"""What an object of Python does, as a value that two objects share only if they do the same.

Studies know a policy of one's own by it. It is made of compiled code (with constants, defaults
and what closures hold), of class attributes and of state; not of source text, which a class of a
closure or an interpreter does not have for itself. Of other modules only names are seen.

Invariant: the portrait of an object is the same in every process of one version of Python.
"""

from __future__ import annotations

import functools
import pickle
import types
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["Portraitist"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes)


class Portraitist:
    """Draws objects whose own classes and functions stand in these modules.

    Args:
        modules: names of modules that are looked into; the rest is known by name.
        known: what is known for its own sake and not looked into, such as a common base.
        opaque: what to say of state that nobody can look into; may raise.
    """

    def __init__(
        self, modules: frozenset[str], known: frozenset[type], opaque: Callable[[Any], str]
    ) -> None:
        self._modules = modules
        self._known = known
        self._opaque = opaque
        self._seen: dict[int, int] = {}
        self._held: list[object] = []

    def of(self, value: object) -> Any:
        """Return lists and texts that describe the value."""
        if type(value) in _PLAIN:
            return [type(value).__name__, repr(value)]
        # What is constant may be one object or several, as the compiler likes: it is never "again".
        if isinstance(value, tuple):
            return ["tuple", *map(self.of, value)]
        if isinstance(value, set | frozenset):
            return ["set", *sorted(repr(self._anew(item)) for item in value)]
        if isinstance(value, types.CodeType):
            return self._code(value)
        if id(value) in self._seen:
            return ["again", self._seen[id(value)]]
        self._seen[id(value)] = len(self._seen)
        self._held.append(value)
        if isinstance(value, list):
            return ["list", *map(self.of, value)]
        if isinstance(value, dict):
            return ["dict", *([self.of(key), self.of(item)] for key, item in value.items())]
        return self._of_code(value) or self._of_object(value)

    def _anew(self, value: object) -> Any:
        """Describe what has no place in an order."""
        return Portraitist(self._modules, self._known, self._opaque).of(value)

    def _code(self, code: types.CodeType) -> list[Any]:
        names = [code.co_names, code.co_varnames, code.co_freevars, code.co_flags]
        jumps = getattr(code, "co_exceptiontable", b"")
        return ["code", code.co_code.hex(), jumps.hex(), repr(names), *map(self.of, code.co_consts)]

    def _of_code(self, value: object) -> list[Any] | None:
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, staticmethod | classmethod):
            return [type(value).__name__, self.of(value.__func__)]
        if isinstance(value, property):
            return ["property", *map(self.of, (value.fget, value.fset, value.fdel))]
        if isinstance(value, functools.partial):
            return ["partial", *map(self.of, (value.func, value.args, value.keywords))]
        if isinstance(value, types.MethodType):
            return ["method", self.of(value.__self__), self.of(value.__func__)]
        if isinstance(value, types.ModuleType):
            return ["module", value.__name__]
        if isinstance(value, types.BuiltinFunctionType) and not isinstance(value.__self__, _PLAIN):
            return ["builtin", str(value.__module__), value.__qualname__]
        return None

    def _function(self, value: types.FunctionType) -> list[Any]:
        # What is executed without a module has none.
        if value.__module__ is not None and value.__module__ not in self._modules:
            return ["function", value.__module__, value.__qualname__]
        held = [self._cell(cell) for cell in value.__closure__ or ()]
        # What is around is no state: if nobody can look into it, its kind will do.
        outside = Portraitist(self._modules, self._known, _kind)
        outside._seen, outside._held = self._seen, self._held
        around = [[name, outside.of(value.__globals__[name])] for name in _globals_of(value)]
        defaults = [self.of(value.__defaults__), self.of(value.__kwdefaults__)]
        return ["function", self.of(value.__code__), defaults, held, around]

    def _cell(self, cell: types.CellType) -> Any:
        try:
            return self.of(cell.cell_contents)
        except ValueError:
            return "empty"

    def _class(self, value: type) -> list[Any]:
        if value in self._known or value.__module__ not in self._modules:
            return ["class", value.__module__, value.__qualname__]
        bases = [self.of(base) for base in value.__bases__]
        own = sorted((name, item) for name, item in vars(value).items() if _counts(name, item))
        return ["class", value.__name__, bases, *([name, self.of(item)] for name, item in own)]

    def _of_object(self, value: object) -> list[Any]:
        kind = type(value)
        if kind.__module__ in self._modules:
            state = sorted(_state(value).items())
            return ["object", self.of(kind), *([name, self.of(item)] for name, item in state)]
        try:
            return ["object", kind.__qualname__, pickle.dumps(value, protocol=4).hex()]
        except Exception:
            return ["opaque", kind.__qualname__, self._opaque(value)]


def _kind(value: object) -> str:
    return type(value).__qualname__


def _counts(name: str, item: object) -> bool:
    dunder = name.startswith("__") and name.endswith("__")
    made = isinstance(item, types.MemberDescriptorType | types.GetSetDescriptorType)
    made = made or name == "_abc_impl"
    return not made and (not dunder or isinstance(item, types.FunctionType))


def _state(value: object) -> dict[str, Any]:
    slots = (name for kind in type(value).__mro__ for name in _slots_of(kind))
    found = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return found | getattr(value, "__dict__", {})


def _slots_of(kind: type) -> Iterator[str]:
    for name, item in vars(kind).items():
        if isinstance(item, types.MemberDescriptorType):
            yield name


def _globals_of(function: types.FunctionType) -> list[str]:
    """Names of its module that a function, or one inside of it, may look up."""
    names: set[str] = set()
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]
    return sorted(name for name in names if name in function.__globals__)

"""What an object of Python does, as a value that two objects share only if they do the same.

Studies know a policy of one's own by it. It is made of compiled code (with constants, defaults
and what closures hold), of class attributes and of state; not of source text, which a class of a
closure or an interpreter does not have for itself. Of other modules only names are seen, where
these lead to what is meant (not to lambdas, nor to what a function makes); an object of theirs is
what its own class would have pickled or copied.

Invariant: the portrait of an object is the same in every process of one version of Python.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["Portraitist", "state_of"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
# Classes made of these have code of their own, and are objects like others.
_CONTAINERS = (tuple, list, dict, types.MappingProxyType, set, frozenset)
_PROTOCOL = 4
# How a name of a module is looked up; attributes are not.
_LOOKS_UP = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_MADE_BY_PYTHON = {
    *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__slots__", "__hash__"),
    *("__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__"),
    *("__firstlineno__", "__static_attributes__", "__orig_bases__", "__parameters__"),
    *("__type_params__", "__abstractmethods__", "__match_args__", "__dataclass_fields__"),
    # A copy of an object leaves this one at its class.
    "__slotnames__",
}


class Portraitist:
    """Draws objects whose own classes and functions stand in these modules.

    Args:
        modules: names of modules that are looked into; the rest is known by name, if it has one.
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
        container = type(value) in _CONTAINERS
        # What is constant may be one object or several, as the compiler likes: it is never "again".
        if container and isinstance(value, tuple):
            return ["tuple", *map(self.of, value)]
        if container and isinstance(value, set | frozenset):
            return self._set(value)
        if isinstance(value, types.CodeType):
            return self._code(value)
        if id(value) in self._seen:
            return ["again", self._seen[id(value)]]
        self._seen[id(value)] = len(self._seen)
        self._held.append(value)
        if container and isinstance(value, list):
            return ["list", *map(self.of, value)]
        if container and isinstance(value, dict | types.MappingProxyType):
            return ["dict", *([self.of(key), self.of(item)] for key, item in value.items())]
        return self._of_code(value) or self._of_object(value)

    def _set(self, value: Iterable[object]) -> list[Any]:
        # The order of a set is that of hashes, which differ from process to process.
        return ["set", *sorted(repr(self._anew(item)) for item in value)]

    def _anew(self, value: object) -> Any:
        """Describe what has no place in an order: what is seen in it is forgotten again."""
        before = len(self._held)
        drawn = self.of(value)
        while len(self._held) > before:
            del self._seen[id(self._held.pop())]
        return drawn

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
        if isinstance(value, functools.cached_property):
            # Some versions of Python keep a lock in it.
            return ["cached_property", self.of(value.func)]
        if isinstance(value, functools.partial):
            return ["partial", *map(self.of, (value.func, value.args, value.keywords))]
        if isinstance(value, types.MethodType):
            return ["method", self.of(value.__self__), self.of(value.__func__)]
        if isinstance(value, types.ModuleType):
            return ["module", value.__name__]
        if isinstance(value, types.BuiltinFunctionType) and _of_module(value):
            return ["builtin", str(value.__module__), value.__qualname__]
        return None

    def _function(self, value: types.FunctionType) -> list[Any]:
        # What is executed without a module has none.
        elsewhere = value.__module__ is not None and value.__module__ not in self._modules
        if elsewhere and _has_a_name(value):
            return ["function", value.__module__, value.__qualname__, *self._wrapped(value)]
        held = [self._cell(cell) for cell in value.__closure__ or ()]
        defaults = [self.of(value.__defaults__), self.of(value.__kwdefaults__)]
        # What another module has around its functions is its own matter.
        around = [] if elsewhere else self._around(value)
        drawn = ["function", self.of(value.__code__), defaults, held, around]
        return [*drawn, *self._wrapped(value)]

    def _around(self, value: types.FunctionType) -> list[list[Any]]:
        # It is no state: if nobody can look into it, its kind will do.
        outside = Portraitist(self._modules, self._known, _kind)
        outside._seen, outside._held = self._seen, self._held
        around = [[name, outside.of(value.__globals__[name])] for name in _globals_of(value)]
        return around + [[name, outside.of(item)] for name, item in _attributes(value)]

    def _wrapped(self, value: object) -> list[Any]:
        """Describe the function behind what a decorator such as `functools.cache` made of it."""
        around = getattr(value, "__dict__", {})
        return [self.of(around["__wrapped__"])] if "__wrapped__" in around else []

    def _cell(self, cell: types.CellType) -> Any:
        try:
            held = cell.cell_contents
        except ValueError:
            return "empty"
        return self.of(held)

    def _class(self, value: type) -> list[Any]:
        if value in self._known or not self._is_own(value):
            return ["class", value.__module__, value.__qualname__]
        bases = [self.of(base) for base in value.__bases__]
        own = sorted((name, item) for name, item in vars(value).items() if _counts(name, item))
        return ["class", value.__name__, bases, *([name, self.of(item)] for name, item in own)]

    def _of_object(self, value: object) -> list[Any]:
        kind = type(value)
        drawn = ["object", self.of(kind)]
        if kind.__module__ not in self._modules and _has_a_name(kind):
            return [*drawn, self._parts(value), *self._wrapped(value)]
        drawn += [[name, self.of(item)] for name, item in sorted(state_of(value).items())]
        # What a base of elsewhere holds may be no attribute, as the items of a list are none.
        return drawn if all(map(self._is_own, kind.__mro__)) else [*drawn, self._parts(value)]

    def _is_own(self, kind: type) -> bool:
        own = kind.__module__ in self._modules or not _has_a_name(kind)
        return kind is object or kind in self._known or (own and not _in_c(kind))

    def _parts(self, value: object) -> Any:
        """Describe what pickling would be told; what it would write has sets in their order."""
        if isinstance(value, set | frozenset):
            return self._set(value)
        try:
            parts = _reduced(value)
        except Exception:
            return ["opaque", self._opaque(value)]
        return parts if isinstance(parts, str) else self.of(parts)


def _kind(value: object) -> str:
    return type(value).__qualname__


def _has_a_name(value: types.FunctionType | type) -> bool:
    """Whether its module has it under the name by which it calls itself.

    All lambdas of a module call themselves alike, and so does what a function makes each time.
    What Python's own library makes for itself, such as the parts of a `functools.singledispatch`,
    is known by its name all the same.
    """
    if value.__module__.partition(".")[0] in sys.stdlib_module_names:
        return True
    if isinstance(value, type):
        # Not all classes of C stand in their modules.
        return "<locals>" not in value.__qualname__
    found: object = sys.modules.get(value.__module__)
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


def _of_module(function: types.BuiltinFunctionType) -> bool:
    """Tell a function from the method of an object, which may have state."""
    return isinstance(function.__self__, types.ModuleType | None)


def _attributes(function: types.FunctionType) -> list[tuple[str, Any]]:
    """What was put on a function, such as the `registry` of `functools.singledispatch`."""
    return sorted((name, item) for name, item in vars(function).items() if name[:1] != "_")


def _reduced(value: object) -> str | tuple[Any, ...]:
    """Return a name, or what makes an object again: a function, arguments, state, items.

    A name must be that of the object, not only what it calls itself: `numpy.frompyfunc` calls all
    that it makes of a lambda alike.
    """
    reduce = copyreg.dispatch_table.get(type(value))
    parts = reduce(value) if reduce else value.__reduce_ex__(_PROTOCOL)
    if isinstance(parts, str):
        # The function behind what `functools.cache` made is looked into by itself.
        if not hasattr(value, "__wrapped__") and not _is_in_a_module(value, parts):
            raise LookupError(parts)
        return parts
    # The fourth and fifth are iterators: over items, and over pairs of keys and values.
    return (*parts[:3], *(part and list(part) for part in parts[3:5]), *parts[5:])


def _is_in_a_module(value: object, name: str) -> bool:
    """Whether some module has the value under this name; not all objects say which."""
    first, *rest = name.split(".")
    for module in list(sys.modules.values()):
        found = getattr(module, "__dict__", {}).get(first)
        for part in rest:
            found = getattr(found, part, None)
        if found is value:
            return True
    return False


def _in_c(kind: type) -> bool:
    """Whether a class is not written in Python, so that its objects may hold what nobody sees."""
    methods = types.MethodDescriptorType | types.WrapperDescriptorType
    # Which a class in Python may borrow, as in `__repr__ = object.__repr__`.
    made = (item for item in vars(kind).values() if isinstance(item, methods))
    return any(item.__objclass__ is kind for item in made)


def _counts(name: str, item: object) -> bool:
    dunder = name.startswith("__") and name.endswith("__")
    made = isinstance(item, types.MemberDescriptorType | types.GetSetDescriptorType)
    made = made or name in ("_abc_impl", "_value2member_map_")
    if made or not dunder:
        return not made
    if isinstance(item, types.FunctionType | property) or hasattr(item, "__wrapped__"):
        return True
    # What Python and its dataclasses write there says nothing more, and may hold anything.
    return name not in _MADE_BY_PYTHON and type(item) in (*_PLAIN, *_CONTAINERS)


def state_of(value: object) -> dict[str, Any]:
    """Return the attributes that an object has for itself, those in slots too."""
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
        names.update(step.argval for step in dis.get_instructions(code) if step.opname in _LOOKS_UP)
        codes += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]
    return sorted(name for name in names if name in function.__globals__)

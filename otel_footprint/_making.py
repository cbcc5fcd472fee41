"""Frozen values, made at less cost."""

from __future__ import annotations

import sysconfig
from dataclasses import MISSING, Field, fields
from functools import wraps
from typing import Any, Final, TypeVar

_T = TypeVar("_T")

_STOPS_THE_WORLD: Final = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
"""Python without its lock halts every thread while the class of an object changes."""


class _Unset:
    """Stands for a value that was not given, where the default has to be made anew."""

    __slots__ = ()


_UNSET: Final = _Unset()


def made_quickly(cls: type[_T]) -> type[_T]:
    """Give a frozen, slotted, keyword-only dataclass a constructor that stores its fields as a plain one does.

    The constructor of a frozen dataclass makes a call for each field, and a turn has a thousand of them. This one
    makes the new object an open one, of a class that is not frozen, stores the fields, and freezes it. Worth it from
    four fields on.

    Raises:
        TypeError: the dataclass does more in its constructor than store its fields.
    """
    if hasattr(cls, "__post_init__") or not all(field.init for field in _fields(cls)):
        raise TypeError(f"{cls.__name__} does more in its constructor than store its fields")
    if _STOPS_THE_WORLD:
        return cls
    plain = {"__slots__": (), "__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    given: dict[str, Any] = {"_frozen": cls, "_open": type(f"_Open{cls.__name__}", (cls,), plain)}
    given |= {"_set": object.__setattr__, "_unset": _UNSET}
    arguments, lines = [], ['_set(self, "__class__", _open)']
    for field in _fields(cls):
        name = field.name
        default, value = "", name
        if field.default_factory is not MISSING:
            given[f"_make_{name}"] = field.default_factory
            default, value = " = _unset", f"_make_{name}() if {name} is _unset else {name}"
        elif field.default is not MISSING:
            given[f"_default_{name}"] = field.default
            default = f" = _default_{name}"
        arguments.append(f"{name}{default}")
        lines.append(f"self.{name} = {value}")
    lines.append("self.__class__ = _frozen")
    text = f"def __init__(self, *, {', '.join(arguments)}):\n  " + "\n  ".join(lines)
    exec(text, given)  # noqa: S102 - made of the names of our own fields, as the dataclass's own constructor is
    cls.__init__ = wraps(cls.__init__)(given["__init__"])  # type: ignore[method-assign]
    return cls


def _fields(cls: Any) -> tuple[Field[Any], ...]:
    return fields(cls)

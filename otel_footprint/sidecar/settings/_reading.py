"""From a YAML document to values, by the types of the dataclasses, with the line of everything."""

from __future__ import annotations

import collections.abc
import difflib
import os
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import yaml

from otel_footprint.config import Config
from otel_footprint.sidecar.settings._problems import Problem
from otel_footprint.sidecar.settings._values import (
    Endpoint,
    Secret,
    choice,
    parse_boolean,
    parse_bytes,
    parse_seconds,
    parse_whole,
)

_REFERENCE: Final = re.compile(r"\$\$|\$\{(env|file):([^}]*)\}|\$\{")
_CREDENTIAL: Final = re.compile(r"auth|cookie|key|token|secret|password|credential", re.IGNORECASE)
"""What tells a header's name from that of one that may stand in the file."""

BAD: Final = object()
"""Stands for a value that could not be read; the problem is noted."""


class Reader:
    """Reads one document and collects what is wrong with it.

    Args:
        source: the file's path, as problems name it.
        environ: where ``${env:NAME}`` is looked up.
    """

    def __init__(self, source: str, environ: Mapping[str, str]) -> None:
        self.problems: list[Problem] = []
        self.lines: dict[str, int] = {}
        """The line of each key that the file has."""
        self._source = source
        self._environ = environ

    def note(self, key: str, message: str, fix: str, *, severity: Literal["error", "warning"] = "error") -> None:
        """Add a problem at a key, or where the nearest key above it stands."""
        place = key
        while place and place not in self.lines:
            place = re.sub(r"(\[\d+\]|\.?[^.\[\]]+)$", "", place)
        self.problems.append(
            Problem(
                source=self._source,
                line=self.lines.get(place, 1),
                key=key,
                message=message,
                fix=fix,
                severity=severity,
            )
        )

    def read(self, node: yaml.Node | None, of: type[Any]) -> Any:
        """The whole document as a value of this dataclass, or :data:`BAD`."""
        if node is None:
            return of()
        self.lines[""] = node.start_mark.line + 1
        return self._table(node, of, "")

    def _value(self, node: yaml.Node, kind: Any, key: str) -> Any:
        self.lines[key] = node.start_mark.line + 1
        origin = get_origin(kind)
        if origin in {Union, types.UnionType}:
            if _is_null(node):
                return None
            (inner,) = (part for part in get_args(kind) if part is not type(None))
            return self._value(node, inner, key)
        if is_table(kind):
            return self._config(node, key) if kind is Config else self._table(node, kind, key)
        if origin is tuple:
            return self._list(node, get_args(kind)[0], key)
        if origin is collections.abc.Mapping:
            return self._mapping(node, get_args(kind)[1], key)
        return self._scalar(node, kind, key)

    def _table(self, node: yaml.Node, kind: Any, key: str) -> Any:
        pairs = self._pairs(node, key)
        if pairs is None:
            return BAD
        types_ = get_type_hints(kind, include_extras=True)
        known: dict[str, Field[Any]] = {field.name: field for field in fields(kind)}
        values: dict[str, Any] = {}
        for name, value in pairs.items():
            path = _join(key, name)
            if name not in known:
                self.note(path, "there is no such key", nearest(name, known))
            else:
                values[name] = self._value(value, types_[name], path)
        for name, field in known.items():
            if name not in pairs and field.default is MISSING and field.default_factory is MISSING:
                self.note(key, f"{name} is missing", f"give {_join(key, name)}")
                return BAD
        return BAD if any(value is BAD for value in values.values()) else kind(**values)

    def _pairs(self, node: yaml.Node, key: str) -> dict[str, yaml.Node] | None:
        if _is_null(node):
            return {}
        if not isinstance(node, yaml.MappingNode):
            self.note(key, "this is no table", "give keys with values, each on a line of its own")
            return None
        pairs: dict[str, yaml.Node] = {}
        for name, value in node.value:
            path = _join(key, str(name.value))
            again = path in self.lines and str(name.value) in pairs
            self.lines[path] = name.start_mark.line + 1
            if again:
                self.note(path, "this key stands here twice", "keep one of the two")
            pairs[str(name.value)] = value
        return pairs

    def _list(self, node: yaml.Node, kind: Any, key: str) -> Any:
        if isinstance(node, yaml.ScalarNode) and not _is_null(node) and not is_table(kind):
            # one of them needs no list
            value = self._value(node, kind, key)
            return BAD if value is BAD else (value,)
        if not isinstance(node, yaml.SequenceNode):
            self.note(key, "this is no list", "give a list, each part behind a dash on a line of its own")
            return BAD
        values = [self._value(part, kind, f"{key}[{at}]") for at, part in enumerate(node.value)]
        return BAD if any(value is BAD for value in values) else tuple(values)

    def _mapping(self, node: yaml.Node, kind: Any, key: str) -> Any:
        pairs = self._pairs(node, key)
        if pairs is None:
            return BAD
        values = {name: self._value(value, kind, _join(key, name)) for name, value in pairs.items()}
        return BAD if any(value is BAD for value in values.values()) else types.MappingProxyType(values)

    def _scalar(self, node: yaml.Node, kind: Any, key: str) -> Any:
        if not isinstance(node, yaml.ScalarNode) or _is_null(node):
            self.note(key, "this is no single value", "give one value")
            return BAD
        text, referred = self._resolved(node.value, key)
        if text is BAD:
            return BAD
        if kind is Secret or get_args(kind)[:1] == (Secret,):
            literal = not referred and (kind is Secret or _CREDENTIAL.search(key.rpartition(".")[2]))
            if literal:
                self.note(key, "a secret stands in the file", "write ${env:NAME} or ${file:PATH} instead")
            elif kind is Secret and not text.strip():
                # one that everybody has
                self.note(key, "what it stands for is empty", "put the secret where the reference points to")
            else:
                return Secret(text)
            return BAD
        try:
            return _parser(kind)(text)
        except ValueError as error:
            # what stands in the file, and never what a reference stands for
            self.note(key, f"it is {node.value!r}", str(error))
            return BAD

    def _resolved(self, raw: str, key: str) -> tuple[Any, bool]:
        """The text with its references looked up, and whether any of it came from outside the file."""
        parts: list[str] = []
        end = 0
        referred = False
        for found in _REFERENCE.finditer(raw):
            parts.append(raw[end : found.start()])
            end = found.end()
            if found[0] == "$$":
                parts.append("$")
                continue
            name, has_default, default = (found[2] or "").partition(":-")
            if found[1] == "env" and has_default and not self._environ.get(name):
                parts.append(default)
                continue
            value = self._reference(found[1], name, key)
            if value is None:
                return BAD, True
            parts.append(value)
            referred = True
        return "".join([*parts, raw[end:]]), referred

    def _reference(self, kind: str | None, name: str, key: str) -> str | None:
        if kind == "env":
            if not self._environ.get(name):
                self.note(key, f"the variable {name} is not set", f"set {name} where the sidecar is started")
                return None
            return self._environ[name]
        if kind == "file":
            try:
                return Path(name).read_text(encoding="utf-8").strip("\r\n")
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
                self.note(key, f"{name} cannot be read ({reason})", "name a file that the sidecar may read")
                return None
        self.note(key, "a reference is neither ${env:NAME} nor ${file:PATH}", "write one of them, or $$ for a dollar")
        return None

    def _config(self, node: yaml.Node, key: str) -> Any:
        """The keys of the TOML file; each is read alone first, so that its error has its line."""
        pairs = self._pairs(node, key)
        if pairs is None:
            return BAD
        before = len(self.problems)
        values: dict[str, Any] = {}
        for name, value in pairs.items():
            path = _join(key, name)
            if name == "hold_seconds":
                self.note(path, "the sidecar's own key says this", "give hold.seconds instead")
                continue
            try:
                values[name] = yaml.SafeLoader("").construct_object(value, deep=True)
                self._no_key_twice(value, path)
            except yaml.MarkedYAMLError as error:
                self.note(path, f"this is no plain value ({error.problem})", "give texts, numbers, lists and tables")
                continue
            except ValueError as error:
                self.note(path, f"this cannot be read ({error})", "put a text in quotes")
                continue
            try:
                Config.from_table({name: values[name]}, source=self._source, environ={})
            except ValueError as error:
                message, _, fix = str(error).removeprefix(f"{self._source}: ").rpartition(": ")
                self.note(path, message, fix)
        return BAD if len(self.problems) > before else self.config(values)

    def _no_key_twice(self, node: yaml.Node, key: str) -> None:
        if isinstance(node, yaml.MappingNode):
            for name, value in (self._pairs(node, key) or {}).items():
                self._no_key_twice(value, _join(key, name))

    def config(self, values: Mapping[str, Any]) -> Any:
        """How turns are explained, from what the file says and from the variables."""
        try:
            return Config.from_table(values, source=self._source, environ=self._environ)
        except ValueError as error:
            message, _, fix = str(error).rpartition(": ")
            self.problems.append(Problem(source="environment", line=None, key="", message=message, fix=fix))
            return BAD


def nearest(name: str, known: Mapping[str, Any]) -> str:
    """What to write instead of a name that nobody knows."""
    meant = difflib.get_close_matches(name, known, n=1)
    return f"it looks like {meant[0]}" if meant else f"the keys here are {', '.join(known)}"


def is_table(kind: Any) -> bool:
    """Whether a setting of this type has keys of its own."""
    return is_dataclass(kind) and kind is not Endpoint


def _join(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError("give a text that is not blank")
    return text


def _path(text: str) -> Path:
    return Path(os.path.expanduser(_text(text)))  # noqa: PTH111 - "~" of nobody is no error here


def _parser(kind: Any) -> Callable[[str], Any]:
    if get_origin(kind) is Literal:
        return choice(get_args(kind))
    if get_origin(kind) is Annotated:
        return {"bytes": parse_bytes, "seconds": parse_seconds}[kind.__metadata__[0]]
    parsers: dict[Any, Callable[[str], Any]] = {
        str: _text,
        int: parse_whole,
        bool: parse_boolean,
        Path: _path,
        Endpoint: Endpoint.parse,
    }
    return parsers[kind]

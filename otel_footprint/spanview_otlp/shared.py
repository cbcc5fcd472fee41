"""What the views over OTLP JSON and OTLP protobuf share."""

from __future__ import annotations

import base64
import binascii
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from otel_footprint.spanview import MAX_DEPTH, TOO_DEEP, EventView, LinkView, StatusName

TRACE_ID_BYTES: Final = 16
SPAN_ID_BYTES: Final = 8

_HEX_DIGITS: Final = frozenset("0123456789abcdef")
STATUS_BY_CODE: Final[Mapping[str, StatusName]] = {
    "1": "ok",
    "OK": "ok",
    "STATUS_CODE_OK": "ok",
    "2": "error",
    "ERROR": "error",
    "STATUS_CODE_ERROR": "error",
}
REMOTE_PARENT_FLAGS: Final = 0x300
"""Both the bit "it is known whether the parent is remote" and the bit "it is"."""


class TooDeepError(Exception):
    """A value is nested past :data:`MAX_DEPTH`; never leaves this package."""


def check_depth(depth: int) -> None:
    """Stop at a container when no level is left for it.

    Raises:
        TooDeepError: ``depth`` is used up.
    """
    if depth <= 0:
        raise TooDeepError


def hex_id(value: Any, size: int) -> str:
    """Read a trace or span id of ``size`` bytes.

    Hex of either case, base64 (standard or URL alphabet, padded or not) and raw bytes are read.

    Returns:
        Lower-case hex, or ``""`` for anything else: another length, no id at all, only zeros.
    """
    if isinstance(value, str):
        digits = value.lower()
        if len(digits) != 2 * size or not _HEX_DIGITS.issuperset(digits):
            digits = base64_bytes(value).hex()
    elif isinstance(value, bytes):
        digits = value.hex()
    else:
        return ""
    return digits if len(digits) == 2 * size and digits.strip("0") else ""


def base64_bytes(text: str) -> bytes:
    """Decode base64 of either alphabet; ``b""`` when it is none."""
    standard = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


class Attributes(Mapping[str, Any]):
    """Decoded attributes by key. The index is built on first access, a value when it is read."""

    __slots__ = ("_decode", "_index", "_pairs")

    def __init__(self, pairs: Callable[[], Iterator[tuple[str, Any]]], decode: Callable[[Any, int], Any]) -> None:
        self._pairs = pairs
        self._decode = decode
        self._index: dict[str, Any] | None = None

    def _raw(self) -> dict[str, Any]:
        if self._index is None:
            self._index = dict(self._pairs())
        return self._index

    def __getitem__(self, key: str) -> Any:
        value = self._raw()[key]
        try:
            return self._decode(value, MAX_DEPTH)
        except TooDeepError:
            return TOO_DEEP

    def __contains__(self, key: object) -> bool:
        return key in self._raw()

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw())

    def __len__(self) -> int:
        return len(self._raw())


class OtlpSpan(ABC):
    """What both OTLP views share: everything that is read through their attribute mappings."""

    __slots__ = ("_attributes", "_events", "_links", "_resource")

    _attributes: Mapping[str, Any]
    _resource: Mapping[str, Any]
    _events: tuple[EventView, ...] | None
    _links: tuple[LinkView, ...] | None

    @property
    def events(self) -> Sequence[EventView]:
        """The span events in recorded order; their attributes are decoded when they are read."""
        if self._events is None:
            self._events = tuple(self._read_events())
        return self._events

    @property
    def links(self) -> Sequence[LinkView]:
        """The span links in recorded order; an id that is not valid is ``""``."""
        if self._links is None:
            self._links = tuple(self._read_links())
        return self._links

    def get(self, key: str) -> Any:
        """The decoded attribute; ``None`` when there is none, or when it is recorded as null."""
        return self._attributes.get(key)

    def has(self, key: str) -> bool:
        """Whether there is an attribute of this key, a null included."""
        return key in self._attributes

    def keys(self) -> Iterable[str]:
        """The attribute keys in recorded order."""
        return self._attributes.keys()

    def resource(self, key: str) -> Any:
        """The decoded resource attribute, ``None`` when there is none."""
        return self._resource.get(key)

    @abstractmethod
    def _read_events(self) -> Iterator[EventView]: ...

    @abstractmethod
    def _read_links(self) -> Iterator[LinkView]: ...

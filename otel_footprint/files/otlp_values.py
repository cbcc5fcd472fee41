"""Values of other formats as OTLP JSON has them: attribute values, ids, times, kinds."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from types import NoneType
from typing import Any, Final

from otel_footprint.spanview import MAX_DEPTH

TRACE_ID_BYTES: Final = 16
SPAN_ID_BYTES: Final = 8

_LEVELS: Final = MAX_DEPTH + 2
"""Containers that are kept around each other: just too many to be decoded, so that too deep stays too deep."""
_INT64: Final = range(-(2**63), 2**63)
_UINT64_MAX: Final = 2**64 - 1
_HEX_DIGITS: Final = frozenset("0123456789abcdef")

_KINDS: Final[Mapping[str, int]] = {"INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)
_LONGEST_TIME: Final = 40
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?)(?:\.(\d+))? ?(Z|[+-]\d\d:?\d\d)?", re.ASCII)
_NUMBER: Final = re.compile(r"\d+(?:\.\d*)?", re.ASCII)
_UNITS: Final = ((10**17, 1), (10**14, 10**3), (10**11, 10**6), (0, 10**9))
"""From which number on a time since 1970 is in nanoseconds, microseconds, milliseconds and seconds: any such time
between 1973 and 5138 is told apart by its size."""


def any_value(value: Any, levels: int = _LEVELS) -> dict[str, Any]:
    """One value as an OTLP JSON ``AnyValue``: a 64-bit integer is text there.

    Args:
        value: Anything that JSON can hold, and bytes. An integer past 64 bits becomes text, ``None`` a value that is
            recorded as null.
        levels: Containers that may still be inside of each other; what is nested deeper becomes null.
    """
    convert = _SCALARS.get(type(value))
    if convert is not None:
        return convert(value)
    if not levels:
        return {}
    if isinstance(value, Mapping):
        return {"kvlistValue": {"values": attributes(value, levels - 1)}}
    return {"arrayValue": {"values": [any_value(item, levels - 1) for item in value]}}


def _integer(value: int) -> dict[str, Any]:
    return {"intValue": str(value)} if value in _INT64 else {"stringValue": str(value)}


def _double(value: float) -> dict[str, Any]:
    if math.isfinite(value):
        return {"doubleValue": value}
    return {"doubleValue": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}


_SCALARS: Final[Mapping[type, Callable[[Any], dict[str, Any]]]] = {
    bool: lambda value: {"boolValue": value},
    int: _integer,
    float: _double,
    str: lambda value: {"stringValue": value},
    bytes: lambda value: {"bytesValue": base64.b64encode(value).decode("ascii")},
    NoneType: lambda _: {},
}


def attributes(values: Mapping[str, Any], levels: int = _LEVELS) -> list[dict[str, Any]]:
    """A mapping as the list of attributes that OTLP JSON has."""
    return [{"key": key, "value": any_value(value, levels)} for key, value in values.items()]


def json_text(value: Any) -> str:
    """A value as an attribute holds it that can only be text: text as it stands, anything else as JSON."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return json.dumps(pruned(value), ensure_ascii=False)


def pruned(value: Any, levels: int = 4 * _LEVELS) -> Any:
    """A JSON value with null in the place of what is nested deeper than an attribute's value is ever decoded.

    Args:
        value: The value, which is left as it is.
        levels: Containers that are kept around each other. OTLP JSON has four for one level of an attribute's value.
    """
    if isinstance(value, dict):
        return {key: pruned(inner, levels - 1) for key, inner in value.items()} if levels else None
    if isinstance(value, list):
        return [pruned(inner, levels - 1) for inner in value] if levels else None
    return value


def hex_of(value: Any, size: int) -> str | None:
    """An id of ``size`` bytes from hex of either case, with or without ``0x`` and its leading zeros.

    Returns:
        Lower-case hex of full length; text that is no such hex as it stands, for the reader of OTLP to judge; ``None``
        for anything else.
    """
    if not isinstance(value, str):
        return None
    digits = value.lower().removeprefix("0x")
    return digits.zfill(2 * size) if 0 < len(digits) <= 2 * size and _HEX_DIGITS.issuperset(digits) else value


def time_ns(value: Any) -> str | None:
    """A point in time as OTLP JSON has it: Unix nanoseconds in text.

    Args:
        value: ISO 8601 text (UTC when it names no zone), or a number, also in text, since 1970.

    Returns:
        ``None`` for anything else and for what does not fit 64 bits.
    """
    if isinstance(value, str):
        return _time_of_text(value) if len(value) <= _LONGEST_TIME else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _UINT64_MAX:
        return None
    unit = next(unit for least, unit in _UNITS if value >= least)
    return _nanoseconds(value * unit if isinstance(value, int) else round(value * unit))


def _time_of_text(text: str) -> str | None:
    if _NUMBER.fullmatch(text):
        return time_ns(float(text) if "." in text else int(text))
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    date_and_time, fraction, zone = found.groups()
    try:
        moment = datetime.fromisoformat(date_and_time + (zone or "Z"))
    except ValueError:
        return None
    nanoseconds = (moment - _EPOCH) // _SECOND * 10**9 + int((fraction or "")[:9].ljust(9, "0"))
    return _nanoseconds(nanoseconds)


def _nanoseconds(number: int) -> str | None:
    return str(number) if 0 < number <= _UINT64_MAX else None


def span_times(start: Any, duration: Any) -> list[tuple[str, str | None]]:
    """The fields of a span's start and end, from a start and a duration in microseconds."""
    start_ns = microseconds(start)
    duration_ns = microseconds(duration)
    end_ns = None if start_ns is None or duration_ns is None else start_ns + duration_ns
    return [
        ("startTimeUnixNano", None if start_ns is None else str(start_ns)),
        ("endTimeUnixNano", None if end_ns is None else str(end_ns)),
    ]


def event_time(timestamp: Any) -> tuple[str, str | None]:
    """The field of an event's time, from microseconds."""
    time = microseconds(timestamp)
    return "timeUnixNano", None if time is None else str(time)


def microseconds(value: Any) -> int | None:
    """A count of microseconds as nanoseconds; ``None`` when it is none or past 64 bits."""
    if isinstance(value, str) and len(value) <= _LONGEST_TIME and _NUMBER.fullmatch(value):
        value = float(value) if "." in value else int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _UINT64_MAX // 1000:
        return None
    return round(value * 1000)


def kind_number(name: Any) -> int | None:
    """The number that OTLP has for a span kind by its long or short name in either case; ``None`` for others."""
    return _KINDS.get((text(name) or "").upper().removeprefix("SPAN_KIND_").removeprefix("SPANKIND."))


def text(value: Any) -> str | None:
    """The value when it is text."""
    return value if isinstance(value, str) else None


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none when it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def mapping(value: Any) -> Mapping[str, Any]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def present(fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """An object of the fields that have a value: ``None``, empty text and empty containers are left out."""
    return {name: value for name, value in fields if value is not None and value not in ("", [], {})}

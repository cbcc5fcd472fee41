"""What each call of a turn returned and declared, read from its facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from otel_footprint.facts import Coverage, ToolCall, Turn
from otel_footprint.fold.coverage import is_ledger, recognise
from otel_footprint.fold.emptiness import Declared, Door, Reading, declared_of, read_emptiness
from otel_footprint.fold.strictjson import NotJsonError, TooDeepError, read_json

_KEPT_OUT: Final = frozenset({"REDACTED", "[REDACTED]", "<REDACTED>", "__REDACTED__"})


def placeholder_test(turn: Turn) -> Callable[[Any], bool] | None:
    """A placeholder word keeps content out only under a recorded policy; without one it is a value."""
    return (lambda value: isinstance(value, str) and value in _KEPT_OUT) if turn.redaction else None


def handed_back(call: ToolCall) -> bool:
    """Whether a model call read the result of a call without a span.

    How the call ended is then not recorded. What came back is, and it is judged as a result from before a pause is.
    """
    return call.span_id is None and call.outcome == "unknown" and call.result.state != "absent"


def _door(call: ToolCall) -> Door | None:
    """What the record says was declared; ``None`` lets the value's own envelope speak."""
    if call.coverage:
        return Door(
            absent=any(c.statement == "absence" for c in call.coverage),
            bounded=any(c.statement == "ledger" for c in call.coverage),
        )
    return Door() if call.coverage_recorded else None


def reading_of(call: ToolCall, turn: Turn) -> Reading | None:
    """What the call's result says; ``None`` when no result and no row count are recorded."""
    door = _door(call)
    if not call.result.recorded:
        return _counted(call, door)
    value = call.result.spelled
    if door is not None and door.bounded:
        value = _under_ledger(value)
    return read_emptiness(value, rows_at=call.rows_at, door=door, is_placeholder=placeholder_test(turn))


def _under_ledger(value: Any) -> Any:
    """A result in the envelope of a ledger that stands on the span's attributes: the same envelope, laid flat."""
    try:
        inner = _read(value)
    except TooDeepError:
        return value  # that it cannot be read is said of the text itself
    return value if is_ledger(inner) else {"af_coverage": {}, "result": inner}


def _counted(call: ToolCall, door: Door | None) -> Reading | None:
    if door is not None and door.absent:
        return Reading(emptiness="declared-absent", bounded=door.bounded)
    if call.rows is None:
        return None
    bounded = door is not None and door.bounded
    if call.rows:
        return Reading(emptiness="non-empty", rows=call.rows, source="library", bounded=bounded)
    return Reading(
        emptiness="declared-absent" if bounded else "undeclared-empty", rows=0, source="library", bounded=bounded
    )


def _read(value: Any) -> Any:
    """The value that JSON text spells; any other value as it is.

    Raises:
        TooDeepError: the text is nested too deeply to be read.
    """
    if not isinstance(value, str) or value.strip()[:1] not in {"{", "["}:
        return value
    try:
        return read_json(value)
    except TooDeepError:
        raise
    except NotJsonError:
        return value


def _envelope(value: Any) -> Any:
    try:
        return _read(value)
    except TooDeepError:
        return None


def statements_of(call: ToolCall) -> tuple[Coverage, ...]:
    """What the tool declared: on its span, else in the result's own envelope where the runtime records none."""
    if call.coverage or call.coverage_recorded or not call.result.recorded:
        return call.coverage
    if _is_no_envelope(call.result.spelled):
        return ()
    return recognise(_envelope(call.result.spelled), pointer=call.result.pointer).statements


def own_envelope(call: ToolCall) -> Declared | None:
    """What the result's own envelope declares; ``None`` when there is none."""
    if not call.result.recorded or _is_no_envelope(call.result.spelled):
        return None
    return declared_of(call.result.spelled)


def _is_no_envelope(value: Any) -> bool:
    """Whether a value cannot be an envelope, nor a text that spells one; seen without reading it as JSON."""
    if isinstance(value, str):
        return "af_" not in value and "\\u" not in value
    if isinstance(value, _OBJECTS):
        return "af_absent" not in value and "af_coverage" not in value
    return True


_OBJECTS: Final = (dict, Mapping)
"""As ``Mapping`` alone, and quicker for what nearly every object is."""

"""For authors of agents: what a tool's own span says about the program it ran and the ground it covered.

Each helper writes to the current span, which should be the tool call's. A declaration that is not well
formed is refused where it is made, since nobody could repair it later; nothing else is ever raised.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

from opentelemetry import trace

from otel_footprint import semconv as names
from otel_footprint.fold.coverage import Declaration, DeclarationError, mint_absence, mint_ledger
from otel_footprint.internal_errors import InternalErrors
from otel_footprint.writers.text import valid

_errors: Final = InternalErrors("sdk")


class CodeRun:
    """One run of a program, on the span that was current when it was declared.

    As a context, it records an exception that leaves it as ``threw`` and lets it pass.
    """

    __slots__ = ("_span",)

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def exit(self, code: int) -> None:
        """The process ended with this exit code: the only proof that it reached an exit."""
        self._set(names.CODE_RUN_EXIT_CODE, code)

    def verdict(self, *, ok: bool) -> None:
        """The runner says whether it went well; that proves no exit."""
        self._set(names.CODE_RUN_OK, ok)

    def service_error(self) -> None:
        """The execution service failed, not the program."""
        self._set(names.CODE_RUN_SERVICE_ERROR, True)  # noqa: FBT003 - an attribute's value

    def paused(self) -> None:
        """The call waits on a person."""
        self._set(names.CODE_RUN_PAUSED, True)  # noqa: FBT003 - as above

    def submitted(self, program: str | Sequence[str]) -> None:
        """The program as it was handed to the runner, once it is known."""
        self._set(names.CODE_RUN_PROGRAM, program)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            self._set(names.CODE_RUN_SETTLEMENT, "threw")

    def _set(self, key: str, value: Any) -> None:
        _set(self._span, {key: value})


def code_run(
    argument: str,
    *,
    program: str | Sequence[str] | None = None,
    proposed: str | Sequence[str] | None = None,
    language: str | None = None,
) -> CodeRun:
    """Declare that this tool call runs a program, and record what is known of it so far.

    Args:
        argument: the tool argument that holds the program.
        program: the program as it is handed to the runner, after any rewrite.
        proposed: the program as the model proposed it, if that is known.
        language: e.g. ``python``.

    Returns:
        The run, to record how it ends.

    Raises:
        DeclarationError: ``argument`` is not a text, or blank.
    """
    if not isinstance(argument, str) or not argument.strip():
        raise DeclarationError("argument: name the tool argument that holds the program")
    span = trace.get_current_span()
    values = {
        names.CODE_RUN_ARGUMENT: argument,
        names.CODE_RUN_PROGRAM: program,
        names.CODE_RUN_PROPOSED: proposed,
        names.CODE_RUN_LANGUAGE: language,
    }
    _set(span, {key: value for key, value in values.items() if value is not None})
    return CodeRun(span)


def declare_coverage(
    *, checked: Sequence[Any] = (), not_checked: Sequence[Any] = (), cannot_cover: Sequence[Any] = ()
) -> Declaration:
    """Declare what this call's result covers and what it does not.

    An item is a text, or a map with ``what`` and perhaps ``why``, ``kind`` and ``short``.

    Returns:
        The declaration; its ``envelope(result)`` tells the model the same.

    Raises:
        DeclarationError: an item is malformed, or there is none.
    """
    return _declare(mint_ledger(checked=checked, not_checked=not_checked, cannot_cover=cannot_cover))


def declare_absence(  # noqa: PLR0913 - each part of the declaration goes by its name
    looked_for: str,
    *,
    checked: Sequence[Any],
    not_checked: Sequence[Any] = (),
    cannot_cover: Sequence[Any] = (),
    try_instead: Any = None,
    try_instead_tool: Mapping[str, Any] | None = None,
) -> Declaration:
    """Declare that this call looked for something and found nothing, and where it looked.

    Returns:
        The declaration; its ``envelope()`` tells the model the same.

    Raises:
        DeclarationError: a part is malformed, or no ground was searched.
    """
    return _declare(
        mint_absence(
            looked_for=looked_for,
            checked=checked,
            not_checked=not_checked,
            cannot_cover=cannot_cover,
            try_instead=try_instead,
            try_instead_tool=try_instead_tool,
        )
    )


def _declare(declaration: Declaration) -> Declaration:
    with _errors.handle_internal_errors("declare"):
        coverage = declaration.coverage
        values: dict[str, Any] = {f"coverage.{name}": json.dumps(items) for name, items in declaration.record().items()}
        values[names.COVERAGE_KIND] = coverage.statement
        values[names.COVERAGE_LOOKED_FOR] = coverage.looked_for
        values[names.COVERAGE_TRY_INSTEAD] = coverage.try_instead
        values[names.COVERAGE_TRY_INSTEAD_TOOL] = coverage.try_instead_tool
        values = {key: value for key, value in values.items() if value is not None}
        span = trace.get_current_span()
        # the attributes hold one statement; each further one is an event
        if names.COVERAGE_KIND in (getattr(span, "attributes", None) or {}):
            span.add_event(names.EVENT_COVERAGE_DECLARED, _valid(values))
        else:
            _set(span, values)
    return declaration


def _set(span: trace.Span, values: Mapping[str, Any]) -> None:
    with _errors.handle_internal_errors("helper"):
        span.set_attributes(_valid(values))


def _valid(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: valid(value) if isinstance(value, str) else value for key, value in values.items()}

"""The log records that agent runtimes emit beside their spans, and the registry that knows them."""

from __future__ import annotations

from typing import Final

from otel_footprint.dialects.logs import claude_code, codex, gemini_cli, genai
from otel_footprint.dialects.logs._base import LogDialect, Names, where_of
from otel_footprint.logview import LogView

__all__ = ["LogDialect", "Names", "log_dialects", "recognise_log", "where_of"]

_BUILT_IN: Final = (claude_code.DIALECT, codex.DIALECT, gemini_cli.DIALECT, genai.DIALECT)


def log_dialects() -> tuple[LogDialect, ...]:
    """Every known log dialect in the order in which they are asked."""
    return _BUILT_IN


def recognise_log(view: LogView) -> tuple[LogDialect, Names] | None:
    """The first dialect that knows the record, and what it is about; ``None`` for any other record."""
    for dialect in _BUILT_IN:
        found = dialect.names(view)
        if found is not None:
            return dialect, found
    return None

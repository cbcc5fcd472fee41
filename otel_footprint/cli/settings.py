"""The settings of a command: those of a person, with the room that a whole archive needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import click

from otel_footprint._errors import ConfigError
from otel_footprint.config import DEFAULT, Config
from otel_footprint.writers.plain import safe

_MAX_BYTES: Final = 256 * 1024 * 1024
"""Content that is kept when no bound is set: a whole archive is one record. In process it is less."""
_MAX_OPEN_TURNS: Final = 1_000_000


def settings_of(path: str | None, *, programs: bool, account: bool) -> Config:
    """The settings of a file, of the environment and of the command's own switches.

    Raises:
        ConfigError: They cannot be read, or one of them is wrong.
    """
    config = Config.load(path)
    return replace(
        config,
        programs=config.programs or programs,
        account=config.account or account,
        max_bytes=_MAX_BYTES if config.source("max_bytes") == DEFAULT else config.max_bytes,
        max_open_turns=_MAX_OPEN_TURNS if config.source("max_open_turns") == DEFAULT else config.max_open_turns,
    )


@contextmanager
def ending_if_unusable() -> Iterator[None]:
    """End the command with what is wrong with its settings, if something is."""
    try:
        yield
    except ConfigError as error:
        # each thing that is wrong has a line of its own
        raise click.ClickException("\n".join(safe(line) for line in str(error).splitlines())) from None

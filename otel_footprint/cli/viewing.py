"""The command ``view``: the explained turns in a browser, live."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from otel_footprint.cli.settings import ending_if_unusable, settings_of
from otel_footprint.writers.plain import safe

if TYPE_CHECKING:
    from otel_footprint.viewer import Store

OTLP_HTTP_PORT: Final = 4318
_EXTRA: Final = frozenset({"starlette", "uvicorn"})


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(exists=True, dir_okay=False))
@click.option("--port", type=click.IntRange(0, 65_535), default=OTLP_HTTP_PORT, show_default=True, help="0: any.")
@click.option(
    "--store",
    "path",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Keep what was received in this file (SQLite), for the next time. Without it nothing is kept.",
)
@click.option("--programs", is_flag=True, help="Show the text of the programs. It may hold secrets.")
@click.option("--config", metavar="FILE", help="Settings in TOML; FOOTPRINT_* variables win over it.")
def view(files: tuple[str, ...], port: int, path: str | None, *, programs: bool, config: str | None) -> None:
    """Show explained turns in a browser while they happen.

    Takes spans over OTLP/HTTP on this machine only and serves one page that shows their turns. The
    traces in FILEs, of any format that explain reads, are shown from the beginning.
    """
    try:
        from otel_footprint.viewer import IN_MEMORY, Store, serve  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        message = f"{error.name} is not installed; pip install 'otel-footprint[view]'"
        raise click.ClickException(message) from None
    try:
        with ending_if_unusable():
            settings = settings_of(config, programs=programs, account=True)
        with closing(Store(path or IN_MEMORY)) as store:
            _fill(store, files)
            serve(store, settings, port=port, ready=_say)
    except sqlite3.Error as error:
        raise click.ClickException(safe(f"{path}: cannot be used as a store: {error}")) from None
    except OSError as error:
        raise click.ClickException(safe(f"port {port}: {error.strerror or error}; --port chooses another")) from None


def _fill(store: Store, files: tuple[str, ...]) -> None:
    for name in files:
        try:
            store.add(Path(name).read_bytes())
        except OSError as error:
            raise click.ClickException(safe(f"{name}: {error.strerror or error}")) from None


def _say(address: str) -> None:
    click.echo(f"The turns are at {address}/ - send spans here with:")
    click.echo(f"  OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf OTEL_EXPORTER_OTLP_ENDPOINT={address}")
    click.echo("Ctrl-C ends it.")

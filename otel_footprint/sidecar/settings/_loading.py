"""One file and the environment make the settings; a running sidecar takes over what it can of a changed file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass, replace
from pathlib import Path
from typing import Any, Final

import yaml

from otel_footprint.sidecar.settings import _checks, _variables
from otel_footprint.sidecar.settings._model import SidecarSettings
from otel_footprint.sidecar.settings._problems import Problem, SettingsError
from otel_footprint.sidecar.settings._reading import BAD, Reader

NEEDS_RESTART: Final = (
    "receivers.grpc.endpoints",
    "receivers.grpc.tls",
    "receivers.grpc.max_body_bytes",
    "receivers.http.endpoints",
    "receivers.http.tls",
    "receivers.http.max_body_bytes",
    "queue",
    "telemetry",
)
"""Keys, with all below them, that a running sidecar keeps as they were. All others change on SIGHUP."""


def load(path: Path | None, *, environ: Mapping[str, str] | None = None) -> SidecarSettings:
    """The settings of a file, or of the environment alone without one.

    Args:
        path: a YAML file.
        environ: the variables; by default those of the process.

    Raises:
        SettingsError: something is wrong with them; it tells all that is.
    """
    settings, problems = _read(path, os.environ if environ is None else environ)
    wrong = [problem for problem in problems if problem.severity == "error"]
    if settings is None or wrong:
        raise SettingsError(wrong)
    return settings


def check(path: Path | None, *, environ: Mapping[str, str] | None = None) -> list[Problem]:
    """All that is wrong with a file, and what is worth a warning, in the order of the file."""
    return _read(path, os.environ if environ is None else environ)[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reloaded:
    """What becomes of a running sidecar's settings when its file changed."""

    settings: SidecarSettings
    """What holds from now on."""
    changed: tuple[str, ...]
    """Keys whose new value holds from now on."""
    kept: tuple[str, ...]
    """Keys that have a new value in the file, which holds from the next start on."""


def reload(running: SidecarSettings, path: Path | None, *, environ: Mapping[str, str] | None = None) -> Reloaded:
    """Read the file again; with any error in it nothing changes.

    Raises:
        SettingsError: something is wrong with them.
    """
    new = load(path, environ=environ)
    different = list(_differences(running, new, ""))
    kept = tuple(key for key in different if key.startswith(NEEDS_RESTART))
    merged = new
    for key in NEEDS_RESTART:
        merged = _with(merged, key.split("."), _at(running, key))
    # what is kept may not go together with what changes: a destination where it still listens itself
    wrong = [
        Problem(source=str(path or "environment"), line=None, key=key, message=f"until a restart, {message}", fix=fix)
        for key, message, fix in _checks.errors(merged)
    ]
    if wrong:
        raise SettingsError(wrong)
    return Reloaded(settings=merged, changed=tuple(key for key in different if key not in kept), kept=kept)


def _at(settings: Any, key: str) -> Any:
    for name in key.split("."):
        settings = getattr(settings, name)
    return settings


def _with(settings: Any, names: list[str], value: Any) -> Any:
    if len(names) > 1:
        value = _with(getattr(settings, names[0]), names[1:], value)
    return replace(settings, **{names[0]: value})


def _differences(old: Any, new: Any, key: str) -> list[str]:
    """The keys of the file under which two values differ; a list differs as a whole."""
    if old == new:
        return []
    sections = {"receivers", "receivers.grpc", "receivers.http", "hold", "queue", "telemetry", "footprint"}
    if (key and key not in sections) or not is_dataclass(old):
        return [key]
    return [
        found
        for name in old.__dataclass_fields__
        for found in _differences(getattr(old, name), getattr(new, name), f"{key}.{name}".removeprefix("."))
        # not keys of the file: where values came from, and what `hold.seconds` says
        if name not in {"sources", "hold_seconds"}
    ]


def _read(path: Path | None, environ: Mapping[str, str]) -> tuple[SidecarSettings | None, list[Problem]]:
    source = "environment" if path is None else str(path)
    reader = Reader(source, environ)
    settings = reader.read(_document(path, reader) if path else None, SidecarSettings)
    if settings is not BAD and not reader.problems:
        settings = _completed(settings, reader, environ)
        for key, message, fix in _checks.errors(settings):
            reader.note(key, message, fix)
        for key, message, fix in _checks.warnings(settings):
            reader.note(key, message, fix, severity="warning")
    problems = sorted(reader.problems, key=lambda problem: problem.line or 0)
    if path is None:
        problems = [replace(problem, line=None) for problem in problems]
    return (None if settings is BAD else settings), problems


def _document(path: Path, reader: Reader) -> yaml.Node | None:
    try:
        return yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        reader.lines[""] = mark.line + 1 if mark else 1
        reader.note("", f"this is no YAML ({error.problem})", "set it right there")
    except OSError as error:
        reader.note("", f"it cannot be read ({error.strerror})", "name a file that the sidecar may read")
    except (ValueError, yaml.YAMLError):
        reader.note("", "it is no YAML in UTF-8", "save it as UTF-8 text")
    return None


def _completed(settings: SidecarSettings, reader: Reader, environ: Mapping[str, str]) -> SidecarSettings:
    """With what the variables say, and the one value that stands in two places."""
    config = settings.footprint if "footprint" in reader.lines else reader.config({})
    if config is BAD:
        return settings
    if "hold_seconds" in config.sources:
        settings = replace(settings, hold=replace(settings.hold, seconds=config.hold_seconds))
    settings = replace(settings, footprint=replace(config, hold_seconds=settings.hold.seconds))
    if not settings.destinations:
        destinations, problems = _variables.destinations(environ)
        settings = replace(settings, destinations=destinations)
        reader.problems.extend(problems)
    return settings

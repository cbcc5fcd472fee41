"""Running the command line, in process and as a program."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from otel_footprint.cli.commands import run

SPANS = Path(__file__).parents[1] / "data" / "spans"


class Ended(NamedTuple):
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def cli(capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Ended]:
    """Run the command line in this process."""

    def call(*arguments: str | Path) -> Ended:
        code = run([str(argument) for argument in arguments])
        captured = capsysbinary.readouterr()
        return Ended(code, captured.out.decode("utf-8"), captured.err.decode("utf-8"))

    return call


@pytest.fixture
def program() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run the command line as a program of its own."""

    def call(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "otel_footprint.cli", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, check=False, timeout=60, **options)

    return call


@pytest.fixture
def trace() -> Path:
    """A real trace: one turn whose tone is bad, and a nested one that cannot be told."""
    return SPANS / "vercel_ai_v7.otlp.json"


@pytest.fixture
def request_object(trace: Path) -> dict[str, Any]:
    """The trace as a parsed request, for a test to change."""
    loaded: dict[str, Any] = json.loads(trace.read_bytes())
    return copy.deepcopy(loaded)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Any], Path]:
    """Write a value as JSON, or bytes as they are, into a file."""

    def into_file(value: Any, name: str = "trace.json") -> Path:
        path = tmp_path / name
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return path

    return into_file

"""The command ``view``: what it says when it cannot begin."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_the_extra_a_message_says_what_to_install(missing: str) -> None:
    code = (
        f"import sys; sys.modules['{missing}'] = None; sys.argv = ['otel-footprint', 'view', '--port', '0']\n"
        "import otel_footprint.cli; otel_footprint.cli.main()"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=60)
    assert ended.returncode == 2
    assert b"pip install 'otel-footprint[view]'" in ended.stderr
    assert b"Traceback" not in ended.stderr


def test_a_port_that_is_taken_is_named_with_the_way_out(cli: Any) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        ended = cli("view", "--port", port)
    assert ended.code == 2
    assert f"port {port}" in ended.err
    assert "--port" in ended.err


def test_a_file_that_is_no_store_is_named(cli: Any, trace: Path) -> None:
    ended = cli("view", "--store", trace, "--port", 0)
    assert ended.code == 2
    assert "cannot be used as a store" in ended.err


def test_a_trace_that_is_not_there_is_named(cli: Any) -> None:
    ended = cli("view", "/no/such/file")
    assert ended.code == 2
    assert "/no/such/file" in ended.err

"""The reading against what Bash does: every program is run with every combination of its commands' statuses."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from otel_footprint.shell import read_shell

BASH = shutil.which("bash")
COMMANDS = ("one", "two", "three")
STATUSES = (0, 7)

pytestmark = pytest.mark.skipif(BASH is None, reason="needs Bash")


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of commands that end with the status that a variable of their name holds."""
    folder = tmp_path_factory.mktemp("commands")
    for name in COMMANDS:
        (folder / name).write_text(f"#!/bin/sh\nexit ${{STATUS_{name}:-0}}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def exit_code(program: str, commands: Path, statuses: dict[str, int]) -> int:
    assert BASH is not None
    environment = {"PATH": f"{commands}:/usr/bin:/bin"} | {f"STATUS_{name}": str(n) for name, n in statuses.items()}
    done = subprocess.run([BASH, "-c", program], env=environment, capture_output=True, check=False)
    return done.returncode


@pytest.mark.parametrize(
    "program",
    [
        "one | two",
        "one || true",
        "one; two",
        "one && two || three",
        "one || two && three",
        "set -o pipefail; one | two | three",
        "set -e; one && two; three",
        "set -e; (one && two); three",
        "set -e; f() { one && two; }; f; three",
        "set -e; { one && two; }; three",
        "set -e; if one; then two; fi; three",
        "set -e; ! one; two",
        "one | two; exit ${PIPESTATUS[0]}",
        "one; rc=$?; two; exit $rc",
        "one || exit 1; two",
        "x=$(one; two)",
        "f() { local x=$(one); }; f",
        "if one; then two; else three; fi",
        "bash -euc 'one; two'; three",
        "one & wait $!",
        "(one; exit 4)",
        "! one | two",
        "cat <<EOF | one && two\nbody\nEOF\n",
        "time one | two",
        "exec one; two",
        "eval 'one; two'",
        "case x in x) one;; esac",
    ],
)
def test_a_reading_holds_whatever_the_commands_do(program: str, commands: Path) -> None:
    reading = read_shell(program)
    assert reading is not None
    used = [name for name in COMMANDS if name in program]
    well = exit_code(program, commands, {})
    for statuses in itertools.product(STATUSES, repeat=len(used)):
        status_of = dict(zip(used, statuses, strict=True))
        code = exit_code(program, commands, status_of)
        assert reading.owners_of(code), "the exit code is among those that the program can have"
        inverted = any(owner.inverted for owner in reading.owners)
        owner = reading.exit_code_of if reading.certain else reading.reported_by(code)
        if owner in status_of and not inverted:
            assert code == status_of[owner], "the exit code is that of its owner"
    for name in set(reading.masked) & set(used):
        assert exit_code(program, commands, {name: 7}) == well, "what is masked does not show"

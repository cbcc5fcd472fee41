"""The rules agree with the conformance vectors, and the runner notices when they do not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
VECTORS = HERE / "vectors"


def run(directory: Path) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, str(HERE / "run.py"), str(directory)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_every_vector_passes() -> None:
    code, lines = run(VECTORS)
    assert code == 0, "\n".join(lines)
    assert lines[-1].endswith(" passed, 0 failed")
    assert {line.split(":")[0] for line in lines[:-1]} == {path.stem for path in VECTORS.glob("*.jsonl")}


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("labels", {"input": {"settlement": "returned"}, "expected": {"label": "completed"}}),
        ("label_words", {"label": "completed", "expected": "done"}),
        ("exit_code_fits", {"label": "completed", "exit_code": 0, "expected": False}),
        ("measure", {"program": "a", "bytes": 1, "lines": 2}),
        ("well_formed", {"row": {}, "expected": True}),
        ("emptiness", {"value": [], "expected": {"emptiness": "non-empty"}, "declared": None}),
        ("labels", {"input": {"settlement": "lost"}, "expected": {}}),
    ],
)
def test_wrong_value_fails_with_what_was_expected_and_got(tmp_path: Path, name: str, line: dict[str, object]) -> None:
    (tmp_path / f"{name}.jsonl").write_text(json.dumps(line) + "\n\n", encoding="utf-8")
    code, lines = run(tmp_path)
    assert code == 1
    assert lines[0] == f"{name}: 0 passed, 1 failed"
    assert lines[1] == "  line 1"
    assert lines[2].strip().startswith("expected")
    assert lines[3].strip().startswith("got")
    assert lines[-1] == "0 passed, 1 failed"


def test_at_most_five_failures_of_a_file_are_named(tmp_path: Path) -> None:
    wrong = json.dumps({"program": "a", "bytes": 9, "lines": 9})
    (tmp_path / "measure.jsonl").write_text(f"{wrong}\n" * 7, encoding="utf-8")
    code, lines = run(tmp_path)
    assert (code, lines[0], lines[-1]) == (1, "measure: 0 passed, 7 failed", "0 passed, 7 failed")
    assert sum(line.startswith("  line ") for line in lines) == 5


def test_true_is_not_one(tmp_path: Path) -> None:
    line = json.dumps({"label": "completed", "exit_code": 0, "expected": 1})
    (tmp_path / "exit_code_fits.jsonl").write_text(line, encoding="utf-8")
    assert run(tmp_path)[0] == 1


def test_unknown_file_fails(tmp_path: Path) -> None:
    (tmp_path / "moods.jsonl").write_text("{}\n", encoding="utf-8")
    assert run(tmp_path) == (1, ["moods: unknown file", "0 passed, 1 failed"])


def test_directory_that_is_not_there_fails(tmp_path: Path) -> None:
    assert run(tmp_path / "none")[0] == 1

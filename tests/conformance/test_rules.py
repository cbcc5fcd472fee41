"""The same vectors in this process, a test a rule: what coverage and `make mutation` can see of them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


def _runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("conformance_run", HERE / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["conformance_run"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RUN = _runner()


@pytest.mark.parametrize("rule", sorted(RUN.RULES))
def test_every_vector_of_a_rule_passes(rule: str) -> None:
    report, passed, failed = RUN.run_file(HERE / "vectors" / f"{rule}.jsonl", RUN.RULES[rule])
    assert (failed, passed > 0) == (0, True), report

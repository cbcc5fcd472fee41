"""Traces in the shapes that files have."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SPANS = Path(__file__).parents[1] / "data" / "spans"


@pytest.fixture
def dump() -> Callable[[str], Path]:
    """The path of a real dump by its short name."""
    return lambda name: SPANS / f"{name}.otlp.json"


@pytest.fixture(scope="session")
def _request_object() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((SPANS / "vercel_ai_v7.otlp.json").read_bytes())
    return loaded


@pytest.fixture
def request_object(_request_object: dict[str, Any]) -> dict[str, Any]:
    """A real request with two turns, one inside the other; a copy of its own for each test."""
    return copy.deepcopy(_request_object)

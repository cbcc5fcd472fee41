"""The demo as a module, so that a test can run its turns with an exporter of its own."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"


def load_demo() -> ModuleType:
    """The demo; nothing in it runs yet."""
    spec = importlib.util.spec_from_file_location("footprint_demo", DEMO)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their own module up
    spec.loader.exec_module(module)
    return module

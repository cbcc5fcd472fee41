"""The scripts that write the generated files, as modules."""

from __future__ import annotations

import importlib.util
import sys
import types
from pathlib import Path

ROOT = Path(__file__).parents[2]


def load_generator(script: str) -> types.ModuleType:
    """The script of this name in ``docs/registry``, which is no package."""
    name = f"registry_{script}"
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "registry" / f"{script}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module

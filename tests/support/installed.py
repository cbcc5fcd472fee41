"""The project's entry points as an installed distribution offers them, for programs that tests start."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]


def entry_points_of_the_project() -> dict[str, dict[str, str]]:
    """What pyproject declares: group to name to object."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups: dict[str, dict[str, str]] = {"console_scripts": project["scripts"], **project["entry-points"]}
    return groups


def metadata_in(folder: Path) -> Path:
    """Write the project's metadata into a folder, which then goes first on ``PYTHONPATH``; the folder.

    An older installation beside it is not asked: the first distribution of a name is the one that counts.
    """
    info = folder / "otel_footprint-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: otel-footprint\nVersion: 0\n", encoding="utf-8")
    groups = entry_points_of_the_project()
    lines: list[str] = []
    for group, names in groups.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in names.items())]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder

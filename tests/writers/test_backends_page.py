"""What docs/backends.md says of the presets is what they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from otel_footprint.config import PRESET_NAMES, Config
from otel_footprint.sidecar.settings import load
from otel_footprint.writers.options import PRESETS, WriteOptions

PAGE = (Path(__file__).parents[2] / "docs" / "backends.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", PAGE, re.MULTILINE))


def test_the_page_has_a_row_for_each_preset() -> None:
    assert set(ROWS) == set(PRESET_NAMES)


def test_a_preset_that_is_said_to_add_nothing_adds_nothing() -> None:
    assert [name for name in PRESET_NAMES if ROWS[name].startswith("nothing")] == [
        name for name in PRESET_NAMES if PRESETS[name] == WriteOptions()
    ]


def test_the_bound_on_events_is_that_of_the_page() -> None:
    assert re.findall(r"at most (\d+) events a turn", ROWS["honeycomb"]) == [str(PRESETS["honeycomb"].max_events)]


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_a_preset_is_set_in_each_of_the_ways_of_the_page(name: str, tmp_path: Path) -> None:
    toml, sidecar = tmp_path / "footprint.toml", tmp_path / "sidecar.yaml"
    toml.write_text(f'preset = "{name}"\n', encoding="utf-8")
    sidecar.write_text(
        f"footprint: {{preset: {name}}}\ndestinations: [{{name: b, endpoint: 'http://tempo:4317'}}]\n",
        encoding="utf-8",
    )
    assert Config.load(toml, environ={}).preset == name
    assert Config.load(environ={"FOOTPRINT_PRESET": name}).preset == name
    assert load(sidecar, environ={}).footprint.preset == name

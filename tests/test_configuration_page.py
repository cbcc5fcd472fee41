"""The reference of the settings says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from generators import ROOT, load_generator

from otel_footprint import environment_variables
from otel_footprint.config import Config

PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in PAGE.splitlines() if "| `" in line]

generator = load_generator("configuration")


def test_the_page_is_what_the_settings_say() -> None:
    assert generator.page() == PAGE, "run `make generate` and commit the result"


def test_every_key_and_variable_has_a_meaning() -> None:
    assert len(ROWS) > len(environment_variables.ALL)
    assert [row[0] for row in ROWS if not row[-1]] == []


@pytest.mark.parametrize("variable", environment_variables.ALL)
def test_every_variable_is_on_the_page(variable: str) -> None:
    assert PAGE.count(f"`{variable}` |") == 1


def test_every_default_on_the_page_is_the_default(tmp_path: Path) -> None:
    """A file that writes each default out gives the same settings as an empty one."""
    lines = []
    for name, _, default, *_ in (row for row in ROWS if len(row) == 5):
        values = re.findall(r"`([^`]+)`", default)
        if values:
            plain = re.fullmatch(r"true|false|[\d.]+", values[0])
            text = values[0] if plain else repr(values if len(values) > 1 else values[0])
            lines.append(f"{name.strip('`')} = {text}")
    path = tmp_path / "footprint.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert len(lines) > 10
    assert Config.load(path, environ={}) == Config()

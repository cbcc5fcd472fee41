"""The reference of the sidecar's configuration says what the code does."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from otel_footprint.sidecar.settings import SidecarSettings, check, load

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "sidecar-configuration.md"
PEM_KEYS = {"cert_file", "key_file", "client_ca_file", "ca_file"}


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    path = ROOT / "docs" / "registry" / "sidecar_configuration.py"
    spec = importlib.util.spec_from_file_location("sidecar_configuration", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows() -> Iterator[list[str]]:
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith(("| `drain", "| `receivers", "| `hold", "| `queue", "| `dest", "| `foot", "| `tele")):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_the_page_is_what_the_settings_say(generator: ModuleType) -> None:
    assert PAGE.read_text(encoding="utf-8") == generator.page(), "run `make generate` and commit the result"


def test_every_key_has_a_meaning() -> None:
    found = list(rows())
    assert len(found) > 50
    assert [row[0] for row in found if not row[-1]] == []


def test_the_example_at_the_top_is_read_without_a_problem(tmp_path: Path) -> None:
    example = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    path = tmp_path / "sidecar.yaml"
    path.write_text(example, encoding="utf-8")
    assert check(path, environ={"TEMPO_TOKEN": "t"}) == []


def test_every_default_on_the_page_is_the_default_of_the_reader(tmp_path: Path) -> None:
    """A file that writes each default out gives the same settings as one that leaves all of it out."""
    destination = "destinations:\n  - name: backend\n    endpoint: http://127.0.0.1:1\n"
    path = tmp_path / "sidecar.yaml"
    path.write_text(destination, encoding="utf-8")
    plain = load(path, environ={})
    lines: dict[str, list[str]] = {"": []}
    for key, kind, default, *_ in rows():
        if default in {"none", "must be given"} or key.strip("`").startswith("destinations[].retry"):
            continue
        section, _, name = key.strip("`").rpartition(".")
        value = default.replace("`", "")
        lines.setdefault(section, []).append(f"{name}: [{value}]" if kind.startswith("list") else f"{name}: {value}")
    text = destination + "".join(f"    {line}\n" for line in lines.pop("destinations[]"))
    text += "".join(f"{line}\n" for line in lines.pop(""))
    for protocol in ("grpc", "http"):
        lines.setdefault("receivers", []).append(f"{protocol}: {{{', '.join(lines.pop(f'receivers.{protocol}'))}}}")
    text += "".join(f"{section}: {{{', '.join(lines[section])}}}\n" for section in lines if "[]" not in section)
    path.write_text(text, encoding="utf-8")
    written_out = load(path, environ={})
    assert written_out == plain
    assert isinstance(plain, SidecarSettings)

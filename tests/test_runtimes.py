"""The table of runtimes: every dialect fills it, and the page says what it says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from dumps import NAMES, dump
from generators import ROOT, load_generator

from otel_footprint.dialects import Dialect, Runtime, Switch, built_in, enable_for, recognise, runtime_of

ROWS = [(dialect, runtime) for dialect in built_in() for runtime in dialect.runtimes]

generator = load_generator("runtimes")


def test_the_pages_are_those_of_the_tables() -> None:
    assert (ROOT / "docs" / "runtimes.md").read_text(encoding="utf-8") == generator.page(built_in())
    assert (ROOT / "docs" / "switches.md").read_text(encoding="utf-8") == generator.switches_page(built_in())


@pytest.mark.parametrize(("dialect", "runtime"), ROWS, ids=[runtime.title for _, runtime in ROWS])
def test_every_runtime_has_its_switch_on_the_page_of_switches(dialect: Dialect, runtime: Runtime) -> None:
    (line,) = [
        line for line in generator.switches_page([dialect]).splitlines() if line.startswith(f"| {runtime.title} |")
    ]
    enable = enable_for(dialect, runtime.scope)
    assert ("none: " in line) if enable is None else (f"`{enable}`" in line)


@pytest.mark.parametrize("dialect", built_in(), ids=lambda dialect: dialect.name)
def test_every_dialect_has_rows_and_the_last_one_is_for_any_scope(dialect: Dialect) -> None:
    assert [runtime.scope for runtime in dialect.runtimes][-1:] == [""]
    assert Counter(runtime.scope for runtime in dialect.runtimes)[""] == 1


@pytest.mark.parametrize(("dialect", "runtime"), ROWS, ids=[runtime.title for _, runtime in ROWS])
def test_every_row_is_filled(dialect: Dialect, runtime: Runtime) -> None:
    for text in (runtime.title, runtime.recognised, runtime.failure, *runtime.limits, *runtime.versions):
        assert text == text.strip() != ""
    assert runtime.versions
    for sentence in (runtime.recognised, runtime.failure, *runtime.limits):
        assert sentence.endswith(".")
    # A row behind one for any scope, or behind a shorter prefix, would never be found.
    assert runtime_of(dialect, runtime.scope) is runtime


def test_no_row_stands_under_two_dialects() -> None:
    assert [title for title, count in Counter(runtime.title for _, runtime in ROWS).items() if count > 1] == []


def test_a_switch_for_one_kind_of_content_is_given_for_that_kind() -> None:
    dialect = replace(
        built_in()[-1],
        switches=(
            Switch(scope="a", enable="", records=("question",)),
            Switch(scope="a", enable="PROGRAMS=1", records=("arguments",)),
            Switch(scope="a", enable="OUTPUT=1", records=("result", "answer")),
            Switch(scope="", enable="ALL=1"),
        ),
    )
    assert [enable_for(dialect, "a.b", kind) for kind in ("question", "arguments", "result", "messages")] == [
        None,
        "PROGRAMS=1",
        "OUTPUT=1",
        "ALL=1",
    ]
    assert enable_for(dialect, "c", "arguments") == "ALL=1"


def test_a_row_has_each_switch_of_its_scope_with_what_it_records() -> None:
    (row,) = built_in()[-1].runtimes
    dialect = replace(
        built_in()[-1],
        runtimes=(replace(row, title="A | B", versions=()),),
        switches=(
            Switch(scope="x", enable="OTHER=1"),
            Switch(scope="", enable="PROGRAMS=1", records=("arguments",)),
            Switch(scope="", enable="ALL=1"),
            Switch(scope="", enable="NEVER_REACHED=1"),
        ),
    )
    (line,) = [line for line in generator.page([dialect]).splitlines() if line.startswith("| A")]
    assert line.startswith("| A \\| B | ")
    assert line.endswith(" | `PROGRAMS=1` (arguments)<br>`ALL=1` |")
    assert " | no real spans | " in line


@pytest.mark.parametrize("name", NAMES)
def test_every_span_that_is_read_belongs_to_a_runtime(name: str) -> None:
    found = {}
    for view in dump(name):
        dialect, role = recognise(view)
        if dialect is not None and role is not None:
            found[view.scope_name] = runtime_of(dialect, view.scope_name)
    assert found
    assert None not in found.values()

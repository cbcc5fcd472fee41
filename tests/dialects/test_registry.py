"""Which dialect reads a span, and dialects of other distributions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dumps import NAMES, dump

from otel_footprint.dialects import GROUP, Role, Switch, _known, dialects, enable_for, genai, openinference, recognise
from otel_footprint.testing import explain_spans, span

FOREIGN = """
from otel_footprint.dialects import AgentFacts, Dialect, ModelFacts, Role, ToolFacts
from otel_footprint.dialects.content import attribute

ROLES = {"mine.turn": Role.AGENT, "mine.call": Role.TOOL}


def role(span):
    return ROLES.get(span.name)


def agent(span):
    return AgentFacts(agent=span.get("mine.agent"), answer=attribute(span, "mine.answer"))


def tool(span):
    return ToolFacts(tool=span.get("mine.tool"), arguments=attribute(span, "mine.arguments"))


DIALECT = Dialect(
    name="mine",
    title="My own",
    role=role,
    agent=agent,
    model=lambda span: ModelFacts(),
    tool=tool,
    conversation=("mine.conversation",),
    routing="none",
    switches=(),
)
NO_DIALECT = {"name": "mine"}
"""


@pytest.fixture
def _fresh() -> Iterator[None]:
    # What is known of a span's keys names dialects.
    for cached in (dialects, _known):
        cached.cache_clear()
    yield
    for cached in (dialects, _known):
        cached.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _fresh: None) -> Callable[[dict[str, str]], None]:
    """Make a distribution with these entry points importable."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(entries: dict[str, str]) -> None:
        (tmp_path / "footprint_test_dialect.py").write_text(FOREIGN, encoding="utf-8")
        (tmp_path / "footprint_test_broken.py").write_text("raise RuntimeError('broken')", encoding="utf-8")
        info = tmp_path / "footprint_test_dialect-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: footprint-test-dialect\nVersion: 1.0\n")
        lines = [f"[{GROUP}]", *(f"{name} = {target}" for name, target in entries.items())]
        (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")

    return make


OURS = [
    "langfuse-kept",
    "claude-code",
    "codex",
    "gemini-cli",
    "opencode",
    "openinference-adk",
    "openinference-crewai",
    "openinference-dspy",
    "openinference-google-genai",
    "openinference-haystack",
    "openinference-smolagents",
    "openinference",
    "langsmith",
    "langfuse",
    "mlflow",
    "vercel",
    "adk",
    "strands",
    "crewai",
    "spring-ai",
    "anthropic-sdk",
    "openllmetry-llamaindex",
    "traceloop",
    "mcp",
    "genai",
    "native",
]
"""By precedence: a runtime's own reading before the convention that it speaks."""


def test_ours_are_known_without_any_distribution(_fresh: None) -> None:  # noqa: PT019 - it only clears a cache
    assert [dialect.name for dialect in dialects()] == OURS


def test_a_span_of_two_conventions_is_read_in_the_first() -> None:
    both = span(1, attributes={"openinference.span.kind": "TOOL", "gen_ai.operation.name": "execute_tool"})
    assert recognise(both) == (openinference.DIALECT, Role.TOOL)


def test_a_dialect_of_another_distribution_is_asked_first(install: Callable[[dict[str, str]], None]) -> None:
    install({"mine": "footprint_test_dialect:DIALECT"})
    assert [dialect.name for dialect in dialects()] == ["mine", *OURS]
    (turn,) = explain_spans(
        [
            span(
                1,
                name="mine.turn",
                at=(0, 9),
                attributes={"mine.agent": "a", "mine.answer": "done", "mine.conversation": "c"},
            ),
            span(
                2,
                name="mine.call",
                parent=1,
                at=(1, 2),
                attributes={"mine.tool": "run_python", "mine.arguments": {"code": "1"}},
            ),
        ]
    )
    assert (turn.agent, turn.answer, turn.conversation_id) == ("a", "done", "c")
    assert [(s.text, s.outcome) for s in turn.scripts] == [("1", "returned")]
    assert "decided-delivered" in turn.checks.not_applicable


@pytest.mark.parametrize(
    "target",
    ["footprint_test_dialect:MISSING", "footprint_test_broken:DIALECT", "footprint_test_dialect:NO_DIALECT", "nowhere"],
)
def test_a_dialect_that_cannot_be_had_is_left_out_and_named_once(
    target: str, install: Callable[[dict[str, str]], None], caplog: pytest.LogCaptureFixture
) -> None:
    install({"bad": target, "mine": "footprint_test_dialect:DIALECT"})
    with caplog.at_level(logging.ERROR):
        assert [dialect.name for dialect in dialects()] == ["mine", *OURS]
        dialects()
    assert [target in record.getMessage() for record in caplog.records] == [True]


def test_the_first_switch_whose_scope_fits_counts() -> None:
    from dataclasses import replace

    switched = replace(genai.DIALECT, switches=(Switch(scope="a.b", enable=""), Switch(scope="a", enable="A=1")))
    assert [enable_for(switched, scope) for scope in ("a.b.c", "a.x", "b")] == [None, "A=1", None]


@pytest.mark.parametrize("name", NAMES)
def test_asking_only_the_dialects_whose_marks_a_span_has_gives_what_asking_all_gives(name: str) -> None:
    for one in dump(name):
        asked = ((dialect, dialect.role(one)) for dialect in dialects())
        assert recognise(one) == next(((d, role) for d, role in asked if role is not None), (None, None))


def test_a_span_that_lost_attributes_is_shown_to_every_dialect() -> None:
    lost = span(1, scope="pydantic-ai", attributes={"left": 1}, dropped=1)
    assert recognise(lost)[0] == next((d for d in dialects() if d.role(lost) is not None), None)

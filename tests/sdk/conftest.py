from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, Tracer, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Span, set_span_in_context

from otel_footprint.environment_variables import FOOTPRINT_TESTING

SECOND = 1_000_000_000
START = 1_700_000_000 * SECOND

AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}


class Recorder(SpanExporter):
    """An exporter that keeps what it is given."""

    def __init__(self) -> None:
        self.batches: list[list[ReadableSpan]] = []
        self.shutdowns: list[float | None] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.batches.append(list(spans))
        return SpanExportResult.SUCCESS

    def shutdown(self, timeout_millis: float | None = None) -> None:
        self.shutdowns.append(timeout_millis)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return timeout_millis > 0

    @property
    def spans(self) -> list[ReadableSpan]:
        return [span for batch in self.batches for span in batch]

    @property
    def names(self) -> list[str]:
        return [span.name for span in self.spans]

    def one(self, name: str) -> ReadableSpan:
        (span,) = [span for span in self.spans if span.name == name]
        return span

    @property
    def explained(self) -> list[ReadableSpan]:
        return [span for span in self.spans if "footprint.schema" in (span.attributes or {})]


class Spans:
    """Makes real spans at fixed times; those that ended are kept in :attr:`ended`, in the order of their ends."""

    def __init__(self, **provider: Any) -> None:
        self.provider = TracerProvider(shutdown_on_exit=False, **provider)
        self.recorder = Recorder()
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor

        self.provider.add_span_processor(SimpleSpanProcessor(self.recorder))
        self.tracer: Tracer = self.provider.get_tracer("tests.agent", "1.2")  # type: ignore[assignment]

    @property
    def ended(self) -> list[ReadableSpan]:
        return self.recorder.spans

    def start(
        self, name: str, attributes: Mapping[str, Any], parent: Span | None = None, at: int = 0, **more: Any
    ) -> Span:
        context = set_span_in_context(parent) if parent is not None else None
        return self.tracer.start_span(name, context, attributes=dict(attributes), start_time=START + at, **more)

    def run(
        self, name: str, attributes: Mapping[str, Any], parent: Span | None = None, at: int = 0, **more: Any
    ) -> ReadableSpan:
        self.start(name, attributes, parent, at, **more).end(START + at + 1000)
        return self.ended[-1]

    def agent(self, name: str = "invoke_agent helper", parent: Span | None = None, at: int = 0, **more: Any) -> Span:
        return self.start(name, AGENT, parent, at, **more)

    def tool(self, parent: Span | None, name: str = "run", at: int = 1000, **attributes: Any) -> ReadableSpan:
        values = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": f"call_{at}",
        }
        return self.run(f"execute_tool {name}", {**values, **attributes}, parent, at)

    def turn(self, tools: int = 2) -> list[ReadableSpan]:
        """A whole turn: an agent's span with a model call and some tool calls, the agent last."""
        before = len(self.ended)
        agent = self.agent()
        self.run("chat m", CHAT, agent, 100)
        for number in range(tools):
            self.tool(agent, at=2000 * (number + 1))
        agent.end(START + SECOND)
        return self.ended[before:]


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def spans() -> Spans:
    return Spans()


@pytest.fixture
def make_spans() -> type[Spans]:
    return Spans


@pytest.fixture(autouse=True)
def _our_errors_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOOTPRINT_TESTING, "1")


@pytest.fixture
def in_production(monkeypatch: pytest.MonkeyPatch, _our_errors_are_raised: None) -> None:
    """Errors of ours are handled as they are for an application."""
    monkeypatch.delenv(FOOTPRINT_TESTING)


@pytest.fixture
def provider() -> Iterator[TracerProvider]:
    provider = TracerProvider(shutdown_on_exit=False)
    yield provider
    provider.shutdown()

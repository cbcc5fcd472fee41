"""A small real agent, explained.

The agent is Pydantic AI with its own test model and its own OpenTelemetry instrumentation; nothing here needs a
network. Its tools really run programs as processes: one ends with 0, one with 3, one is stopped by a time-out.
One search comes back empty without a word, another declares what it covered. In a second turn the answer quotes a
number that no tool returned and shows a program that was never submitted, and a check of the answer, which the
agent enforces, finds it.

One line explains it all: the span processor. The explained turn is printed, and the annotated trace is left in
``footprint-demo.json``. With ``OTEL_EXPORTER_OTLP_ENDPOINT`` set it is sent there too.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

from otel_footprint import FootprintSpanProcessor, code_run, declare_coverage
from otel_footprint.cli.commands import run
from otel_footprint.files.proto_json import document_text, otlp_json

TRACE_FILE: Final = Path(os.environ.get("FOOTPRINT_DEMO_FILE", "footprint-demo.json"))
TIMEOUT_SECONDS: Final = 0.5

Step = list[tuple[str, dict[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One turn: what a person asks, the tools the test model asks for step by step, and its answer."""

    question: str
    steps: tuple[Step, ...]
    answer: str


NIGHT: Final = Scene(
    question="How many orders failed last night, and is there a ticket about it?",
    answer="45 orders failed. There is no ticket about it.",
    steps=(
        [
            ("run_python", {"code": "print(sum(range(10)))\n"}),
            ("search_tickets", {"query": "failed orders"}),
        ],
        [
            (
                "run_python",
                {"code": "import sys\nprint('no table named orders_archive', file=sys.stderr)\nsys.exit(3)\n"},
            )
        ],
        [("run_python", {"code": "import time\ntime.sleep(60)\n"})],
        [("search_archive", {"query": "failed orders"})],
    ),
)
COST: Final = Scene(
    question="What did they cost us?",
    answer=(
        "The failed orders were worth 48,210 euros. I summed them with:\n\n"
        "```python\nprint(sum(order.total for order in failed))\n```\n"
    ),
    steps=([("run_python", {"code": "print(sum([1200, 800]))\n"})],),
)


def run_python(code: str) -> dict[str, Any] | str:
    """Run a Python program in a process of its own."""
    with code_run("code", program=code, language="python") as run:
        try:
            done = subprocess.run(  # noqa: S603 - running the model's program is what this tool is for
                [sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            # A stopped process has no exit code of its own; all that is known is that it did not go well.
            run.verdict(ok=False)
            return f"stopped after {TIMEOUT_SECONDS} s"
        run.exit(done.returncode)
    return done.stdout + done.stderr


def search_tickets(query: str) -> list[dict[str, str]]:
    """Search the open tickets; says nothing about what it looked at."""
    tickets = [{"id": "T-1", "title": "Printer on floor 3"}]
    return [ticket for ticket in tickets if query.lower() in ticket["title"].lower()]


def search_archive(query: str) -> dict[str, Any]:
    """Search the archived tickets, and say what that covers."""
    declare_coverage(
        checked=["tickets archived since 2024"],
        not_checked=[{"what": "tickets archived before 2024", "why": "they are on tape", "kind": "scope"}],
    )
    return {"matches": [{"id": "T-0", "title": f"Old ticket about {query}"}], "took_ms": 12}


def scripted(scene: Scene) -> Callable[[list[ModelMessage], AgentInfo], ModelResponse]:
    """The test model of a scene: the next step of it, then its answer."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        step = sum(isinstance(message, ModelResponse) for message in messages)
        if step < len(scene.steps):
            asked = enumerate(scene.steps[step])
            return ModelResponse(parts=[ToolCallPart(name, values, f"call_{step}_{n}") for n, (name, values) in asked])
        return ModelResponse(parts=[TextPart(scene.answer)])

    return respond


def check_answer(answer: str) -> str:
    """The agent's own check of its answer, recorded on the turn's span: amounts need a source."""
    trace.get_current_span().set_attributes(
        {
            "footprint.answer_check.status": "failed" if "euros" in answer else "passed",
            "footprint.answer_check.mode": "enforce",
            "footprint.answer_check.digest": hashlib.sha256(answer.encode()).hexdigest(),
        }
    )
    return answer


class TraceFile(SpanExporter):
    """Writes what is exported to a file of OTLP JSON lines, and hands it to a further exporter if there is one."""

    def __init__(self, path: Path, further: SpanExporter | None) -> None:
        self._path = path
        self._further = further
        path.write_text("", encoding="utf-8")

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Append one request."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(document_text(otlp_json(encode_spans(spans))) + "\n")
        return self._further.export(spans) if self._further is not None else SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Shut the further exporter down."""
        if self._further is not None:
            self._further.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Nothing is kept back here."""
        return self._further.force_flush(timeout_millis) if self._further is not None else True


def further_exporter() -> SpanExporter | None:
    """The exporter that the usual variables name; ``None`` when they name none."""
    if "OTEL_EXPORTER_OTLP_ENDPOINT" not in os.environ:
        return None
    if os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc").startswith("http"):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415

        return OTLPSpanExporter()
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import (  # noqa: PLC0415 - only when it is asked for
        OTLPSpanExporter as GrpcSpanExporter,
    )

    return GrpcSpanExporter()


async def ask(provider: TracerProvider, scene: Scene) -> str:
    """Ask the agent one question."""
    agent = Agent(
        FunctionModel(scripted(scene), model_name="scripted"),
        name="night-watch",
        instructions="Answer from what the tools return.",
        tools=[run_python, search_tickets, search_archive],
        capabilities=[Instrumentation(InstrumentationSettings(tracer_provider=provider))],
    )
    agent.output_validator(check_answer)
    return (await agent.run(scene.question, conversation_id="night-7")).output


def demo() -> None:
    """Run the agent, leave the trace, print the explanation."""
    provider = TracerProvider(resource=Resource.create({"service.name": "footprint-demo"}))
    provider.add_span_processor(FootprintSpanProcessor(TraceFile(TRACE_FILE, further_exporter())))
    for scene in (NIGHT, COST):
        asyncio.run(ask(provider, scene))
    provider.shutdown()
    lines = TRACE_FILE.read_text(encoding="utf-8").splitlines()
    spans = sum(len(s["spans"]) for line in lines for r in json.loads(line)["resourceSpans"] for s in r["scopeSpans"])
    print(f"{spans} spans in {TRACE_FILE}, the explanations on the turns' spans among them.\n", flush=True)
    code = run(["explain", str(TRACE_FILE)])
    print(f"\nSee it in a browser: otel-footprint view {TRACE_FILE}  (pip install 'otel-footprint[view]')")
    sys.exit(code)


if __name__ == "__main__":
    demo()

"""Tools that say what they did, in an agent without a framework.

What no convention has a name for is declared on the tool call's own span: which program ran and how it ended, what a
search looked at, and what it did not. One span processor explains the turn; what it put on the turn's span is printed.
"""

from __future__ import annotations

import subprocess
import sys

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from otel_footprint import FootprintSpanProcessor, code_run, declare_absence


def run_python(tracer: trace.Tracer, program: str) -> str:
    """Run a program in a process of its own, and record its exit code."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run_python"}
    with (
        tracer.start_as_current_span("execute_tool run_python", attributes=attributes) as span,
        code_run("program", program=program, language="python") as run,
    ):
        done = subprocess.run(  # noqa: S603 - running the program is what this tool is for
            [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=False
        )
        run.exit(done.returncode)
        span.set_attribute("gen_ai.tool.call.result", done.stdout + done.stderr)
    return done.stdout + done.stderr


def search_orders(tracer: trace.Tracer, month: str) -> list[str]:
    """Find nothing, and say where."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search_orders"}
    with tracer.start_as_current_span("execute_tool search_orders", attributes=attributes) as span:
        archive = {"what": "the archive", "why": "it is on tape", "kind": "existence"}
        declare_absence(f"orders of {month}", checked=["table orders"], not_checked=[archive])
        span.set_attribute("gen_ai.tool.call.result", "[]")
    return []


def answer(tracer: trace.Tracer) -> None:
    """One turn: a question, two tool calls, an answer."""
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "book-keeper"}
    with tracer.start_as_current_span("invoke_agent book-keeper", attributes=attributes):
        run_python(tracer, "import sys; sys.exit('no table named orders_may')")
        search_orders(tracer, "May")


def main() -> None:
    """Run the agent and print what the explanation put on the turn's span."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(FootprintSpanProcessor(kept))
    answer(provider.get_tracer("examples.own_tools"))
    provider.shutdown()
    [turn] = [span for span in kept.get_finished_spans() if span.name.startswith("invoke_agent")]
    attributes = turn.attributes or {}
    print(attributes["footprint.tone"], attributes["footprint.summary"], sep=": ")
    for event in turn.events:
        print(event.name, (event.attributes or {}).get("footprint.about"), sep=": ")


if __name__ == "__main__":
    main()

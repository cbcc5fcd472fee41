"""A Pydantic AI agent, explained by one line more than its tracing needs.

The model is Pydantic AI's own test model, which calls every tool once and answers; nothing here needs a network.
"""

from __future__ import annotations

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.test import TestModel

from otel_footprint import FootprintSpanProcessor


def search_tickets(query: str) -> list[str]:
    """Search the open tickets."""
    return [ticket for ticket in ("disk full", "printer on fire") if query == ticket]


def main() -> None:
    """Ask the agent once and print the sentence on its turn's span."""
    kept = InMemorySpanExporter()  # in an application: an OTLPSpanExporter
    provider = TracerProvider()
    provider.add_span_processor(FootprintSpanProcessor(kept))  # the line
    agent = Agent(
        TestModel(),
        name="night-watch",
        tools=[search_tickets],
        capabilities=[Instrumentation(InstrumentationSettings(tracer_provider=provider))],
    )
    agent.run_sync("Is there a ticket?")
    provider.shutdown()
    for span in kept.get_finished_spans():
        attributes = span.attributes or {}
        if "footprint.summary" in attributes:
            print(span.name, attributes["footprint.tone"], attributes["footprint.summary"], sep=": ")


if __name__ == "__main__":
    main()

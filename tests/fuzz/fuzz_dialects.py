"""Values of any kind under the keys of every dialect, made by a fuzzer that sees which lines they reach.

    make fuzz                     a million executions
    make fuzz RUNS=50000 SEED=7

An execution takes a real span, puts values of the fuzzer's under some keys of any dialect and reads it in every way
that its dialect knows; one of 32 explains it as a turn or as a part of one. It fails when something is raised, when
what is said contradicts itself, or when an input of at most 64 KiB takes longer than two seconds, which work that grows
with the length does not take by far.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import atheris

with atheris.instrument_imports(include=["otel_footprint.dialects", "otel_footprint.fold.strictjson"]):
    from otel_footprint.dialects import recognise
    from otel_footprint.dialects.content import tool_result
    from otel_footprint.spanview import SpanView
    from otel_footprint.testing import agent_span, assert_consistent, explain_spans, read_spans, span

DUMPS = sorted((Path(__file__).parents[1] / "data" / "spans").glob("*.otlp.json"))
SPANS = [one for dump in DUMPS for one in read_spans(dump) if recognise(one)[1] is not None]
KEYS = sorted(
    {key for one in SPANS for key in one.keys()} | {key for one in SPANS for e in one.events for key in e.attributes}
)
EVENTS = sorted({event.name for one in SPANS for event in one.events})
WORDS = ["{", "[", '"', "```python\n", "<code>", "None", "\ud800", "...[TRUNCATED: original length 9]", "<REDACTED>"]


def value_of(data: atheris.FuzzedDataProvider, depth: int = 0) -> Any:
    """A value of any type that a span may hold, and of some that it may not."""
    kind = data.ConsumeIntInRange(0, 11 if depth < 3 else 6)
    match kind:
        case 0:
            return data.ConsumeUnicode(200)
        case 1:
            return data.ConsumeInt(16)
        case 2:
            return data.ConsumeFloat()
        case 3:
            return data.ConsumeBool()
        case 4:
            return data.PickValueInList(WORDS) + data.ConsumeUnicode(50)
        case 5:
            return None
        case 6:
            return data.ConsumeBytes(50)
        case 7:
            return [value_of(data, depth + 1) for _ in range(data.ConsumeIntInRange(0, 4))]
        case 8:
            return {name_of(data): value_of(data, depth + 1) for _ in range(data.ConsumeIntInRange(0, 4))}
        case 9:
            text = json.dumps(value_of(data, depth + 1), default=repr)
            return text[: data.ConsumeIntInRange(0, len(text))] if data.ConsumeBool() else text
        case 10:
            return repr(value_of(data, depth + 1))
        case _:
            return data.PickValueInList(WORDS) * data.ConsumeIntInRange(1, 2_000)


def name_of(data: atheris.FuzzedDataProvider) -> str:
    names = ["role", "parts", "type", "content", "text", "name", "id", "arguments", "response", "tool_calls", "output"]
    return data.PickValueInList(names) if data.ConsumeBool() else data.ConsumeUnicode(10)


def one_execution(given: bytes) -> None:
    data = atheris.FuzzedDataProvider(given)
    real = SPANS[data.ConsumeIntInRange(0, len(SPANS) - 1)]
    attributes = {key: real.get(key) for key in real.keys()}
    for _ in range(data.ConsumeIntInRange(1, 4)):
        known = sorted(attributes)
        keys = known if known and data.ConsumeBool() else KEYS
        attributes[keys[data.ConsumeIntInRange(0, len(keys) - 1)]] = value_of(data)
    events = [(event.name, dict(event.attributes)) for event in real.events[:4]]
    if data.ConsumeBool():
        event = EVENTS[data.ConsumeIntInRange(0, len(EVENTS) - 1)]
        events.append((event, {KEYS[data.ConsumeIntInRange(0, len(KEYS) - 1)]: value_of(data)}))
    changed = span(
        2,
        parent=1,
        at=(1, 2),
        name=real.name,
        scope=real.scope_name,
        status=real.status,
        attributes=attributes,
        events=events,
    )
    if data.ConsumeIntInRange(0, 31) < 31:
        read(changed)
        return
    spans = [changed] if data.ConsumeBool() else [agent_span(1, at=(0, 3)), replace(changed, dropped=1)]
    for explanation in explain_spans(spans):
        assert_consistent(explanation)
        json.dumps(explanation.to_dict(programs=True), allow_nan=False)


def read(one: SpanView) -> None:
    """All that its dialect reads of a span, whatever role it gives it."""
    dialect, _ = recognise(one)
    if dialect is not None:
        dialect.agent(one)
        dialect.model(one)
        tool_result(dialect.tool(one).result)


if __name__ == "__main__":
    atheris.Setup([*sys.argv, "-max_len=65536", "-len_control=20", "-timeout=2", "-rss_limit_mb=2048"], one_execution)
    atheris.Fuzz()

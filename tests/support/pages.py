"""Pages for tests: written from traces, and taken apart again as a browser would."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from otel_footprint.config import Config
from otel_footprint.files import Record, Source, explain_files
from otel_footprint.report import write_page

SPANS = Path(__file__).parents[1] / "data" / "spans"
DUMPS = (
    "agent_framework_sensitive",
    "claude_agent_sdk_openinference",
    "copilot_cli_full",
    "openai_agents_openinference",
    "vercel_ai_v7",
)
"""Traces of five runtimes: hand-offs, nested agents, programs, no content, a failed call."""


def record_of(value: Any) -> Record:
    """The record of a request, or of bytes, with all that a page shows."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return explain_files([Source.of_bytes("trace.json", data)], Config(account=True), times=True)


def dump_record(name: str) -> Record:
    """The record of a real trace."""
    return record_of((SPANS / f"{name}.otlp.json").read_bytes())


def page_of(record: Record, *, programs: bool = False) -> str:
    """The page that shows a record."""
    out = io.BytesIO()
    write_page(out, record, programs=programs)
    return out.getvalue().decode("ascii")


def repeated(record: Record, count: int) -> Record:
    """A record of ``count`` turns, which are those of ``record`` over and over in traces of their own."""
    turns, times = [], {}
    for index in range(count):
        turn = record.explanations[index % len(record.explanations)]
        trace_id = f"{index + 1:032x}"
        turns.append(replace(turn, trace_id=trace_id, agent=f"agent-{index % 7}", question=f"Question number {index}?"))
        times[trace_id, turn.span_id] = record.timelines[turn.trace_id, turn.span_id]
    return replace(record, explanations=tuple(turns), timelines=times, spans=record.spans * count)


def hostile_request(text: str, *, events: int = 0) -> dict[str, Any]:
    """A turn with ``text`` wherever a trace can put text, and a number of events on its span."""
    turn = _span(1, None, f"invoke_agent {text}", 0, 90)
    turn["attributes"] = _attributes(
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": text,
            "gen_ai.conversation.id": text,
            "footprint.question": text,
            "footprint.answer": text,
        }
    )
    turn["events"] = [{"name": text[:20], "timeUnixNano": str(index + 1)} for index in range(events)]
    model = _span(2, 1, text, 1, 20)
    model["attributes"] = _attributes({"gen_ai.operation.name": "chat", "gen_ai.request.model": text})
    model["status"] = {"code": 2, "message": text}
    tool = _span(3, 1, f"execute_tool {text}", 21, 60)
    tool["attributes"] = _attributes(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": text,
            "gen_ai.tool.call.id": text,
            "gen_ai.tool.call.result": "[]",
            "code_run.argument": text,
            "code_run.program": text,
            "code_run.language": text,
            "code_run.exit_code": 3,
            "coverage.kind": "ledger",
            "coverage.checked": json.dumps([{"what": text}]),
            "coverage.not_checked": json.dumps([{"what": text, "why": text}]),
        }
    )
    resource = {"attributes": _attributes({"service.name": text})}
    scope = {"scope": {"name": text}, "spans": [turn, model, tool]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}


def _span(number: int, parent: int | None, name: str, start_ms: int, end_ms: int) -> dict[str, Any]:
    base = 1_790_000_000_000_000_000
    return {
        "traceId": "5" * 32,
        "spanId": f"{number:016x}",
        "parentSpanId": "" if parent is None else f"{parent:016x}",
        "name": name,
        "startTimeUnixNano": str(base + start_ms * 1_000_000),
        "endTimeUnixNano": str(base + end_ms * 1_000_000),
    }


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
        for key, value in values.items()
    ]


class Page(HTMLParser):
    """A page as a browser parses it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        """Every element with its attributes, in order."""
        self.scripts: list[str] = []
        """What is run."""
        self.styles: list[str] = []
        self.blocks: dict[str, list[Any]] = {}
        """The values of the data blocks: of ``head``, of ``rows``, and of each ``detail``."""
        self._texts: list[str] = []
        self.feed(text)
        self.close()

    @property
    def policy(self) -> str:
        """The content security policy."""
        metas = [attributes for tag, attributes in self.elements if tag == "meta"]
        found = [m["content"] for m in metas if m.get("http-equiv") == "Content-Security-Policy"]
        assert len(found) == 1
        return found[0] or ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._texts = []

    def handle_data(self, data: str) -> None:
        self._texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        text = "".join(self._texts)
        if tag == "style":
            self.styles.append(text)
        elif tag == "script":
            attributes = self.elements[-1][1]
            if attributes.get("type") == "application/json":
                value = json.loads(text)
                name = attributes.get("id") or attributes["class"] or ""
                self.blocks.setdefault(name, []).extend(value if name == "rows" else [value])
            else:
                self.scripts.append(text)
        self._texts = []

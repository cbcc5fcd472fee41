"""Strands with its own instrumentation and a model that says what it is told to."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from _common import ANSWER, PROGRAM, QUESTION, leave, run_python, search_tickets, traced
from strands import Agent, tool
from strands.models import Model


def asked(number: int, name: str, arguments: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockStart": {"start": {"toolUse": {"toolUseId": f"call_{number}", "name": name}}}},
        {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(arguments)}}}},
        {"contentBlockStop": {}},
        {"messageStop": {"stopReason": "tool_use"}},
    ]


class Told(Model):
    """Asks for the two tools one after the other, then answers."""

    def __init__(self) -> None:
        self.steps = [
            asked(1, "run_python", {"code": PROGRAM}),
            asked(2, "search_tickets", {"query": "orders"}),
            [
                {"messageStart": {"role": "assistant"}},
                {"contentBlockStart": {"start": {}}},
                {"contentBlockDelta": {"delta": {"text": ANSWER}}},
                {"contentBlockStop": {}},
                {"messageStop": {"stopReason": "end_turn"}},
            ],
        ]

    def update_config(self, **_options: Any) -> None:
        pass

    def get_config(self) -> dict[str, Any]:
        return {"model_id": "told"}

    async def structured_output(self, *_args: Any, **_options: Any) -> AsyncIterator[Any]:
        raise NotImplementedError
        yield

    async def stream(self, *_args: Any, **_options: Any) -> AsyncIterator[Any]:
        for event in self.steps.pop(0):
            yield event


provider, kept = traced()
agent = Agent(name="night-watch", model=Told(), tools=[tool(run_python), tool(search_tickets)], callback_handler=None)
agent(QUESTION)
leave(provider, kept)

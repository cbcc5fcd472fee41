"""The OpenAI Agents SDK with OpenInference's instrumentation and a model that says what it is told to."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from _common import ANSWER, PROGRAM, QUESTION, leave, run_python, search_tickets, traced
from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_trace_processors
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor


def asked(number: int, tool: str, arguments: dict[str, str]) -> Any:
    return ResponseFunctionToolCall(
        type="function_call", id=f"fc_{number}", call_id=f"call_{number}", name=tool, arguments=json.dumps(arguments)
    )


class Told(Model):
    """Asks for the two tools one after the other, then answers."""

    def __init__(self) -> None:
        text = ResponseOutputText(type="output_text", text=ANSWER, annotations=[])
        self.steps: list[Any] = [
            asked(1, "run_python", {"code": PROGRAM}),
            asked(2, "search_tickets", {"query": "orders"}),
            ResponseOutputMessage(id="msg_1", type="message", role="assistant", status="completed", content=[text]),
        ]

    async def get_response(self, *_args: Any, **_options: Any) -> ModelResponse:
        return ModelResponse(output=[self.steps.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *_args: Any, **_options: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


provider, kept = traced()
# Its own exporter would send to the vendor.
set_trace_processors([])
OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
agent = Agent(name="night-watch", model=Told(), tools=[function_tool(run_python), function_tool(search_tickets)])
Runner.run_sync(agent, QUESTION)
leave(provider, kept)

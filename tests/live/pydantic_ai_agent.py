"""Pydantic AI with its own instrumentation and its own test model."""

from __future__ import annotations

from typing import Any

from _common import ANSWER, PROGRAM, QUESTION, leave, run_python, search_tickets, traced
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

STEPS: list[list[Any]] = [
    [ToolCallPart("run_python", {"code": PROGRAM})],
    [ToolCallPart("search_tickets", {"query": "orders"})],
    [TextPart(ANSWER)],
]


def reply(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    return ModelResponse(STEPS[sum(isinstance(message, ModelResponse) for message in messages)])


provider, kept = traced()
Agent.instrument_all()
agent: Agent[None, str] = Agent(FunctionModel(reply), name="night-watch", tools=[run_python, search_tickets])
agent.run_sync(QUESTION)
leave(provider, kept)

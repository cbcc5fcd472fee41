"""smolagents' tool-calling agent with OpenInference's instrumentation and a model that says what it is told to."""

from __future__ import annotations

from typing import Any

from _common import ANSWER, PROGRAM, QUESTION, leave, run_python, search_tickets, traced
from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import ChatMessage, MessageRole, Model, ToolCallingAgent, tool
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction


def asked(number: int, name: str, arguments: dict[str, str]) -> ChatMessage:
    function = ChatMessageToolCallFunction(name=name, arguments=arguments)
    call = ChatMessageToolCall(id=f"call_{number}", type="function", function=function)
    return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


class Told(Model):
    """Asks for the two tools one after the other, then answers."""

    def __init__(self) -> None:
        super().__init__(model_id="told")
        self.steps = [
            asked(1, "run_python", {"code": PROGRAM}),
            asked(2, "search_tickets", {"query": "orders"}),
            asked(3, "final_answer", {"answer": ANSWER}),
        ]

    def generate(self, *_args: Any, **_options: Any) -> ChatMessage:
        return self.steps.pop(0)


provider, kept = traced()
SmolagentsInstrumentor().instrument(tracer_provider=provider)
agent = ToolCallingAgent(
    name="night_watch", tools=[tool(run_python), tool(search_tickets)], model=Told(), verbosity_level=0
)
agent.run(QUESTION)
leave(provider, kept)

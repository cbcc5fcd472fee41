"""The runtimes that OpenInference instruments, as far as their spans were seen."""

from __future__ import annotations

from typing import Final

from otel_footprint.dialects._base import Runtime

_PREFIX: Final = "openinference.instrumentation."
_STATUS: Final = "Status error with an exception event."
NO_CALL_ID: Final = "A call has no id: it is matched with what a model asked for by name and arguments."
NO_EXIT_FIELD: Final = "An exit code is read where a known tool documents it in its result."

RUNTIMES: Final = (
    Runtime(
        title="OpenAI Agents SDK (OpenInference)",
        scope=_PREFIX + "openai_agents",
        versions=("openai-agents 0.24.0 with openinference-instrumentation-openai-agents 2.6.0",),
        recognised="Turns, model calls, tool calls, hand-offs, nested agents; the hosted code interpreter and the "
        "shell tool's exit code from the raw response.",
        failure="Status error; the tool's own error text is kept out by the SDK.",
        limits=(NO_CALL_ID, "A hosted code interpreter has no exit code."),
    ),
    Runtime(
        title="LangChain, LangGraph (OpenInference)",
        scope=_PREFIX + "langchain",
        versions=("langchain 1.5.2, langgraph 1.2.24 with openinference-instrumentation-langchain 0.1.80",),
        recognised="Turns (the run that has the agent's name), model calls, tool calls with their ids.",
        failure="Status error with an exception event; LangGraph's interrupts are pauses.",
        limits=("`Python_REPL` and `python_repl_ast` give an exception back as an ordinary result.", NO_EXIT_FIELD),
    ),
    Runtime(
        title="LlamaIndex (OpenInference)",
        scope=_PREFIX + "llama_index",
        versions=("llama-index-core 0.14.25 with openinference-instrumentation-llama-index 4.6.1",),
        recognised="Turns, model calls, tool calls; a result is the tool's raw output.",
        failure="Status error, or `is_error` in the recorded output.",
        limits=(
            NO_CALL_ID,
            "A code agent's `execute` gives an exception back as an ordinary result, without a flag.",
            "The agent's name, its question and its answer stand only in printed objects, which are not read.",
        ),
    ),
    Runtime(
        title="Agno (OpenInference)",
        scope=_PREFIX + "agno",
        versions=("agno 3.1.10 with openinference-instrumentation-agno 1.0.15",),
        recognised="Turns, model calls, tool calls, programs.",
        failure="Status error.",
        limits=(NO_CALL_ID, "`run_python_code` and `run_shell_command` say an error in words alone, with status OK."),
    ),
    Runtime(
        title="AutoGen (OpenInference)",
        scope=_PREFIX + "autogen",
        versions=("autogen-agentchat 0.7.5 with openinference-instrumentation-autogen-agentchat 0.1.22",),
        recognised="Turns, tool calls; with AutoGen's own span inside it is one call with that span's id.",
        failure="Status error of either span: where the two disagree, the error wins and the row says so.",
        limits=(
            "A result is what Python prints of it: rows in it are not counted.",
            "Question and answer stand only in printed objects, which are not read; no model call is recorded.",
        ),
    ),
    Runtime(
        title="Claude Agent SDK (OpenInference)",
        scope=_PREFIX + "claude_agent_sdk",
        versions=("claude-agent-sdk 0.2.189 with openinference-instrumentation-claude-agent-sdk 0.1.22 and 0.1.7",),
        recognised="Turns, tool calls with their ids, sub-agents, a shell call's exit code from the status message.",
        failure="Status error; an answer that is an API error is none.",
        limits=("There are no model calls: what a model read is not recorded.",),
    ),
    Runtime(
        title="Strands Agents (OpenInference)",
        scope="strands.telemetry.tracer",
        versions=("strands-agents 1.62.0 with openinference-instrumentation-strands-agents 0.1.12",),
        recognised="Turns, model calls, tool calls with their ids.",
        failure="Status error, or `gen_ai.tool.status`.",
        limits=(NO_EXIT_FIELD,),
    ),
    Runtime(
        title="Pydantic AI (OpenInference)",
        scope="pydantic-ai",
        versions=("pydantic-ai-slim 2.68.0 with openinference-instrumentation-pydantic-ai 0.1.30",),
        recognised="Turns, model calls, tool calls with their ids, nested agents.",
        failure="Status error.",
        limits=(NO_EXIT_FIELD,),
    ),
    Runtime(
        title="Any other OpenInference instrumentation",
        scope="",
        versions=("openinference-semantic-conventions 0.1.42",),
        recognised="Turns, model calls, tool calls, hand-offs, messages, session; arguments from `input.value`, never "
        "a tool's schema.",
        failure=_STATUS,
        limits=("What an emitter does not record; each line that could not be checked names it.", NO_EXIT_FIELD),
    ),
)

"""The runtimes that speak OpenTelemetry's GenAI conventions, as far as their spans were seen."""

from __future__ import annotations

from typing import Final

from otel_footprint.dialects._base import Runtime

_NO_EXIT = "An exit code is in no field of its own: it is read where a known tool documents it in its result."
_STATUS = "Status error, `error.type`, or `isError` in an MCP result."
_NO_SPAN = (
    "A call has no span: how it ended is not recorded, and what came back is judged as it stands in the messages."
)
_OWN_LOOP = "An application that runs its tools itself has no turn unless it puts a span of an agent around it."

RUNTIMES: Final = (
    Runtime(
        title="Pydantic AI, Logfire",
        scope="pydantic-ai",
        versions=("pydantic-ai-slim 2.68.0 (instrumentation settings 2, 5 and 6)", "logfire 5.4.0"),
        recognised="Turns, model calls, tool calls, messages, conversation, nested agents; settings 1 to 6 under their "
        "own names. A program that Logfire scrubbed is taken from the messages by its call id.",
        failure="Status error, also for a retry that the model is asked for; `ApprovalRequired` and `CallDeferred` are "
        "pauses.",
        limits=(_NO_EXIT, "A scrubbed value that no message repeats is redacted and not content."),
    ),
    Runtime(
        title="Microsoft Agent Framework",
        scope="agent_framework",
        versions=("agent-framework-core 1.23.0",),
        recognised="Turns, model calls, tool calls, messages, nested agents.",
        failure=_STATUS,
        limits=(_NO_EXIT,),
    ),
    Runtime(
        title="GitHub Copilot CLI",
        scope="github.copilot",
        versions=("@github/copilot 1.0.102",),
        recognised="Turns, model calls, tool calls, messages, conversation; the exit code of a shell call also without "
        "content.",
        failure="Status error; a non-zero exit leaves the status unset and stands in `process.exit.code`.",
    ),
    Runtime(
        title="Vercel AI SDK 7",
        scope="gen_ai",
        versions=("ai 7.0.173 with @ai-sdk/otel 1.0.173",),
        recognised="Turns, steps, model calls, tool calls, messages, nested agents.",
        failure=_STATUS,
        limits=("No conversation is recorded.", _NO_EXIT),
    ),
    Runtime(
        title="agentfootprint",
        scope="agentfootprint",
        versions=("agentfootprint 9.62.0", "footprintjs 9.24.0"),
        recognised="Turns, model calls and tool calls with names, ids and outcomes, in both of its naming modes.",
        failure="Status error with `error.type`.",
        limits=(
            "Arguments and results are never on its spans: a program is not observed, which is not the same as empty.",
            "With an injected tracer its spans have no parents.",
        ),
    ),
    Runtime(
        title="AutoGen (native)",
        scope="autogen-core",
        versions=("autogen-core 0.7.5",),
        recognised="Agents and tool calls with names, ids and outcomes; inside OpenInference's spans they are one "
        "call.",
        failure="Status error; where OpenInference's span around it says OK, the error wins and the row says so.",
        limits=("Neither arguments nor results are recorded.", "What a code executor agent runs has no span."),
    ),
    Runtime(
        title="Semantic Kernel",
        scope="semantic_kernel",
        versions=("semantic-kernel 1.45.0",),
        recognised="Turns with question and answer, model calls, tool calls under `plugin-function` names.",
        failure="Status error, or an exception that escaped.",
        limits=(
            "The messages of a model call are log records and not on its span.",
            "A result is what Python prints of it: rows in it are not counted.",
            _NO_EXIT,
        ),
    ),
    Runtime(
        title="OpenAI Agents SDK (OpenTelemetry)",
        scope="opentelemetry.instrumentation.genai.openai_agents",
        versions=("openai-agents 0.24.0 with opentelemetry-instrumentation-genai-openai-agents 1.3b0",),
        recognised="Workflows, agents, tool calls, nested agents.",
        failure="Status error with `error.type`.",
        limits=("No model call and no call id is recorded.", "A hosted code interpreter leaves no trace."),
    ),
    Runtime(
        title="LangChain, LangGraph (OpenTelemetry)",
        scope="opentelemetry.instrumentation.genai.langchain",
        versions=("langchain 1.5.2, langgraph 1.2.24 with opentelemetry-instrumentation-genai-langchain 1.3b0",),
        recognised="Turns, tool calls with their ids; LangGraph's interrupts are pauses.",
        failure="Status error with the exception's class in `error.type`.",
        limits=("A model without an integration of its own has no model call.", _NO_EXIT),
    ),
    Runtime(
        title="OpenAI SDK (OpenTelemetry)",
        scope="opentelemetry.instrumentation.genai.openai",
        versions=("openai 3.57.0 with opentelemetry-instrumentation-genai-openai 1.3b0",),
        recognised="Model calls of both APIs with their messages, also as log records; the calls and results that "
        "messages tell of.",
        failure=_NO_SPAN,
        limits=(_OWN_LOOP, _NO_EXIT),
    ),
    Runtime(
        title="OpenAI SDK (OpenTelemetry, older)",
        scope="opentelemetry.instrumentation.openai_v2",
        versions=(
            "openai 3.57.0 with opentelemetry-instrumentation-openai-v2 2.4b0 and opentelemetry-util-genai 0.4b0",
        ),
        recognised="Model calls with their messages, by default in log records alone.",
        failure=_NO_SPAN,
        limits=(_OWN_LOOP, _NO_EXIT),
    ),
    Runtime(
        title="Anthropic SDK (OpenTelemetry)",
        scope="opentelemetry.instrumentation.genai.anthropic",
        versions=("anthropic 2.14.0 with opentelemetry-instrumentation-genai-anthropic 1.3b0",),
        recognised="Model calls with their messages; the calls and results that messages tell of.",
        failure=_NO_SPAN,
        limits=(_OWN_LOOP, _NO_EXIT),
    ),
    Runtime(
        title="Google Gen AI SDK (OpenTelemetry)",
        scope="opentelemetry.instrumentation.google_genai",
        versions=("google-genai 2.34.0 with opentelemetry-instrumentation-google-genai 1.3b0",),
        recognised="Model calls with their messages; the tools that the SDK ran inside a call, each with its span.",
        failure="Status error with the exception's class in `error.type`.",
        limits=("No call id is recorded.", _NO_EXIT),
    ),
    Runtime(
        title="OpenAI SDK (Logfire)",
        scope="logfire.openai",
        versions=("openai 3.57.0 with logfire 5.4.0",),
        recognised="Model calls of both APIs with their messages; the calls and results that messages tell of.",
        failure=_NO_SPAN,
        limits=(_OWN_LOOP, _NO_EXIT),
    ),
    Runtime(
        title="smolagents (OpenTelemetry)",
        scope="opentelemetry.instrumentation.genai.smolagents",
        versions=("smolagents 1.26.0 with opentelemetry-instrumentation-genai-smolagents 1.2b0",),
        recognised="Turns.",
        failure="Status error of the turn.",
        limits=("Neither tool calls nor model calls are recorded.",),
    ),
    Runtime(
        title="Any other emitter of the GenAI conventions",
        scope="",
        versions=("conventions 1.27 to 1.44",),
        recognised="Turns, workflows, steps, model calls, tool calls, messages in attributes or events, conversation; "
        "calls that a provider ran itself from the messages.",
        failure=_STATUS,
        limits=("What an emitter does not record; each line that could not be checked names it.", _NO_EXIT),
    ),
)

"""The raw OpenAI Responses items that instrumentations keep beside their messages.

A hosted code interpreter and the shell tool's structured outcome exist only there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from otel_footprint.dialects._base import Requested, Responded
from otel_footprint.dialects.content import attribute, content_of, parse_json
from otel_footprint.facts import ABSENT, Pointer
from otel_footprint.spanview import SpanView

_REQUEST_MARKS: Final = ('"code_interpreter_call"', '"shell_call"', '"local_shell_call"')
_RESPONSE_MARK: Final = '_call_output"'


def raw_requests(span: SpanView, key: str) -> tuple[Requested, ...]:
    """Hosted and shell calls of a raw response (``{"output": [...]}``)."""
    text = span.get(key)
    if not isinstance(text, str) or not any(mark in text for mark in _REQUEST_MARKS):
        return ()
    return tuple(found for item, at in _items(span, key, text, "output") if (found := _request(item, at)) is not None)


def raw_responses(span: SpanView, key: str) -> tuple[Responded, ...]:
    """Shell results of a raw input list, with the exit code that their outcome documents."""
    text = span.get(key)
    if not isinstance(text, str) or _RESPONSE_MARK not in text or "shell_call_output" not in text:
        return ()
    return tuple(found for item, at in _items(span, key, text, "input") if (found := _response(item, at)) is not None)


def _items(span: SpanView, key: str, text: str, inside: str) -> Iterator[tuple[Mapping[str, Any], Pointer]]:
    value = parse_json(text)
    where = attribute(span, key).pointer or ""
    if isinstance(value, Mapping):
        value, where = value.get(inside), f"{where}/{inside}"
    if not isinstance(value, list):
        return
    for index, item in enumerate(value):
        if isinstance(item, Mapping):
            yield item, f"{where}/{index}"


def _request(item: Mapping[str, Any], where: Pointer) -> Requested | None:
    kind = item.get("type")
    call_id = item.get("call_id") or item.get("id")
    call_id = call_id if isinstance(call_id, str) else None
    if kind == "code_interpreter_call":
        outputs = item.get("outputs")
        logs = [o["logs"] for o in outputs if _is_log(o)] if isinstance(outputs, list) else None
        shown = "".join(logs) if logs else outputs
        return Requested(
            name="code_interpreter",
            call_id=call_id,
            arguments=content_of({"code": item.get("code")}, where, "raw"),
            pointer=where,
            hosted=True,
            result=content_of(shown, f"{where}/outputs", "raw") if "outputs" in item else ABSENT,
        )
    action = item.get("action")
    if kind in {"shell_call", "local_shell_call"} and isinstance(action, Mapping):
        name = "shell" if kind == "shell_call" else "local_shell"
        return Requested(
            name=name, call_id=call_id, arguments=content_of(action, f"{where}/action", "raw"), pointer=where
        )
    return None


def _is_log(output: Any) -> bool:
    return isinstance(output, Mapping) and output.get("type") == "logs" and isinstance(output.get("logs"), str)


def _response(item: Mapping[str, Any], where: Pointer) -> Responded | None:
    if item.get("type") not in {"shell_call_output", "local_shell_call_output"}:
        return None
    call_id = item.get("call_id")
    output = item.get("output")
    code, at = _exit_of(output, where)
    return Responded(
        call_id=call_id if isinstance(call_id, str) else None,
        value=content_of(_shown(output), f"{where}/output", "raw"),
        exit_code=code,
        exit_pointer=at,
    )


def _shown(output: Any) -> Any:
    """What the commands printed, as text; the items are the provider's envelope, not rows."""
    if not isinstance(output, list):
        return output
    streams = [part.get(name) for part in output if isinstance(part, Mapping) for name in ("stdout", "stderr")]
    return "".join(text for text in streams if isinstance(text, str))


def _exit_of(output: Any, where: Pointer) -> tuple[int | None, Pointer | None]:
    """The exit code of a shell result; of several commands the last one's, as a shell answers."""
    if not isinstance(output, list) or not output or not isinstance(output[-1], Mapping):
        return None, None
    outcome = output[-1].get("outcome")
    code = outcome.get("exit_code") if isinstance(outcome, Mapping) else None
    if isinstance(code, int) and not isinstance(code, bool):
        return code, f"{where}/output/{len(output) - 1}/outcome/exit_code"
    return None, None

"""Programs that a model wrote into its text and that its runtime ran: code runs without a tool call and a span.

A program in a text is only asked for. That it ran is told by the step around the model call, or by the next model
call, which reads the program again with what it gave. Without either it is a text like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from otel_footprint._pairing import Ask, Model, Work
from otel_footprint._placing import Node
from otel_footprint.dialects import Message, Requested, Responded, StepFacts, enable_for
from otel_footprint.dialects.content import tool_result
from otel_footprint.facts import ABSENT, CallOutcome, CodeRun, Content, Pointer, Settlement, ToolCall


@dataclass(frozen=True, slots=True)
class _Repeated:
    """A program as a later model call read it, with what it gave."""

    request: Requested
    response: Responded | None
    reader: Model


def written_calls(work: Work) -> list[ToolCall]:
    """The runs of the programs in the models' texts, in the order of these."""
    asked = [call for ask in work.asks if ask.request.written and (call := _run(ask, work)) is not None]
    return [*asked, *_unasked(asked, work)]


def _unasked(asked: Sequence[ToolCall], work: Work) -> Iterator[ToolCall]:
    """Runs that only the last model call's input tells of: no span of the model call that wrote them is recorded.

    Only with their results and after the person's last words, so that they are none of an earlier turn.
    """
    if not work.models:
        return
    reader = work.models[-1]
    messages = reader.facts.input
    last = max((index for index, message in enumerate(messages) if message.role == "user"), default=None)
    if last is None:
        return
    known = Counter(text for call in asked for text in _texts_of(call))
    for request, response in _programs(messages[last + 1 :]):
        text = _text(request.arguments)
        if known[text]:
            known[text] -= 1
        elif response is not None:
            yield _call(
                reader.node,
                request,
                at=(reader.node.start_ns, reader.node.start_ns),
                call_id=request.call_id,
                ended=_outcome(None, response, request),
                result=response.value,
                submitted=request.arguments,
                iteration=0,
            )


def _texts_of(call: ToolCall) -> set[str | None]:
    run = call.code_run
    return {_text(run.submitted), _text(run.proposed)} - {None} if run is not None else set()


def _run(ask: Ask, work: Work) -> ToolCall | None:
    model, request = ask.model, ask.request
    if model is None:
        return None
    step = _step_of(model)
    repeated = _repeated(model, request, work, step)
    if step is None and repeated is None:
        return None
    response = repeated.response if repeated is not None else None
    result = step.result if step is not None else ABSENT
    if response is not None and (result.state == "absent" or response.value.recorded):
        result = response.value
    return _call(
        model.node,
        request,
        at=(model.node.end_ns, _end_of(model, repeated)),
        call_id=repeated.request.call_id if repeated is not None else None,
        ended=_outcome(step, response, request),
        result=result,
        submitted=repeated.request.arguments if repeated is not None else ABSENT,
        iteration=ask.iteration,
    )


def _call(  # noqa: PLR0913 - each part of a call goes by its name
    node: Node,
    request: Requested,
    *,
    at: tuple[int, int],
    call_id: str | None,
    ended: tuple[CallOutcome, Pointer | None],
    result: Content,
    submitted: Content,
    iteration: int,
) -> ToolCall:
    """The call that the run of a program is; ``at`` is when it started at the earliest and had ended at the latest."""
    outcome, pointer = ended
    settlement: Settlement = "threw" if outcome == "failed" else "returned" if outcome == "ran" else "not-entered"
    return ToolCall(
        span_id=None,
        carrier_span_id=node.span_id,
        tool=request.name,
        call_id=call_id,
        start_ns=at[0],
        end_ns=at[1],
        outcome=outcome,
        outcome_pointer=pointer,
        settlement=settlement,
        result=tool_result(result),
        code_run=CodeRun(
            argument=None,
            declared_by="catalogue",
            language="python",
            proposed=request.arguments if iteration else ABSENT,
            submitted=submitted,
        ),
        iteration=iteration,
        enable=enable_for(node.dialect, node.view.scope_name) if node.dialect and node.view else None,
        notes=("in-text",),
    )


def _step_of(model: Model) -> StepFacts | None:
    step = model.step
    if step is None or step.view is None or step.dialect is None or step.dialect.step is None:
        return None
    return step.dialect.step(step.view)


def _outcome(
    step: StepFacts | None, response: Responded | None, request: Requested
) -> tuple[CallOutcome, Pointer | None]:
    """The step's own word, else the one beside the result; a program that was read again with a result has run."""
    if step is not None:
        return step.outcome, step.pointer
    if response is None:
        return "unknown", request.pointer
    return "failed" if response.failed else "ran", response.value.pointer


def _end_of(model: Model, repeated: _Repeated | None) -> int:
    """When the run had ended at the latest; the model call's own end where nothing later is recorded."""
    if model.step is not None and model.step.end_ns:
        return model.step.end_ns
    return repeated.reader.node.start_ns if repeated is not None else model.node.end_ns


def _repeated(model: Model, request: Requested, work: Work, step: StepFacts | None) -> _Repeated | None:
    """The program in the first later model call that reads more programs than the one that wrote it had read.

    Where the model's input was cut in between, the last one counts if its text is the same. A text that differs is
    what the runtime made of the program, which only the step's word proves.
    """
    had = len(list(_programs(model.facts.input)))
    for later in work.models[model.iteration :]:
        programs = list(_programs(later.facts.input))
        if not programs:
            continue
        found, response = programs[had] if len(programs) > had else programs[-1]
        same = _text(found.arguments) == _text(request.arguments)
        if same or (step is not None and len(programs) > had):
            return _Repeated(found, response, later)
        return None
    return None


def _programs(messages: Sequence[Message]) -> Iterator[tuple[Requested, Responded | None]]:
    """The programs that a model call read, each with the first result after it."""
    waiting: Requested | None = None
    for message in messages:
        for response in message.responded:
            if waiting is not None:
                yield waiting, response
                waiting = None
        for request in message.requested:
            if request.written:
                if waiting is not None:
                    yield waiting, None
                waiting = request
    if waiting is not None:
        yield waiting, None


def _text(content: Content) -> str | None:
    return content.value.strip() if content.recorded and isinstance(content.value, str) else None

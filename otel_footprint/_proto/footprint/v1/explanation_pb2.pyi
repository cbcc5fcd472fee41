from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Explanation(_message.Message):
    __slots__ = ("schema", "wording", "trace_id", "span_id", "name", "agent", "conversation_id", "turn", "nested_in", "question", "answer", "finished", "incomplete", "stand_in", "revision", "calls", "scripts", "signals", "unreached", "reasons", "checks", "wrong", "summary", "counts", "standing", "notes")
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    WORDING_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    NESTED_IN_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    STAND_IN_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    SCRIPTS_FIELD_NUMBER: _ClassVar[int]
    SIGNALS_FIELD_NUMBER: _ClassVar[int]
    UNREACHED_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    WRONG_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    schema: str
    wording: str
    trace_id: str
    span_id: str
    name: str
    agent: str
    conversation_id: str
    turn: int
    nested_in: str
    question: str
    answer: str
    finished: bool
    incomplete: _containers.RepeatedScalarFieldContainer[str]
    stand_in: bool
    revision: int
    calls: _containers.RepeatedCompositeFieldContainer[Call]
    scripts: _containers.RepeatedCompositeFieldContainer[Script]
    signals: _containers.RepeatedCompositeFieldContainer[Signal]
    unreached: _containers.RepeatedCompositeFieldContainer[Unreached]
    reasons: _containers.RepeatedCompositeFieldContainer[Reason]
    checks: Checks
    wrong: _containers.RepeatedCompositeFieldContainer[WrongLine]
    summary: Summary
    counts: Counts
    standing: str
    notes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, schema: _Optional[str] = ..., wording: _Optional[str] = ..., trace_id: _Optional[str] = ..., span_id: _Optional[str] = ..., name: _Optional[str] = ..., agent: _Optional[str] = ..., conversation_id: _Optional[str] = ..., turn: _Optional[int] = ..., nested_in: _Optional[str] = ..., question: _Optional[str] = ..., answer: _Optional[str] = ..., finished: bool = ..., incomplete: _Optional[_Iterable[str]] = ..., stand_in: bool = ..., revision: _Optional[int] = ..., calls: _Optional[_Iterable[_Union[Call, _Mapping]]] = ..., scripts: _Optional[_Iterable[_Union[Script, _Mapping]]] = ..., signals: _Optional[_Iterable[_Union[Signal, _Mapping]]] = ..., unreached: _Optional[_Iterable[_Union[Unreached, _Mapping]]] = ..., reasons: _Optional[_Iterable[_Union[Reason, _Mapping]]] = ..., checks: _Optional[_Union[Checks, _Mapping]] = ..., wrong: _Optional[_Iterable[_Union[WrongLine, _Mapping]]] = ..., summary: _Optional[_Union[Summary, _Mapping]] = ..., counts: _Optional[_Union[Counts, _Mapping]] = ..., standing: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ...) -> None: ...

class Call(_message.Message):
    __slots__ = ("span_id", "tool", "call_id", "outcome", "code_run", "result_recorded", "emptiness", "rows", "undeclared_shape", "rows_unread", "notes")
    SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CODE_RUN_FIELD_NUMBER: _ClassVar[int]
    RESULT_RECORDED_FIELD_NUMBER: _ClassVar[int]
    EMPTINESS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    UNDECLARED_SHAPE_FIELD_NUMBER: _ClassVar[int]
    ROWS_UNREAD_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    span_id: str
    tool: str
    call_id: str
    outcome: str
    code_run: bool
    result_recorded: bool
    emptiness: str
    rows: int
    undeclared_shape: bool
    rows_unread: str
    notes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, span_id: _Optional[str] = ..., tool: _Optional[str] = ..., call_id: _Optional[str] = ..., outcome: _Optional[str] = ..., code_run: bool = ..., result_recorded: bool = ..., emptiness: _Optional[str] = ..., rows: _Optional[int] = ..., undeclared_shape: bool = ..., rows_unread: _Optional[str] = ..., notes: _Optional[_Iterable[str]] = ...) -> None: ...

class Script(_message.Message):
    __slots__ = ("about", "span_id", "outcome", "result", "exit_code", "exit_code_from", "service_error", "tool", "call_id", "dispatch", "argument", "language", "bytes", "lines", "sha256", "rewritten", "result_withheld", "turn", "iteration", "shown", "declared_by", "argument_is_list", "program", "text", "evidence")
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FROM_FIELD_NUMBER: _ClassVar[int]
    SERVICE_ERROR_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    DISPATCH_FIELD_NUMBER: _ClassVar[int]
    ARGUMENT_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    REWRITTEN_FIELD_NUMBER: _ClassVar[int]
    RESULT_WITHHELD_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ITERATION_FIELD_NUMBER: _ClassVar[int]
    SHOWN_FIELD_NUMBER: _ClassVar[int]
    DECLARED_BY_FIELD_NUMBER: _ClassVar[int]
    ARGUMENT_IS_LIST_FIELD_NUMBER: _ClassVar[int]
    PROGRAM_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    about: str
    span_id: str
    outcome: str
    result: str
    exit_code: int
    exit_code_from: str
    service_error: bool
    tool: str
    call_id: str
    dispatch: int
    argument: str
    language: str
    bytes: int
    lines: int
    sha256: str
    rewritten: bool
    result_withheld: str
    turn: int
    iteration: int
    shown: str
    declared_by: str
    argument_is_list: bool
    program: str
    text: str
    evidence: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, about: _Optional[str] = ..., span_id: _Optional[str] = ..., outcome: _Optional[str] = ..., result: _Optional[str] = ..., exit_code: _Optional[int] = ..., exit_code_from: _Optional[str] = ..., service_error: bool = ..., tool: _Optional[str] = ..., call_id: _Optional[str] = ..., dispatch: _Optional[int] = ..., argument: _Optional[str] = ..., language: _Optional[str] = ..., bytes: _Optional[int] = ..., lines: _Optional[int] = ..., sha256: _Optional[str] = ..., rewritten: bool = ..., result_withheld: _Optional[str] = ..., turn: _Optional[int] = ..., iteration: _Optional[int] = ..., shown: _Optional[str] = ..., declared_by: _Optional[str] = ..., argument_is_list: bool = ..., program: _Optional[str] = ..., text: _Optional[str] = ..., evidence: _Optional[_Iterable[str]] = ...) -> None: ...

class Signal(_message.Message):
    __slots__ = ("about", "id", "check", "tone", "tool", "call_id", "evidence")
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    CHECK_FIELD_NUMBER: _ClassVar[int]
    TONE_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    about: str
    id: str
    check: str
    tone: str
    tool: str
    call_id: str
    evidence: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, about: _Optional[str] = ..., id: _Optional[str] = ..., check: _Optional[str] = ..., tone: _Optional[str] = ..., tool: _Optional[str] = ..., call_id: _Optional[str] = ..., evidence: _Optional[_Iterable[str]] = ...) -> None: ...

class Unreached(_message.Message):
    __slots__ = ("about", "check", "missing", "tool", "call_id", "enable", "evidence")
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    CHECK_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    ENABLE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    about: str
    check: str
    missing: str
    tool: str
    call_id: str
    enable: str
    evidence: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, about: _Optional[str] = ..., check: _Optional[str] = ..., missing: _Optional[str] = ..., tool: _Optional[str] = ..., call_id: _Optional[str] = ..., enable: _Optional[str] = ..., evidence: _Optional[_Iterable[str]] = ...) -> None: ...

class Reason(_message.Message):
    __slots__ = ("about", "reason", "layer", "source", "witnesses", "evidence")
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CLASS_FIELD_NUMBER: _ClassVar[int]
    LAYER_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    WITNESSES_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    about: str
    reason: str
    layer: int
    source: str
    witnesses: int
    evidence: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, about: _Optional[str] = ..., reason: _Optional[str] = ..., layer: _Optional[int] = ..., source: _Optional[str] = ..., witnesses: _Optional[int] = ..., evidence: _Optional[_Iterable[str]] = ..., **kwargs) -> None: ...

class Checks(_message.Message):
    __slots__ = ("reachable", "unreachable", "not_applicable")
    REACHABLE_FIELD_NUMBER: _ClassVar[int]
    UNREACHABLE_FIELD_NUMBER: _ClassVar[int]
    NOT_APPLICABLE_FIELD_NUMBER: _ClassVar[int]
    reachable: _containers.RepeatedScalarFieldContainer[str]
    unreachable: _containers.RepeatedScalarFieldContainer[str]
    not_applicable: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, reachable: _Optional[_Iterable[str]] = ..., unreachable: _Optional[_Iterable[str]] = ..., not_applicable: _Optional[_Iterable[str]] = ...) -> None: ...

class WrongLine(_message.Message):
    __slots__ = ("id", "about")
    ID_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    id: str
    about: str
    def __init__(self, id: _Optional[str] = ..., about: _Optional[str] = ...) -> None: ...

class Summary(_message.Message):
    __slots__ = ("about", "tone")
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    TONE_FIELD_NUMBER: _ClassVar[int]
    about: str
    tone: str
    def __init__(self, about: _Optional[str] = ..., tone: _Optional[str] = ...) -> None: ...

class Counts(_message.Message):
    __slots__ = ("calls", "failed", "refused", "declined", "not_dispatched", "unknown", "withheld", "scripts", "scripts_dropped", "signals", "signals_omitted", "lines_omitted")
    CALLS_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    DECLINED_FIELD_NUMBER: _ClassVar[int]
    NOT_DISPATCHED_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    WITHHELD_FIELD_NUMBER: _ClassVar[int]
    SCRIPTS_FIELD_NUMBER: _ClassVar[int]
    SCRIPTS_DROPPED_FIELD_NUMBER: _ClassVar[int]
    SIGNALS_FIELD_NUMBER: _ClassVar[int]
    SIGNALS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    LINES_OMITTED_FIELD_NUMBER: _ClassVar[int]
    calls: int
    failed: int
    refused: int
    declined: int
    not_dispatched: int
    unknown: int
    withheld: int
    scripts: int
    scripts_dropped: int
    signals: int
    signals_omitted: int
    lines_omitted: int
    def __init__(self, calls: _Optional[int] = ..., failed: _Optional[int] = ..., refused: _Optional[int] = ..., declined: _Optional[int] = ..., not_dispatched: _Optional[int] = ..., unknown: _Optional[int] = ..., withheld: _Optional[int] = ..., scripts: _Optional[int] = ..., scripts_dropped: _Optional[int] = ..., signals: _Optional[int] = ..., signals_omitted: _Optional[int] = ..., lines_omitted: _Optional[int] = ...) -> None: ...

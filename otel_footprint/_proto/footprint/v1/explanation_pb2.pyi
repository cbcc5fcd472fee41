from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Explanation(_message.Message):
    __slots__ = ("schema", "wording", "trace_id", "span_id", "name", "agent", "conversation_id", "turn", "nested_in", "question", "answer", "finished", "incomplete", "stand_in", "revision", "calls", "scripts", "signals", "unreached", "reasons", "checks", "wrong", "summary", "counts", "standing", "notes", "assessment", "matching", "evidence", "recovery", "account")
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
    ASSESSMENT_FIELD_NUMBER: _ClassVar[int]
    MATCHING_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    RECOVERY_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
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
    notes: _containers.RepeatedCompositeFieldContainer[Note]
    assessment: Assessment
    matching: Matching
    evidence: Evidence
    recovery: Recovery
    account: Account
    def __init__(self, schema: _Optional[str] = ..., wording: _Optional[str] = ..., trace_id: _Optional[str] = ..., span_id: _Optional[str] = ..., name: _Optional[str] = ..., agent: _Optional[str] = ..., conversation_id: _Optional[str] = ..., turn: _Optional[int] = ..., nested_in: _Optional[str] = ..., question: _Optional[str] = ..., answer: _Optional[str] = ..., finished: bool = ..., incomplete: _Optional[_Iterable[str]] = ..., stand_in: bool = ..., revision: _Optional[int] = ..., calls: _Optional[_Iterable[_Union[Call, _Mapping]]] = ..., scripts: _Optional[_Iterable[_Union[Script, _Mapping]]] = ..., signals: _Optional[_Iterable[_Union[Signal, _Mapping]]] = ..., unreached: _Optional[_Iterable[_Union[Unreached, _Mapping]]] = ..., reasons: _Optional[_Iterable[_Union[Reason, _Mapping]]] = ..., checks: _Optional[_Union[Checks, _Mapping]] = ..., wrong: _Optional[_Iterable[_Union[WrongLine, _Mapping]]] = ..., summary: _Optional[_Union[Summary, _Mapping]] = ..., counts: _Optional[_Union[Counts, _Mapping]] = ..., standing: _Optional[str] = ..., notes: _Optional[_Iterable[_Union[Note, _Mapping]]] = ..., assessment: _Optional[_Union[Assessment, _Mapping]] = ..., matching: _Optional[_Union[Matching, _Mapping]] = ..., evidence: _Optional[_Union[Evidence, _Mapping]] = ..., recovery: _Optional[_Union[Recovery, _Mapping]] = ..., account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

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
    __slots__ = ("about", "span_id", "outcome", "result", "exit_code", "exit_code_from", "service_error", "tool", "call_id", "dispatch", "argument", "language", "bytes", "lines", "sha256", "rewritten", "result_withheld", "turn", "iteration", "shown", "declared_by", "argument_is_list", "program", "text", "evidence", "exit_code_of", "exit_means")
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
    EXIT_CODE_OF_FIELD_NUMBER: _ClassVar[int]
    EXIT_MEANS_FIELD_NUMBER: _ClassVar[int]
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
    exit_code_of: str
    exit_means: str
    def __init__(self, about: _Optional[str] = ..., span_id: _Optional[str] = ..., outcome: _Optional[str] = ..., result: _Optional[str] = ..., exit_code: _Optional[int] = ..., exit_code_from: _Optional[str] = ..., service_error: bool = ..., tool: _Optional[str] = ..., call_id: _Optional[str] = ..., dispatch: _Optional[int] = ..., argument: _Optional[str] = ..., language: _Optional[str] = ..., bytes: _Optional[int] = ..., lines: _Optional[int] = ..., sha256: _Optional[str] = ..., rewritten: bool = ..., result_withheld: _Optional[str] = ..., turn: _Optional[int] = ..., iteration: _Optional[int] = ..., shown: _Optional[str] = ..., declared_by: _Optional[str] = ..., argument_is_list: bool = ..., program: _Optional[str] = ..., text: _Optional[str] = ..., evidence: _Optional[_Iterable[str]] = ..., exit_code_of: _Optional[str] = ..., exit_means: _Optional[str] = ...) -> None: ...

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

class Note(_message.Message):
    __slots__ = ("about", "id", "tool", "call_id", "enable", "evidence")
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    ENABLE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    about: str
    id: str
    tool: str
    call_id: str
    enable: str
    evidence: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, about: _Optional[str] = ..., id: _Optional[str] = ..., tool: _Optional[str] = ..., call_id: _Optional[str] = ..., enable: _Optional[str] = ..., evidence: _Optional[_Iterable[str]] = ...) -> None: ...

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

class Assessment(_message.Message):
    __slots__ = ("assessment", "checked", "support", "turn_from", "kept_out", "not_evaluated")
    ASSESSMENT_FIELD_NUMBER: _ClassVar[int]
    CHECKED_FIELD_NUMBER: _ClassVar[int]
    SUPPORT_FIELD_NUMBER: _ClassVar[int]
    TURN_FROM_FIELD_NUMBER: _ClassVar[int]
    KEPT_OUT_FIELD_NUMBER: _ClassVar[int]
    NOT_EVALUATED_FIELD_NUMBER: _ClassVar[int]
    assessment: str
    checked: _containers.RepeatedCompositeFieldContainer[Checked]
    support: Support
    turn_from: str
    kept_out: _containers.RepeatedScalarFieldContainer[str]
    not_evaluated: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, assessment: _Optional[str] = ..., checked: _Optional[_Iterable[_Union[Checked, _Mapping]]] = ..., support: _Optional[_Union[Support, _Mapping]] = ..., turn_from: _Optional[str] = ..., kept_out: _Optional[_Iterable[str]] = ..., not_evaluated: _Optional[_Iterable[str]] = ...) -> None: ...

class Checked(_message.Message):
    __slots__ = ("check", "layer", "ran", "of")
    CHECK_FIELD_NUMBER: _ClassVar[int]
    LAYER_FIELD_NUMBER: _ClassVar[int]
    RAN_FIELD_NUMBER: _ClassVar[int]
    OF_FIELD_NUMBER: _ClassVar[int]
    check: str
    layer: int
    ran: int
    of: int
    def __init__(self, check: _Optional[str] = ..., layer: _Optional[int] = ..., ran: _Optional[int] = ..., of: _Optional[int] = ...) -> None: ...

class Support(_message.Message):
    __slots__ = ("kind", "digest", "evidence")
    KIND_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    kind: str
    digest: str
    evidence: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, kind: _Optional[str] = ..., digest: _Optional[str] = ..., evidence: _Optional[_Iterable[str]] = ...) -> None: ...

class Matching(_message.Message):
    __slots__ = ("blocks", "earlier_turn_rows", "regions_dropped")
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    EARLIER_TURN_ROWS_FIELD_NUMBER: _ClassVar[int]
    REGIONS_DROPPED_FIELD_NUMBER: _ClassVar[int]
    blocks: _containers.RepeatedCompositeFieldContainer[Block]
    earlier_turn_rows: int
    regions_dropped: int
    def __init__(self, blocks: _Optional[_Iterable[_Union[Block, _Mapping]]] = ..., earlier_turn_rows: _Optional[int] = ..., regions_dropped: _Optional[int] = ...) -> None: ...

class Block(_message.Message):
    __slots__ = ("block", "label", "dispatch", "tool", "call_id", "exit_code")
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    DISPATCH_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    block: int
    label: str
    dispatch: int
    tool: str
    call_id: str
    exit_code: int
    def __init__(self, block: _Optional[int] = ..., label: _Optional[str] = ..., dispatch: _Optional[int] = ..., tool: _Optional[str] = ..., call_id: _Optional[str] = ..., exit_code: _Optional[int] = ...) -> None: ...

class Evidence(_message.Message):
    __slots__ = ("candidates", "looked_up", "unsupported", "truncated", "capped", "revised", "source")
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    LOOKED_UP_FIELD_NUMBER: _ClassVar[int]
    UNSUPPORTED_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    CAPPED_FIELD_NUMBER: _ClassVar[int]
    REVISED_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    candidates: int
    looked_up: int
    unsupported: _containers.RepeatedCompositeFieldContainer[Unsupported]
    truncated: bool
    capped: bool
    revised: bool
    source: str
    def __init__(self, candidates: _Optional[int] = ..., looked_up: _Optional[int] = ..., unsupported: _Optional[_Iterable[_Union[Unsupported, _Mapping]]] = ..., truncated: bool = ..., capped: bool = ..., revised: bool = ..., source: _Optional[str] = ...) -> None: ...

class Unsupported(_message.Message):
    __slots__ = ("value", "shape", "region")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    value: str
    shape: str
    region: str
    def __init__(self, value: _Optional[str] = ..., shape: _Optional[str] = ..., region: _Optional[str] = ...) -> None: ...

class Recovery(_message.Message):
    __slots__ = ("unmatched", "tools_named", "kept_calls", "text")
    UNMATCHED_FIELD_NUMBER: _ClassVar[int]
    TOOLS_NAMED_FIELD_NUMBER: _ClassVar[int]
    KEPT_CALLS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    unmatched: bool
    tools_named: _containers.RepeatedScalarFieldContainer[str]
    kept_calls: _containers.RepeatedScalarFieldContainer[str]
    text: str
    def __init__(self, unmatched: bool = ..., tools_named: _Optional[_Iterable[str]] = ..., kept_calls: _Optional[_Iterable[str]] = ..., text: _Optional[str] = ...) -> None: ...

class Account(_message.Message):
    __slots__ = ("kind", "shape", "templates", "run", "question", "answer", "facts", "rows", "signals", "unreachable", "summary", "unread", "foreign", "scope", "shortened")
    KIND_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    TEMPLATES_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    SIGNALS_FIELD_NUMBER: _ClassVar[int]
    UNREACHABLE_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    UNREAD_FIELD_NUMBER: _ClassVar[int]
    FOREIGN_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SHORTENED_FIELD_NUMBER: _ClassVar[int]
    kind: str
    shape: int
    templates: Templates
    run: Run
    question: Fact
    answer: Fact
    facts: Facts
    rows: _containers.RepeatedCompositeFieldContainer[AccountRow]
    signals: _containers.RepeatedCompositeFieldContainer[ListedSignal]
    unreachable: _containers.RepeatedCompositeFieldContainer[ListedUnreached]
    summary: AccountSummary
    unread: int
    foreign: int
    scope: str
    shortened: bool
    def __init__(self, kind: _Optional[str] = ..., shape: _Optional[int] = ..., templates: _Optional[_Union[Templates, _Mapping]] = ..., run: _Optional[_Union[Run, _Mapping]] = ..., question: _Optional[_Union[Fact, _Mapping]] = ..., answer: _Optional[_Union[Fact, _Mapping]] = ..., facts: _Optional[_Union[Facts, _Mapping]] = ..., rows: _Optional[_Iterable[_Union[AccountRow, _Mapping]]] = ..., signals: _Optional[_Iterable[_Union[ListedSignal, _Mapping]]] = ..., unreachable: _Optional[_Iterable[_Union[ListedUnreached, _Mapping]]] = ..., summary: _Optional[_Union[AccountSummary, _Mapping]] = ..., unread: _Optional[int] = ..., foreign: _Optional[int] = ..., scope: _Optional[str] = ..., shortened: bool = ...) -> None: ...

class Templates(_message.Message):
    __slots__ = ("set", "version")
    SET_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    set: str
    version: str
    def __init__(self, set: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class Run(_message.Message):
    __slots__ = ("run_id", "turn", "model", "resumed_leg")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    RESUMED_LEG_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    turn: int
    model: str
    resumed_leg: bool
    def __init__(self, run_id: _Optional[str] = ..., turn: _Optional[int] = ..., model: _Optional[str] = ..., resumed_leg: bool = ...) -> None: ...

class Fact(_message.Message):
    __slots__ = ("value", "source", "status", "pointers", "missing", "clipped")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    POINTERS_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    CLIPPED_FIELD_NUMBER: _ClassVar[int]
    value: str
    source: str
    status: str
    pointers: _containers.RepeatedScalarFieldContainer[str]
    missing: str
    clipped: bool
    def __init__(self, value: _Optional[str] = ..., source: _Optional[str] = ..., status: _Optional[str] = ..., pointers: _Optional[_Iterable[str]] = ..., missing: _Optional[str] = ..., clipped: bool = ...) -> None: ...

class AccountRow(_message.Message):
    __slots__ = ("id", "status", "chips", "lines", "omitted")
    ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CHIPS_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    OMITTED_FIELD_NUMBER: _ClassVar[int]
    id: str
    status: str
    chips: _containers.RepeatedCompositeFieldContainer[Chip]
    lines: _containers.RepeatedCompositeFieldContainer[Line]
    omitted: int
    def __init__(self, id: _Optional[str] = ..., status: _Optional[str] = ..., chips: _Optional[_Iterable[_Union[Chip, _Mapping]]] = ..., lines: _Optional[_Iterable[_Union[Line, _Mapping]]] = ..., omitted: _Optional[int] = ...) -> None: ...

class Line(_message.Message):
    __slots__ = ("id", "text", "parts", "vars", "source", "status", "pointers", "missing", "chips", "item", "clipped")
    ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    VARS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    POINTERS_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    CHIPS_FIELD_NUMBER: _ClassVar[int]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    CLIPPED_FIELD_NUMBER: _ClassVar[int]
    id: str
    text: str
    parts: _containers.RepeatedCompositeFieldContainer[Part]
    vars: _containers.RepeatedCompositeFieldContainer[FilledVar]
    source: str
    status: str
    pointers: _containers.RepeatedScalarFieldContainer[str]
    missing: str
    chips: _containers.RepeatedCompositeFieldContainer[Chip]
    item: bool
    clipped: bool
    def __init__(self, id: _Optional[str] = ..., text: _Optional[str] = ..., parts: _Optional[_Iterable[_Union[Part, _Mapping]]] = ..., vars: _Optional[_Iterable[_Union[FilledVar, _Mapping]]] = ..., source: _Optional[str] = ..., status: _Optional[str] = ..., pointers: _Optional[_Iterable[str]] = ..., missing: _Optional[str] = ..., chips: _Optional[_Iterable[_Union[Chip, _Mapping]]] = ..., item: bool = ..., clipped: bool = ...) -> None: ...

class Part(_message.Message):
    __slots__ = ("type", "text")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    type: str
    text: str
    def __init__(self, type: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class FilledVar(_message.Message):
    __slots__ = ("name", "text", "source")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    name: str
    text: str
    source: str
    def __init__(self, name: _Optional[str] = ..., text: _Optional[str] = ..., source: _Optional[str] = ...) -> None: ...

class Chip(_message.Message):
    __slots__ = ("mark", "tone", "about", "count")
    MARK_FIELD_NUMBER: _ClassVar[int]
    TONE_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    mark: str
    tone: str
    about: str
    count: int
    def __init__(self, mark: _Optional[str] = ..., tone: _Optional[str] = ..., about: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class AccountSummary(_message.Message):
    __slots__ = ("sentence", "tone")
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    TONE_FIELD_NUMBER: _ClassVar[int]
    sentence: Line
    tone: str
    def __init__(self, sentence: _Optional[_Union[Line, _Mapping]] = ..., tone: _Optional[str] = ...) -> None: ...

class ListedSignal(_message.Message):
    __slots__ = ("id", "check", "tone", "about", "pointers")
    ID_FIELD_NUMBER: _ClassVar[int]
    CHECK_FIELD_NUMBER: _ClassVar[int]
    TONE_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    POINTERS_FIELD_NUMBER: _ClassVar[int]
    id: str
    check: str
    tone: str
    about: str
    pointers: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, id: _Optional[str] = ..., check: _Optional[str] = ..., tone: _Optional[str] = ..., about: _Optional[str] = ..., pointers: _Optional[_Iterable[str]] = ...) -> None: ...

class ListedUnreached(_message.Message):
    __slots__ = ("check", "missing", "about", "pointers")
    CHECK_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    POINTERS_FIELD_NUMBER: _ClassVar[int]
    check: str
    missing: str
    about: str
    pointers: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, check: _Optional[str] = ..., missing: _Optional[str] = ..., about: _Optional[str] = ..., pointers: _Optional[_Iterable[str]] = ...) -> None: ...

class Facts(_message.Message):
    __slots__ = ("calls", "calls_omitted", "before_pause", "before_pause_omitted", "in_view", "in_view_omitted", "refusals", "refusals_omitted", "assessment", "standing", "reasons", "checked", "not_evaluated", "kept_out")
    CALLS_FIELD_NUMBER: _ClassVar[int]
    CALLS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    BEFORE_PAUSE_FIELD_NUMBER: _ClassVar[int]
    BEFORE_PAUSE_OMITTED_FIELD_NUMBER: _ClassVar[int]
    IN_VIEW_FIELD_NUMBER: _ClassVar[int]
    IN_VIEW_OMITTED_FIELD_NUMBER: _ClassVar[int]
    REFUSALS_FIELD_NUMBER: _ClassVar[int]
    REFUSALS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    ASSESSMENT_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    CHECKED_FIELD_NUMBER: _ClassVar[int]
    NOT_EVALUATED_FIELD_NUMBER: _ClassVar[int]
    KEPT_OUT_FIELD_NUMBER: _ClassVar[int]
    calls: _containers.RepeatedCompositeFieldContainer[CallFact]
    calls_omitted: int
    before_pause: _containers.RepeatedCompositeFieldContainer[CallFact]
    before_pause_omitted: int
    in_view: _containers.RepeatedCompositeFieldContainer[InViewFact]
    in_view_omitted: int
    refusals: _containers.RepeatedCompositeFieldContainer[RefusalFact]
    refusals_omitted: int
    assessment: str
    standing: str
    reasons: _containers.RepeatedCompositeFieldContainer[ReasonFact]
    checked: _containers.RepeatedCompositeFieldContainer[CheckedFact]
    not_evaluated: _containers.RepeatedScalarFieldContainer[str]
    kept_out: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, calls: _Optional[_Iterable[_Union[CallFact, _Mapping]]] = ..., calls_omitted: _Optional[int] = ..., before_pause: _Optional[_Iterable[_Union[CallFact, _Mapping]]] = ..., before_pause_omitted: _Optional[int] = ..., in_view: _Optional[_Iterable[_Union[InViewFact, _Mapping]]] = ..., in_view_omitted: _Optional[int] = ..., refusals: _Optional[_Iterable[_Union[RefusalFact, _Mapping]]] = ..., refusals_omitted: _Optional[int] = ..., assessment: _Optional[str] = ..., standing: _Optional[str] = ..., reasons: _Optional[_Iterable[_Union[ReasonFact, _Mapping]]] = ..., checked: _Optional[_Iterable[_Union[CheckedFact, _Mapping]]] = ..., not_evaluated: _Optional[_Iterable[str]] = ..., kept_out: _Optional[_Iterable[str]] = ...) -> None: ...

class CallFact(_message.Message):
    __slots__ = ("tool", "call_id", "outcome", "emptiness", "rows", "checked", "not_checked", "cannot_cover", "declared", "withheld", "pointers")
    TOOL_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    EMPTINESS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    CHECKED_FIELD_NUMBER: _ClassVar[int]
    NOT_CHECKED_FIELD_NUMBER: _ClassVar[int]
    CANNOT_COVER_FIELD_NUMBER: _ClassVar[int]
    DECLARED_FIELD_NUMBER: _ClassVar[int]
    WITHHELD_FIELD_NUMBER: _ClassVar[int]
    POINTERS_FIELD_NUMBER: _ClassVar[int]
    tool: str
    call_id: str
    outcome: str
    emptiness: str
    rows: int
    checked: int
    not_checked: int
    cannot_cover: int
    declared: bool
    withheld: bool
    pointers: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, tool: _Optional[str] = ..., call_id: _Optional[str] = ..., outcome: _Optional[str] = ..., emptiness: _Optional[str] = ..., rows: _Optional[int] = ..., checked: _Optional[int] = ..., not_checked: _Optional[int] = ..., cannot_cover: _Optional[int] = ..., declared: bool = ..., withheld: bool = ..., pointers: _Optional[_Iterable[str]] = ...) -> None: ...

class InViewFact(_message.Message):
    __slots__ = ("tool", "distance", "at_least", "emptiness", "rows", "pointers")
    TOOL_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_FIELD_NUMBER: _ClassVar[int]
    AT_LEAST_FIELD_NUMBER: _ClassVar[int]
    EMPTINESS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    POINTERS_FIELD_NUMBER: _ClassVar[int]
    tool: str
    distance: int
    at_least: bool
    emptiness: str
    rows: int
    pointers: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, tool: _Optional[str] = ..., distance: _Optional[int] = ..., at_least: bool = ..., emptiness: _Optional[str] = ..., rows: _Optional[int] = ..., pointers: _Optional[_Iterable[str]] = ...) -> None: ...

class RefusalFact(_message.Message):
    __slots__ = ("tool", "outcome", "rule", "pointers")
    TOOL_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    POINTERS_FIELD_NUMBER: _ClassVar[int]
    tool: str
    outcome: str
    rule: str
    pointers: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, tool: _Optional[str] = ..., outcome: _Optional[str] = ..., rule: _Optional[str] = ..., pointers: _Optional[_Iterable[str]] = ...) -> None: ...

class ReasonFact(_message.Message):
    __slots__ = ("reason", "calls", "witnesses")
    REASON_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    WITNESSES_FIELD_NUMBER: _ClassVar[int]
    reason: str
    calls: int
    witnesses: int
    def __init__(self, reason: _Optional[str] = ..., calls: _Optional[int] = ..., witnesses: _Optional[int] = ...) -> None: ...

class CheckedFact(_message.Message):
    __slots__ = ("check", "ran", "of")
    CHECK_FIELD_NUMBER: _ClassVar[int]
    RAN_FIELD_NUMBER: _ClassVar[int]
    OF_FIELD_NUMBER: _ClassVar[int]
    check: str
    ran: int
    of: int
    def __init__(self, check: _Optional[str] = ..., ran: _Optional[int] = ..., of: _Optional[int] = ...) -> None: ...

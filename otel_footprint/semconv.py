"""Names of every attribute, event and metric of this project, and of those of others that it writes.

Generated from ``docs/registry/footprint.yaml`` by ``make generate``: do not edit.
"""

from __future__ import annotations

from typing import Final

CODE_RUN_ARGUMENT: Final = "code_run.argument"
"""Names the argument in which the program is passed. A span that has it is a call to a code-running tool. Type:
string."""

CODE_RUN_PROGRAM: Final = "code_run.program"
"""The program as the runner got it, after any rewrite. Type: string."""

CODE_RUN_PROPOSED: Final = "code_run.proposed"
"""The program as the model asked for it, where the runtime knows it. Type: string."""

CODE_RUN_LANGUAGE: Final = "code_run.language"
"""The language of the program. Type: string."""

CODE_RUN_EXIT_CODE: Final = "code_run.exit_code"
"""The exit code of the process itself. Type: int. Nothing else proves that the process reached an exit.
``process.exit.code`` is read in its absence."""

CODE_RUN_OK: Final = "code_run.ok"
"""What the runner thought of the run. No exit follows from it. Type: boolean."""

CODE_RUN_SERVICE_ERROR: Final = "code_run.service_error"
"""The service that runs programs failed, so the program is not to blame. Type: boolean."""

CODE_RUN_SETTLEMENT: Final = "code_run.settlement"
"""How the dispatch ended; wins over the status of the span. Type: string; one of ``returned``, ``threw``,
``not-entered``."""

CODE_RUN_PAUSED: Final = "code_run.paused"
"""A person has to answer before the call goes on. Type: boolean."""

CODE_RUN_RESULT_WITHHELD: Final = "code_run.result_withheld"
"""Why the result was replaced before the model could read it. Type: string; one of ``over-ceiling``."""

COVERAGE_KIND: Final = "coverage.kind"
"""The kind of the statement. Type: string; one of ``absence``, ``ledger``."""

COVERAGE_CHECKED: Final = "coverage.checked"
"""Item list: what was looked at. An item's ``kind`` is ignored here. Type: any."""

COVERAGE_NOT_CHECKED: Final = "coverage.not_checked"
"""Item list: what was not looked at, though it could have been. Type: any."""

COVERAGE_CANNOT_COVER: Final = "coverage.cannot_cover"
"""Item list: what this tool can never look at. Each item needs ``why``. Type: any."""

COVERAGE_LOOKED_FOR: Final = "coverage.looked_for"
"""What an absence was searched for. Type: string."""

COVERAGE_TRY_INSTEAD: Final = "coverage.try_instead"
"""Where to look instead. Type: string."""

COVERAGE_TRY_INSTEAD_TOOL: Final = "coverage.try_instead_tool"
"""The tool to call instead. Type: string."""

COVERAGE_ROWS: Final = "coverage.rows"
"""The number of rows of a result that is not recorded itself; 0 or more. Type: int."""

COVERAGE_ROWS_AT: Final = "coverage.rows_at"
"""Under which top-level key an object result keeps its rows. Type: string."""

FOOTPRINT_CALL_OUTCOME: Final = "footprint.call.outcome"
"""How the call ended; wins over the status of the span. Type: string; one of ``ran``, ``failed``, ``refused``,
``declined``, ``not-dispatched``."""

FOOTPRINT_CALL_REFUSED_BY: Final = "footprint.call.refused_by"
"""The rule that refused the call. Type: string."""

FOOTPRINT_CALL_WITHHELD_BY: Final = "footprint.call.withheld_by"
"""The rule that kept the result from the model. Type: string."""

FOOTPRINT_PRESENTATION: Final = "footprint.presentation"
"""The call was made to show something, so its return value counts as no data. Type: boolean."""

FOOTPRINT_TURN: Final = "footprint.turn"
"""The number of the turn in its conversation, from 1. Type: int."""

FOOTPRINT_QUESTION: Final = "footprint.question"
"""What the person asked. Type: string."""

FOOTPRINT_QUESTION_REWRITTEN: Final = "footprint.question.rewritten"
"""The question was changed before the model read it. Type: boolean."""

FOOTPRINT_ANSWER: Final = "footprint.answer"
"""What the agent answered. Type: string."""

FOOTPRINT_RESUMED: Final = "footprint.resumed"
"""This turn goes on where a paused one stopped; a link leads to that one's span. Type: boolean."""

FOOTPRINT_STOPPED_EARLY: Final = "footprint.stopped_early"
"""The limit that ended the turn. Type: string."""

FOOTPRINT_WINDOW: Final = "footprint.window"
"""The model read a window of the conversation only. Type: boolean."""

FOOTPRINT_REDACTION_POLICY: Final = "footprint.redaction.policy"
"""The policy that took content out of this record. Type: string."""

FOOTPRINT_ANSWER_CHECK_STATUS: Final = "footprint.answer_check.status"
"""What the application's own check of the answer said. Type: string; one of ``passed``, ``failed``, ``unverified``."""

FOOTPRINT_ANSWER_CHECK_MODE: Final = "footprint.answer_check.mode"
"""Whether that check can hold an answer back. Type: string; one of ``enforce``, ``observe``."""

FOOTPRINT_ANSWER_CHECK_DIGEST: Final = "footprint.answer_check.digest"
"""SHA-256 of the UTF-8 bytes of the answer that was checked, lower-case hex. Type: string."""

FOOTPRINT_STEPS_UNFINISHED: Final = "footprint.steps_unfinished"
"""The steps of the agent's plan that were not finished. Type: string[]."""

FOOTPRINT_SKILLS: Final = "footprint.skills"
"""The skills that were delivered to this call. Type: string[]."""

FOOTPRINT_SKILLS_COUNT: Final = "footprint.skills.count"
"""How many skills were delivered to this call. Type: int."""

FOOTPRINT_EMITS: Final = "footprint.emits"
"""Which of ``code_run``, ``coverage`` and ``routing`` this runtime records at all. Where one of them is absent from
a span of such a runtime, there was none. Type: string[]."""

EVENT_COVERAGE_DECLARED: Final = "coverage.declared"
"""Event. A further coverage statement on the same result; on the tool's span, with the keys of ``coverage.*``."""

EVENT_PAUSE: Final = "footprint.pause"
"""Event. The turn stopped to wait on a person; on the turn's span."""

PAUSE_TOOL_CALL_ID: Final = "tool_call_id"
"""The provider's id of the call that waits. Type: string."""

EVENT_ROUTING: Final = "footprint.routing"
"""Event. A decision about which skill or agent goes on; on the turn's span."""

ROUTING_BY: Final = "by"
"""Who decided. Type: string."""

ROUTING_TO: Final = "to"
"""Where it went. Type: string."""

ROUTING_FROM: Final = "from"
"""Where it was before. Type: string."""

ROUTING_WITNESS: Final = "witness"
"""What the decision rests on. Type: string."""

ROUTING_SCORES: Final = "scores"
"""The score of each candidate. Type: any."""

EVENT_EVIDENCE: Final = "footprint.evidence"
"""Event. What the runtime's own evidence gate said of the answer; on the turn's span."""

EVIDENCE_CANDIDATES: Final = "candidates"
"""The statements that could be looked up. Type: any."""

EVIDENCE_LOOKED_UP: Final = "looked_up"
"""Those that were. Type: any."""

EVIDENCE_UNSUPPORTED: Final = "unsupported"
"""Those without support. Type: any."""

EVIDENCE_REVISED: Final = "revised"
"""Whether the answer was changed for it. Type: any."""

EVENT_ROW: Final = "footprint.row"
"""Event. A row that the reasons read; on the turn's span. One that does not fit its kind is counted, not used."""

ROW_KIND: Final = "kind"
"""The kind of the row. Type: string; one of ``argument``, ``contingent``, ``period``, ``conflict``,
``time-derived``, ``script-shown``, ``steps-unfinished``, ``grounded``, ``negative-claim``,
``negative-claim-note``, ``answer-check``."""

ROW_BODY: Final = "body"
"""The row as JSON text. Type: string."""

FOOTPRINT_TONE: Final = "footprint.tone"
"""The tone of the summary. Type: string; one of ``ok``, ``warn``, ``bad``, ``unknown``."""

FOOTPRINT_STANDING: Final = "footprint.standing"
"""Whether the answer stands. Type: string; one of ``known``, ``consistent``, ``not-sure``, ``ask``,
``not-assessed``."""

FOOTPRINT_SUMMARY: Final = "footprint.summary"
"""The turn in one line, at most 255 UTF-8 bytes. Type: string."""

FOOTPRINT_SIGNALS: Final = "footprint.signals"
"""The ids of the signals, each once, worst first. Type: string[]."""

FOOTPRINT_REASONS: Final = "footprint.reasons"
"""The reasons why the answer does not stand, each once, in report order. Type: string[]."""

FOOTPRINT_NOTES: Final = "footprint.notes"
"""The ids of the notes, each once; left out when there is none. A note changes no label, check or tone. Type:
string[]. ``exit-code-masked``: a shell program's exit code looks harmless and does not tell whether one of its
commands failed. ``exit-code-not-read``: whose exit code it is could not be read. ``late-spans``,
``parent-ambiguous`` and ``parent-inferred`` are about the record."""

FOOTPRINT_SCRIPTS_TOTAL: Final = "footprint.scripts.total"
"""How many programs were submitted. Type: int."""

FOOTPRINT_SCRIPTS_FAILED: Final = "footprint.scripts.failed"
"""How many of them are known to have failed. Type: int."""

FOOTPRINT_SCRIPTS_UNKNOWN: Final = "footprint.scripts.unknown"
"""Of how many the end is not known. Type: int."""

FOOTPRINT_INCOMPLETE: Final = "footprint.incomplete"
"""The record of the turn is known to be partial. ``footprint.account.incomplete`` says why. Type: boolean."""

FOOTPRINT_SCHEMA: Final = "footprint.schema"
"""The version of this shape. A span that carries it is left as it is. Type: string."""

FOOTPRINT_ABOUT: Final = "footprint.about"
"""The event as one sentence for a person. Sorts before all other keys of the event. Type: string."""

FOOTPRINT_ACCOUNT_CALLS: Final = "footprint.account.calls"
"""Tool calls. Type: int."""

FOOTPRINT_ACCOUNT_FAILED: Final = "footprint.account.failed"
"""Calls that failed. Type: int."""

FOOTPRINT_ACCOUNT_REFUSED: Final = "footprint.account.refused"
"""Calls that a rule refused. Type: int."""

FOOTPRINT_ACCOUNT_DECLINED: Final = "footprint.account.declined"
"""Calls that a person declined. Type: int."""

FOOTPRINT_ACCOUNT_NOT_DISPATCHED: Final = "footprint.account.not_dispatched"
"""Calls asked for and never started. Type: int."""

FOOTPRINT_ACCOUNT_UNKNOWN: Final = "footprint.account.unknown"
"""Calls of which the end is not recorded. Type: int."""

FOOTPRINT_ACCOUNT_WITHHELD: Final = "footprint.account.withheld"
"""Calls whose result was kept from the model. Type: int."""

FOOTPRINT_ACCOUNT_SCRIPTS: Final = "footprint.account.scripts"
"""Programs that were submitted. Type: int."""

FOOTPRINT_ACCOUNT_SCRIPTS_DROPPED: Final = "footprint.account.scripts_dropped"
"""Programs past the bound of a turn. Type: int."""

FOOTPRINT_ACCOUNT_SIGNALS: Final = "footprint.account.signals"
"""Signals, listed and omitted. Type: int."""

FOOTPRINT_ACCOUNT_SIGNALS_OMITTED: Final = "footprint.account.signals_omitted"
"""Signals past the listing cap. Type: int."""

FOOTPRINT_ACCOUNT_LINES_OMITTED: Final = "footprint.account.lines_omitted"
"""Unreached lines past the listing cap. Type: int."""

FOOTPRINT_ACCOUNT_EVENTS_OMITTED: Final = "footprint.account.events_omitted"
"""Events left out by the bound of a turn. Type: int."""

FOOTPRINT_ACCOUNT_CHECKS_REACHABLE: Final = "footprint.account.checks.reachable"
"""The checks that could run. Type: string[]."""

FOOTPRINT_ACCOUNT_CHECKS_UNREACHABLE: Final = "footprint.account.checks.unreachable"
"""The checks that could not run, for want of a record. Type: string[]."""

FOOTPRINT_ACCOUNT_CHECKS_NOT_APPLICABLE: Final = "footprint.account.checks.not_applicable"
"""The checks that mean nothing for this runtime. Type: string[]."""

FOOTPRINT_ACCOUNT_INCOMPLETE: Final = "footprint.account.incomplete"
"""Why the record is known to be partial; left out when nothing says so. Type: string[]."""

FOOTPRINT_ACCOUNT_REVISION: Final = "footprint.account.revision"
"""1, or the number of the addendum. Type: int."""

FOOTPRINT_SIGNAL_ID: Final = "footprint.signal.id"
"""The kind of the signal. Type: string."""

FOOTPRINT_SIGNAL_CHECK: Final = "footprint.signal.check"
"""The check it comes from. Type: string."""

FOOTPRINT_SIGNAL_TONE: Final = "footprint.signal.tone"
"""How bad it is. Type: string; one of ``warn``, ``bad``."""

FOOTPRINT_SIGNAL_TOOL: Final = "footprint.signal.tool"
"""The tool of the call. Type: string."""

FOOTPRINT_SIGNAL_CALL_ID: Final = "footprint.signal.call_id"
"""The provider's id of the call. Type: string."""

FOOTPRINT_SIGNAL_EVIDENCE: Final = "footprint.signal.evidence"
"""Pointers to what it was read from. Type: string[]."""

FOOTPRINT_UNREACHED_CHECK: Final = "footprint.unreached.check"
"""The check, or ``record`` for a loss that touches all of them. Type: string."""

FOOTPRINT_UNREACHED_MISSING: Final = "footprint.unreached.missing"
"""What is missing. Type: string; one of ``no-event``, ``not-built``, ``not-declared``, ``before-pause``,
``redacted``, ``unreadable``."""

FOOTPRINT_UNREACHED_TOOL: Final = "footprint.unreached.tool"
"""The tool of the call. Type: string."""

FOOTPRINT_UNREACHED_CALL_ID: Final = "footprint.unreached.call_id"
"""The provider's id of the call. Type: string."""

FOOTPRINT_UNREACHED_ENABLE: Final = "footprint.unreached.enable"
"""The switch of this runtime that would record it. Type: string."""

FOOTPRINT_UNREACHED_EVIDENCE: Final = "footprint.unreached.evidence"
"""Pointers to what it was read from. Type: string[]."""

FOOTPRINT_REASON_REASON: Final = "footprint.reason.reason"
"""The reason. Type: string."""

FOOTPRINT_REASON_CLASS: Final = "footprint.reason.class"
"""The standing it leads to: ``ask``, ``not-sure``, ... Type: string."""

FOOTPRINT_REASON_LAYER: Final = "footprint.reason.layer"
"""The layer it belongs to; left out when it has none. Type: int."""

FOOTPRINT_REASON_SOURCE: Final = "footprint.reason.source"
"""What it was read from. Type: string."""

FOOTPRINT_REASON_WITNESSES: Final = "footprint.reason.witnesses"
"""How many records say so. Type: int."""

FOOTPRINT_REASON_EVIDENCE: Final = "footprint.reason.evidence"
"""Pointers to what it was read from. Type: string[]."""

FOOTPRINT_SCRIPT_OUTCOME: Final = "footprint.script.outcome"
"""The label of its end. Type: string."""

FOOTPRINT_SCRIPT_RESULT: Final = "footprint.script.result"
"""The label and what proves it, in one value for search. Type: string."""

FOOTPRINT_SCRIPT_EXIT_CODE: Final = "footprint.script.exit_code"
"""The exit code of the process; left out when none is recorded. Type: int."""

FOOTPRINT_SCRIPT_EXIT_CODE_FROM: Final = "footprint.script.exit_code_from"
"""Where it was read: ``attribute``, ``result``, ``text`` or ``mapping``. Type: string."""

FOOTPRINT_SCRIPT_EXIT_CODE_OF: Final = "footprint.script.exit_code_of"
"""The one command of a shell program whose exit code it is; left out when that cannot be told from its text. Type:
string."""

FOOTPRINT_SCRIPT_EXIT_MEANS: Final = "footprint.script.exit_means"
"""What the exit code of a shell program says, in words; left out when there is nothing to add to the number. Type:
string."""

FOOTPRINT_SCRIPT_SERVICE_ERROR: Final = "footprint.script.service_error"
"""The service that runs programs failed, so the program is not to blame. Type: boolean."""

FOOTPRINT_SCRIPT_TOOL: Final = "footprint.script.tool"
"""The code-running tool. Type: string."""

FOOTPRINT_SCRIPT_CALL_ID: Final = "footprint.script.call_id"
"""The provider's id of the call. Type: string."""

FOOTPRINT_SCRIPT_SPAN_ID: Final = "footprint.script.span_id"
"""The span that holds the text, 16 lower-case hex digits. Type: string."""

FOOTPRINT_SCRIPT_DISPATCH: Final = "footprint.script.dispatch"
"""The number of the call in the turn. Type: int."""

FOOTPRINT_SCRIPT_ARGUMENT: Final = "footprint.script.argument"
"""The argument that held the program; absent when the program stood in the model's own text. Type: string."""

FOOTPRINT_SCRIPT_ARGUMENT_IS_LIST: Final = "footprint.script.argument_is_list"
"""The argument was a list of strings, joined as a shell would show it. Type: boolean."""

FOOTPRINT_SCRIPT_LANGUAGE: Final = "footprint.script.language"
"""The language of the program. Type: string."""

FOOTPRINT_SCRIPT_BYTES: Final = "footprint.script.bytes"
"""Its UTF-8 bytes; left out when the program is not recorded. Type: int."""

FOOTPRINT_SCRIPT_LINES: Final = "footprint.script.lines"
"""Its lines; left out when the program is not recorded. Type: int."""

FOOTPRINT_SCRIPT_SHA256: Final = "footprint.script.sha256"
"""SHA-256 of its UTF-8 bytes, lower-case hex; left out when the program is not recorded. Type: string."""

FOOTPRINT_SCRIPT_PROGRAM: Final = "footprint.script.program"
"""``recorded``, or the way in which the program is not recorded. Type: string."""

FOOTPRINT_SCRIPT_TEXT: Final = "footprint.script.text"
"""The program itself; written on request only. Type: string."""

FOOTPRINT_SCRIPT_REWRITTEN: Final = "footprint.script.rewritten"
"""What was run differs from what the model proposed. Type: boolean."""

FOOTPRINT_SCRIPT_RESULT_WITHHELD: Final = "footprint.script.result_withheld"
"""Why the result was replaced before the model read it; left out when it was not. Type: string."""

FOOTPRINT_SCRIPT_TURN: Final = "footprint.script.turn"
"""The number of the turn; left out when it is not recorded. Type: int."""

FOOTPRINT_SCRIPT_ITERATION: Final = "footprint.script.iteration"
"""The number of the model call that asked for it, from 1; 0 when not known. Type: int."""

FOOTPRINT_SCRIPT_SHOWN: Final = "footprint.script.shown"
"""Whether the answer shows the program: ``matched`` or ``not-shown``; left out when that was not looked at. Type:
string."""

FOOTPRINT_SCRIPT_DECLARED_BY: Final = "footprint.script.declared_by"
"""Who declared the tool to be code-running: ``span``, ``user`` or ``catalogue``. Type: string."""

FOOTPRINT_SCRIPT_EVIDENCE: Final = "footprint.script.evidence"
"""Pointers to what it was read from. Type: string[]."""

EVENT_ACCOUNT: Final = "footprint.account"
"""Event. The summary of the turn and its totals. The first event, once a turn."""

EVENT_SIGNAL: Final = "footprint.signal"
"""Event. Something that looks wrong; worst first."""

EVENT_REASON: Final = "footprint.reason"
"""Event. Why the answer does not stand."""

EVENT_UNREACHED: Final = "footprint.unreached"
"""Event. A check that could not be run, and what would let it."""

EVENT_SCRIPT: Final = "footprint.script"
"""Event. A program that was submitted, and how it ended."""

EVENT_EVALUATION: Final = "gen_ai.evaluation.result"
"""Event. The tone of a turn, and its standing where that was assessed, as an evaluation. A log record each, with the
turn's trace and span; written by the writer ``evaluation``."""

GEN_AI_EVALUATION_EXPLANATION: Final = "gen_ai.evaluation.explanation"
"""The summary of the turn, which is the body of the record too. Type: string. Defined by OpenTelemetry GenAI."""

GEN_AI_EVALUATION_NAME: Final = "gen_ai.evaluation.name"
"""What was judged, ``footprint.tone`` or ``footprint.standing``. Type: string. Defined by OpenTelemetry GenAI."""

GEN_AI_EVALUATION_SCORE_LABEL: Final = "gen_ai.evaluation.score.label"
"""The tone or the standing, a value of the attribute that the name says. Type: string. Defined by OpenTelemetry
GenAI."""

EVENT_NAME: Final = "event.name"
"""The event's name, where the record has no field for it (in Python, with an SDK older than 1.36). Type: string.
Defined by OpenTelemetry."""

OPENINFERENCE_SPAN_KIND: Final = "openinference.span.kind"
"""``EVALUATOR``; with the preset ``phoenix`` alone. Type: string. Defined by OpenInference."""

JAEGER_WARNINGS: Final = "@jaeger@warnings"
"""The sentences of up to three signals, worst first; with the preset ``jaeger``, where there is a signal. Type:
string[]. Defined by Jaeger."""

LANGFUSE_OBSERVATION_LEVEL: Final = "langfuse.observation.level"
"""``ERROR`` where the tone is ``bad``, ``WARNING`` where it is ``warn``, else ``DEFAULT``; with the preset
``langfuse``. Type: string. Defined by Langfuse."""

LANGFUSE_OBSERVATION_STATUS_MESSAGE: Final = "langfuse.observation.status_message"
"""The summary of the turn; with the preset ``langfuse``. Type: string. Defined by Langfuse."""

METRIC_TURNS: Final = "footprint.turns"
"""Metric, counter in ``{turn}``. Turns explained."""

METRIC_TURNS_TONE: Final = "tone"
"""The tone of the summary. Type: string."""

METRIC_SIGNALS: Final = "footprint.signals"
"""Metric, counter in ``{signal}``. Signals listed."""

METRIC_SIGNALS_ID: Final = "id"
"""The kind of the signal. Type: string."""

METRIC_REASONS: Final = "footprint.reasons"
"""Metric, counter in ``{reason}``. Reasons why an answer does not stand."""

METRIC_REASONS_REASON: Final = "reason"
"""The reason. Type: string."""

METRIC_SCRIPTS: Final = "footprint.scripts"
"""Metric, counter in ``{script}``. Programs submitted."""

METRIC_SCRIPTS_OUTCOME: Final = "outcome"
"""The label of its end. Type: string."""

METRIC_CHECKS: Final = "footprint.checks"
"""Metric, counter in ``{check}``. Checks of a turn, by what became of them."""

METRIC_CHECKS_CHECK: Final = "check"
"""The check. Type: string."""

METRIC_CHECKS_STATE: Final = "state"
"""``reachable``, ``unreachable`` or ``not-applicable``. Type: string."""

METRIC_UNREACHABLE: Final = "footprint.unreachable"
"""Metric, counter in ``{check}``. Checks that could not be run, by what the turn's spans follow."""

METRIC_UNREACHABLE_CHECK: Final = "check"
"""The check. Type: string."""

METRIC_UNREACHABLE_CONVENTION: Final = "convention"
"""The dialect that read the turn. Type: string."""

METRIC_FOLD_DURATION: Final = "footprint.fold.duration"
"""Metric, histogram in ``s``. Time to explain one turn."""

METRIC_HOLDER: Final = "footprint.holder"
"""Metric, gauge in ``1``. What is held now, and what was lost so far. The SDK's alone."""

METRIC_HOLDER_STATE: Final = "state"
"""What is counted. Type: string."""

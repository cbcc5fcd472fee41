"""The table of sentences; see :mod:`otel_footprint.fold.wording` for how it is read.

Every sentence starts with fixed words or with the name of a tool, says only what the record holds,
and prints no exit number that a row does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from otel_footprint.fold.account_sentences import ACCOUNT_SENTENCES

_SIGNALS: Final = {
    "signal.decidedNotDelivered": "What was chosen for this question never reached the model.",
    "signal.decidedNotDelivered.named": "What was chosen for this question never reached the model: {chosen}.",
    "signal.decidedNotDelivered.instead": (
        "What was chosen for this question never reached the model: {chosen}; the model was given {given:and}."
    ),
    "signal.existenceNotChecked": "{tool} did not look at {short}, so whether it exists is open.",
    "signal.existenceNotChecked.full": "{tool} did not look at this, so whether it exists is open: {what}.",
    "signal.existenceNotChecked.keptOut": (
        "{tool} did not look at some ground that settles existence; its name is kept out of this record."
    ),
    "signal.existenceCannotCover": "{tool} can never look at {short}, so whether it exists is open.",
    "signal.existenceCannotCover.full": "{tool} can never look at this, so whether it exists is open: {what}.",
    "signal.existenceCannotCover.keptOut": (
        "{tool} can never look at some ground that settles existence; its name is kept out of this record."
    ),
    "signal.undeclaredEmptyUsed": "{tool} returned no rows and did not say what it searched.",
    "signal.undeclaredEmptyUsed.beforePause": (
        "{tool} returned no rows before the pause and did not say what it searched."
    ),
    "signal.undeclaredEmptyInView": (
        "{tool} returned no rows {distance:back} without saying what it searched, "
        "and the model still had that result before it."
    ),
    "signal.undeclaredEmptyInView.atLeast": (
        "{tool} returned no rows at least {distance} answers back without saying what it searched, "
        "and the model still had that result before it."
    ),
}

_UNREACHABLE: Final = {
    "unreachable.delivery": "Whether what was chosen for this question reached the model cannot be told.",
    "unreachable.routing": "How this question was routed is not recorded.",
    "unreachable.routing.beforePause": "How this question was routed lies before the pause, outside this record.",
    "unreachable.existence": "{tool} named limits without saying whether any of them leaves existence open.",
    "unreachable.empty": "{tool} returned an object, and no declaration says where its rows are.",
    "unreachable.empty.noList": "{tool} returned no list under the key declared for its rows.",
    "unreachable.empty.uncountedTicket": "{tool} left its rows in a store, and their number is not recorded.",
    "unreachable.empty.redacted": "{tool} returned something that is kept out of this record.",
    "unreachable.empty.notRecorded": "{tool} ran, and its result is not recorded.",
    "unreachable.empty.cut": "{tool} ran, and its result was cut by a length limit.",
    "unreachable.empty.tooDeep": "{tool} returned something nested too deeply to be read.",
    "unreachable.empty.unreadable": "{tool} ran, and its recorded result cannot be read.",
    "unreachable.inView.redacted": "Earlier results before the model are kept out of this record: {n}.",
    "unreachable.inView.notRecorded": "Whether earlier results were still before the model is not recorded.",
    "unreachable.unnamed": "Call {id} returned something, and no record names its tool.",
    "unreachable.unnamed.both": "Call {id} returned something and named limits, and no record names its tool.",
    "unreachable.unnamed.existence": "Call {id} named limits, and no record names its tool.",
}

_WRONG: Final = {
    "wrong.errors": (
        "Calls that did not go through: {n} (failed {failed}, refused {refused}, declined {declined}, "
        "not dispatched {not_dispatched})."
    ),
    "wrong.noErrors": "No call failed or was refused.",
    "wrong.withheld": "Results that a rule withheld from the model: {n}.",
    "wrong.none": "Checks that ran and found nothing: {reachable}.",
    "wrong.unreachable": "Checks that could not be run: {unreachable} of {applicable}.",
    "wrong.unreachable.all": "None of the checks that apply could be run.",
    "wrong.more": "Lines left out here: {n}.",
    "wrong.notApplicable": "None of the checks applies to this turn.",
    "wrong.beforePause": "The part of this turn before the pause is not in this record.",
    "wrong.beforePause.held": (
        "The state at the pause is in this record; the events before it, the routing among them, are not."
    ),
    "wrong.beforePause.held.events": "The state at the pause is in this record; the events before it are not.",
    "scope.unfiltered": "All spans were read as one turn, because nothing tells its own spans from others.",
}

_SUMMARY: Final = {
    "summary.none": "Nothing wrong turned up in the checks that ran.",
    "summary.none.lossy": "Nothing wrong turned up, but part of this turn is missing from the record.",
    "summary.none.notApplicable": "None of the checks applies to this turn.",
    "summary.none.nothingRun": "None of the checks that apply could be run.",
    "summary.none.partial": "Nothing wrong turned up, but {unreachable} of {applicable} checks could not be run.",
    "summary.resumed": "The part before the pause is missing, so nothing can be concluded.",
    "summary.resumed.tail": "The part before the pause is missing.",
    "summary.resumed.held": "The state at the pause is in this record, the events before it are not.",
    "summary.unfinished": "The turn has no recorded end with an answer.",
}

_SCRIPTS: Final = {
    "script.submitted": "{tool}: submitted",
    "script.submitted.notRecorded": "{tool}: submitted; program not recorded",
    "script.returned": "{tool}: tool call returned; execution not confirmed",
    "script.returned.notRecorded": "{tool}: tool call returned; execution not confirmed; program not recorded",
    "script.reported-success": "{tool}: runner reported success; no exit code",
    "script.reported-success.notRecorded": "{tool}: runner reported success; no exit code; program not recorded",
    "script.reported-failure": "{tool}: runner reported failure; no exit code",
    "script.reported-failure.notRecorded": "{tool}: runner reported failure; no exit code; program not recorded",
    "script.completed": "{tool}: completed, exit 0",
    "script.completed.notRecorded": "{tool}: completed, exit 0; program not recorded",
    "script.completed-with-failure": "{tool}: completed with failure, exit {exit_code}",
    "script.completed-with-failure.notRecorded": (
        "{tool}: completed with failure, exit {exit_code}; program not recorded"
    ),
    "script.completed-with-failure.noExit": "{tool}: completed with failure",
    "script.completed-with-failure.noExit.notRecorded": "{tool}: completed with failure; program not recorded",
    "script.outcome-unknown": "{tool}: outcome unknown",
    "script.outcome-unknown.notRecorded": "{tool}: outcome unknown; program not recorded",
    "script.outcome-unknown.serviceError": "{tool}: outcome unknown; the execution service failed",
    "script.outcome-unknown.serviceError.notRecorded": (
        "{tool}: outcome unknown; the execution service failed; program not recorded"
    ),
}

_REASONS: Final = {
    "reason.asked": "The turn stopped to ask a person and has no answer yet.",
    "reason.argument-asked": "A person was asked for the value of a tool's argument.",
    "reason.argument-assumed": "A tool's argument was assumed, or changed by a rule, and nobody said it.",
    "reason.argument-unverified": "A tool's argument was the model's own and was not confirmed by any source.",
    "reason.argument-read": "A tool's argument is one reading of what the person said.",
    "reason.value-contingent": "A value depends on a choice among several that were found.",
    "reason.coverage-gap": "A tool named ground that its result does not cover.",
    "reason.declared-absent": "A tool declared that it looked and found nothing.",
    "reason.empty-undeclared": "A tool returned no rows and did not say what it searched.",
    "reason.period-not-held": "A source does not hold the period it was asked for.",
    "reason.period-partly-held": "A source holds only part of the period it was asked for.",
    "reason.period-unknown": "Whether a source holds the period it was asked for is unknown.",
    "reason.period-undeclared": "A source did not say which period it holds.",
    "reason.period-differs-from-asked": "A source answered for another period than the one asked for.",
    "reason.period-beyond-retention": "A period reaches back further than its source keeps data.",
    "reason.sources-conflict": "Two sources contradict each other.",
    "reason.value-unsupported": "The answer holds a value that no tool result supports.",
    "reason.value-unsupported.named": "The answer holds values that no tool result supports: {values:and}.",
    "reason.value-survived-revision": "The answer was revised and still holds a value that no tool result supports.",
    "reason.value-survived-revision.named": (
        "The answer was revised and still holds values that no tool result supports: {values:and}."
    ),
    "reason.derived-from-reading": "The answer rests on a time that was derived from one reading of the words.",
    "reason.script-unmatched": "The answer shows code that is no program submitted in this turn.",
    "reason.stopped-early": "The turn was stopped by a limit.",
    "reason.steps-unfinished": "The turn ended with planned steps not done.",
    "reason.negative-prose-unverified": "The answer says that something is not so, and nothing verified it.",
    "reason.claim-exceeds-search": "The answer denies more than was searched.",
    "reason.declaration-overclaimed": "A tool's declaration claims more than its search supports.",
    "reason.answer-check-failed": "A check of the answer failed.",
    "reason.check-unreachable": "A check of the answer could not be completed.",
}

_RECORD: Final = {
    "record.dropped": "Attributes, events or links of this turn's spans were dropped by a limit: {n}.",
    "record.spansLost": "Some spans of this turn are missing from the record.",
    "record.spansLate": "Spans of this turn came after it was explained: {n}.",
    "record.sampled": "Some spans of this turn were left out by sampling.",
    "record.parentMissing": "A parent span of this turn was never seen.",
    "record.parentInferred": "The turn of some spans was inferred: they do not name a parent inside it.",
    "record.parentAmbiguous": "The turn of some spans cannot be told: more than one could be theirs.",
    "record.standIn": "No turn span is in the record; its top-most agent span stands in.",
    "record.notEnded": "The turn was explained before its span ended.",
    "record.evicted": "The turn was explained before its end, to make room for others.",
    "record.idle": "The turn was explained before its end, because no span came for a long time.",
    "record.shutdown": "The turn was explained before its end, because the process was stopping.",
    "record.cut": "Recorded values of this turn were cut by a length limit: {n}.",
    "record.tooDeep": "Recorded values of this turn are nested too deeply to be read: {n}.",
    "record.unreadable": "Recorded values of this turn cannot be read: {n}.",
    "record.other": "The record of this turn is not whole: {why}.",
}

_RECOVERY: Final = {
    "recovery.unmatched": (
        "The code block in the refused draft equals no program submitted to {tools:or} in this turn, so its values "
        "were treated like the rest of the text. Show a submitted program without any change, or state that the "
        "code shown was not the one submitted; and correct the values in the text."
    ),
    "recovery.unmatched.anyTool": (
        "The code block in the refused draft equals no program submitted to a code-running tool in this turn, so its "
        "values were treated like the rest of the text. Show a submitted program without any change, or state that "
        "the code shown was not the one submitted; and correct the values in the text."
    ),
    "recovery.kept.one": (
        "The code shown equals the program sent to {calls:and}; it was left unchecked and should stay. "
        "The listed values come from the text around it."
    ),
    "recovery.kept.many": (
        "The code blocks shown equal the programs sent to {calls:and}; they were left unchecked and should stay. "
        "The listed values come from the text around them."
    ),
}

_NOTES: Final = {
    "note.absence": (
        "The search came back empty over the ground listed as checked. That is a result, not an error; "
        "the same search again returns the same."
    ),
    "note.exitCodeMasked": "{tool}: exit {exit_code} does not tell whether {commands:or} failed.",
    "note.exitCodeNotRead": "{tool}: the program could not be read, so whose exit {exit_code} is remains open.",
    "note.exitCodeNotRead.noReader": (
        "Whose the exit codes of this turn's shell programs are is open: nothing is installed that reads programs."
    ),
    "note.joinedByConversation": "No span is around this turn: its parts were joined by conversation and prompt.",
    "note.logsAmbiguous": "Some log records fit more than one call and were left out.",
    "note.lateSpans": "Spans of this turn came after it was explained for the first time.",
    "note.ledger": "The result stands on the ground listed as checked and says nothing about the rest.",
}

SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **_SIGNALS,
        **_UNREACHABLE,
        **_WRONG,
        **_SUMMARY,
        **_SCRIPTS,
        **_REASONS,
        **_RECORD,
        **_RECOVERY,
        **_NOTES,
        **ACCOUNT_SENTENCES,
    }
)
"""Sentence id to template."""

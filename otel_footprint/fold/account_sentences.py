"""The sentences that only the account of an answer needs; a part of :mod:`otel_footprint.fold.sentences`.

Where a row says what a check says too, it uses the check's own sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_ASKED: Final = {
    "account.asked.own": "The person asked: {question}",
    "account.asked.recorded": "The question on record: {question}",
    "account.asked.app": "The app's version of the question: {question}",
    "account.asked.ownNotRecorded": "The person's own words are not recorded.",
    "account.asked.held": "Held from before the pause: {question}",
    "account.asked.redacted": "The question is kept out of this record.",
    "account.asked.notRecorded": "The question is not recorded.",
    "account.asked.unreadable": "The recorded question cannot be read whole.",
}

_UNDERSTOOD: Final = {
    "account.routing.none": "This agent does not route its questions.",
    "account.routing.nothing": "Nothing was routed for this question.",
    "account.routing.chosen": "Chosen for this question by {by}: {to}.",
    "account.routing.ownPick": "The model picked for itself from what it was given.",
    "account.routing.handoff": "Asked for by a hand-off: {to}.",
    "account.routing.handoffUnnamed": "A hand-off was asked for, and nothing names its target.",
    "account.routing.words": "The choice rests on these words: {words}",
    "account.routing.scores": "The app's own scores put it first: {to}.",
    "account.routing.given": "Given to the model: {to}.",
    "account.routing.givenUnnamed": "What the hand-off asked for was reached.",
    "account.routing.confidence": "How sure this choice was is not recorded.",
}

_CALLS: Final = {
    "account.call.unnamed": "Call {id} is in this record, and nothing names its tool.",
    "account.call.failed": "{tool} failed.",
    "account.call.refused": "{tool} was refused.",
    "account.call.refusedBy": "{tool} was refused by a rule: {rule}.",
    "account.call.declined": "{tool} was declined by a person.",
    "account.call.notDispatched": "{tool} was asked for and never started.",
    "account.call.unknown": "{tool} was called, and how that ended is not recorded.",
    "account.calls.none": "No tool was called.",
    "account.calls.noneThisPart": "No tool was called in this part of the turn.",
    "account.calls.more": "Calls left out here: {n}.",
    "account.calls.beforePauseLost": "What came before the pause is not in this record.",
    "account.calls.beforePauseNames": "Tools called before the pause, by the history: {tools:and}.",
}

_CHECKED: Final = {
    "account.checked.undeclared": "{tool} ran and did not say what it checked.",
    "account.checked.silent": "{tool} ran, named limits and did not say what it checked.",
    "account.checked.items": "{tool} says that it checked:",
    "account.notChecked.items": "{tool} says that it did not check:",
    "account.cannotCover.items": "{tool} says that no call to it ever checks:",
    "account.notChecked.undeclared": "{tool} did not say what it left unchecked.",
    "account.notChecked.tool": "{tool} names another tool to ask: {other}.",
    "account.notChecked.place": "{tool} names another place to look: {other}",
    "account.notChecked.nothing": "No listed tool ran, so there is nothing that one of them left unchecked.",
    "account.notChecked.pastList": "Calls that ran and are not listed here: {n}.",
    "account.item": "Ground: {what}",
    "account.item.why": "Ground: {what} (because: {why})",
    "account.items.keptOut": "Items kept out of this record: {n}.",
    "account.items.more": "Items left out here: {n}.",
}

_FOUND: Final = {
    "account.found.failed": "{tool} failed, so what it would have found is not known.",
    "account.found.didNotRun": "{tool} did not run, so it found nothing.",
    "account.found.withheld": "{tool} returned something that a rule kept from the model.",
    "account.found.presented": "{tool} showed something; what it returned is a receipt.",
    "account.found.absent": "{tool} looked and found nothing.",
    "account.found.absentOf": "{tool} looked and found nothing of this: {what}",
    "account.found.rows": "{tool} returned rows: {n}.",
    "account.found.described": "{tool} returned a described result: {counts:and}.",
    "account.found.result": "{tool} returned a result.",
    "account.found.clarify": "{tool} returned a question instead of a result.",
    "account.inView.rows": "{tool} returned rows {distance:back}, and they were still before the model: {n}.",
    "account.inView.rows.atLeast": (
        "{tool} returned rows at least {distance} answers back, and they were still before the model: {n}."
    ),
    "account.inView.absent": "{tool} found nothing {distance:back}, and that was still before the model.",
    "account.inView.absent.atLeast": (
        "{tool} found nothing at least {distance} answers back, and that was still before the model."
    ),
    "account.inView.result": "{tool} returned a result {distance:back} that was still before the model.",
    "account.inView.result.atLeast": (
        "{tool} returned a result at least {distance} answers back that was still before the model."
    ),
    "account.inView.more": "Earlier results left out here: {n}.",
}

_SURE: Final = {
    "account.sure.untold": "Whether the answer stands cannot be told: no end of the turn with an answer is recorded.",
    "account.sure.notAssessed": "Whether the answer stands was not assessed.",
    "account.sure.redacted": "Whether the answer stands cannot be told: part of the record is kept out ({keys:and}).",
    "account.sure.ask": "The turn asked a person before it could answer.",
    "account.sure.not-sure": "Reasons not to be sure of the answer: {n}.",
    "account.sure.known": "An enforced check passed exactly this answer.",
    "account.sure.consistent": "Nothing that was checked speaks against the answer, and nothing proves it.",
    "account.sure.not-assessed": "Nothing on this record tells whether the answer stands.",
    "account.sure.reason": "Reason, in calls ({n}): {reason}",
    "account.sure.notEvaluated": "Reasons that nothing on this record could show: {reasons:and}.",
    "account.values.none": "The answer holds no names or numbers to look up.",
    "account.values.found": "Names and numbers of the answer that were looked up and found: {n}.",
    "account.values.noneNeeded": "No name or number of the answer needed looking up.",
    "account.values.supported": "No name or number of the answer was without support.",
    "account.values.unsupported": "Values of the answer that no tool result supports: {values:and}.",
    "account.values.unsupportedCount": "Values of the answer that no tool result supports: {n}.",
    "account.values.unsupportedAtLeast": "Values of the answer that no tool result supports, at least: {n}.",
    "account.values.value": "Value: {value}",
    "account.values.revised": "The answer had been revised once before that.",
    "account.values.truncated": "Only a part of the tool results could be searched for them.",
    "account.values.off": "Names and numbers are not set to be looked up.",
    "account.values.notRecorded": "Whether names and numbers were looked up is not recorded.",
    "account.values.unreadable": "What was recorded about names and numbers cannot be read.",
}

_WHOLE: Final = {
    "account.unreadable": "A line of this account could not be filled in.",
    "account.notInRecord": "Nothing of the run that was asked for is in this record.",
}

ACCOUNT_SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {**_ASKED, **_UNDERSTOOD, **_CALLS, **_CHECKED, **_FOUND, **_SURE, **_WHOLE}
)
"""Sentence id to template."""

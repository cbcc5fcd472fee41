"""Run the installed rules on directories of conformance vectors.

``python tests/conformance/run.py DIR`` runs every ``*.jsonl`` file in DIR by its name, prints a line a file
and last ``N passed, M failed``, names the first five failures of each file with what was expected and what
was got, and exits 1 if any failed or a file is unknown. This file translates shapes; it holds no answers.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from otel_footprint.facts import CoverageItem
from otel_footprint.fold.check_values import CheckInput, Decided, InView, JudgedCall
from otel_footprint.fold.emptiness import Door, Reading, declared_of, read_emptiness
from otel_footprint.fold.evidence import check_evidence
from otel_footprint.fold.labels import CodeRunFacts, exit_code_fits, label_outcome, label_words
from otel_footprint.fold.reasons import REASONS
from otel_footprint.fold.recovery import ShownBlock, recovery_clauses
from otel_footprint.fold.scripts import (
    NOT_CAPTURED,
    Draft,
    Ledger,
    ScriptRow,
    build_row,
    drop_earlier_text,
    file_row,
    measure,
    read_rows,
    well_formed,
)
from otel_footprint.fold.tokens import candidates, normal_form, tokens
from otel_footprint.fold.verdict import run_checks
from otel_footprint.fold.wording import Sentence

Line = Mapping[str, Any]

FAILURES_SHOWN: Final = 5
"""Failures of one file that are printed."""

SHOWN_CHARS: Final = 1_500
"""Longest value printed of one failure."""


class Outcome(NamedTuple):
    """What one line of a file wants, and what the rules give."""

    expected: Any
    got: Any

    @property
    def passed(self) -> bool:
        """Equal as JSON, where ``true`` is not ``1``."""
        return _canonical(self.expected) == _canonical(self.got)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True)


def _present(**values: Any) -> dict[str, Any]:
    """The values that a vector would name: no nulls, no flags that are not set."""
    return {key: value for key, value in values.items() if value is not None and value is not False}


def _program(value: Any) -> Any:
    """A program, where a long one is written as a piece and how often it repeats."""
    if isinstance(value, Mapping) and value.keys() == {"repeat", "times"}:
        return value["repeat"] * value["times"]
    return value


def _facts(value: Any) -> CodeRunFacts | None:
    return None if value is None else CodeRunFacts(**value)


# -- labels ---------------------------------------------------------------------------------------


def labels(line: Line) -> Outcome:
    """One settlement and the runner's facts to a label."""
    given = line["input"]
    outcome = label_outcome(given["settlement"], _facts(given.get("facts")))
    return Outcome(line["expected"], _present(**dataclasses.asdict(outcome)))


def words(line: Line) -> Outcome:
    """A label to its words."""
    return Outcome(line["expected"], label_words(line["label"], line.get("exit_code")))


def fits(line: Line) -> Outcome:
    """Whether an exit code agrees with a label."""
    got = exit_code_fits(line["label"], line.get("exit_code"), present="exit_code" in line)
    return Outcome(line["expected"], got)


# -- script rows ----------------------------------------------------------------------------------


def measures(line: Line) -> Outcome:
    """A program to its bytes and lines."""
    return Outcome([line["bytes"], line["lines"]], list(measure(_program(line["program"]))))


def rows(line: Line) -> Outcome:
    """A call to its script row."""
    call = line["call"]
    draft = build_row(
        tool_call_id=call["tool_call_id"],
        tool=call["tool"],
        argument=call["script"]["argument"],
        language=call["script"].get("language"),
        proposed=_program(call.get("proposed", NOT_CAPTURED)),
        submitted=_program(call.get("submitted", NOT_CAPTURED)),
        paused=call.get("paused", False),
        settlement=call["settlement"],
        facts=_facts(call.get("facts")),
        withheld=call.get("withheld", False),
        turn=call["turn"],
        iteration=call["iteration"],
    )
    expected = line["expected"]
    if expected is not None and "text" in expected:
        expected = {**expected, "text": _program(expected["text"])}
    return Outcome(expected, None if draft is None else _row(draft))


def ledgers(line: Line) -> Outcome:
    """Drafts filed in order to a ledger, its readings and what a restore leaves."""
    ledger, dispatches = Ledger(), []
    filed: tuple[ScriptRow, ...] = ()
    dropped = 0
    for operation in line["operations"]:
        draft = _draft(operation["draft"])
        options = operation["options"]
        join, paused = options.get("dispatch"), options.get("paused", False)
        dispatches.append(ledger.file(draft, join=join, paused=paused))
        step = file_row(filed, draft, join=join, paused=paused)
        filed, dropped = step.rows, dropped + step.dropped
    if filed != ledger.rows or dropped != sum(ledger.scripts_dropped.values()):
        return Outcome("one rule for both writers", "two")
    restored = drop_earlier_text(ledger.rows, line["restore_at_turn"])
    expected = {
        "dispatches": [operation["expected_dispatch"] for operation in line["operations"]],
        "ledger": line["expected_ledger"],
        "dropped": line.get("expected_scripts_dropped", 0),
        "reads": line["reads"],
        "texts": line["restored_texts"],
    }
    got = {
        "dispatches": dispatches,
        "ledger": [_row(row) for row in ledger.rows],
        "dropped": dropped,
        "reads": [_read(ledger.rows, read["turn"]) for read in line["reads"]],
        "texts": [row.text for row in restored],
    }
    return Outcome(expected, got)


def gate(line: Line) -> Outcome:
    """Whether a stored row may be used."""
    return Outcome(line["expected"], well_formed(line["row"]))


def _row(row: Draft) -> dict[str, Any]:
    return _present(kind="script", **dataclasses.asdict(row))


def _draft(row: Mapping[str, Any]) -> Draft:
    return Draft(**{key: value for key, value in row.items() if key != "kind"})


def _read(filed: tuple[ScriptRow, ...], turn: int) -> dict[str, Any]:
    reading = read_rows(filed, turn)
    current = [
        _present(dispatch=row.dispatch, tool_call_id=row.tool_call_id, outcome=row.outcome) for row in reading.rows
    ]
    return {"turn": turn, "current": current, "earlier": reading.earlier}


# -- recovery -------------------------------------------------------------------------------------


def recovery(line: Line) -> Outcome:
    """A match verdict and the flagged values to the clauses of a revision request."""
    blocks = [ShownBlock(**{key: value for key, value in block.items() if key != "block"}) for block in line["blocks"]]
    regions = [value["region"] for value in line["unsupported"]]
    clauses = recovery_clauses(blocks, regions, line["tools_this_turn"])
    got = {
        "unmatched_clause": clauses.unmatched,
        "tools_named": list(clauses.tools_named) or None,
        "kept_calls": [dataclasses.asdict(call) for call in clauses.kept_calls],
    }
    return Outcome(line["expected"], got)


# -- emptiness ------------------------------------------------------------------------------------


def emptiness(line: Line) -> Outcome:
    """A value to what came back, and to what its own envelope declares."""
    door = Door(**line["door"]) if "door" in line else None
    reading = read_emptiness(line["value"], rows_at=line.get("rows_at"), door=door)
    declared = declared_of(line["value"])
    got = {
        "reading": _reading(reading),
        "declared": None if declared is None else dataclasses.asdict(declared),
    }
    return Outcome({"reading": line["expected"], "declared": line["declared"]}, got)


def _reading(reading: Reading) -> dict[str, Any]:
    """The reading in this file's fields, which name the key only where rows were counted under it."""
    return {
        "undeclared_shape": reading.undeclared_shape,
        **_present(
            emptiness=reading.emptiness,
            rows=reading.rows,
            source=reading.source,
            rows_at=None if reading.rows is None else reading.rows_at,
            bounded=reading.bounded,
        ),
    }


# -- checks ---------------------------------------------------------------------------------------


def checks(line: Line) -> Outcome:
    """What the readers found of a turn to signals, lines and a summary."""
    found = line["input"]
    decided, paused = found["decided_delivered"], found["paused_leg"]
    result = run_checks(
        CheckInput(
            decided=Decided(
                state=decided["check"],
                signal=decided["signal"],
                missing=decided.get("missing", "no-event"),
                routing_lost=decided["routing_lost"],
            ),
            calls=tuple(_call(number, call) for number, call in enumerate(found["calls"])),
            in_view=tuple(
                InView(
                    ref=number,
                    tool=earlier["tool"],
                    distance=earlier["distance"],
                    windowed=earlier.get("windowed", False),
                    reading=Reading(**earlier["reading"]),
                )
                for number, earlier in enumerate(found["in_view"])
            ),
            in_view_kept_out=found["in_view_kept_out"],
            resumed_leg=found["resumed_leg"],
            state_held=paused["state_held"],
            before_pause_calls=tuple(_call(number, call) for number, call in enumerate(paused["calls"])),
            finished=found["finished"],
            scope=found["scope"],
        )
    )
    got = {
        "signals": [
            {"id": one.id, "check": one.check, "tone": one.tone, **_sentence(one.sentence)} for one in result.signals
        ],
        "omitted": result.omitted,
        "omitted_signals": result.omitted_signals,
        "unreachable": [
            {"check": one.check, "missing": one.missing, **_sentence(one.sentence)} for one in result.unreached
        ],
        "reachable": list(result.reachable),
        "unreachable_checks": list(result.unreachable),
        "not_applicable": list(result.not_applicable),
        "wrong_lines": [_sentence(one) for one in result.wrong],
        "summary": {"tone": result.summary.tone, "sentences": [one.id for one in result.summary.sentences]},
    }
    return Outcome(line["expected"], got)


def _call(number: int, call: Mapping[str, Any]) -> JudgedCall:
    return JudgedCall(
        ref=number,
        tool=call["tool"],
        call_id=call.get("tool_call_id"),
        outcome=call.get("outcome", "ran"),
        withheld=call.get("withheld", False),
        ended=call.get("ended", True),
        presented=call.get("presented", False),
        items=tuple(CoverageItem(**item) for item in call["coverage"]),
        reading=Reading(**call["reading"]),
    )


def _sentence(sentence: Sentence) -> dict[str, Any]:
    values: dict[str, Any] = dict(sentence.vars)
    if sentence.id == "unreachable.inView.redacted":
        # The vectors write this one count together with who vouches for it.
        values["n"] = {"value": values["n"], "source": "library"}
    return {"sentence": sentence.id, **({"vars": values} if values else {})}


# -- evidence -------------------------------------------------------------------------------------


def evidence_tokens(line: Line) -> Outcome:
    """A text to its normal form as one token, its tokens and its candidates."""
    text = line["text"]
    got = {
        "normalized": normal_form(text),
        "tokens": list(tokens(text)),
        "candidates": [{"value": one.value, "shape": one.shape} for one in candidates(text)],
    }
    return Outcome({key: line[key] for key in got}, got)


def evidence_checks(line: Line) -> Outcome:
    """An answer, what it may go by and what tools returned to the values that nothing supports."""
    verdict = check_evidence(
        answer=line["answer"],
        results=line["tool_results"],
        exempt_texts=(line["system"], line["question"]),
    )
    got = {
        "candidates": verdict.candidates,
        "unsupported": [{"value": one.value, "shape": one.shape} for one in verdict.unsupported],
    }
    return Outcome(line["expected"], got)


# -- reasons --------------------------------------------------------------------------------------


def reasons(line: Line) -> Outcome:
    """The table of reasons, in order."""
    got = [
        _present(reason=one.reason, layer=one.layer, source=one.source) | {"class": one.reason_class} for one in REASONS
    ]
    return Outcome(line["table"], got)


# -- running --------------------------------------------------------------------------------------

RULES: Final[Mapping[str, Callable[[Line], Outcome]]] = {
    "labels": labels,
    "label_words": words,
    "exit_code_fits": fits,
    "measure": measures,
    "rows": rows,
    "ledgers": ledgers,
    "well_formed": gate,
    "recovery": recovery,
    "emptiness": emptiness,
    "checks": checks,
    "evidence_tokens": evidence_tokens,
    "evidence_checks": evidence_checks,
    "reasons": reasons,
}
"""The rule that each file of vectors is about, by the file's name."""


def run_line(rule: Callable[[Line], Outcome], line: Line) -> Outcome:
    """Run one line; an exception is a failure like any other."""
    try:
        return rule(line)
    except Exception as error:  # noqa: BLE001 -- a rule that raises must not hide the other lines
        return Outcome("a value", f"{type(error).__name__}: {error}")


def run_directory(directory: Path) -> Iterator[tuple[str, int, int]]:
    """Run every file of a directory; yields what to print with how many lines passed and failed."""
    for path in sorted(directory.glob("*.jsonl")):
        rule = RULES.get(path.stem)
        if rule is None:
            yield f"{path.stem}: unknown file", 0, 1
        else:
            yield run_file(path, rule)


def run_file(path: Path, rule: Callable[[Line], Outcome]) -> tuple[str, int, int]:
    """Run one file; gives what to print with how many lines passed and failed."""
    passed = 0
    failures: list[tuple[int, Outcome]] = []
    with path.open(encoding="utf-8") as lines:
        for number, text in enumerate(lines, start=1):
            if not text.strip():
                continue
            outcome = run_line(rule, json.loads(text))
            if outcome.passed:
                passed += 1
            else:
                failures.append((number, outcome))
    report = [f"{path.stem}: {passed} passed, {len(failures)} failed"]
    for number, outcome in failures[:FAILURES_SHOWN]:
        report.append(f"  line {number}")
        report.append(f"    expected {_canonical(outcome.expected)[:SHOWN_CHARS]}")
        report.append(f"    got      {_canonical(outcome.got)[:SHOWN_CHARS]}")
    return "\n".join(report), passed, len(failures)


def main(arguments: list[str]) -> int:
    """Run one directory; the exit code is 1 when anything failed."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        sys.stdout.write("usage: python tests/conformance/run.py DIR\n")
        return 1
    passed = failed = 0
    for report, file_passed, file_failed in run_directory(Path(arguments[0])):
        sys.stdout.write(f"{report}\n")
        passed, failed = passed + file_passed, failed + file_failed
    sys.stdout.write(f"{passed} passed, {failed} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

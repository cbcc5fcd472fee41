"""What it costs to fold one turn: beside `json.loads` of the same content, and as the content grows.

Every run times the fold and the decoding one after the other, in CPU time of the thread; a time is the median over the
runs, a ratio the median of the ratios of one run. The content of a turn is what its record holds of it: results,
programs, question, answer and what the model was told, as JSON texts.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from otel_footprint.facts import Turn
from otel_footprint.fold.explain import DefaultSettings, explain
from otel_footprint.spanview import SpanView
from otel_footprint.testing import (
    agent_span,
    call_part,
    message,
    model_span,
    read_spans,
    response_part,
    tool_span,
)
from otel_footprint.turns import TurnAssembler

DUMPS: Final = Path(__file__).parents[1] / "tests" / "data" / "spans"
CALLS: Final = 10
RESULT_BYTES: Final = 2_048
GROWTH: Final = (1, 2, 4, 8)
RUNS: Final = 31
FEWEST_RUNS: Final = 9
KILOBYTES_100: Final = 102_400


class Cost(NamedTuple):
    """The cost of some turns together."""

    turns: int
    content: int
    """Bytes."""
    fold_ms: float
    account_ms: float
    """The fold with the account."""
    ratio: float
    """To decoding the content."""


def turns_of(spans: Iterable[SpanView]) -> tuple[Turn, ...]:
    """The turns of some spans."""
    assembler = TurnAssembler()
    for span in spans:
        assembler.add(span, 0.0)
    return assembler.close(0.0).turns


def made_turn(size: int, *, text: bool) -> tuple[Turn, ...]:
    """A turn of ten calls with results of ``size`` bytes, read as JSON ``text`` from their spans or out of messages.

    The answer names a value of each result, and two that none holds.
    """
    spans: list[SpanView] = [agent_span(1, at=(0, 100))]
    history = [message("system", "You look after incidents."), message("user", "Which are open since 2026-05-01?")]
    for number in range(CALLS):
        result, call_id = _rows(number, size), f"c{number}"
        asked = message("assistant", call_part("search", call_id, {"page": number}))
        at = 2 * number + 1
        spans.append(model_span(10 + at, parent=1, at=(at, at + 0.5), read=history, said=[asked]))
        own = json.dumps(result) if text else None
        spans.append(tool_span(11 + at, "search", parent=1, call_id=call_id, at=(at + 0.6, at + 1), result=own))
        history = [*history, asked]
        if not text:
            history.append(message("tool", response_part(call_id, result)))
    named = ", ".join(f"INC{100 + number}0000" for number in range(CALLS))
    said = message("assistant", f"Open are {named}: 41,200 rows on srv-77.example.net, by their load of 5.25.")
    spans.append(model_span(9, parent=1, at=(90, 91), read=history, said=[said]))
    return turns_of(spans)


def _rows(number: int, size: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    length = 2
    while length < size:
        place = len(rows)
        rows.append(
            {
                "id": f"INC{100 + number}{place:04d}",
                "host": f"srv-{place}.example.com",
                "open": True,
                "load": place * 0.75,
            }
        )
        length += len(json.dumps(rows[-1])) + 2
    return rows


def contents(turns: Iterable[Turn]) -> Iterator[str]:
    """The content of turns as JSON texts."""
    for turn in turns:
        yield json.dumps([turn.question.value, turn.answer.value, *turn.told])
        for call in turn.calls:
            value = call.result.value
            yield value if _is_json(value) else json.dumps(value, default=str)
            if call.code_run is not None:
                yield json.dumps(call.code_run.submitted.value, default=str)


def _is_json(value: Any) -> bool:
    try:
        return isinstance(value, str) and json.loads(value) is not None
    except ValueError:
        return False


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of this thread's CPU time."""
    start = time.thread_time_ns()
    work()
    return (time.thread_time_ns() - start) / 1e6


def cost(turns: tuple[Turn, ...], runs: int) -> Cost:
    """Fold the turns many times."""
    texts = list(contents(turns))
    with_account = DefaultSettings(account=True)
    folds, accounts, ratios = [], [], []
    for _ in range(runs):
        fold = timed(lambda: [explain(turn) for turn in turns])
        decode = timed(lambda: [json.loads(text) for text in texts])
        accounts.append(timed(lambda: [explain(turn, with_account) for turn in turns]))
        folds.append(fold)
        ratios.append(fold / decode)
    return Cost(
        turns=len(turns),
        content=sum(len(text.encode("utf-8", "surrogatepass")) for text in texts),
        fold_ms=statistics.median(folds),
        account_ms=statistics.median(accounts),
        ratio=statistics.median(ratios),
    )


def show(name: str, found: Cost) -> None:
    """Print one line."""
    each = found.fold_ms / found.turns
    per_100_kb = found.fold_ms * KILOBYTES_100 / found.content
    print(
        f"{name:38} {found.turns:5} {found.content / 1024:9.1f} {each:9.3f} {per_100_kb:11.2f} "
        f"{found.account_ms / found.turns:13.3f} {found.ratio:6.1f}"
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"at least {FEWEST_RUNS}; by default {RUNS}")
    runs = max(FEWEST_RUNS, parser.parse_args().runs)
    print(f"{'':38} turns        KB   ms/turn   ms/100 KB  with account  ratio")
    for text in (True, False):
        for times in GROWTH:
            name = f"ten calls of {2 * times} KB, {'JSON text' if text else 'in messages'}"
            show(name, cost(made_turn(RESULT_BYTES * times, text=text), runs))
    for path in sorted(DUMPS.glob("*.otlp.json")):
        turns = turns_of(read_spans(path))
        if turns:
            show(path.name.removesuffix(".otlp.json"), cost(turns, runs))


if __name__ == "__main__":
    main()

"""What a revision request says about the code a refused draft showed.

The clauses tell about calls that are over: they name no tool as a place to go next.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from otel_footprint.fold.labels import label_words
from otel_footprint.fold.wording import Sentence, texts

UNMATCHED = "unmatched"
"""The label of a block that equals no submitted program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBlock:
    """One fenced block of the answer, as matched."""

    label: str
    """One of the seven labels, or :data:`UNMATCHED`."""
    tool: str | None = None
    tool_call_id: str | None = None
    """As ``tool``: of the matched call, ``None`` on an unmatched block."""
    exit_code: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCall:
    """A call whose program the draft showed."""

    tool: str
    tool_call_id: str
    words: str
    """The words of its label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryClauses:
    """The facts of the clauses; both may hold, and none need."""

    unmatched: bool
    """A block equals no submission, and a flagged value lies in code."""
    tools_named: tuple[str, ...]
    """The code-running tools of this turn that received a program; empty without the clause."""
    kept_calls: tuple[KeptCall, ...]
    """The matched blocks' calls in order, when a flagged value lies in the prose."""


def recovery_clauses(
    blocks: Iterable[ShownBlock], regions: Iterable[str], tools_this_turn: Iterable[str]
) -> RecoveryClauses:
    """Decide which clauses a revision request carries.

    Args:
        blocks: the answer's fenced blocks in order.
        regions: where each flagged value lies, ``code`` or ``prose``.
        tools_this_turn: names of the code-running tools that received a program, by their first call.
    """
    shown, flagged = tuple(blocks), frozenset(regions)
    unmatched = "code" in flagged and any(block.label == UNMATCHED for block in shown)
    kept = (
        KeptCall(
            tool=block.tool or "",
            tool_call_id=block.tool_call_id or "",
            words=label_words(block.label, block.exit_code),
        )
        for block in shown
        if block.label != UNMATCHED and "prose" in flagged
    )
    return RecoveryClauses(
        unmatched=unmatched,
        tools_named=tuple(tools_this_turn) if unmatched else (),
        kept_calls=tuple(kept),
    )


def recovery_text(clauses: RecoveryClauses) -> str:
    """The clauses in words, the unmatched one first; empty when there is none."""
    sentences: list[Sentence] = []
    if clauses.unmatched and clauses.tools_named:
        tools = [f'"{tool}"' for tool in clauses.tools_named]
        sentences.append(Sentence(id="recovery.unmatched", vars={"tools": tools}))
    elif clauses.unmatched:
        sentences.append(Sentence(id="recovery.unmatched.anyTool"))
    if clauses.kept_calls:
        calls = [f'"{call.tool}" in call {call.tool_call_id} ({call.words})' for call in clauses.kept_calls]
        form = "one" if len(calls) == 1 else "many"
        sentences.append(Sentence(id=f"recovery.kept.{form}", vars={"calls": calls}))
    return texts(sentences)

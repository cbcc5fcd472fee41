"""The script rows of one turn: which programs were submitted, and how each ended."""

from __future__ import annotations

from dataclasses import dataclass

from otel_footprint.facts import CodeRun, Content, ToolCall, Turn
from otel_footprint.fold.labels import CodeRunFacts
from otel_footprint.fold.scripts import Ledger, ScriptRow, draft_row


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledScript:
    """A script row with the call it is of."""

    row: ScriptRow
    call: ToolCall
    run: CodeRun

    @property
    def program(self) -> Content:
        """The program as it is recorded, or how it is not."""
        return self.run.program


def file_scripts(turn: Turn) -> tuple[list[FiledScript], int]:
    """The script rows in filing order, and how many the bound dropped."""
    ledger = Ledger()
    filed: dict[int, tuple[ToolCall, CodeRun]] = {}
    for call in turn.calls:
        run = call.code_run
        if run is None:
            continue
        program = run.program
        if program.recorded and not isinstance(program.value, str):
            continue
        draft = draft_row(
            tool_call_id=call.call_id,
            tool=call.tool or "",
            argument=run.argument,
            language=run.language,
            program=program.value if program.recorded else None,
            rewritten=_rewritten(run),
            paused=run.paused,
            settlement=call.settlement,
            facts=CodeRunFacts(exit_code=run.exit_code, ok=run.ok, service_error=run.service_error),
            withheld=run.result_withheld,
            turn=turn.turn,
            iteration=call.iteration,
        )
        dispatch = ledger.file(draft, paused=run.paused)
        if dispatch is not None:
            filed[dispatch] = (call, run)
    rows = [FiledScript(row=row, call=filed[row.dispatch][0], run=filed[row.dispatch][1]) for row in ledger.rows]
    return rows, ledger.scripts_dropped.get(turn.turn, 0)


def _rewritten(run: CodeRun) -> bool:
    """Only told where both the proposed and the submitted program are recorded."""
    return run.proposed.recorded and run.submitted.recorded and run.proposed.value != run.submitted.value

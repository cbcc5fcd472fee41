"""What was received and what was made of it, in SQLite."""

from __future__ import annotations

import secrets
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

MAX_BYTES: Final = 64 * 1024 * 1024
"""Of requests that are kept; past it the oldest go, and their turns with them."""

IN_MEMORY: Final = ":memory:"

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS requests (id INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER NOT NULL, body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS turns (
    trace_id TEXT NOT NULL, span_id TEXT NOT NULL, version INTEGER NOT NULL, row TEXT, detail TEXT,
    PRIMARY KEY (trace_id, span_id)
);
CREATE INDEX IF NOT EXISTS turns_by_version ON turns (version);
"""

TurnKey = tuple[str, str]
"""(trace id, span id), both lower-case hex."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A turn as the page gets it, as JSON texts."""

    row: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A turn that changed."""

    key: TurnKey
    version: int
    """Grows with each change of any turn."""
    row: str | None
    """``None``: the turn is gone."""


class Store:
    """Requests and turns. All methods may be called from any thread."""

    def __init__(self, path: str = IN_MEMORY, *, max_bytes: int = MAX_BYTES) -> None:
        """Open a store, which is made where there is none.

        Args:
            path: The file; by default nothing outlives the process.
            max_bytes: Bound of the requests that are kept.

        Raises:
            sqlite3.Error: It cannot be opened, or is no store.
        """
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._database.executescript(_SCHEMA)
        if not self.id:
            # So that an open page notices that another store answers it.
            self._database.execute(f"PRAGMA user_version = {secrets.randbelow(2**31 - 1) + 1}")

    @property
    def id(self) -> int:
        """Tells this store from any other; never 0."""
        with self._lock:
            found: int = self._database.execute("PRAGMA user_version").fetchone()[0]
            return found

    def add(self, body: bytes) -> None:
        """Keep a request; the oldest go while there is too much. The newest always stays."""
        with self._transaction() as database:
            newest = database.execute("INSERT INTO requests (size, body) VALUES (?, ?)", (len(body), body)).lastrowid
            size: int = database.execute("SELECT sum(size) FROM requests").fetchone()[0]
            for number, held in database.execute("SELECT id, size FROM requests ORDER BY id").fetchall():
                if size <= self._max_bytes or number == newest:
                    break
                database.execute("DELETE FROM requests WHERE id = ?", (number,))
                size -= held

    def requests(self) -> list[bytes]:
        """All that are kept, the oldest first."""
        with self._lock:
            return [body for (body,) in self._database.execute("SELECT body FROM requests ORDER BY id")]

    def replace_turns(self, turns: Mapping[TurnKey, StoredTurn]) -> None:
        """Make these the turns of the store; only what differs gets a new version."""
        with self._transaction() as database:
            found = database.execute("SELECT trace_id, span_id, row, detail FROM turns").fetchall()
            held = {(trace_id, span_id): (row, detail) for trace_id, span_id, row, detail in found}
            last: int = database.execute("SELECT coalesce(max(version), 0) FROM turns").fetchone()[0]
            for version, (key, turn) in enumerate(_differing(held, turns), start=last + 1):
                texts = (None, None) if turn is None else (turn.row, turn.detail)
                database.execute("INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?, ?)", (*key, version, *texts))

    def changes(self, after: int) -> list[Change]:
        """The turns that changed after a version, in the order in which they did."""
        query = "SELECT trace_id, span_id, version, row FROM turns WHERE version > ? ORDER BY version"
        with self._lock:
            found = self._database.execute(query, (after,)).fetchall()
        return [Change(key=(trace_id, span_id), version=version, row=row) for trace_id, span_id, version, row in found]

    def detail(self, key: TurnKey) -> str | None:
        """The rest of a turn; ``None`` when there is no such turn."""
        with self._lock:
            found = self._database.execute(
                "SELECT detail FROM turns WHERE trace_id = ? AND span_id = ?", key
            ).fetchone()
        return found[0] if found is not None else None

    def close(self) -> None:
        """Close the store; it cannot be used afterwards."""
        with self._lock:
            self._database.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")


def _differing(
    held: Mapping[TurnKey, tuple[str | None, str | None]], turns: Mapping[TurnKey, StoredTurn]
) -> Iterable[tuple[TurnKey, StoredTurn | None]]:
    for key, turn in turns.items():
        if held.get(key) != (turn.row, turn.detail):
            yield key, turn
    for key, (row, _) in held.items():
        if row is not None and key not in turns:
            yield key, None

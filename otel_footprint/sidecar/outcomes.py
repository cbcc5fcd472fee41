"""What a backend said to a request, and when to try again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal, Protocol

from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from otel_footprint.sidecar import schema
from otel_footprint.sidecar.queue import Signal

MAX_HINT_SECONDS: Final = 300.0
"""The longest that a backend's hint is followed; an absurd one must not stop the sending for a day."""

_MAX_MESSAGE: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a request."""

    kind: Literal["taken", "again", "refused", "too-large", "unwritable"]
    """``again``: for now; ``refused``: for good; ``unwritable``: something in it has no place in the backend's form."""
    rejected: int = 0
    """Items that a backend which took the request left out. They are not sent again, as OTLP asks."""
    message: str = ""
    """What the backend said, or why it could not be asked; cut."""
    wait_seconds: float | None = None
    """When it asks to be asked again; ``None`` when it does not say."""


class Transport(Protocol):
    """Sends requests to one backend."""

    async def send(self, signal: Signal, body: bytes) -> Outcome:
        """Send an export request, protobuf and not compressed. Never raises for anything a backend does."""

    async def close(self) -> None:
        """Give up the connections."""


def taken(response: bytes) -> Outcome:
    """A request was taken, and the protobuf answer says how much of it."""
    try:
        partial = schema.Answer.FromString(response).partial_success
    except DecodeError:
        return Outcome(kind="taken")
    return Outcome(kind="taken", rejected=max(partial.rejected, 0), message=cut(partial.message))


def taken_json(answer: Any) -> Outcome:
    """The same of a JSON answer, where a count may be a number or a text."""
    partial = answer.get("partialSuccess", answer.get("partial_success")) if isinstance(answer, dict) else None
    if not isinstance(partial, dict):
        return Outcome(kind="taken")
    rejected = 0
    for key, value in partial.items():
        if key.lower().startswith("rejected"):
            text = str(value)
            rejected = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(2**63)) else 0
    message = partial.get("errorMessage", partial.get("error_message"))
    return Outcome(kind="taken", rejected=rejected, message=cut(message if isinstance(message, str) else ""))


def retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """The seconds that a header ``Retry-After`` asks for, as a number or a date; ``None`` if that is of no use."""
    text = (header or "").strip()
    try:
        return _hint(float(text))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return _hint((date - (now or datetime.now(UTC))).total_seconds())


def retry_info(details: bytes | None) -> float | None:
    """The seconds that a ``google.rpc.RetryInfo`` among the details of a status asks for; ``None`` without one.

    One whose time is of no use asks for 0: that it is there at all says that the request can be sent again.
    """
    try:
        status = Status.FromString(details or b"")
        for detail in status.details:
            info = RetryInfo()
            if detail.Unpack(info):
                return _hint(info.retry_delay.seconds + info.retry_delay.nanos / 1e9) or 0.0
    except DecodeError:
        return None
    return None


def cut(message: str) -> str:
    """A backend's words, short enough for a line of a log and without line breaks."""
    return " ".join(message.split())[:_MAX_MESSAGE]


def _hint(seconds: float) -> float | None:
    return min(seconds, MAX_HINT_SECONDS) if math.isfinite(seconds) and seconds >= 0 else None

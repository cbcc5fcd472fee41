"""Why a request was not taken, in the words of both of OTLP's protocols."""

from __future__ import annotations

from typing import Final, Literal

from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

_BAD_REQUEST: Final = 400
Code = Literal["INVALID_ARGUMENT", "UNAUTHENTICATED", "RESOURCE_EXHAUSTED", "UNAVAILABLE", "UNIMPLEMENTED"]

_NUMBERS: Final[dict[Code, int]] = {
    "INVALID_ARGUMENT": 3,
    "RESOURCE_EXHAUSTED": 8,
    "UNIMPLEMENTED": 12,
    "UNAVAILABLE": 14,
    "UNAUTHENTICATED": 16,
}


class RefusedError(Exception):
    """A request was not taken; nothing of it was stored.

    Attributes:
        code: gRPC's code.
        http_status: HTTP's.
        message: what is wrong and what the sender can do.
        retry_seconds: when the sender is to try again; ``None`` if that is of no use.
    """

    def __init__(self, code: Code, http_status: int, message: str, retry_seconds: int | None = None) -> None:
        super().__init__(message)
        self.code: Code = code
        self.http_status = http_status
        self.message = message
        self.retry_seconds = retry_seconds

    @property
    def is_malformed(self) -> bool:
        """Whether the request is not what it says it is."""
        return self.http_status == _BAD_REQUEST

    def status(self) -> Status:
        """As ``google.rpc.Status``, with the time to wait among its details."""
        status = Status(code=_NUMBERS[self.code], message=self.message)
        if self.retry_seconds is not None:
            status.details.add().Pack(RetryInfo(retry_delay=Duration(seconds=self.retry_seconds)))
        return status


def malformed(message: str) -> RefusedError:
    """The request is not what it says it is."""
    return RefusedError("INVALID_ARGUMENT", _BAD_REQUEST, message)


def unwanted(signal: str) -> RefusedError:
    """Nobody is there to whom such a request could be sent; it would lie in the queue for ever."""
    return RefusedError(
        "UNIMPLEMENTED",
        404,
        f"no destination takes {signal}; give one that does in the sidecar's settings, or send none",
    )


def too_large(limit: int) -> RefusedError:
    """The request is larger than what is taken."""
    return RefusedError(
        "INVALID_ARGUMENT", 413, f"the request is larger than {limit} bytes, uncompressed; send smaller ones"
    )

"""The values that a setting can have, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

Bytes = Annotated[int, "bytes"]
"""Written as a whole number, or with a unit: ``64MiB``, ``1GiB``, ``500KB``."""
Seconds = Annotated[float, "seconds"]
"""Written as a number of seconds, or with a unit: ``500ms``, ``2s``, ``1m``, ``1h``."""

_SIZE: Final = re.compile(r"(\d+) ?([KMG]i?B|B)?")
_SIZES: Final = {
    "B": 1,
    "KB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
}
_TIME: Final = re.compile(r"(\d+(?:\.\d+)?) ?(ms|s|m|h)?")
_TIMES: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_ADDRESS: Final = re.compile(r"(?:\[([0-9A-Fa-f:.%a-z]+)\]|([^\s:/\[\]]+)):(\d{1,5})")
_MAX_PORT: Final = 65535


class Secret:
    """A text that is shown to nobody by accident."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text, for the one place that has to send or compare it."""
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    def __repr__(self) -> str:
        return "Secret('***')"


Header = Annotated[Secret, "header"]
"""A header's value. One whose name tells that it is a credential cannot stand in the file itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a server listens. Written as ``HOST:PORT``, ``[IPv6]:PORT`` or ``unix:///PATH``."""

    kind: Literal["tcp", "unix"]
    host: str = ""
    """Name or address, IPv6 without brackets; empty for a socket."""
    port: int = 0
    """0 lets the system choose."""
    path: str = ""
    """The socket's path; empty for TCP."""

    @classmethod
    def parse(cls, text: str) -> Endpoint:
        """Read an endpoint.

        Raises:
            ValueError: it is written in none of the three ways.
        """
        if text.startswith("unix://") and text.removeprefix("unix://").startswith("/"):
            return cls(kind="unix", path=text.removeprefix("unix://"))
        found = _ADDRESS.fullmatch(text)
        if found is None or int(found[3]) > _MAX_PORT:
            raise ValueError("give HOST:PORT, [IPv6]:PORT or unix:///PATH")
        return cls(kind="tcp", host=found[1] or found[2], port=int(found[3]))

    def __str__(self) -> str:
        if self.kind == "unix":
            return f"unix://{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_bytes(text: str) -> int:
    """A number of bytes.

    Raises:
        ValueError: it is not written like one, or is 0.
    """
    found = _SIZE.fullmatch(text)
    size = int(found[1]) * _SIZES[found[2] or "B"] if found else 0
    if not size:
        raise ValueError("give a whole number of bytes, or one with KiB, MiB or GiB, such as 64MiB")
    return size


def parse_seconds(text: str) -> float:
    """A number of seconds, 0 or more.

    Raises:
        ValueError: it is not written like one.
    """
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError("give a number of seconds, or one with ms, s, m or h, such as 500ms")
    return float(found[1]) * _TIMES[found[2] or "s"]


def parse_boolean(text: str) -> bool:
    """``true`` or ``false``.

    Raises:
        ValueError: it is another word.
    """
    if text.lower() not in {"true", "false"}:
        raise ValueError("give true or false")
    return text.lower() == "true"


def parse_whole(text: str) -> int:
    """A whole number.

    Raises:
        ValueError: it is not one.
    """
    try:
        return int(text)
    except ValueError:
        raise ValueError("give a whole number") from None


def choice(choices: Sequence[str]) -> Callable[[str], str]:
    """Reads one of a few words.

    Returns:
        What raises ValueError for any other.
    """

    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"give one of {', '.join(choices)}")
        return text

    return parse

"""Who may send: the header ``Authorization`` against what the configuration holds."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping, Sequence
from typing import Final

from otel_footprint.sidecar.refusals import RefusedError

CHALLENGE: Final = 'Bearer realm="otlp", Basic realm="otlp"'


class Access:
    """Lets a request in when it carries one of the credentials; without any configured, every request.

    Args:
        bearer: tokens.
        basic: passwords by user.
    """

    def __init__(self, *, bearer: Sequence[str] = (), basic: Mapping[str, str] | None = None) -> None:
        pairs = [f"{user}:{password}".encode() for user, password in (basic or {}).items()]
        self._known = [("bearer", token.encode()) for token in bearer]
        self._known += [("basic", base64.b64encode(pair)) for pair in pairs]

    def check(self, header: str | None) -> None:
        """Let pass or not.

        Raises:
            RefusedError: the header holds none of the credentials.
        """
        if not self._known:
            return
        scheme, _, credentials = (header or "").strip().partition(" ")
        # a header is bytes, which are read as Latin-1
        given = credentials.strip().encode("latin-1", "replace")
        # Every credential is compared, so that the time says nothing about which one was nearly right.
        allowed = [
            hmac.compare_digest(known, given) and scheme.lower() == known_scheme for known_scheme, known in self._known
        ]
        if not any(allowed):
            raise RefusedError("UNAUTHENTICATED", 401, "the credentials are missing or not right")

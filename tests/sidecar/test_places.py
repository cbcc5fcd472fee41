"""What is kept of requests without an agent's span, to find parents in, has a bound."""

from __future__ import annotations

import pytest
from otlp import TRACE, request, span

from otel_footprint.sidecar.places import Places


def test_a_parent_is_found_among_the_last_requests() -> None:
    places = Places()
    places.keep(request(span(7, 3)))
    places.expect(TRACE, f"{7:016x}")
    assert [found.view.span_id for found in places.found()] == [f"{7:016x}"]
    assert places.found() == []


@pytest.mark.parametrize("body", [b"", request(span(1))])
def test_however_small_requests_are_only_so_many_are_kept(body: bytes) -> None:
    places = Places(max_bytes=100_000)
    for _ in range(1_000):
        places.keep(body)
    assert 100 < len(places._kept) < 500

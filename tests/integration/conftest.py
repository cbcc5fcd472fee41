"""The real backend of the integration tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from jaeger_server import Jaeger, running_jaeger


@pytest.fixture(scope="session")
def jaeger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jaeger]:
    """One Jaeger for the whole run. Tests keep apart by their service's name and their trace ids."""
    with running_jaeger(tmp_path_factory.mktemp("jaeger")) as running:
        yield running

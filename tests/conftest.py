"""What holds for the whole suite: how generated examples are run, and what of the machine is kept from the tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# How long an example takes says what else the machine does; no test proves a time.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

# The width of the window that the tests are started from, which a test of a pipe would take for what was asked for.
os.environ.pop("COLUMNS", None)

"""How the suite's generated examples are run, wherever they are."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How long an example takes says what else the machine does; no test proves a time.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

"""Programs to be explained: the demo as a module, and an application that has no line of ours."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"
"""With two turns."""

PLAIN_APPLICATION = """
from opentelemetry import trace

tracer = trace.get_tracer("app")
with tracer.start_as_current_span("invoke_agent x", attributes={"gen_ai.operation.name": "invoke_agent"}):
    with tracer.start_as_current_span("execute_tool find") as span:
        span.set_attributes({
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find", "gen_ai.tool.call.result": "[]",
        })
print(format(span.get_span_context().trace_id, "032x"))
"""
"""With a bad turn, whose trace id it prints."""


def run_instrumented(folder: Path, **variables: str) -> str:
    """Run :data:`PLAIN_APPLICATION` under OpenTelemetry's own launcher, and give what it prints.

    Args:
        folder: Where it is written.
        variables: Of its environment, besides those of this process.
    """
    application = folder / "app.py"
    application.write_text(PLAIN_APPLICATION, encoding="utf-8")
    done = subprocess.run(
        [Path(sys.executable).with_name("opentelemetry-instrument"), sys.executable, application],
        env={**os.environ, "OTEL_METRICS_EXPORTER": "none", "OTEL_LOGS_EXPORTER": "none", **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def load_demo() -> ModuleType:
    """The demo; nothing in it runs yet."""
    spec = importlib.util.spec_from_file_location("footprint_demo", DEMO)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their own module up
    spec.loader.exec_module(module)
    return module

"""The README's section about the sidecar, followed to the letter in an environment that has nothing of ours yet."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import venv
from pathlib import Path

import pytest
from jaeger_server import Jaeger, free_ports
from server_log import ServerLog
from waiting import wait_for

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
SERVICE = "readme-sidecar"
AGENT = """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
    with provider.get_tracer("readme").start_as_current_span("invoke_agent helper", attributes=attributes) as turn:
        print(format(turn.get_span_context().trace_id, "032x"))
    provider.shutdown()
"""


def blocks() -> list[str]:
    """The commands between the marks, block by block."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    _, _, rest = text.partition("<!-- sidecar -->")
    section, end, _ = rest.partition("<!-- /sidecar -->")
    assert end
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


def run(commands: str, folder: Path, environ: dict[str, str]) -> str:
    done = subprocess.run(
        ["/bin/bash", "-ec", commands],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_section_works_as_it_is_written(jaeger: Jaeger, tmp_path: Path) -> None:
    """Only the ports are others, and the package is taken from this tree instead of the index."""
    wheels, environment = tmp_path / "wheels", tmp_path / "venv"
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)]
    subprocess.run(build, check=True, timeout=300)
    venv.create(environment, with_pip=True)
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "OTEL_"))}
    environ |= {
        "PATH": f"{environment / 'bin'}:{environ['PATH']}",
        "PIP_FIND_LINKS": str(wheels),
        "OTEL_SERVICE_NAME": SERVICE,
    }
    ports = {"14317": jaeger.otlp_grpc.rpartition(":")[2]}
    ports |= dict(zip(("4317", "4318"), map(str, free_ports(2)), strict=True))
    pattern = re.compile(r"\b(" + "|".join(ports) + r")\b")
    prepare, start, use = (pattern.sub(lambda found: ports[found[0]], block) for block in blocks())
    (tmp_path / "agent.py").write_text(textwrap.dedent(AGENT), encoding="utf-8")

    run(prepare, tmp_path, environ)
    process = subprocess.Popen(["/bin/bash", "-c", f"exec {start}"], cwd=tmp_path, env=environ, stderr=subprocess.PIPE)
    assert process.stderr is not None
    log = ServerLog(process.stderr, b"listens on")
    try:
        log.ready_or_ended.wait(60)
        assert log.ready, log.text()
        said = run(use, tmp_path, environ)
        trace_id = said.split()[0]
        assert "backend" in said
        wait_for(lambda: trace_id in jaeger.search(SERVICE))
        (turn,) = jaeger.trace(trace_id)
        assert "footprint.account" in {event.name for event in turn.events}
    finally:
        process.terminate()
        assert process.wait(40) == 0
        log.close()

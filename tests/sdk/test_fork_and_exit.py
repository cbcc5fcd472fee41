"""Forked workers and ending processes: each turn is explained once, by the process that it began in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

PRELUDE = """
import json, os, sys, threading
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExporter, SpanExportResult
from otel_footprint.sdk import FootprintSpanExporter, FootprintSpanProcessor

AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run"}


class Lines(SpanExporter):
    def export(self, spans):
        for span in spans:
            line = {
                "pid": os.getpid(), "name": span.name, "span_id": span.context.span_id,
                "explained": "footprint.schema" in span.attributes,
                "incomplete": span.attributes.get("footprint.incomplete"),
            }
            os.write(1, (json.dumps(line) + "\\n").encode())
        return SpanExportResult.SUCCESS


def fork(child):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        child()
        os._exit(0)
    return pid


def join(pid):
    _, status = os.waitpid(pid, 0)
    assert status == 0, status
"""


def run(script: str, *, ok: bool = True) -> list[dict[str, Any]]:
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path[1:]])}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PRELUDE + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment,
        start_new_session=True,
    )
    if ok:
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr, done.stderr
    else:
        assert done.returncode == -signal.SIGKILL
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    "make",
    [
        "FootprintSpanProcessor(Lines())",
        "BatchSpanProcessor(FootprintSpanExporter(Lines()))",
        "SimpleSpanProcessor(FootprintSpanExporter(Lines()))",
    ],
)
def test_a_turn_open_at_the_fork_is_explained_once_by_the_parent(make: str) -> None:
    lines = run(f"""
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor({make})
        tracer = provider.get_tracer("tests")
        with tracer.start_as_current_span("invoke_agent helper", attributes=AGENT) as agent:
            tracer.start_span("execute_tool run", attributes=TOOL).end()

            def child():
                tracer.start_span("execute_tool run", attributes=TOOL).end()
                agent.end()
                provider.shutdown()

            join(fork(child))
        provider.shutdown()
    """)
    turns = [line for line in lines if line["explained"]]
    pids = {line["pid"] for line in lines}
    assert len(pids) == 2
    assert [line["name"] for line in turns] == ["invoke_agent helper"]
    agents = [line for line in lines if line["name"] == "invoke_agent helper"]
    assert len(agents) == 2
    assert agents[0]["pid"] != agents[1]["pid"]
    assert agents[-1]["explained"]


def test_a_turn_that_runs_wholly_in_the_child_is_explained_there() -> None:
    lines = run("""
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(FootprintSpanProcessor(Lines()))
        tracer = provider.get_tracer("tests")
        with tracer.start_as_current_span("main"):
            def child():
                with tracer.start_as_current_span("invoke_agent helper", attributes=AGENT):
                    tracer.start_span("execute_tool run", attributes=TOOL).end()
                assert provider.force_flush()
                # nothing is shut down: the turn is out when it ends, though the span around it goes on
            pids = [fork(child) for _ in range(3)]
            for pid in pids:
                join(pid)
        provider.shutdown()
    """)
    assert [line["name"] for line in lines if line["explained"]] == ["invoke_agent helper"] * 3
    assert len({line["pid"] for line in lines if line["explained"]}) == 3
    assert [line["name"] for line in lines].count("main") == 1


def test_what_the_parent_holds_is_not_exported_by_the_child() -> None:
    lines = run("""
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(FootprintSpanProcessor(Lines()))
        tracer = provider.get_tracer("tests")
        with tracer.start_as_current_span("invoke_agent outer", attributes=AGENT):
            with tracer.start_as_current_span("invoke_agent inner", attributes=AGENT):
                pass
            provider.force_flush()
            join(fork(provider.shutdown))
        provider.shutdown()
    """)
    assert sorted(line["name"] for line in lines) == ["invoke_agent inner", "invoke_agent outer"]
    assert len({line["pid"] for line in lines}) == 1


def test_a_lock_that_was_held_at_the_fork_stops_nobody() -> None:
    lines = run("""
        exporter = FootprintSpanExporter(Lines())
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        tracer = provider.get_tracer("tests")
        held, over = threading.Event(), threading.Event()

        def hold():
            with exporter._lock:
                held.set()
                over.wait(30)

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()

        def child():
            tracer.start_span("invoke_agent helper", attributes=AGENT).end()
            provider.shutdown()

        join(fork(child))
        over.set()
        thread.join()
    """)
    assert [(line["name"], line["explained"]) for line in lines] == [("invoke_agent helper", True)]


def test_an_exporter_that_is_gone_is_not_kept_by_its_fork_hook() -> None:
    run("""
        import gc, weakref
        exporter = FootprintSpanExporter(Lines())
        processor = FootprintSpanProcessor(Lines())
        processor.shutdown()
        exporter.shutdown()
        gone = weakref.ref(exporter)
        del exporter
        gc.collect()
        assert gone() is None
        join(fork(lambda: None))
    """)


def test_a_program_that_just_ends_exports_everything_and_explains_what_is_open() -> None:
    lines = run("""
        provider = TracerProvider()
        provider.add_span_processor(FootprintSpanProcessor(Lines()))
        trace.set_tracer_provider(provider)
        tracer = trace.get_tracer("tests")
        with tracer.start_as_current_span("invoke_agent done", attributes=AGENT):
            pass
        open_turn = tracer.start_span("invoke_agent open", attributes=AGENT)
        tracer.start_span("execute_tool run", trace.set_span_in_context(open_turn), attributes=TOOL).end()
    """)
    by_name = {line["name"]: line for line in lines}
    assert by_name["invoke_agent done"]["explained"]
    assert by_name["footprint"]["incomplete"] is True
    assert "invoke_agent open" not in by_name


def test_a_program_whose_exporter_blocks_for_ever_ends_in_time() -> None:
    lines = run("""
        import atexit, time

        class Stuck(Lines):
            def export(self, spans):
                threading.Event().wait()

        processor = FootprintSpanProcessor(Stuck())
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(processor)
        atexit.register(processor.shutdown, 300)
        provider.get_tracer("tests").start_span("invoke_agent helper", attributes=AGENT).end()
        assert processor.force_flush(300) is False
    """)
    assert lines == []


def test_a_turn_is_out_before_the_process_is_killed() -> None:
    lines = run(
        """
        import signal

        out = threading.Event()

        class Tells(Lines):
            def export(self, spans):
                result = super().export(spans)
                out.set()
                return result

        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(FootprintSpanProcessor(Tells()))
        with provider.get_tracer("tests").start_as_current_span("invoke_agent helper", attributes=AGENT):
            pass
        assert out.wait(30)
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        ok=False,
    )
    assert [(line["name"], line["explained"]) for line in lines] == [("invoke_agent helper", True)]

"""A real Phoenix, started from its own package, shows and finds what the page says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import PICTURES, running_browser
from demos import load_demo, run_instrumented
from documents import fenced
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from phoenix_server import Phoenix, running_phoenix
from waiting import wait_for

from otel_footprint import FootprintSpanProcessor
from otel_footprint.config import Config

pytestmark = pytest.mark.integration

PROJECT = "footprint-demo"
PAGE = "docs/backends.md"
CONDITIONS = fenced(PAGE, "Phoenix", "text")


@pytest.fixture(scope="module")
def phoenix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Phoenix]:
    """A Phoenix that has the demo's two turns, each with a span of our own below it."""
    demo = load_demo()
    with running_phoenix(tmp_path_factory.mktemp("phoenix")) as running:
        resource = Resource({"service.name": PROJECT, "openinference.project.name": PROJECT})
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        config = Config(preset="phoenix", writers=("events", "attributes", "child_span"))
        exporter = OTLPSpanExporter(endpoint=f"{running.address}/v1/traces")
        provider.add_span_processor(FootprintSpanProcessor(exporter, config))
        for scene in (demo.NIGHT, demo.COST):
            asyncio.run(demo.ask(provider, scene))
        provider.shutdown()
        # it answers at once and writes into its store later
        wait_for(lambda: len(turns(running)) == 2 and len(added(running)) == 2)
        yield running


def turns(phoenix: Phoenix) -> list[dict[str, Any]]:
    """The turns' spans by start time."""
    found = [span for span in phoenix.spans(PROJECT) if span["name"].startswith("invoke_agent")]
    return sorted(found, key=lambda span: str(span["start_time"]))


def added(phoenix: Phoenix) -> list[dict[str, Any]]:
    """The spans of our own."""
    return [span for span in phoenix.spans(PROJECT) if span["name"] == "footprint"]


def test_the_events_stand_on_the_turns_span_in_our_order_sentence_first(phoenix: Phoenix) -> None:
    events = turns(phoenix)[0]["events"]
    assert [event["name"].removeprefix("footprint.") for event in events] == [
        *("account", "signal", "reason", "reason", "unreached"),
        *("script", "script", "script"),
    ]
    assert all(next(iter(event["attributes"])) == "footprint.about" for event in events)
    script = events[6]["attributes"]
    assert script["footprint.about"] == "run_python: completed with failure, exit 3"
    assert script["footprint.script.result"] == "completed-with-failure:exit:3"
    assert script["footprint.script.exit_code"] == 3


def test_the_attributes_stand_on_the_turns_span_as_they_were_typed(phoenix: Phoenix) -> None:
    attributes = turns(phoenix)[0]["attributes"]
    assert attributes["footprint.tone"] == "bad"
    assert attributes["footprint.signals"] == ["undeclared-empty-used"]
    assert attributes["footprint.scripts.failed"] == 2
    assert attributes["footprint.incomplete"] is False


def test_an_added_span_is_shown_as_an_evaluator_below_the_turn(phoenix: Phoenix) -> None:
    assert [span["span_kind"] for span in added(phoenix)] == ["EVALUATOR"] * 2
    assert {span["parent_id"] for span in added(phoenix)} == {turn["context"]["span_id"] for turn in turns(phoenix)}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_each_search_of_the_page_finds_the_bad_turn_and_no_other(phoenix: Phoenix, condition: str) -> None:
    bad, _ = turns(phoenix)
    own = {span["context"]["span_id"] for span in added(phoenix)}
    assert phoenix.found(PROJECT, condition) - own == {bad["context"]["span_id"]}


def test_its_search_has_no_condition_on_events_that_finds_ours(phoenix: Phoenix) -> None:
    """So that the page sends people to the attributes; if this fails, the page can say more."""
    assert phoenix.found(PROJECT, "'footprint.signal' in events") == set()


def test_an_application_is_explained_there_by_the_variables_of_the_page_alone(phoenix: Phoenix, tmp_path: Path) -> None:
    said = dict(line.removeprefix("export ").split("=", 1) for line in fenced(PAGE, "Phoenix", "sh"))
    assert said["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://localhost:6006"
    run_instrumented(tmp_path, **{**said, "OTEL_EXPORTER_OTLP_ENDPOINT": phoenix.address})
    project = said["OTEL_RESOURCE_ATTRIBUTES"].partition("=")[2]
    wait_for(lambda: len(phoenix.spans(project)) == 2)
    tones = [span["attributes"]["footprint.tone"] for span in phoenix.spans(project) if span["events"]]
    assert tones == ["bad"]


def test_its_page_shows_the_events_of_the_turn(phoenix: Phoenix) -> None:
    turn = turns(phoenix)[0]
    path = (
        f"/projects/{phoenix.project_id(PROJECT)}/traces/{turn['context']['trace_id']}?selectedSpanNodeId={turn['id']}"
    )
    with running_browser() as browser:
        page = browser.new_context(viewport={"width": 1600, "height": 1000}).new_page()
        page.goto(phoenix.address + path)
        # built when it is first asked for, so the first look takes its time
        page.get_by_role("tab", name="Events").click(timeout=90_000)
        page.get_by_text("footprint.signal", exact=True).click(timeout=30_000)
        page.get_by_text("undeclared-empty-used").first.wait_for(timeout=30_000)
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=PICTURES / "phoenix.png")
        names = page.get_by_text(re.compile(r"^footprint\.\w+$")).all_inner_texts()
    expected = [event["name"] for event in turn["events"]]
    assert [name for name in names if name in expected] == expected

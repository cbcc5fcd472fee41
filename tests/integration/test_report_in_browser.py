"""The page in a real browser: it shows what the record says, by mouse and by keyboard, and does nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import PICTURES, Opened, Scheme, opened, running_browser
from pages import DUMPS, SPANS, dump_record, hostile_request, page_of, record_of, repeated
from viewing import running_viewer

from otel_footprint.viewer import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
NOTHING_SAID: list[str] = []


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def url_of(path: Path, text: str) -> str:
    path.write_text(text, encoding="ascii")
    return path.as_uri()


@pytest.fixture(scope="module")
def demo(folder: Path) -> str:
    """The page of the demo's trace, with its programs."""
    trace, page = folder / "footprint-demo.json", folder / "demo.html"
    environment = {**os.environ, "FOOTPRINT_DEMO_FILE": str(trace)}
    subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py")], env=environment, check=True, stdout=subprocess.PIPE
    )
    command = [sys.executable, "-m", "otel_footprint.cli", "explain", str(trace), "--html", str(page), "--programs"]
    subprocess.run(command, check=True)
    return page.as_uri()


@pytest.fixture(scope="module")
def many(folder: Path) -> str:
    """5,000 turns."""
    return url_of(folder / "many.html", page_of(repeated(dump_record("vercel_ai_v7"), 5_000)))


# --- what is shown -------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_demo_is_shown_without_a_word_on_the_console_or_a_request(
    browser: Browser, demo: str, scheme: Scheme
) -> None:
    with opened(browser, demo, scheme=scheme) as page:
        assert page.texts("nav .card-about") == [
            "search_tickets returned no rows and did not say what it searched.",
            "Nothing wrong turned up in the checks that ran.",
        ]
        assert page.texts(".item .name").count("run_python") == 3
        assert page.texts(".programs .outcome") == ["completed", "completed with failure", "reported failure"]
        assert page.texts(".programs .code") == ["0", "3", "none"]
        assert page.texts(".account dt") == [
            *("What was asked", "How it was understood", "What was checked", "What was not checked"),
            *("What was found", "How sure it is", "Anything wrong"),
        ]
        page.picture(f"demo-{scheme}")
        page.page.locator("nav a").nth(1).click()
        assert page.texts("mark") == ["48,210"]
        assert page.texts(".text pre") == ["print(sum([1200, 800]))"]
        page.picture(f"demo-second-turn-{scheme}")
        assert (page.console, page.requests) == (NOTHING_SAID, [demo])


@pytest.mark.parametrize("name", DUMPS)
def test_a_real_trace_is_shown_without_a_word_on_the_console(browser: Browser, folder: Path, name: str) -> None:
    record = dump_record(name)
    with opened(browser, url_of(folder / f"{name}.html", page_of(record))) as page:
        for turn in record.explanations:
            if len(record.explanations) > 1:
                page.page.locator(f'nav a[href="#{turn.trace_id}/{turn.span_id}"]').click()
            assert turn.summary.about in page.texts("h2")[0]
            assert len(page.texts(".item:not(.model)")) == len(turn.calls)
        page.picture(name)
        assert page.console == NOTHING_SAID


def test_a_nested_turn_is_reached_from_the_call_that_it_ran_inside(browser: Browser, folder: Path) -> None:
    with opened(browser, url_of(folder / "nested.html", page_of(dump_record("vercel_ai_v7")))) as page:
        page.page.locator(".item", has=page.page.locator(".badge")).locator("button").first.click()
        page.page.locator(".nested-turn button").click()
        assert page.texts("nav a[aria-current] .tone") == ["? unknown"]


def test_what_could_not_be_read_is_said(browser: Browser, folder: Path) -> None:
    data = b"not json\n" + (SPANS / "vercel_ai_v7.otlp.json").read_bytes()
    with opened(browser, url_of(folder / "problem.html", page_of(record_of(data)))) as page:
        assert page.texts(".problems summary") == ["Some of the input could not be read: 1 problem"]
        page.picture("problem")


def test_a_record_without_a_turn_says_so(browser: Browser, folder: Path) -> None:
    with opened(browser, url_of(folder / "none.html", page_of(record_of({"resourceSpans": []})))) as page:
        assert page.texts("main") == ["There is no agent turn in this record."]
        assert page.console == NOTHING_SAID


# --- mouse and keyboard --------------------------------------------------------------------------


def lit_rows(page: Opened) -> list[str]:
    return page.texts(".item.lit .name")


def test_the_evidence_of_a_finding_is_lit_by_the_mouse(browser: Browser, demo: str) -> None:
    with opened(browser, demo) as page:
        finding = page.page.locator(".finding.bad button").first
        finding.click()
        assert lit_rows(page) == ["search_tickets", "scripted"]
        assert "attribute gen_ai.input.messages/2/parts/1/result" in page.texts(".finding .evidence li")[0]
        page.picture("evidence")
        page.page.locator(".finding .evidence button").click()
        assert "scripted" in page.focused()
        finding.click()
        assert lit_rows(page) == []


def test_everything_is_reached_and_done_by_the_keyboard(browser: Browser, demo: str) -> None:
    with opened(browser, demo) as page:
        keyboard = page.page.keyboard
        keyboard.press("/")
        keyboard.type("48,210")
        assert page.texts("nav .card-about") == ["Nothing wrong turned up in the checks that ran."]
        keyboard.press("ControlOrMeta+a")
        keyboard.press("Delete")
        page.press_until("Tab", "search_tickets returned no rows")
        keyboard.press("ArrowDown")
        keyboard.press("Enter")
        page.page.locator("mark").wait_for()
        keyboard.press("ArrowUp")
        keyboard.press("Enter")
        page.page.locator("mark").wait_for(state="detached")
        page.press_until("Tab", "show evidence")
        keyboard.press("Enter")
        assert lit_rows(page) == ["search_tickets", "scripted"]
        page.press_until("Tab", "model call 2")
        keyboard.press("Enter")
        assert page.focused().startswith("model scripted")
        keyboard.press("Enter")
        assert page.page.locator(".item-facts").count() == 1
        keyboard.press("Escape")
        assert lit_rows(page) == []


def test_what_is_lit_is_said_to_those_who_do_not_see_it(browser: Browser, demo: str) -> None:
    with opened(browser, demo) as page:
        page.page.locator(".finding.bad button").first.click()
        said = page.texts("section [role=status]")
        assert said == ["Highlighted: tool search_tickets, model scripted"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_theme_can_be_chosen_against_the_systems(browser: Browser, demo: str, theme: Scheme) -> None:
    with opened(browser, demo, scheme="dark" if theme == "light" else "light") as page:
        page.page.get_by_label("Theme").select_option(theme)
        assert page.page.evaluate("getComputedStyle(document.documentElement).colorScheme") == theme


# --- many turns ----------------------------------------------------------------------------------


def test_five_thousand_turns_load_and_are_filtered_within_two_seconds(browser: Browser, many: str) -> None:
    """The one figure that the page promises; far from it on an idle machine."""
    with opened(browser, many) as page:
        drawn = page.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        assert page.texts(".count") == ["5,000 turns"]
        filtering = page.page.evaluate(
            """async () => {
                const input = document.querySelector("input[type=search]");
                const started = performance.now();
                input.value = "number 4321";
                input.dispatchEvent(new Event("input", { bubbles: true }));
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
                return performance.now() - started;
            }"""
        )
        assert page.texts(".count") == ["1 of 5,000 turns show all"]
        assert page.texts("nav .card-meta")[0].startswith("agent-2 ")
        assert drawn + filtering < 2_000


def test_turns_are_found_by_tone_finding_program_and_agent(browser: Browser, many: str) -> None:
    with opened(browser, many) as page:
        page.picture("many")
        page.page.get_by_role("button", name="bad").click()
        assert page.texts(".count") == ["2,500 of 5,000 turns show all"]
        page.page.get_by_label("Finding").select_option("undeclared-empty-used")
        page.page.get_by_label("Program").select_option("completed-with-failure")
        page.page.get_by_label("Agent").select_option("agent-3")
        assert page.texts(".count") == ["357 of 5,000 turns show all"]
        assert len(page.texts("nav li")) == 100
        page.page.get_by_role("button", name="Show 100 more").click()
        assert len(page.texts("nav li")) == 200
        page.picture("many-filtered")
        page.page.get_by_role("button", name="show all").click()
        page.page.get_by_label("Order").select_option("worst")
        assert set(page.texts("nav li .tone")) == {"✕ bad"}
        assert page.console == NOTHING_SAID


# --- for everyone --------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1360, 400])
def test_axe_finds_nothing_that_keeps_people_out(browser: Browser, demo: str, scheme: Scheme, width: int) -> None:
    with opened(browser, demo, scheme=scheme, width=width) as page:
        page.page.locator("nav a").first.click()
        page.page.locator("article").wait_for()
        assert page.serious_issues() == []
        page.page.locator(".finding button").first.click()
        page.page.locator(".item > button").nth(1).click()
        page.page.locator("details summary").first.click()
        assert page.serious_issues() == []
        page.picture(f"unfolded-{scheme}-{width}")
        page.page.locator(".programs button.plain").nth(1).click()
        assert page.serious_issues() == []
        assert page.page.evaluate("document.querySelector('.scroll').scrollWidth <= innerWidth")


@pytest.mark.parametrize("name", DUMPS)
def test_axe_finds_nothing_on_the_page_of_a_real_trace(browser: Browser, folder: Path, name: str) -> None:
    with opened(browser, url_of(folder / f"{name}-axe.html", page_of(dump_record(name)))) as page:
        assert page.serious_issues() == []


def test_on_paper_every_turn_is_whole_and_what_is_for_a_screen_is_left_out(browser: Browser, demo: str) -> None:
    with opened(browser, demo) as page:
        page.page.emulate_media(media="print")
        page.page.locator("article").nth(1).wait_for()
        assert len(page.texts("article")) == 2
        assert page.page.locator(".item-facts").count() == page.page.locator(".item").count()
        assert not page.page.locator("nav").is_visible()
        assert len(page.texts(".finding .evidence")) == page.page.locator(".finding").count()
        page.page.set_viewport_size({"width": 780, "height": 1100})
        page.picture("print")
        page.page.pdf(path=PICTURES / "print.pdf", format="A4", print_background=True)


# --- hostile traces ------------------------------------------------------------------------------

MARKUP = (
    """</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">'"`--><svg onload=hacked=1>"""
)
TURNED = "evil\u202etxt.exe\u2066\u200f\x00\x1b[31m"


@pytest.mark.parametrize("text", [MARKUP, TURNED, "{{constructor}}${hacked=1}", "javascript:hacked=1", "x" * 5_000])
def test_a_hostile_text_only_shows_itself(browser: Browser, folder: Path, text: str) -> None:
    page_text = page_of(record_of(hostile_request(text)), programs=True)
    with opened(browser, url_of(folder / "hostile.html", page_text)) as page:
        page.page.locator(".finding button").first.click()
        for item in page.page.locator(".item > button").all():
            item.click()
        assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.page.evaluate("window.hacked") is None
        assert page.page.locator("img, svg, iframe, object, embed, form").count() == 0
        assert (page.console, len(page.requests)) == (NOTHING_SAID, 1)
        if text == MARKUP:
            assert page.texts(".said")[0] == text
            page.picture("hostile")


def test_markup_that_got_onto_the_page_all_the_same_would_not_run(browser: Browser, demo: str) -> None:
    with opened(browser, demo) as page:
        page.page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.hacked = 1";
                document.body.append(script);
                document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.hacked = 1'>");
                fetch("http://127.0.0.1:9/").catch(() => undefined);
            }"""
        )
        assert page.page.evaluate("window.hacked") is None
        assert any("Content Security Policy" in message for message in page.console)


def test_huge_values_and_a_million_events_only_show_themselves(browser: Browser, folder: Path) -> None:
    huge = record_of(hostile_request("x" * 10_000_000))
    crowd = record_of(hostile_request("crowd", events=1_000_000))
    for name, record in {"huge": huge, "crowd": crowd}.items():
        text = page_of(record, programs=True)
        assert len(text) < 1_000_000
        with opened(browser, url_of(folder / f"{name}.html", text)) as page:
            page.page.locator(".finding button").first.click()
            assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.console == NOTHING_SAID
            page.picture(name)


def test_a_turn_with_thousands_of_calls_is_drawn_in_part_and_says_so(browser: Browser, folder: Path) -> None:
    request = hostile_request("x")
    spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
    tool = spans.pop()
    spans.extend({**tool, "spanId": f"{number:016x}"} for number in range(100, 3_100))
    with opened(browser, url_of(folder / "calls.html", page_of(record_of(request)))) as page:
        assert len(page.texts(".item")) == 200
        assert page.texts(".timeline ~ .more")[-1] == "and 1,000 more tool calls, counted and not listed"
        page.page.get_by_role("button", name="more row").click()
        assert len(page.texts(".item")) == 400


# --- live ----------------------------------------------------------------------------------------


def test_the_served_page_shows_each_turn_as_it_comes(browser: Browser) -> None:
    with closing(Store()) as store, running_viewer(store) as viewer, opened(browser, f"{viewer.address}/") as page:
        assert f"OTEL_EXPORTER_OTLP_ENDPOINT={viewer.address}" in page.texts("main")[0]
        page.picture("live-waiting")
        viewer.send(json.loads((SPANS / "vercel_ai_v7.otlp.json").read_bytes()))
        page.page.locator("nav a").nth(1).wait_for()
        assert page.texts(".heading .tone") == ["✕ bad"]
        page.picture("live")
        viewer.send(hostile_request(MARKUP))
        page.page.locator("nav a").nth(2).wait_for()
        page.page.locator("nav a", has_text="hacked").click()
        page.page.locator(".account").wait_for()
        assert page.page.evaluate("window.hacked") is None
        assert page.serious_issues() == []
        assert page.console == NOTHING_SAID
        assert all(url.startswith(viewer.address) for url in page.requests)


def test_a_server_that_is_gone_is_said_and_what_was_shown_stays(browser: Browser) -> None:
    with closing(Store()) as store, ExitStack() as stack:
        with running_viewer(store) as viewer:
            viewer.send(hostile_request("night"))
            page = stack.enter_context(opened(browser, f"{viewer.address}/"))
            page.page.locator(".account").wait_for()
        page.page.get_by_text("The server does not answer").wait_for()
        assert page.texts("nav .card-meta")[0].startswith("night ")


def test_two_turns_of_the_demo_are_shown_by_the_command_that_it_names(browser: Browser, folder: Path) -> None:
    trace = folder / "footprint-demo.json"
    environment = {**os.environ, "FOOTPRINT_DEMO_FILE": str(trace)}
    demo = [sys.executable, str(ROOT / "examples" / "demo.py")]
    printed = subprocess.run(demo, env=environment, check=True, capture_output=True, text=True).stdout
    assert f"otel-footprint view {trace}" in printed.splitlines()[-1]
    command = [sys.executable, "-m", "otel_footprint.cli", "view", str(trace), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            with opened(browser, first.split()[4]) as page:
                page.page.locator("nav a").nth(1).wait_for()
                assert page.texts("nav li .tone") == ["✕ bad", "✓ ok"]
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(30) in {0, 130}

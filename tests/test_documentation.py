"""What the pages tell people to write is read from the pages and run.

What a unit test cannot run is named here with what covers it instead.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import trustme
from opentelemetry import environment_variables as api_variables
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk import environment_variables as sdk_variables
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from written_pages import PAGES, ROOT, Block, Command, anchors, blocks, commands, links

from otel_footprint import environment_variables
from otel_footprint.cli.commands import cli, run
from otel_footprint.config import Config
from otel_footprint.dialects import built_in
from otel_footprint.sidecar.settings import check

DATA = ROOT / "tests" / "data"
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

SERVERS = {"view": "tests/cli/test_view.py", "sidecar": "tests/sidecar/test_process.py"}
"""Commands that serve until they are ended: here only their options are parsed, there they are started."""
ELSEWHERE: dict[tuple[str, ...], str] = {
    # It needs an application and a backend.
    ("opentelemetry-instrument", "python", "app.py"): "tests/integration",
}
"""Commands that another test runs, and the folder that it is in."""
PAGE_TESTS = {
    ("docs/backends.md", "logfmt"): "tests/integration/test_jaeger_interface.py",
    ("docs/backends.md", "yaml"): "tests/integration/test_jaeger_interface.py",
    ("docs/backends.md", "traceql"): "tests/support/grafana.py",
    ("docs/backends.md", "python"): "tests/integration/test_phoenix.py",
    ("docs/zero-code.md", "sh"): "tests/integration/test_zero_code.py",
    ("docs/zero-code.md", "yaml"): "tests/integration/test_zero_code.py",
}
"""Blocks that another test reads from the page by itself: they are for a backend, or start processes that need one."""
SECTION_TESTS = {"sidecar": "tests/integration/test_readme_sidecar.py"}
"""The same for the sections between marks, such as ``<!-- sidecar -->``."""
LIVE = {
    "pydantic_ai": "tests/live/pydantic_ai_agent.py",
    "agents": "tests/live/openai_agents_agent.py",
    "openinference.instrumentation.openai_agents": "tests/live/openai_agents_agent.py",
    "openinference.instrumentation.smolagents": "tests/live/smolagents_agent.py",
}
"""Libraries with environments of their own, and the program that `make integration` runs there."""
FOREIGN = {"CLAUDE_CODE_ENABLE_TELEMETRY", "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA"}
"""Variables of other programs that no table of ours names."""

PRELUDE = """
import subprocess, sys
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from otel_footprint import FootprintSpanProcessor
source = "raise SystemExit(3)"
span_processor = FootprintSpanProcessor(InMemorySpanExporter())
"""
"""What a program on a page takes as given."""


def place_of(block: Block) -> str | None:
    """The test that reads a block from its page instead of those below."""
    if block.section is not None:
        return SECTION_TESTS[block.section]
    return PAGE_TESTS.get((block.page.relative_to(ROOT).as_posix(), block.language))


def here(language: str) -> list[Block]:
    return [block for block in blocks(language) if place_of(block) is None]


def test_every_block_is_tried_here_or_by_a_test_that_reads_its_page() -> None:
    for block in blocks():
        place = place_of(block)
        if place is None:
            assert block.language in {"sh", "toml", "python", "json", "yaml", "text"}, block
        else:
            assert block.page.name in (ROOT / place).read_text(encoding="utf-8"), block


def protobuf_request() -> bytes:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    attributes = {"gen_ai.operation.name": "invoke_agent"}
    provider.get_tracer("a").start_span("invoke_agent", attributes=attributes).end()
    provider.shutdown()
    return encode_spans(kept.get_finished_spans()).SerializeToString()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages speak of."""
    for name in ("traces.json", "trace.json", "a.json"):
        shutil.copy(DATA / "spans" / "vercel_ai_v7.otlp.json", tmp_path / name)
    shutil.copy(DATA / "logs" / "codex.logs.otlp.json", tmp_path / "logs.json")
    (tmp_path / "b.pb").write_bytes(protobuf_request())
    certificate = trustme.CA().issue_cert("localhost")
    certificate.private_key_pem.write_to_path(tmp_path / "server.key")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "server.pem")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def is_known(variable: str) -> bool:
    switches = " ".join(switch.enable for dialect in built_in() for switch in dialect.switches)
    return (
        variable in environment_variables.ALL
        or variable in FOREIGN
        or hasattr(api_variables, variable)
        or hasattr(sdk_variables, variable)
        or variable in switches
    )


def make(command: Command) -> None:
    for target in command.words[1:]:
        assert re.search(rf"^{re.escape(target)}:.* ## ", MAKEFILE, re.MULTILINE), f"make {target}"


def pip(command: Command) -> None:
    [extras] = re.findall(r"^otel-footprint\[([a-z,]+)\]$", command.words[-1])
    assert set(extras.split(",")) <= set(EXTRAS)


@pytest.fixture
def footprint(desk: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[[Command], None]:
    """Run ``otel-footprint`` in that folder; a server's options are only parsed."""

    def call(command: Command) -> None:
        name, *arguments = command.words[1:]
        if name in SERVERS and "--check" not in arguments:
            assert (ROOT / SERVERS[name]).is_file()
            cli.commands[name].make_context(name, arguments).close()
            return
        code = run([name, *arguments])
        captured = capsysbinary.readouterr()
        assert code == (1 if "--fail-on" in arguments else 0), captured.err.decode()
        if command.output is not None:
            (desk / command.output).write_bytes(captured.out)

    return call


@pytest.mark.parametrize("block", here("sh"), ids=str)
def test_every_command_runs(
    block: Block, desk: Path, footprint: Callable[[Command], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for settings in here("yaml"):
        if settings.page == block.page:
            (desk / "sidecar.yaml").write_text(settings.text, encoding="utf-8")
    programs = {"make": make, "pip": pip, "otel-footprint": footprint}
    for command in commands(block):
        assert [name for name in command.variables if not is_known(name)] == []
        if place := ELSEWHERE.get(tuple(command.words)):
            tests = [path.read_text(encoding="utf-8") for path in (ROOT / place).glob("test_*.py")]
            assert any(f'"{command.words[0]}"' in test for test in tests)
        elif command.words:
            with monkeypatch.context() as patch:
                for name, value in command.variables.items():
                    patch.setenv(name, value)
                programs[command.words[0]](command)


@pytest.mark.parametrize("block", here("toml"), ids=str)
def test_every_settings_file_is_read(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "footprint.toml"
    path.write_text(block.text, encoding="utf-8")
    assert Config.load(path, environ={}).sources


@pytest.mark.parametrize("block", here("yaml"), ids=str)
def test_every_file_for_the_sidecar_is_right(block: Block, desk: Path) -> None:
    path = desk / "sidecar.yaml"
    path.write_text(block.text, encoding="utf-8")
    assert check(path, environ=dict.fromkeys(re.findall(r"\$\{env:(\w+)\}", block.text), "a-value")) == []


@pytest.mark.parametrize("block", here("json"), ids=str)
def test_every_file_of_another_program_says_what_the_table_of_runtimes_says(block: Block) -> None:
    switches = " ".join(switch.enable for dialect in built_in() for switch in dialect.switches)
    for section, values in json.loads(block.text).items():
        switched = [key for key, value in values.items() if value is True and key != "enabled"]
        assert switched
        assert [key for key in switched if f"{section}.{key}: true" not in switches] == []


def imported(tree: ast.Module) -> set[str]:
    """What a program imports: modules by their whole names."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found


@pytest.mark.parametrize("block", here("python"), ids=str)
def test_every_program_runs(block: Block, tmp_path: Path) -> None:
    tree = ast.parse(block.text)
    libraries = imported(tree) & LIVE.keys()
    if libraries:
        programs = {(ROOT / LIVE[library]).read_text(encoding="utf-8") for library in libraries}
        for line in map(ast.unparse, tree.body):
            if not line.startswith(("import ", "from ")):
                assert any(line in program for program in programs), line
        return
    environ = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "FOOTPRINT_TESTING": "true"}
    program = tmp_path / "page.py"
    program.write_text(PRELUDE + block.text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, program], env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    lost = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not link.startswith("https://") and (
            not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target))
        ):
            lost.append(link)
    assert lost == []

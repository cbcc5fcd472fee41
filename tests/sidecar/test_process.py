"""The command ``otel-footprint sidecar`` as a process: started, told to end, killed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from otlp import SECOND, START, request, span, spans_of
from sidecars import Backend, run
from started_sidecar import SECRET, Process

from otel_footprint.cli.commands import run as main


def test_it_ends_in_order_when_it_is_told_to(tmp_path: Path) -> None:
    async def check() -> None:
        async with Backend().serving() as backend, aiohttp.ClientSession() as session:
            process = Process(tmp_path, backend)
            async with process.started() as running:
                assert await process.post(session, request(span(1))) == 200
                running.send_signal(signal.SIGTERM)
                assert await process.ended(running) == 0
            assert len(list(spans_of(*backend("traces")))) == 1
            assert "ended" in process.log
            assert SECRET not in process.log

    run(check())


def test_its_settings_are_read_again_and_a_bad_file_changes_nothing(tmp_path: Path) -> None:
    async def check() -> None:
        async with Backend().serving() as first, Backend().serving() as second, aiohttp.ClientSession() as session:
            process = Process(tmp_path, first)
            async with process.started() as running:
                good = process.config.read_text(encoding="utf-8")
                process.config.write_text(good + "nonsense: 1\n", encoding="utf-8")
                running.send_signal(signal.SIGHUP)
                await process.until(running, "all is as before")
                assert "sidecar.yaml:14" in process.log
                process.config.write_text(good.replace(f":{first.port}", f":{second.port}"), encoding="utf-8")
                running.send_signal(signal.SIGHUP)
                await process.until(running, "changed: destinations")
                assert await process.post(session, request(span(1))) == 200
                await second.until_spans(1)
            assert first("traces") == []

    run(check())


HANGS_UP = """
import os, signal, sys
from pathlib import Path
from otel_footprint.sidecar import command

def assembled(settings, assemble=command.assemble):
    os.kill(os.getpid(), signal.SIGHUP)
    return assemble(settings)

command.assemble = assembled
command.run(Path(sys.argv[1]))
"""


def test_to_be_asked_for_its_settings_again_while_it_starts_does_not_end_it(tmp_path: Path) -> None:
    async def check() -> None:
        async with Backend().serving() as backend:
            process = Process(tmp_path, backend)
            running = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", HANGS_UP, str(process.config)),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**os.environ, "TOKEN": SECRET},
            )
            await process.until(running, "the settings were read again; changed: nothing")
            await process.until(running, "listens on")
            running.send_signal(signal.SIGTERM)
            assert await process.ended(running) == 0

    run(check())


def test_it_ends_in_its_time_however_often_it_is_told_to_and_keeps_what_a_backend_did_not_take(tmp_path: Path) -> None:
    """P12."""

    class Hangs(Backend):
        async def _take(self, *arguments: Any) -> None:
            hanging.set()
            await answers.wait()
            await super()._take(*arguments)

    async def check() -> None:
        async with Hangs().serving() as backend, aiohttp.ClientSession() as session:
            process = Process(tmp_path, backend)
            text = process.config.read_text(encoding="utf-8")
            process.config.write_text(text.replace("drain_seconds: 5", "drain_seconds: 0.5"), encoding="utf-8")
            async with process.started() as running:
                assert await process.post(session, request(span(1))) == 200
                await hanging.wait()
                running.send_signal(signal.SIGTERM)
                running.send_signal(signal.SIGTERM)
                assert await process.ended(running) == 0
            assert "1 items were not sent; the queue keeps them" in process.log
            answers.set()
            backend.requests.clear()
            process.log = ""
            async with process.started():
                await backend.until_spans(1)

    answers = asyncio.Event()
    hanging = asyncio.Event()
    run(check())


@pytest.mark.parametrize(
    ("more", "code", "says"),
    [
        ("", 0, "the settings can be used"),
        ("    endpont: x\n", 2, "sidecar.yaml:14: destinations[0]"),
        ("    headers: {authorization: plain}\n", 2, "sidecar.yaml:14: destinations[0].headers.authorization"),
    ],
)
def test_settings_can_be_looked_over_without_a_start(tmp_path: Path, more: str, code: int, says: str) -> None:
    async def check() -> None:
        process = Process(tmp_path, Backend(), more=more)
        assert await process.ended(await process.start("--check")) == code
        assert says in process.log
        assert SECRET not in process.log

    run(check())


def test_an_address_that_is_taken_ends_it_with_a_line(tmp_path: Path) -> None:
    async def check() -> None:
        process = Process(tmp_path, Backend())
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", process.port))
            taken.listen()
            assert await process.ended(await process.start()) == 1
        assert f"cannot listen on 127.0.0.1:{process.port}" in process.log
        assert "Traceback" not in process.log

    run(check())


@pytest.mark.parametrize("kills", [3, pytest.param(200, marks=pytest.mark.soak)])
def test_what_was_acknowledged_before_a_kill_is_delivered_after_it(tmp_path: Path, kills: int) -> None:
    """P4."""
    chance = random.Random(4)  # noqa: S311 - chance of a test
    acknowledged: set[int] = set()
    sent = 0

    async def load(process: Process) -> None:
        nonlocal sent
        async with aiohttp.ClientSession() as session:
            while True:
                sent += 1
                number = sent
                try:
                    status = await process.post(session, request(span(number, end=START + number * SECOND)))
                except (aiohttp.ClientError, OSError):
                    return
                if status == 200:
                    acknowledged.add(number)

    async def check() -> None:
        async with Backend().serving() as backend:
            process = Process(tmp_path, backend)
            for _ in range(kills):
                backend.answers = [(503, b"", {})] * chance.randrange(3)
                async with process.started() as running:
                    before = len(acknowledged)
                    senders = [asyncio.create_task(load(process)) for _ in range(4)]
                    wanted = before + chance.randrange(50, 400)
                    while len(acknowledged) < wanted:
                        await asyncio.wait(senders, timeout=0.01)
                    running.kill()
                    await asyncio.gather(*senders)
                process.log = ""
            backend.answers = []
            async with process.started():
                pass
            delivered = [int.from_bytes(one.span_id) for one in spans_of(*backend("traces"))]
            assert acknowledged <= set(delivered)
            copies = len(delivered) - len(set(delivered))
            print(f"P4: {kills} kills: {len(acknowledged)} acknowledged, all delivered, {copies} twice")  # noqa: T201 - figures

    run(check(), seconds=60 + 10 * kills)


def test_each_thing_that_is_wrong_with_the_settings_has_a_line_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "sidecar.yaml"
    config.write_text("drain_secnds: 1\nhold: {secnds: 1}\n", encoding="utf-8")
    assert main(["sidecar", "--config", str(config)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [number for number in (1, 2) for line in lines if f"sidecar.yaml:{number}: " in line] == [1, 2]
    assert "\\x0a" not in "".join(lines)

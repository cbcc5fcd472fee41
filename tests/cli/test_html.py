"""The option ``--html`` of ``explain``: where the page goes, and what is printed beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pages import Page


def test_a_page_is_written_and_nothing_is_printed(cli: Any, trace: Path, tmp_path: Path) -> None:
    ended = cli("explain", trace, "--html", tmp_path / "report.html")
    assert ended == (0, "", "")
    page = Page((tmp_path / "report.html").read_text(encoding="ascii"))
    assert [row["tone"] for row in page.blocks["rows"]] == ["bad", "unknown"]


@pytest.mark.parametrize("form", ["text", "json", "otlp"])
def test_a_form_that_is_asked_for_is_printed_as_without_a_page(
    cli: Any, trace: Path, tmp_path: Path, form: str
) -> None:
    alone = cli("explain", trace, "--format", form)
    assert cli("explain", trace, "--format", form, "--html", tmp_path / "report.html") == alone
    assert (tmp_path / "report.html").is_file()


def test_the_account_is_on_the_page_and_in_json_on_request_only(cli: Any, trace: Path, tmp_path: Path) -> None:
    arguments = ("explain", trace, "--format", "json", "--html", tmp_path / "report.html")
    assert json.loads(cli(*arguments).out.splitlines()[0])["account"] is None
    assert json.loads(cli(*arguments, "--account").out.splitlines()[0])["account"] is not None
    details = Page((tmp_path / "report.html").read_text(encoding="ascii")).blocks["detail"]
    assert all(len(detail["account"]["rows"]) == 7 for detail in details)


def test_programs_are_on_the_page_on_request_only(cli: Any, trace: Path, tmp_path: Path) -> None:
    texts = []
    for more in ((), ("--programs",)):
        cli("explain", trace, "--html", tmp_path / "report.html", *more)
        details = Page((tmp_path / "report.html").read_text(encoding="ascii")).blocks["detail"]
        texts.append([script["text"] for script in details[0]["scripts"]])
    assert texts == [[None, None, None], ["print(sum(range(10)))", "ls /nope", "1/0"]]


def test_a_page_can_go_to_standard_output(cli: Any, trace: Path, tmp_path: Path) -> None:
    cli("explain", trace, "--html", tmp_path / "report.html")
    ended = cli("explain", trace, "--html", "-")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (tmp_path / "report.html").read_text(encoding="ascii")


def test_fail_on_is_met_with_a_page_too(cli: Any, trace: Path, tmp_path: Path) -> None:
    assert cli("explain", trace, "--html", tmp_path / "report.html", "--fail-on", "bad").code == 1


def test_a_page_that_cannot_be_written_is_named(cli: Any, trace: Path, tmp_path: Path) -> None:
    ended = cli("explain", trace, "--html", tmp_path / "no" / "report.html")
    assert ended.code == 2
    assert "report.html" in ended.err
    assert "cannot be written" in ended.err


def test_a_page_that_could_not_be_finished_leaves_the_older_one(
    cli: Any, trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(out: Any, *_: Any, **__: Any) -> None:
        out.write(b"half")
        raise OSError(28, "No space left on device")

    path = tmp_path / "report.html"
    path.write_text("older", encoding="ascii")
    monkeypatch.setattr("otel_footprint.cli.commands.write_page", broken)
    ended = cli("explain", trace, "--html", path)
    assert (ended.code, path.read_text(encoding="ascii")) == (2, "older")
    assert "No space left on device" in ended.err

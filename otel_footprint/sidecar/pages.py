"""What a person and a cluster ask of a running sidecar: ``/healthz``, ``/readyz``, ``/statusz``, and ``/metrics``."""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from otel_footprint._version import __version__

TEXT: Final = "text/plain; charset=utf-8"
PROMETHEUS: Final = "text/plain; version=0.0.4; charset=utf-8"
HTML: Final = "text/html; charset=utf-8"

_HEAD: Final = f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>otel-footprint sidecar</title>
<style>body{{font:14px/1.4 system-ui,sans-serif;margin:2em}}td{{padding:0 1em 0 0;vertical-align:top}}
h2{{font-size:1em;margin:1.2em 0 .3em}}</style>
<h1>otel-footprint sidecar {__version__}</h1>
"""


class Page(NamedTuple):
    """What is answered to a GET."""

    status: int
    media_type: str
    text: str


class Pages:
    """A raw ASGI application that shows pages by their paths."""

    def __init__(self, pages: Mapping[str, Callable[[], Page]]) -> None:
        self._pages = pages

    async def __call__(
        self, scope: Mapping[str, Any], _receive: object, send: Callable[[dict[str, Any]], Awaitable[None]]
    ) -> None:
        """Answer one request."""
        show = self._pages.get(scope["path"])
        if show is None:
            page = Page(404, TEXT, f"nothing is here; there are {', '.join(self._pages)}\n")
        elif scope["method"] not in {"GET", "HEAD"}:
            page = Page(405, TEXT, "these pages are only looked at\n")
        else:
            page = show()
        body = page.text.encode("utf-8", "replace")
        headers = [(b"content-type", page.media_type.encode()), (b"content-length", str(len(body)).encode())]
        if page.status == HTTPStatus.METHOD_NOT_ALLOWED:
            headers.append((b"allow", b"GET, HEAD"))
        await send({"type": "http.response.start", "status": page.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def health() -> Page:
    """The process answers."""
    return Page(200, TEXT, "ok\n")


def readiness(*, ready: bool) -> Page:
    """Whether requests are taken."""
    return Page(200, TEXT, "ready\n") if ready else Page(503, TEXT, "not ready: it is starting or ending\n")


def status(statistics: Any) -> Page:
    """All numbers of a snapshot on a page, a section for each part."""
    sections = "".join(_section(name, value) for name, value in _members(statistics) if _is_group(value))
    return Page(200, HTML, f"{_HEAD}{_table(statistics)}{sections}</html>\n")


def _section(name: str, group: Any) -> str:
    inner = "".join(_section(f"{name} · {key}", value) for key, value in _members(group) if _is_group(value))
    return f"<h2>{html.escape(_words(name))}</h2>{_table(group)}{inner}"


def _table(group: Any) -> str:
    rows = [
        f"<tr><td>{html.escape(_words(key))}<td>{html.escape(_shown(value))}"
        for key, value in _members(group)
        if not _is_group(value)
    ]
    return f"<table>{''.join(rows)}</table>" if rows else ""


def _members(group: Any) -> Iterator[tuple[str, Any]]:
    if is_dataclass(group):
        return ((field.name, getattr(group, field.name)) for field in fields(group))
    return ((str(key), value) for key, value in group.items())


def _is_group(value: Any) -> bool:
    return (is_dataclass(value) and not isinstance(value, type)) or isinstance(value, Mapping)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return str(value) if value not in (None, "") else "-"

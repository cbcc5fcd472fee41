"""Writes ``docs/sidecar-configuration.md`` from the settings' own pages: keys, types, defaults and docstrings.

Run it in the environment of the tests: ``python docs/registry/sidecar_configuration.py --root .``
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import types
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from otel_footprint.config import CodeTool, Config
from otel_footprint.sidecar.settings import NEEDS_RESTART, Endpoint, Secret, SidecarSettings
from otel_footprint.sidecar.settings._variables import NAMES, PREFIX

PAGE = Path("docs/sidecar-configuration.md")

HEAD = """\
# The sidecar's configuration

One YAML file, which `otel-footprint sidecar --config FILE` reads and `otel-footprint sidecar --check --config FILE`
looks over without starting anything. A problem is told as `file:line: key: what is wrong: how to set it right`.

```yaml
receivers:
  grpc: {endpoints: "0.0.0.0:4317"}
  http: {endpoints: "0.0.0.0:4318"}
queue:
  directory: /var/lib/otel-footprint
destinations:
  - name: tempo
    endpoint: http://tempo:4317
    headers: {authorization: "Bearer ${env:TEMPO_TOKEN}"}
```

**References.** `${env:NAME}` in any value stands for a variable, `${env:NAME:-DEFAULT}` too, with what to take if it
is not set; `${file:PATH}` stands for a file's text without its last line's end, and `$$` for a dollar. Passwords,
tokens and headers whose name tells that they are credentials can only be written so, without a default. They are
never logged, nor shown by `--check`.

**Numbers.** Bytes may have a unit (`64MiB`, `1GiB`, `500KB`), and so may times (`500ms`, `2s`, `1m`, `1h`).

**Changes while it runs.** On SIGHUP the file is read again. If anything in it is wrong, nothing changes, and the
log says what. Else all keys change but those marked *restart*, which keep their value until the next start; the log
names them. A destination keeps its progress in the queue by its name: one with a new name gets all that is queued.

**Variables.** `FOOTPRINT_*` variables win over the keys under `footprint`; `FOOTPRINT_CONFIG` is not read. Without
`destinations` in the file, these say where requests go, as OpenTelemetry's specification has them (the timeout is in
milliseconds; without a protocol it is `http/protobuf`), each also for one signal
(`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, …):

"""

TAIL = """
## What `fsync` means

| | kill of the process | power loss, crash of the machine | cost |
|---|---|---|---|
| no `queue.directory` | what was not sent yet is lost | the same | none |
| `never` | nothing is lost | the last seconds may be lost, the store may be spoiled | close to none |
| `always` | nothing is lost | nothing is lost, if the disk keeps its word | a sync for those that wait together |

It is about requests that were acknowledged; a sender still has the others.

A store that is found spoiled at the start is renamed to `store.spoiled-1` beside it and never deleted; what can be
read of it is taken over. A single damaged request is taken out and counted. Where the directory cannot be used at
all, the sidecar runs in memory, and says so in its log, on `/statusz` and as a metric.
"""


def plain(docstring: str) -> str:
    """A docstring as a cell of a table."""
    text = re.sub(r":\w+:`([^`]*)`", r"`\1`", " ".join(docstring.split()))
    return text.replace("``", "`").replace("|", "\\|")


def docstrings(kind: type[Any]) -> dict[str, str]:
    """Attribute to the docstring behind it, also of the classes it comes from."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if not is_dataclass(base):
            continue
        (body,) = ast.parse(inspect.getsource(base)).body
        assert isinstance(body, ast.ClassDef)  # noqa: S101 - it is the source of a class
        for statement, after in zip(body.body, [*body.body[1:], None], strict=True):
            if (
                isinstance(statement, ast.AnnAssign)
                and isinstance(statement.target, ast.Name)
                and isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
            ):
                found[statement.target.id] = plain(str(after.value.value))
    return found


def sections(kind: Any, key: str, text: str) -> Iterator[str]:
    """The tables of a dataclass and of those below it."""
    types_ = get_type_hints(kind, include_extras=True)
    docs = docstrings(kind)
    rows: list[str] = []
    below: list[tuple[Any, str, str]] = []
    for field in fields(kind):
        path = f"{key}.{field.name}".removeprefix(".")
        inner = _inner(types_[field.name])
        if kind is Config and field.name in {"sources", "hold_seconds"}:
            continue
        if is_dataclass(inner) and inner not in {Endpoint, CodeTool}:
            below.append((inner, path + _each(types_[field.name]), docs[field.name]))
        else:
            rows.append(_row(path, field, types_[field.name], docs.get(field.name, "")))
    if rows:
        title = f"## `{key}`" if key else "## The file itself"
        yield "\n".join([title, "", text, "", "| key | value | default | | |", "|---|---|---|---|---|", *rows])
    for inner, path, doc in below:
        yield from sections(inner, path, doc)


def _row(path: str, field: Field[Any], kind: Any, doc: str) -> str:
    restart = "restart" if path.startswith(NEEDS_RESTART) else ""
    return f"| `{path}` | {value_of(kind)} | {default_of(field, kind)} | {restart} | {doc} |"


def _inner(kind: Any) -> Any:
    """What a setting is made of, without ``None`` and lists."""
    if get_origin(kind) in {Union, types.UnionType}:
        return _inner(next(choice for choice in get_args(kind) if choice is not type(None)))
    return _inner(get_args(kind)[0]) if get_origin(kind) is tuple else kind


def _each(kind: Any) -> str:
    return "[]" if get_origin(kind) is tuple else ""


def value_of(kind: Any) -> str:
    """What can be written for a setting of this type."""
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return value_of(_inner(kind))
    if origin is tuple:
        return f"list of {value_of(get_args(kind)[0])}"
    if origin is Literal:
        return " · ".join(f"`{choice}`" for choice in get_args(kind))
    if origin is Annotated:
        return {"bytes": "bytes", "seconds": "time", "header": "text"}[kind.__metadata__[0]]
    names = {str: "text", int: "number", float: "number", bool: "`true` · `false`", Path: "path"}
    names |= {Endpoint: "endpoint", Secret: "reference"}
    return names.get(kind, "table")


def default_of(field: Field[Any], kind: Any) -> str:
    """What a setting is when nobody sets it."""
    value = field.default_factory() if field.default_factory is not MISSING else field.default
    if value is MISSING:
        return "must be given"
    if value is None or value == () or (not isinstance(value, bool | int | float | str | tuple) and not _shown(value)):
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return ", ".join(f"`{part}`" for part in value)
    inner = get_args(kind)
    unit = kind.__metadata__[0] if get_origin(kind) is Annotated and inner else ""
    if unit == "bytes" and value % (1 << 20) == 0:
        return f"`{value >> 20}MiB`"
    return f"`{value:g}s`" if unit == "seconds" else f"`{value}`"


def _shown(value: Any) -> bool:
    return isinstance(value, Endpoint)


def page() -> str:
    """The whole page."""
    variables = "".join(f"- `{PREFIX}{name}`\n" for name in NAMES)
    tables = "\n\n".join(sections(SidecarSettings, "", "What has no table of its own."))
    return f"{HEAD}{variables}\n{tables}\n{TAIL}"


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description="Write docs/sidecar-configuration.md.")
    parser.add_argument("--root", type=Path, default=Path(), help="the folder that holds docs/")
    (parser.parse_args().root / PAGE).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The walls between the rooms: what may import what, read from the source without running it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "otel_footprint"
NAME = "otel_footprint"

VALUES = frozenset({"facts", "explanation", "semconv", "_version", "_errors", "environment_variables"})
"""Names and values without behaviour, which the writers and the hosts may read."""

EVERYWHERE = frozenset({"_making"})
"""How values are made: every room has some, and it holds none of them."""

ROOMS: dict[str, frozenset[str]] = {
    # The fold is the strictest room.
    "fold": frozenset({"facts"}),
    "fold.explain": frozenset({"facts", "fold", "explanation"}),
    "fold.present": frozenset({"facts", "fold", "explanation"}),
    "fold.notes": frozenset({"facts", "fold", "explanation"}),
    # Names and values.
    "facts": frozenset(),
    "explanation": frozenset({"facts"}),
    "semconv": frozenset(),
    "_version": frozenset(),
    "_errors": frozenset(),
    "_making": frozenset(),
    "environment_variables": frozenset(),
    # A user's table of exit codes is checked by the one who reads it.
    "config": frozenset({"_errors", "environment_variables", "catalogue.exit_meanings"}),
    "catalogue": frozenset(),
    "_proto": frozenset(),
    # The steps of the way, each built on the value that the one before it hands over.
    "spanview": frozenset(),
    "logview": frozenset({"spanview"}),
    "spanview_otlp": frozenset({"spanview", "logview"}),
    # Coverage items and JSON text are read by one function each, whether a dialect or the fold meets them.
    "dialects": frozenset({"facts", "spanview", "logview", "catalogue", "semconv", "fold.coverage", "fold.strictjson"}),
    # It reads the programs, so that the fold gets what they say as facts.
    "turns": frozenset(
        {"facts", "spanview", "logview", "dialects", "catalogue", "config", "semconv", "shell", "internal_errors"}
    ),
    "timeline": frozenset({"facts"}),
    "writers": VALUES | {"config"},
    # A page gets text that the writers' functions made safe.
    "report": VALUES | {"timeline", "writers"},
    # Values are cleaned for a sentence by one function, wherever the sentence stands.
    "shell": frozenset({"catalogue", "fold.wording"}),
    # The hosts.
    "internal_errors": frozenset({"environment_variables"}),
    "sdk": VALUES | {"config", "spanview", "logview", "dialects", "turns", "fold", "writers", "internal_errors"},
    # OTLP is written as JSON by one function, whether a file or a backend gets it.
    "sidecar": VALUES
    | {
        "_proto",
        "config",
        "dialects",
        "files.proto_json",
        "fold",
        "internal_errors",
        "logview",
        "spanview",
        "spanview_otlp",
        "turns",
        "writers",
    },
    # What is proposed to be declared is looked for where the catalogue would read it.
    "files": VALUES
    | {
        "catalogue",
        "config",
        "spanview",
        "spanview_otlp",
        "logview",
        "dialects",
        "turns",
        "timeline",
        "fold",
        "writers",
        "_proto",
    },
    "viewer": VALUES | {"config", "files", "report"},
    # "" is the public interface: the command line is a user of it. A terminal gets text that the writers' functions
    # made safe.
    "cli": VALUES | {"", "config", "files", "report", "sidecar", "viewer", "writers"},
    "testing": VALUES
    | {
        "config",
        "spanview",
        "spanview_otlp",
        "logview",
        "dialects",
        "turns",
        "fold",
        "files",
        "sidecar.queue",
        "writers",
    },
}
"""What each room may import, as module prefixes; itself always. The longest prefix of a module names its room."""

OUTSIDE: dict[str, frozenset[str]] = {
    "sdk": frozenset({"opentelemetry"}),
    "sidecar": frozenset(
        {
            "aiohttp",
            "google.protobuf",
            "google.rpc",
            "grpc",
            "isal",
            "lmdb",
            "opentelemetry.proto",
            "prometheus_client",
            "re2",
            "uvicorn",
            "uvloop",
            "yaml",
            "zstandard",
        }
    ),
    "files": frozenset({"opentelemetry.proto", "google.protobuf", "zstandard", "pyarrow"}),
    "_proto": frozenset({"google.protobuf"}),
    "viewer": frozenset({"google.rpc", "starlette", "uvicorn"}),
    "cli": frozenset({"click", "rich"}),
    "shell": frozenset({"tree_sitter", "tree_sitter_bash"}),
    "testing": frozenset({"opentelemetry", "pytest"}),
}
"""What each room may import from other distributions; a room that is not named: nothing."""

IMPURE = frozenset(
    {
        "asyncio",
        "concurrent",
        "io",
        "logging",
        "multiprocessing",
        "os",
        "pathlib",
        "random",
        "select",
        "secrets",
        "shutil",
        "signal",
        "socket",
        "subprocess",
        "tempfile",
        "threading",
        "time",
        "uuid",
    }
)
"""The standard library's ways to files, clocks, threads, chance and logs."""

PURE_ROOMS = frozenset(
    {
        "fold",
        "fold.explain",
        "fold.notes",
        "fold.present",
        "facts",
        "explanation",
        "turns",
        "timeline",
        "spanview",
        "writers",
        "shell",
        "_making",
    }
)

SERVERS = frozenset({"http.server", "socketserver", "grpc", "aiohttp", "starlette", "uvicorn", "granian", "wsgiref"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    module: str
    """The importing module, without the package's own name: ``fold.labels``."""
    target: str
    line: int

    def __str__(self) -> str:
        return f"{NAME}.{self.module}:{self.line} imports {self.target}"


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(name: str) -> bool:
    path = PACKAGE.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def imports_of(path: Path, text: str | None = None) -> Iterator[Import]:
    module = module_name(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8") if text is None else text)):
        targets: list[str] = []
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                here = [NAME, *module.split(".")]
                package = here if path.name == "__init__.py" else here[:-1]
                base = ".".join([*package[: len(package) - node.level + 1], *([base] if base else [])])
            targets = [join(base, alias.name) for alias in node.names]
        for target in targets:
            yield Import(module=module, target=target, line=getattr(node, "lineno", 0))


def join(base: str, name: str) -> str:
    """What ``from base import name`` imports: a module of ours by its own name, else the module that holds the name."""
    full = f"{base}.{name}"
    return full if within(base, NAME) and is_module(full.removeprefix(f"{NAME}.")) else base


def room_of(module: str) -> str:
    """The longest prefix that is a room. The other private modules beside ``turns.py`` are parts of it."""
    rooms = [room for room in ROOMS if within(module, room)]
    return max(rooms, key=len, default="turns" if module.startswith("_") and "." not in module else "")


def within(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(prefix + ".")


def sources() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def all_imports() -> list[Import]:
    return [found for path in sources() for found in imports_of(path)]


def breaks_wall(found: Import) -> bool:
    room = room_of(found.module)
    if within(found.target, NAME):
        target = found.target.removeprefix(NAME).removeprefix(".")
        if room_of(target) == room:
            return False
        return not any(within(target, allowed) for allowed in ROOMS[room] | EVERYWHERE)
    if found.target.split(".")[0] in sys.stdlib_module_names:
        return False
    return not any(within(found.target, allowed) for allowed in OUTSIDE.get(room, ()))


def test_every_module_lies_in_a_room() -> None:
    assert [module_name(path) for path in sources() if not room_of(module_name(path))] == []


def test_every_room_that_holds_modules_is_a_package() -> None:
    folders = {path.parent for path in sources()}
    assert [folder.name for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_no_room_imports_through_a_wall() -> None:
    assert [str(found) for found in all_imports() if breaks_wall(found)] == []


def test_only_the_sdk_room_imports_the_sdk() -> None:
    rooms = {room_of(found.module) for found in all_imports() if within(found.target, "opentelemetry.sdk")}
    assert rooms <= {"sdk", "testing"}


def test_only_the_sidecar_and_the_viewer_serve() -> None:
    rooms = {
        room_of(found.module) for found in all_imports() if any(within(found.target, server) for server in SERVERS)
    }
    assert rooms <= {"sidecar", "viewer"}


def test_the_pure_rooms_reach_no_clock_file_thread_or_log() -> None:
    assert [
        str(found)
        for found in all_imports()
        if room_of(found.module) in PURE_ROOMS and found.target.split(".")[0] in IMPURE
    ] == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("fold/labels.py", "import otel_footprint.spanview"),
        ("fold/labels.py", "from otel_footprint import config"),
        ("fold/labels.py", "from otel_footprint import explain"),
        ("fold/labels.py", "from otel_footprint.explanation import Explanation"),
        ("fold/labels.py", "from .. import turns"),
        ("fold/labels.py", "import opentelemetry.trace"),
        ("fold/explain.py", "from otel_footprint.writers import write"),
        ("fold/explain.py", "def f():\n    import google.protobuf"),
        ("dialects/native.py", "from otel_footprint.fold import explain"),
        ("files/record.py", "import opentelemetry.sdk.trace"),
        ("sdk/entry.py", "import click"),
        ("writers/events.py", "from otel_footprint.fold import wording"),
        ("shell/reading.py", "from otel_footprint.facts import Turn"),
        ("fold/labels.py", "import tree_sitter"),
        ("fold/notes.py", "from otel_footprint.shell import read_shell"),
    ],
)
def test_an_import_through_a_wall_is_noticed(module: str, text: str) -> None:
    found = list(imports_of(PACKAGE / module, text))
    assert len(found) == 1
    assert breaks_wall(found[0])


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("fold/labels.py", "from otel_footprint.facts import Turn"),
        ("fold/labels.py", "from otel_footprint.fold import wording"),
        ("fold/labels.py", "from otel_footprint._making import made_quickly"),
        ("fold/explain.py", "from otel_footprint.explanation import Explanation"),
        ("fold/explain.py", "from . import labels"),
        ("files/otlp_protobuf.py", "from opentelemetry.proto.trace.v1 import trace_pb2"),
        ("cli/main.py", "import json, rich.console"),
        ("shell/parsing.py", "import tree_sitter_bash"),
        ("_placing.py", "from otel_footprint.dialects import recognise"),
    ],
)
def test_an_import_inside_the_walls_is_let_through(module: str, text: str) -> None:
    assert not any(breaks_wall(found) for found in imports_of(PACKAGE / module, text))


IMPORT_WITHOUT_EXTRAS = """
import importlib, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
for module in {modules!r}:
    importlib.import_module(module)
"""


def test_everything_but_the_command_line_and_the_sidecar_imports_without_any_extra() -> None:
    blocked = {"click", "rich", "pytest", "hypothesis", "yaml", "pydantic_ai", "pydantic", "mypy"}
    blocked |= {"tree_sitter", "tree_sitter_bash", "zstandard", "pyarrow", "starlette"}
    blocked |= {"isal", "lmdb", "prometheus_client", "aiohttp", "re2", "uvicorn"}
    modules = [NAME, *(f"{NAME}.{module_name(path)}" for path in sources())]
    apart = {"cli", "sidecar", "testing", "viewer"}
    modules = [module for module in modules if room_of(module.removeprefix(f"{NAME}.")) not in apart]
    # an entry point that only who has instrumentors loads
    modules.remove(f"{NAME}.sdk.instrumentor")
    script = IMPORT_WITHOUT_EXTRAS.format(blocked=blocked, modules=modules)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

"""Make ``docs/configuration.md`` from the fields of ``Config``, their docstrings and the variables.

Run by ``make generate``; ``make check`` runs it on a copy and fails on a difference.
"""

from __future__ import annotations

import argparse
import ast
import inspect
from collections.abc import Iterator
from dataclasses import Field, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, get_type_hints

from sidecar_configuration import default_of, docstrings, plain, value_of

from otel_footprint import environment_variables
from otel_footprint.catalogue.exit_meanings import ANSWERS, FAILURES
from otel_footprint.config import _FROM_VARIABLES, CodeTool, Config

PAGE = Path("docs/configuration.md")

HEAD = """\
# Settings

Generated from `otel_footprint/config.py` by `make generate`: do not edit. The sidecar has one file more,
[of its own](sidecar-configuration.md); it takes the settings below under its key `footprint`.

A setting comes from the first of these that has it: a variable, the TOML file, the default. The file is the one that
`--config` names, else the one that `FOOTPRINT_CONFIG` names.

```toml
exit_codes = "attributes-only"    # trust nothing but attributes
account = true                    # the seven-row account with each explanation
evidence_exemptions = ["v*"]      # values of the answer that need no evidence

[rows_at]
search_archive = "matches"        # where the rows of an object result are

[code_tools.run_job]
argument = "script"
language = "python"
exit_code_at = "status/code"

[exit_meanings.mylint]
1 = "findings"
```

In code, settings are given as a `Config`, which reads neither file nor variables; `Config.load()` reads both:

```python
from otel_footprint import Config, FootprintSpanProcessor
from opentelemetry.sdk.trace.export import ConsoleSpanExporter

FootprintSpanProcessor(ConsoleSpanExporter(), Config(routing="none", rows_at={"search_archive": "matches"}))
FootprintSpanProcessor(ConsoleSpanExporter(), Config.load())
```

A value that a setting cannot have, a key that there is not, and a variable that looks like a slip of the pen are
refused when the settings are read, with where it stands and what to give instead.

## All settings

| setting | value | default | variable | |
|---|---|---|---|---|
"""

CODE_TOOLS = """
## `[code_tools.TOOL]`

The declaration of a tool that runs programs.

| key | value | default | |
|---|---|---|---|
"""

MEANINGS = """
## `[exit_meanings.COMMAND]`

An exit code, and what it means for this command: an answer ({answers}) or a failure ({failures}). It is said of an exit
code and changes no label.

## Other variables

| variable | |
|---|---|
"""


def _default(field: Field[Any], kind: Any) -> str:
    # `none` is a value of `routing`
    return {"none": "not set"}.get(text := default_of(field, kind), text)


def settings() -> Iterator[str]:
    """A row a setting."""
    variables = {setting: variable for variable, (setting, _, _) in _FROM_VARIABLES.items()}
    hints, docs = get_type_hints(Config), docstrings(Config)
    for field in fields(Config):
        if field.name != "sources":
            variable = f"`{variables[field.name]}`" if field.name in variables else "only in a file"
            kind = hints[field.name]
            yield f"| `{field.name}` | {value_of(kind)} | {_default(field, kind)} | {variable} | {docs[field.name]} |"


def code_tool() -> Iterator[str]:
    """A row a key."""
    hints, docs = get_type_hints(CodeTool), docstrings(CodeTool)
    for field in fields(CodeTool):
        kind = hints[field.name]
        yield f"| `{field.name}` | {value_of(kind)} | {_default(field, kind)} | {docs.get(field.name, '')} |"


def other_variables() -> Iterator[str]:
    """A row a variable that is no setting's."""
    body = ast.parse(inspect.getsource(environment_variables)).body
    for statement, after in pairwise(body):
        if not (isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)):
            continue
        name: Any = statement.target.id
        if name in environment_variables.ALL and name not in _FROM_VARIABLES and isinstance(after, ast.Expr):
            _, _, text = ast.literal_eval(after.value).strip().partition("\n")
            yield f"| `{name}` | {plain(text)} |"


def page() -> str:
    """The whole page."""
    words = {"answers": ANSWERS, "failures": FAILURES}
    lists = {key: ", ".join(f"`{meaning}`" for meaning in sorted(meanings)) for key, meanings in words.items()}
    parts = (HEAD, settings(), CODE_TOOLS, code_tool(), MEANINGS.format(**lists), other_variables())
    return "".join(part if isinstance(part, str) else "".join(f"{row}\n" for row in part) for part in parts)


def main() -> None:
    """Write the page under ``--root``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(), help="the folder that holds docs/")
    (parser.parse_args().root / PAGE).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

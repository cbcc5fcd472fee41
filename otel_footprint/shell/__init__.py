"""A static reading of shell programs: whose exit code it is, what it means, and what it hides.

It needs the extra ``shell`` (tree-sitter with its Bash grammar); without it nothing is read.
It never changes how a program is labelled.
"""

from __future__ import annotations

from otel_footprint.shell.meaning import exit_means, masks
from otel_footprint.shell.parsing import installed
from otel_footprint.shell.reading import ShellReading, read_shell

__all__ = ["ShellReading", "exit_means", "installed", "masks", "read_shell"]

"""The command line ``otel-footprint``. It needs the extra ``cli``; this module loads without it."""

from __future__ import annotations

import sys
from typing import Final, NoReturn

_UNUSABLE: Final = 2


def main() -> NoReturn:
    """Run the command line of this process and end it with the command's exit code."""
    try:
        from otel_footprint.cli.commands import run  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"click", "rich"}:
            raise
        sys.stderr.write(f"otel-footprint: {error.name} is not installed; pip install 'otel-footprint[cli]'\n")
        sys.exit(_UNUSABLE)
    sys.exit(run(sys.argv[1:]))

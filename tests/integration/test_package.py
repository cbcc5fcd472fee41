"""The wheel and the sdist as a person gets them: what is in them, and that they run where nothing else is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Final

import pytest
from installed import ROOT

pytestmark = pytest.mark.integration

VERSIONS: Final = ("3.11", "3.12", "3.13")
PIP: Final = ("-m", "pip", "--quiet", "--disable-pip-version-check")
LOWEST: Final = ROOT / "tests" / "constraints-lowest.txt"

IMPORTS: Final = (
    "import otel_footprint.sdk.entry, otel_footprint.files, otel_footprint.writers, otel_footprint.testing.spans"
)


def run(*command: str | Path, cwd: Path, fails: bool = False) -> str:
    """Run a program without anything of this environment's; what it printed."""
    plain = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "OTEL_", "FOOTPRINT_"))
    }
    done = subprocess.run(command, cwd=cwd, env=plain, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr


def interpreter(version: str) -> str | None:
    """The Python of this version that the machine has and that can make environments."""
    # a version manager's own folder, where its names on the path answer only for the version that is switched on
    places = [os.environ.get("PATH", ""), *map(str, (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin"))]
    found = shutil.which(f"python{version}", path=os.pathsep.join(reversed(places)))
    code = "import sys, ensurepip; sys.exit('.'.join(map(str, sys.version_info[:2])) != sys.argv[1])"
    if found is None or subprocess.run([found, "-c", code, version], capture_output=True, check=False).returncode:
        return None
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what `make package` makes."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


def test_the_index_would_take_both(built: Path) -> None:
    names = sorted(path.name for path in built.iterdir())
    assert [name.split("-")[0] for name in names] == ["otel_footprint"] * 2
    said = run(sys.executable, "-m", "twine", "check", "--strict", *sorted(built.iterdir()), cwd=built)
    assert said.count("PASSED") == 2


def test_the_wheel_holds_the_package_with_its_data_and_no_sources_of_the_page(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"otel_footprint"}
    package = ROOT / "otel_footprint"
    ours = {path.relative_to(ROOT).as_posix() for path in package.rglob("*") if path.is_file()}
    shipped = {name for name in ours if "__pycache__" not in name and "/report/web/" not in name}
    assert shipped <= set(names)
    assert {name for name in names if ".dist-info/" not in name} == shipped
    for needed in ("py.typed", "report/assets/report.js", "catalogue/tools.toml", "catalogue/exit_codes.toml"):
        assert f"otel_footprint/{needed}" in names


def test_the_sdist_holds_what_it_takes_to_build_and_test_and_nothing_that_was_installed(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "Makefile", "tests/test_packaging.py"} <= names
    assert [name for name in names if "node_modules" in name or ".venv" in name or "__pycache__" in name] == []


def venv(folder: Path, python: str) -> Path:
    """A new environment; its interpreter."""
    run(python, "-m", "venv", folder / "venv", cwd=folder)
    return folder / "venv" / "bin" / "python"


def assert_runs(python: Path, folder: Path) -> None:
    """The command gives its version and explains a file."""
    command = python.parent / "otel-footprint"
    version = run(python, "-c", "import otel_footprint; print(otel_footprint.__version__)", cwd=folder).strip()
    assert version in run(command, "--version", cwd=folder)
    dump = ROOT / "tests" / "data" / "spans" / "google_adk.otlp.json"
    said = run(command, "explain", "--format", "json", dump, cwd=folder)
    assert '"tone"' in said


@pytest.mark.parametrize("version", VERSIONS)
def test_it_runs_on_each_python_of_the_machine_with_the_newest_sdk(wheel: Path, tmp_path: Path, version: str) -> None:
    found = interpreter(version)
    if found is None:
        pytest.skip(f"this machine has no Python {version}")
    python = venv(tmp_path, found)
    run(python, *PIP, "install", wheel, cwd=tmp_path)
    run(python, "-W", "error", "-c", IMPORTS, cwd=tmp_path)
    assert "pip install" in run(python.parent / "otel-footprint", "--version", cwd=tmp_path, fails=True)
    run(python, *PIP, "install", f"{wheel}[cli]", cwd=tmp_path)
    assert_runs(python, tmp_path)


def test_it_runs_with_the_lowest_sdk(wheel: Path, tmp_path: Path) -> None:
    python = venv(tmp_path, interpreter("3.11") or sys.executable)
    run(python, *PIP, "install", "--constraint", LOWEST, f"{wheel}[cli]", cwd=tmp_path)
    run(python, "-c", IMPORTS, cwd=tmp_path)
    assert_runs(python, tmp_path)

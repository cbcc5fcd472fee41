"""Whose exit code a shell program reports, and whose failure it does not report."""

from __future__ import annotations

import pytest

from otel_footprint.shell import ShellReading, read_shell

Expected = tuple[str | None, tuple[str, ...], bool]


def read(program: str) -> ShellReading:
    reading = read_shell(program)
    assert reading is not None
    return reading


def summary(program: str) -> Expected:
    reading = read(program)
    return reading.exit_code_of, reading.masked, reading.certain


PLAIN: list[tuple[str, Expected]] = [
    ("pytest -q", ("pytest", (), True)),
    ("./run.sh --all", ("run.sh", (), True)),
    ("/usr/bin/make -j4", ("make", (), True)),
    ("$PYTHON -m pytest", ("$PYTHON", (), True)),
    ("$VENV/bin/pytest -q", ("pytest", (), True)),
    ('"$VENV/bin/pytest" -q', ("pytest", (), True)),
    ('"my tool" x', ("my tool", (), True)),
    (r"my\ tool x", ("my tool", (), True)),
    ("$(which pytest) -q", (None, ("which",), False)),
    ('"$TOOLS/$NAME" -q', (None, (), False)),
    ("$1 -q", (None, (), False)),
    ("x=5", (None, (), True)),
    ("> out.txt", (None, (), True)),
    ("A=1 B=2 make", ("make", (), True)),
    ("a=1 b=2", (None, (), True)),
    ("make > log 2>&1", ("make", (), True)),
    ("grep x <<< text", ("grep", (), True)),
    ("exit 3", (None, (), True)),
    ("false", ("false", (), True)),
]

LISTS: list[tuple[str, Expected]] = [
    ("make; echo done", ("echo", ("make",), True)),
    ("make\necho done", ("echo", ("make",), True)),
    ("make # build it\n# then say so\necho done", ("echo", ("make",), True)),
    ("make &", (None, ("make",), True)),
    ("nohup server > log 2>&1 &", (None, ("server",), True)),
    ("make & pytest", ("pytest", ("make",), True)),
    ("server & wait $!", ("server", (), True)),
    ("one & two & wait $!", ("two", (), False)),
    ("server & wait", ("wait", ("server",), True)),
    ("make && pytest", ("pytest", (), False)),
    ("make || true", ("true", ("make",), False)),
    ("make || :", (":", ("make",), False)),
    ("npm test || npm run other", ("npm", ("npm",), False)),
    ("make && echo ok || echo bad", ("echo", ("make",), False)),
    ("pytest || exit 1", ("pytest", (), False)),
    ("pytest || { echo bad; exit 1; }", ("pytest", (), False)),
    ("pytest || exit 0", ("pytest", (), False)),
    ("pytest || failed=1; exit $failed", (None, (), False)),
    ("pytest || a && b || exit 1", ("b", ("pytest",), False)),
    ("pytest || (echo bad | cat && ls)", ("ls", ("pytest",), False)),
    ("pytest || if true; then exit 1; fi", (None, (), False)),
    ("pytest || $HANDLER", ("$HANDLER", ("pytest",), False)),
    ('pytest || "$A/$B"', (None, (), False)),
    ("grep -q x f || echo none", ("echo", (), False)),
    ("[ -f x ] || touch x", ("touch", (), False)),
    ("[[ -f x ]] && pytest", ("pytest", (), False)),
    ("cd repo; pytest", ("pytest", (), True)),
    ("! grep x f", ("grep", (), True)),
    ("! make; echo done", ("echo", (), True)),
    ("! (! make)", (None, (), True)),
    ("exit 2; make", (None, (), True)),
    ("exit 2 && make", (None, (), True)),
    ("exec make; echo never", ("make", (), True)),
    ("exec > log; make", ("make", (), True)),
]

PIPELINES: list[tuple[str, Expected]] = [
    ("pytest -q 2>&1 | tail -15", ("tail", ("pytest",), True)),
    ("pytest |& tail", ("tail", ("pytest",), True)),
    ("pytest | # all of it\n tail", ("tail", ("pytest",), True)),
    ("a | b | c", ("c", ("a", "b"), True)),
    ("yes | head", ("head", ("yes",), True)),
    ("echo x | python -m json.tool", ("json.tool", (), True)),
    ("! pytest | tail", ("tail", ("pytest",), True)),
    ("docker build . | tail && docker push x", ("docker", ("docker",), False)),
    ("set -o pipefail; pytest | tail", (None, (), False)),
    ("set -eo pipefail\npytest | tail", (None, (), False)),
    ("set -o pipefail; set +o pipefail; pytest | tail", ("tail", ("pytest",), True)),
    ("set -o pipefail; echo x | pytest", ("pytest", (), False)),
    ("(set -o pipefail; a | b); c | d", ("d", ("a", "b", "c"), True)),
    ("pytest | tee log; exit ${PIPESTATUS[0]}", ("pytest", (), True)),
    ("pytest | tee log; rc=${PIPESTATUS[0]}; echo $rc; exit $rc", ("pytest", (), True)),
    ("pytest | tee log; test ${PIPESTATUS[0]} -eq 0", ("test", (), True)),
    ("pytest | tee log; echo ${PIPESTATUS[0]}", ("echo", ("pytest", "tee"), True)),
    ("x=1 | tee log; exit ${PIPESTATUS[0]}", (None, (), True)),
    ("pytest | tee log; exit ${PIPESTATUS[7]}", (None, ("pytest",), False)),
]

ERREXIT: list[tuple[str, Expected]] = [
    ("set -e\nmake\necho ok", ("echo", (), False)),
    ("set -euo pipefail\nmake\npytest", ("pytest", (), False)),
    ("set -o errexit; make; pytest", ("pytest", (), False)),
    ("set -e; set +e; make; pytest", ("pytest", ("make",), True)),
    ("set -e; a && b; c", ("c", ("a",), False)),
    ("set -e; (a && b); c", ("c", (), False)),
    ("set -e; f() { a && b; }; f; c", ("c", (), False)),
    ("set -e; a && b; rc=$?; exit $rc", ("b", (), False)),
    ("set -e; true; exit", ("true", (), True)),
    ("set -e; a; rc=$?", (None, (), False)),
    ("set -e; if a; then b; c; fi", ("c", ("a",), False)),
    ("set -e; for x in 1 2; do a; done", ("a", (), False)),
    ("set -e; a | { b; c; }", ("c", ("a",), False)),
    ("set -- -e; a; b", ("b", ("a",), True)),
    ("set -x; a; b", ("b", ("a",), True)),
    ("set -o xtrace; a; b", ("b", ("a",), True)),
    ("set --long; a; b", ("b", ("a",), True)),
    ("set x -e; a; b", ("b", ("a",), True)),
]

STATUS: list[tuple[str, Expected]] = [
    ("pytest; exit", ("pytest", (), True)),
    ("pytest; exit $?", ("pytest", (), True)),
    ("pytest; rc=$?; echo done; exit $rc", ("pytest", (), True)),
    ("pytest; rc=$?; again=$rc; exit $again", ("pytest", (), True)),
    ("pytest; rc=$?; echo $rc", ("echo", ("pytest",), True)),
    ("pytest; rc=$?; if [ $rc -ne 0 ]; then echo bad; fi", ("echo", (), False)),
    ("pytest; rc=$?; (( rc != 0 )) && echo bad", ("echo", (), False)),
    ("pytest; rc=$?; worst=$((rc | worst)); exit $worst", (None, (), False)),
    ("pytest; rc=$?; case $rc in 0) echo ok;; esac", ("echo", (), False)),
    ("pytest; echo $?", ("echo", ("pytest",), True)),
    ("pytest; [ $? -eq 0 ] && echo ok", ("echo", (), False)),
    ("pytest; ! [ $? -eq 0 ]", ("[", (), True)),
    ("pytest; { [ $? -eq 0 ]; }", ("[", (), True)),
    ("pytest; test $? -eq 0 | cat", ("cat", (), True)),
    ("pytest; if [ $? -ne 0 ]; then exit 1; fi", (None, (), False)),
    ("pytest; while [ $? -ne 0 ]; do sleep 1; done", ("sleep", (), False)),
    ("pytest; for x in 1; do ls; done", ("ls", ("pytest", "ls"), False)),
    ("pytest; case $? in 0) echo ok;; esac", ("echo", (), False)),
    ("exit $unknown", (None, (), False)),
    ("exit 1000", (None, (), False)),
    ("false && rc=$?; exit $rc", (None, (), False)),
    ("exit $?", (None, (), True)),
]

COMPOUND: list[tuple[str, Expected]] = [
    ("(make; pytest)", ("pytest", ("make",), True)),
    ("{ make; pytest; } > log", ("pytest", ("make",), True)),
    ("(make; exit 4)", (None, ("make",), True)),
    ("if make; then pytest; fi", ("pytest", ("make",), False)),
    ("if pytest; then echo ok; else echo bad; fi", ("echo", ("pytest",), False)),
    ("if pytest; then echo ok; else exit 1; fi", ("echo", (), False)),
    ("if ! pytest; then echo bad; exit 1; fi", (None, (), False)),
    ("if ! pytest; then echo bad; fi", ("echo", ("pytest",), False)),
    ("if ! pytest; then failed=1; fi; exit $failed", (None, (), False)),
    ("if grep -q x f; then echo yes; fi", ("echo", (), False)),
    ("if a; then b; elif c; then d; else e; fi", ("e", (), False)),
    ("for f in *; do pytest $f; done", ("pytest", ("pytest",), False)),
    ("for ((i = 0; i < 3; i++)); do make; done", ("make", ("make",), False)),
    ("for ((;;)) { make; }", ("make", ("make",), False)),
    ("select x in a b; do make; done", ("make", ("make",), False)),
    ("f() { make; } > log\nf", ("make", (), True)),
    ("for f in $(find .); do cat $f; done", ("cat", ("find", "cat"), False)),
    ("while read line; do process $line; done < file", ("process", ("process",), False)),
    ("while read line; do process $line; done < <(list)", ("process", ("process", "list"), False)),
    ("until curl -s host; do sleep 1; done", ("sleep", (), False)),
    ("while true; do pytest && break; done", ("break", (), False)),
    ("case $x in a) make;; *) pytest;; esac", ("pytest", (), False)),
    ("case $(uname) in a) make;; esac", ("make", ("uname",), False)),
    ("f() { make; pytest; }\nf", ("pytest", ("make",), True)),
    ("function f { make; return 3; }\nf", (None, ("make",), True)),
    ("f() { make; exit; }\nf; echo never", ("make", (), True)),
    ("f() { make; }", (None, (), True)),
    ("make; return", ("make", (), True)),
    ("pytest || f() { ls; }", (None, (), False)),
]

INSIDE: list[tuple[str, Expected]] = [
    ("x=$(pytest)", ("pytest", (), True)),
    ("x=`pytest`", ("pytest", (), True)),
    ("x=$(make)$(pytest)", ("pytest", ("make",), True)),
    ("x=$(pytest); echo $x", ("echo", ("pytest",), True)),
    ("local x=$(pytest)", ("local", ("pytest",), True)),
    ("export X=1; unset X; make", ("make", (), True)),
    ("echo $(pytest)", ("echo", ("pytest",), True)),
    ('echo "$(make | tail)"', ("echo", ("make", "tail"), True)),
    ("x=$(< file)", (None, (), True)),
    ("x=<(make)", (None, ("make",), True)),
    ("diff <(one) <(two)", ("diff", ("one", "two"), True)),
    ("make > $(name)", ("make", ("name",), True)),
    ('[ -n "$(find .)" ]', ("[", ("find",), True)),
    ("cat <<EOF\n$(make)\nEOF", ("cat", ("make",), True)),
    ("cat <<EOF | grep x\nbody\nEOF\nmake", ("make", ("cat", "grep"), True)),
    ("cat <<EOF | grep x | wc && make\nbody\nEOF", ("make", ("cat", "grep"), False)),
    ("cat <<EOF || true\nbody\nEOF", ("true", ("cat",), False)),
    ("cat <<EOF && make\nbody\nEOF", ("make", (), False)),
    ("cat > f <<'EOF'\n$(make) | tail\nEOF", ("cat", (), True)),
    ("python - <<EOF\nprint(1)\nEOF", ("python", (), True)),
]

WRAPPED: list[tuple[str, Expected]] = [
    ("timeout 5 pytest | tail", ("tail", ("pytest",), True)),
    ("timeout -k 1 --signal=TERM 5 pytest", ("pytest", (), True)),
    ("env -u A B=1 pytest", ("pytest", (), True)),
    ("sudo -u bob -- nohup nice -n 5 make", ("make", (), True)),
    ("time make | tail", ("tail", ("make",), True)),
    ("find . | xargs -n 1 grep x", ("grep", ("find",), True)),
    ("uv run --with x pytest -q", ("pytest", (), True)),
    ("uv sync", ("uv", (), True)),
    ("uv", ("uv", (), True)),
    ("python -m pytest | tail", ("tail", ("pytest",), True)),
    ("python script.py", ("python", (), True)),
    ("command -v make", ("command", (), True)),
    ("command make", ("make", (), True)),
    ("sudo", ("sudo", (), True)),
    ("timeout 5", ("timeout", (), True)),
    ("env A=1", ("env", (), True)),
    ("sudo --", ("sudo", (), True)),
    ("bash -c 'make | tail'", ("tail", ("make",), True)),
    ("bash -lc 'pytest -q | tail -5'", ("tail", ("pytest",), True)),
    ('bash -lc "pytest $ARGS | tail \\"$N\\""', ("tail", ("pytest",), True)),
    ("bash -c $'make\\npytest'", ("pytest", ("make",), True)),
    ("sh -c make'; 'pytest", ("pytest", ("make",), True)),
    ("bash -euo pipefail -c 'make; a | b'", (None, (), False)),
    ("bash -e -c 'make; pytest'", ("pytest", (), False)),
    ("bash -o errexit -c 'make; pytest'", ("pytest", (), False)),
    ("bash -c 'make; pytest' arg; ls", ("ls", ("make", "pytest"), True)),
    ("set -e; bash -c 'make; pytest'", ("pytest", ("make",), True)),
    ("timeout 5 bash -c 'make'", ("make", (), True)),
    ("bash script.sh", ("bash", (), True)),
    ("bash -c", ("bash", (), True)),
    ("bash", ("bash", (), True)),
    ("bash -c $(make)", ("bash", ("make",), True)),
    ("bash -c 'if'", ("bash", (), True)),
    ("eval 'pytest | tail'", ("tail", ("pytest",), True)),
    ("eval $COMMAND", ("eval", (), True)),
    ("trap 'exit 0' EXIT; make; pytest", ("pytest", (), False)),
]


@pytest.mark.parametrize(
    ("program", "expected"),
    [*PLAIN, *LISTS, *PIPELINES, *ERREXIT, *STATUS, *COMPOUND, *INSIDE, *WRAPPED],
)
def test_a_program_is_read_by_the_rules_of_the_shell(program: str, expected: Expected) -> None:
    assert summary(program) == expected


@pytest.mark.parametrize(
    "program",
    [
        "",
        "  \n ",
        "# a comment alone",
        "if",
        "make |",
        "echo 'open",
        "( make",
        "import os; print(os.listdir('.'))",
        "! { make; }",
        "coproc make",
        "make\0pytest",
        "x" * 32_769,
        "é" * 20_000,
        "f() { f; }\nf",
        "( " * 41 + "make" + ") " * 41,
        "echo " + "$(echo " * 41 + "x" + ")" * 41,
        " && ".join(f"c{n}" for n in range(300)),
        "! ! make",
        "( echo " + "$(echo " * 41 + "x" + ")" * 41 + ")",
        "a() { b; b; b; b; b; b; b; b; }\n"
        + "\n".join(
            f"{name}() {{ {'; '.join([following] * 8)}; }}" for name, following in zip("bcdef", "cdefg", strict=True)
        )
        + "\na",
    ],
    ids=lambda program: program[:12],
)
def test_what_is_not_understood_is_not_read(program: str) -> None:
    assert read_shell(program) is None


@pytest.mark.parametrize(
    ("program", "exit_code", "command"),
    [
        ("make && pytest", 0, "pytest"),
        ("make && pytest", 2, None),
        ("pytest && echo ok", 0, "echo"),
        ("pytest && echo ok", 1, "pytest"),
        ("pytest && $COMMAND $(x)", 1, None),
        ("! echo x && pytest", 1, None),
        ("make || true", 0, None),
        ("make || true", 1, None),
        ("pytest || exit 1", 1, None),
        ("set -e; make; echo ok", 2, "make"),
        ("set -o pipefail; echo x | pytest", 1, "pytest"),
        ("set -o pipefail; echo x | pytest", 141, None),
    ],
)
def test_an_exit_code_tells_whose_it_is(program: str, exit_code: int, command: str | None) -> None:
    assert read(program).reported_by(exit_code) == command


@pytest.mark.parametrize(
    ("program", "exit_code"), [("exit 3", 0), ("make || true", 2), ("! make", 2), ("(make; exit 4)", 1)]
)
def test_an_exit_code_that_does_not_fit_the_program_is_nobodys(program: str, exit_code: int) -> None:
    assert read(program).owners_of(exit_code) == ()


def test_a_name_beyond_ascii_is_kept() -> None:
    assert summary("größe_messen | tail") == ("tail", ("größe_messen",), True)


@pytest.mark.parametrize("word", ["a" * 101, "'a\nb'", "/", "$" + "A" * 100])
def test_a_word_that_is_no_name_is_not_repeated(word: str) -> None:
    assert read(f"{word} x").exit_code_of is None


def test_masked_commands_stand_once_and_in_the_order_of_the_program() -> None:
    assert read("b; bash -c 'c; a'; b; d").masked == ("b", "c", "a")


def test_a_long_list_is_no_depth() -> None:
    assert summary(" && ".join(["make"] * 150))[0] == "make"

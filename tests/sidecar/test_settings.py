from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from otel_footprint.config import CodeTool, Config
from otel_footprint.sidecar.settings import (
    NEEDS_RESTART,
    Auth,
    BasicUser,
    ClientTls,
    Destination,
    Endpoint,
    GrpcReceiver,
    Hold,
    HttpReceiver,
    QueueSettings,
    Receivers,
    Retry,
    Secret,
    ServerTls,
    SettingsError,
    SidecarSettings,
    Telemetry,
    check,
    load,
    reload,
)

ENVIRON = {"TOKEN": "t0p-s3cret"}
BACKEND = "destinations: [{name: backend, endpoint: 'http://127.0.0.1:1'}]\n"

EVERYTHING = """
receivers:
  grpc:
    endpoints:
      - 0.0.0.0:4317
      - "[::1]:4317"
      - unix:///run/footprint/otlp.sock
    tls: {cert_file: PEM, key_file: PEM, client_ca_file: PEM}
    auth:
      bearer: ["${env:TOKEN}"]
      basic: [{user: ann, password: "${file:PASSWORD}"}]
    max_body_bytes: 16MiB
  http:
    endpoints: localhost:4318
hold: {seconds: 500ms, max_bytes: 32MiB, max_bytes_per_trace: 1MiB}
queue: {directory: /var/lib/footprint, max_bytes: 2GiB, memory_bytes: 8MiB, fsync: always}
destinations:
  - name: jaeger
    endpoint: https://jaeger:4318
    protocol: http/protobuf
    signals: [traces]
    headers: {authorization: "Bearer ${env:TOKEN}", x-scope-orgid: team}
    tls: {ca_file: PEM, cert_file: PEM, key_file: PEM, server_name: jaeger.test, insecure_skip_verify: true}
    compression: zstd
    timeout_seconds: 3
    max_request_bytes: 1000
    retry: {initial_seconds: 2, max_seconds: 1m, give_up_seconds: 1h}
  - name: other
    endpoint: http://collector:4318/otlp
    protocol: http/json
    logs_endpoint: http://logs:3100/otlp/v1/logs
footprint:
  max_events: 7
  programs: true
  code_tools: {runner: {argument: script, language: bash}}
telemetry: {endpoint: 127.0.0.1:9999, otlp: true, otlp_interval_seconds: 5}
drain_seconds: 5
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sidecar.yaml"


def problems(path: Path, text: str, environ: Mapping[str, str] = ENVIRON) -> list[str]:
    path.write_text(text, encoding="utf-8")
    return [
        str(problem).removeprefix(f"{path}:") for problem in check(path, environ=environ) if problem.severity == "error"
    ]


def loaded(path: Path, text: str, environ: Mapping[str, str] = ENVIRON) -> SidecarSettings:
    path.write_text(text, encoding="utf-8")
    return load(path, environ=environ)


def test_everything_can_be_set(path: Path, tmp_path: Path) -> None:
    pem, password = tmp_path / "some.pem", tmp_path / "password"
    trustme.CA().issue_cert("jaeger.test").private_key_and_cert_chain_pem.write_to_path(str(pem))
    password.write_text("pa:ss\n", encoding="utf-8")
    settings = loaded(path, EVERYTHING.replace("PEM", str(pem)).replace("PASSWORD", str(password)))
    assert settings == SidecarSettings(
        receivers=Receivers(
            grpc=GrpcReceiver(
                endpoints=(
                    Endpoint(kind="tcp", host="0.0.0.0", port=4317),  # noqa: S104 - read, not bound to
                    Endpoint(kind="tcp", host="::1", port=4317),
                    Endpoint(kind="unix", path="/run/footprint/otlp.sock"),
                ),
                tls=ServerTls(cert_file=pem, key_file=pem, client_ca_file=pem),
                auth=Auth(bearer=(Secret("t0p-s3cret"),), basic=(BasicUser(user="ann", password=Secret("pa:ss")),)),
                max_body_bytes=16 << 20,
            ),
            http=HttpReceiver(endpoints=(Endpoint(kind="tcp", host="localhost", port=4318),)),
        ),
        hold=Hold(seconds=0.5, max_bytes=32 << 20, max_bytes_per_trace=1 << 20),
        queue=QueueSettings(
            directory=Path("/var/lib/footprint"), max_bytes=2 << 30, memory_bytes=8 << 20, fsync="always"
        ),
        destinations=(
            Destination(
                name="jaeger",
                endpoint="https://jaeger:4318",
                protocol="http/protobuf",
                signals=("traces",),
                headers={"authorization": Secret("Bearer t0p-s3cret"), "x-scope-orgid": Secret("team")},
                tls=ClientTls(
                    ca_file=pem, cert_file=pem, key_file=pem, server_name="jaeger.test", insecure_skip_verify=True
                ),
                compression="zstd",
                timeout_seconds=3.0,
                max_request_bytes=1000,
                retry=Retry(initial_seconds=2.0, max_seconds=60.0, give_up_seconds=3600.0),
            ),
            Destination(
                name="other",
                endpoint="http://collector:4318/otlp",
                protocol="http/json",
                logs_endpoint="http://logs:3100/otlp/v1/logs",
            ),
        ),
        footprint=Config(
            max_events=7,
            programs=True,
            code_tools={"runner": CodeTool(argument="script", language="bash")},
            hold_seconds=0.5,
        ),
        telemetry=Telemetry(
            endpoint=Endpoint(kind="tcp", host="127.0.0.1", port=9999), otlp=True, otlp_interval_seconds=5.0
        ),
        drain_seconds=5.0,
    )


def test_what_a_file_leaves_out_has_its_default(path: Path) -> None:
    settings = loaded(path, BACKEND)
    assert settings == SidecarSettings(destinations=(Destination(name="backend", endpoint="http://127.0.0.1:1"),))
    assert [str(endpoint) for endpoint in settings.receivers.grpc.endpoints] == ["127.0.0.1:4317"]
    assert settings.hold.seconds == settings.footprint.hold_seconds == 2.0


def test_one_key_of_a_receiver_leaves_its_others_as_they_are(path: Path) -> None:
    settings = loaded(path, BACKEND + "receivers: {http: {max_body_bytes: 5}}\n")
    assert [str(endpoint) for endpoint in settings.receivers.http.endpoints] == ["127.0.0.1:4318"]
    assert settings.receivers.http.max_body_bytes == 5


def test_an_empty_list_of_endpoints_turns_a_receiver_off(path: Path) -> None:
    assert loaded(path, BACKEND + "receivers: {grpc: {endpoints: []}}\n").receivers.grpc.endpoints == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("holt: 2\n", "2: holt: there is no such key: it looks like hold"),
        ("hold:\n  second: 2\n", "3: hold.second: there is no such key: it looks like seconds"),
        ("hold: 2\n", "2: hold: this is no table: give keys with values, each on a line of its own"),
        (
            "hold:\n  seconds: soon\n",
            "3: hold.seconds: it is 'soon': give a number of seconds, or one with ms, s, m or h, such as 500ms",
        ),
        ("drain_seconds: -1\n", "2: drain_seconds: it is '-1': give a number of seconds, or one with ms"),
        ("queue: {fsync: maybe}\n", "2: queue.fsync: it is 'maybe': give one of never, always"),
        ("queue: {max_bytes: 0}\n", "2: queue.max_bytes: it is '0': give a whole number of bytes, or one with KiB"),
        ("queue: {max_bytes: 1KiB}\n", "2: queue.max_bytes: a file of this size holds nothing: give at least 524288"),
        (
            "receivers: {grpc: {endpoints: [here]}}\n",
            "2: receivers.grpc.endpoints[0]: it is 'here': give HOST:PORT, [IPv6]:PORT or unix:///PATH",
        ),
        (
            "receivers: {grpc: {endpoints: '127.0.0.1:4318'}}\n",
            "2: receivers.http.endpoints: 127.0.0.1:4318 is that of receivers.grpc too: give each its own",
        ),
        (
            "receivers: {grpc: {endpoints: []}, http: {endpoints: []}}\n",
            "2: receivers: nothing is listened to: give receivers.grpc.endpoints or receivers.http.endpoints",
        ),
        (
            "footprint: {rows_at: {a: b, a: c}}\n",
            "2: footprint.rows_at.a: this key stands here twice: keep one of the two",
        ),
        ("footprint: {rows_at: &a {x: *a}}\n", "2: footprint.rows_at: this is no plain value (found unconstructable"),
        ("footprint: {routing: !!python/object:os.system x}\n", "2: footprint.routing: this is no plain value (could"),
        ("footprint: {idle_seconds: 2024-13-45}\n", "2: footprint.idle_seconds: this cannot be read (month must be"),
        ("telemetry: {otlp: true, otlp_interval_seconds: 0}\n", "2: telemetry.otlp_interval_seconds: it would do"),
        ("telemetry: {otlp: often}\n", "2: telemetry.otlp: it is 'often': give true or false"),
        (
            "telemetry: {endpoint: '127.0.0.1:4317'}\n",
            "2: telemetry.endpoint: 127.0.0.1:4317 is that of receivers.grpc",
        ),
        ("hold: {seconds: 1}\nhold: {seconds: 2}\n", "3: hold: this key stands here twice"),
        ("footprint:\n  max_evnts: 3\n", "3: footprint.max_evnts: there is no setting 'max_evnts': it looks like"),
        (
            "footprint:\n  max_events: 99\n",
            "3: footprint.max_events: max_events is 99: give a whole number from 1 to 64",
        ),
        ("footprint: {hold_seconds: 1}\n", "2: footprint.hold_seconds: the sidecar's own key says this: give hold.s"),
        ("hold: {max_bytes: 1KiB}\n", "2: hold.max_bytes_per_trace: it is more than all traces may have: give less"),
        ("hold: [\n", "3: this is no YAML (expected the node content"),
    ],
)
def test_an_error_names_line_key_and_fix(path: Path, text: str, expected: str) -> None:
    found = problems(path, BACKEND + text)
    assert len(found) == 1
    assert found[0].startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[{endpoint: 'http://b:1'}]", "1: destinations[0]: name is missing: give destinations[0].name"),
        ("[{name: a, endpoint: 'b:1'}]", "1: destinations[0].endpoint: it does not begin with http:// or https://"),
        ("[{name: a, endpoint: 'http://b..c:1'}]", "1: destinations[0].endpoint: it is no URL: give http://HOST:PORT"),
        ("[{name: a, endpoint: 'http://me:pw@b:1'}]", "1: destinations[0].endpoint: a name or password stands in it"),
        ("[{name: a, endpoint: 'http://localhost:4317'}]", "1: destinations[0].endpoint: this is where the sidecar li"),
        ("[{name: a, endpoint: 'http://b:1', signals: []}]", "1: destinations[0].signals: it takes nothing: give some"),
        (
            "[{name: a, endpoint: 'http://b:1', logs_endpoint: 'http://b:2'}]",
            "1: destinations[0].logs_endpoint: it is for HTTP alone: leave it out, or give destinations[0].protocol",
        ),
        (
            "[{name: a, endpoint: 'https://b:1', tls: {cert_file: CERT}}]",
            "1: destinations[0].tls.cert_file: it stands there without key_file",
        ),
        (
            "[{name: a, endpoint: 'https://b:1', tls: {ca_file: /missing.pem}}]",
            "1: destinations[0].tls.ca_file: /missing.pem is no file that can be read: name a PEM file",
        ),
        (
            "\n- {name: a, endpoint: 'http://b:1'}\n- {name: a, endpoint: 'http://c:1'}",
            "3: destinations[1].name: 'a' is",
        ),
        *[
            (f"[{{name: a, endpoint: 'http://b:1', {text}}}]", f"1: destinations[0].{key}: 0 is no time: give more")
            for key, text in (
                ("timeout_seconds", "timeout_seconds: 0"),
                ("retry.initial_seconds", "retry: {initial_seconds: 0}"),
                ("retry.max_seconds", "retry: {max_seconds: 0s}"),
            )
        ],
        ("[{name: a, endpoint: 'http://b:1', headers: {a b: c}}]", "1: destinations[0].headers: 'a b' is no name of"),
        ("[{name: a, endpoint: 'http://b:1', headers: {x: é}}]", "1: destinations[0].headers.x: its value holds"),
        ('[{name: a, endpoint: "http://b:1", headers: {x: "a\\nb"}}]', "1: destinations[0].headers.x: its value holds"),
        ("[{name: a, endpoint: 'http://b:1', headers: {x-bin: c}}]", "1: destinations[0].headers.x-bin: gRPC takes by"),
        (
            "[{name: a, endpoint: 'http://b:1', compression: zstd}]",
            "1: destinations[0].compression: gRPC knows no",
        ),
        (
            "[{name: a, endpoint: 'https://b:1', tls: {insecure_skip_verify: true}}]",
            "1: destinations[0].tls.insecure_skip_verify: gRPC cannot skip it: give destinations[0].tls.ca_file, or",
        ),
        ("[]", "1: destinations: there is none: give one, or set OTEL_EXPORTER_OTLP_ENDPOINT"),
    ],
)
def test_a_destination_that_cannot_work_is_refused(path: Path, tmp_path: Path, text: str, expected: str) -> None:
    cert = tmp_path / "cert.pem"
    cert.touch()
    found = problems(path, f"destinations: {text}\n".replace("CERT", str(cert)))
    assert len(found) == 1
    assert found[0].startswith(expected)


def test_all_problems_are_found_at_once_in_the_order_of_the_file(path: Path) -> None:
    found = problems(path, "hold: {seconds: x}\nqueue: {fsync: x}\ndrain_seconds: x\n")
    assert [line.split(":")[0] for line in found] == ["1", "2", "3"]


def test_a_file_that_cannot_be_read_is_said(path: Path) -> None:
    assert "cannot be read (No such file or directory)" in str(check(path, environ={})[0])
    path.write_bytes(b"\xff\xfe\xff")
    assert "no YAML in UTF-8" in str(check(path, environ={})[0])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("authorization: Bearer abcdef", "a secret stands in the file: write ${env:NAME} or ${file:PATH} instead"),
        ("x-api-key: abcdef", "a secret stands in the file"),
        ("authorization: '${env:MISSING}'", "the variable MISSING is not set: set MISSING where"),
        ("authorization: '${file:/missing}'", "/missing cannot be read (No such file or directory): name a file"),
        ("authorization: '${vault:abcdef}'", "a reference is neither ${env:NAME} nor ${file:PATH}"),
        ("x-plain: 'a${b'", "a reference is neither ${env:NAME} nor ${file:PATH}"),
    ],
)
def test_a_secret_comes_from_the_environment_or_a_file(path: Path, line: str, expected: str) -> None:
    found = problems(path, f"destinations: [{{name: a, endpoint: 'http://b:1', headers: {{{line}}}}}]\n")
    assert len(found) == 1
    assert expected in found[0]
    assert "abcdef" not in found[0].replace("${vault", "")


def test_a_variable_that_is_not_set_can_have_a_default(path: Path) -> None:
    text = "destinations: [{name: a, endpoint: 'http://${env:HOST:-backend}:1'}]\n"
    assert loaded(path, text, {}).destinations[0].endpoint == "http://backend:1"
    assert loaded(path, text, {"HOST": "other"}).destinations[0].endpoint == "http://other:1"
    assert loaded(path, text, {"HOST": ""}).destinations[0].endpoint == "http://backend:1"


def test_a_default_is_no_way_to_put_a_secret_into_the_file(path: Path) -> None:
    found = problems(path, BACKEND + "receivers: {http: {auth: {bearer: '${env:NOT_SET:-abcdef}'}}}\n")
    assert len(found) == 1
    assert "a secret stands in the file" in found[0]


def test_a_dollar_is_written_twice(path: Path) -> None:
    settings = loaded(
        path, "destinations: [{name: a$$b, endpoint: 'http://b:1', headers: {x-a: '$$5 ${env:TOKEN}'}}]\n"
    )
    assert settings.destinations[0].name == "a$b"
    assert settings.destinations[0].headers["x-a"].reveal() == "$5 t0p-s3cret"


def test_no_secret_is_shown(path: Path, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("hidden-too", encoding="utf-8")
    trustme.CA().issue_cert("jaeger.test").private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "some.pem"))
    text = EVERYTHING.replace("PEM", str(tmp_path / "some.pem")).replace("PASSWORD", str(tmp_path / "password"))
    shown = repr(loaded(path, text))
    assert "t0p-s3cret" not in shown
    assert "hidden-too" not in shown
    bad = (
        "drain_seconds: ${env:TOKEN}\nqueue: {fsync: '${env:TOKEN}'}\nreceivers: {grpc: {endpoints: '${env:TOKEN}'}}\n"
    )
    found = problems(path, BACKEND + bad)
    assert len(found) == 3
    assert "t0p-s3cret" not in "".join(found)
    assert "t0p-s3cret" not in str(Secret("t0p-s3cret"))
    with pytest.raises(SettingsError) as error:
        load(path, environ=ENVIRON)
    assert "t0p-s3cret" not in str(error.value)


@pytest.mark.parametrize("protocol", ["grpc", "http"])
def test_certificates_that_are_none_are_said_before_the_start(path: Path, tmp_path: Path, protocol: str) -> None:
    pem, other, none = (tmp_path / name for name in ("server.pem", "other.pem", "none.pem"))
    for file in (pem, other):
        trustme.CA().issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(str(file))
    none.write_text("PEM", encoding="utf-8")

    def found(cert: Path, key: Path, root: Path) -> list[str]:
        tls = f"{{cert_file: {cert}, key_file: {key}, client_ca_file: {root}}}"
        return problems(path, f"{BACKEND}receivers: {{{protocol}: {{tls: {tls}}}}}\n")

    at = f"2: receivers.{protocol}.tls"
    assert found(pem, pem, pem) == []
    assert found(pem, other, pem)[0].startswith(f"{at}.cert_file: {pem} and {other} are no certificate and its key")
    assert found(none, pem, pem)[0].startswith(f"{at}.cert_file: {none} and {pem} are no certificate and its key")
    assert found(pem, pem, none)[0].startswith(f"{at}.client_ca_file: {none} holds no certificate: name a PEM file")


@pytest.mark.parametrize("empty", ["", "\n", " \n"])
def test_a_secret_that_is_empty_is_none(path: Path, tmp_path: Path, empty: str) -> None:
    """Whoever sends nothing behind `Bearer` would have it."""
    secret = tmp_path / "token"
    secret.write_text(empty, encoding="utf-8")
    auth = f"{{bearer: ['${{file:{secret}}}'], basic: [{{user: ann, password: '${{file:{secret}}}'}}]}}"
    found = problems(path, f"{BACKEND}receivers: {{http: {{auth: {auth}}}}}\n")
    assert [problem.rpartition(":")[0] for problem in found] == [
        "2: receivers.http.auth.bearer[0]: what it stands for is empty",
        "2: receivers.http.auth.basic[0].password: what it stands for is empty",
    ]


@pytest.mark.parametrize("value", ["first\nsecond", "a\tb", "n\u00e4ive"])
def test_a_header_that_no_request_can_carry_is_said_before_the_start(path: Path, tmp_path: Path, value: str) -> None:
    secret = tmp_path / "token"
    secret.write_text(value, encoding="utf-8")
    headers = f"{{authorization: 'Bearer ${{file:{secret}}}'}}"
    (found,) = problems(path, f"destinations: [{{name: a, endpoint: 'http://b:1', headers: {headers}}}]\n")
    assert found.startswith("1: destinations[0].headers.authorization: its value holds a line's end or another")
    assert value not in found


def test_the_variables_name_one_destination_for_all_signals() -> None:
    settings = load(
        None,
        environ={
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318/base/",
            "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20t0p, x-team=a,",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "2500",
        },
    )
    (destination,) = settings.destinations
    assert destination == Destination(
        name="otlp",
        endpoint="http://collector:4318/base/",
        protocol="http/protobuf",
        headers={"authorization": Secret("Bearer t0p"), "x-team": Secret("a")},
        compression="gzip",
        timeout_seconds=2.5,
    )
    assert destination.url("traces") == "http://collector:4318/base/v1/traces"


def test_a_variable_for_one_signal_wins_and_its_endpoint_is_used_as_it_is() -> None:
    settings = load(
        None,
        environ={
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://tempo:4318/own/path",
            "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL": "grpc",
        },
    )
    assert [(d.name, d.protocol, d.url(d.signals[0])) for d in settings.destinations] == [
        ("otlp-traces", "http/protobuf", "http://tempo:4318/own/path"),
        ("otlp-metrics", "http/protobuf", "http://collector:4318/v1/metrics"),
        ("otlp-logs", "grpc", "http://collector:4318/v1/logs"),
    ]


@pytest.mark.parametrize(("insecure", "scheme"), [("true", "http"), ("false", "https"), ("", "https")])
def test_an_endpoint_without_a_scheme_is_secure_unless_it_is_said_otherwise(insecure: str, scheme: str) -> None:
    environ = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4317",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
        "OTEL_EXPORTER_OTLP_INSECURE": insecure,
    }
    assert load(None, environ=environ).destinations[0].endpoint == f"{scheme}://collector:4317"


@pytest.mark.parametrize(
    ("name", "value", "fix"),
    [
        ("PROTOCOL", "thrift", "give one of grpc, http/protobuf, http/json"),
        ("HEADERS", "t0p-s3cret", "give NAME=VALUE pairs"),
        ("TIMEOUT", "soon", "give a number of milliseconds above 0"),
        ("LOGS_COMPRESSION", "lz4", "give one of none, gzip, zstd"),
    ],
)
def test_a_variable_that_cannot_be_read_is_named_and_not_quoted(name: str, value: str, fix: str) -> None:
    variable = f"OTEL_EXPORTER_OTLP_{name}"
    found = [
        str(problem)
        for problem in check(None, environ={"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", variable: value})
        if problem.source == variable
    ]
    assert len(found) == 1
    assert found[0].startswith(f"{variable}: its value cannot be read: {fix}")
    assert value not in found[0]


def test_the_file_s_destinations_win_over_the_variables(path: Path) -> None:
    settings = loaded(path, BACKEND, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"})
    assert [destination.name for destination in settings.destinations] == ["backend"]


def test_the_footprint_variables_win_over_the_file(path: Path) -> None:
    text = BACKEND + "footprint: {max_events: 5, programs: true}\nhold: {seconds: 1}\n"
    settings = loaded(path, text, {"FOOTPRINT_MAX_EVENTS": "9", "FOOTPRINT_HOLD_SECONDS": "4"})
    assert (settings.footprint.max_events, settings.footprint.programs) == (9, True)
    assert settings.hold.seconds == settings.footprint.hold_seconds == 4.0
    assert settings.footprint.source("max_events") == "FOOTPRINT_MAX_EVENTS"
    assert settings.footprint.source("programs") == str(path)


def test_a_footprint_variable_that_is_wrong_is_named(path: Path) -> None:
    for text in (BACKEND, BACKEND + "footprint: {programs: true}\n"):
        (found,) = problems(path, text, {"FOOTPRINT_MAX_EVENTS": "many"})
        assert found == "environment: FOOTPRINT_MAX_EVENTS is 'many': give a whole number"


def test_warnings_do_not_keep_it_from_starting(path: Path) -> None:
    path.write_text(
        "destinations: [{name: a, endpoint: 'http://b:1', signals: [traces]}]\n"
        "receivers: {grpc: {endpoints: '0.0.0.0:4317', auth: {bearer: '${env:TOKEN}'}}}\n",
        encoding="utf-8",
    )
    found = [str(problem).removeprefix(f"{path}:") for problem in check(path, environ=ENVIRON)]
    assert [line.partition(": give")[0].partition(": add")[0] for line in found] == [
        "1: warning: queue: it has no directory, so what was acknowledged is lost with the process",
        "1: warning: destinations: none of them takes metrics: senders of metrics are refused",
        "1: warning: destinations: none of them takes logs: they are read for turns and not sent on",
        "2: warning: receivers.grpc: credentials are sent to it in plain text",
    ]
    assert load(path, environ=ENVIRON).destinations[0].name == "a"


def test_a_reload_takes_over_what_it_can_and_names_the_rest(path: Path) -> None:
    running = loaded(path, BACKEND)
    path.write_text(
        BACKEND.replace(":1'", ":2'")
        + "hold: {seconds: 9}\nfootprint: {max_events: 3}\ndrain_seconds: 1\n"
        + "receivers: {grpc: {endpoints: '127.0.0.1:5', auth: {bearer: '${env:TOKEN}'}}}\nqueue: {max_bytes: 8MiB}\n",
        encoding="utf-8",
    )
    found = reload(running, path, environ=ENVIRON)
    assert found.kept == ("receivers.grpc.endpoints", "queue.max_bytes")
    assert found.changed == (
        "receivers.grpc.auth",
        "hold.seconds",
        "destinations",
        "footprint.max_events",
        "drain_seconds",
    )
    new = load(path, environ=ENVIRON)
    assert found.settings == replace(
        new,
        queue=running.queue,
        receivers=replace(new.receivers, grpc=replace(new.receivers.grpc, endpoints=running.receivers.grpc.endpoints)),
    )


def test_a_reload_of_a_wrong_file_changes_nothing(path: Path) -> None:
    running = loaded(path, BACKEND)
    path.write_text("hold: soon\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="hold: this is no table"):
        reload(running, path, environ=ENVIRON)


def test_a_reload_never_lets_it_send_to_where_it_still_listens(path: Path) -> None:
    """The file is right for the next start; until then each request would come back for ever."""
    running = loaded(path, "receivers: {grpc: {endpoints: '127.0.0.1:5'}}\n" + BACKEND)
    path.write_text(
        "receivers: {grpc: {endpoints: '127.0.0.1:6'}}\ndestinations: [{name: a, endpoint: 'http://127.0.0.1:5'}]\n",
        encoding="utf-8",
    )
    load(path, environ=ENVIRON)
    with pytest.raises(SettingsError, match="until a restart, this is where the sidecar listens itself"):
        reload(running, path, environ=ENVIRON)


def test_every_key_that_needs_a_restart_exists() -> None:
    for key in NEEDS_RESTART:
        value: object = SidecarSettings()
        for name in key.split("."):
            value = getattr(value, name)


def test_no_text_makes_the_reader_fail(path: Path) -> None:
    parts = ["hold", "receivers", "footprint", "destinations", "queue"]
    values = [
        "null",
        "[]",
        "{}",
        "1",
        "text",
        "[1, [2]]",
        "{a: {b: 1}}",
        "&a [*a]",
        "!!python/object:os.system {}",
        "? [1]\n: 2",
    ]
    for part, value in itertools.product(parts, values):
        path.write_text(f"{part}: {value}\n", encoding="utf-8")
        for problem in check(path, environ={}):
            assert re.match(rf"{re.escape(str(path))}:\d+: ", str(problem))

"""The recipes in collector/ fit each other: configurations that can be used, ports, paths, and as few rights as can be.

That they run is shown by tests/integration/test_recipes.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from otel_footprint.sidecar.settings import SidecarSettings, check, load

RECIPES = Path(__file__).parents[2] / "collector"
MANIFESTS = sorted((RECIPES / "kubernetes").glob("*.yaml"))
COMPOSE: dict[str, Any] = yaml.safe_load((RECIPES / "docker" / "compose.yaml").read_text(encoding="utf-8"))
DOCKERFILE = (RECIPES / "docker" / "Dockerfile").read_text(encoding="utf-8")
UNIT_FILE = RECIPES / "systemd" / "otel-footprint-sidecar.service"


def documents(manifest: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(manifest.read_text(encoding="utf-8")))


def sidecar_texts() -> dict[str, str]:
    """Every configuration of a sidecar, by where it stands."""
    found = {
        str(path.relative_to(RECIPES)): path.read_text(encoding="utf-8")
        for path in (RECIPES / "agent-to-sidecar.yaml", RECIPES / "chain" / "sidecar.yaml")
    }
    for manifest in MANIFESTS:
        for document in documents(manifest):
            if document["kind"] == "ConfigMap" and "sidecar.yaml" in document["data"]:
                found[manifest.name] = document["data"]["sidecar.yaml"]
    return found


def pods() -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Every pod that has a sidecar, and the sidecar's container."""
    for manifest in MANIFESTS:
        for document in documents(manifest):
            if document["kind"] in {"Deployment", "StatefulSet"}:
                spec = document["spec"]["template"]["spec"]
                for container in [*spec.get("initContainers", []), *spec["containers"]]:
                    if container["name"] == "otel-footprint":
                        yield spec, container


def settings_of(text: str, folder: Path) -> SidecarSettings:
    path = folder / "sidecar.yaml"
    path.write_text(text, encoding="utf-8")
    return load(path, environ={})


@pytest.mark.parametrize("name", sidecar_texts())
def test_every_sidecar_configuration_is_free_of_problems(name: str, tmp_path: Path) -> None:
    path = tmp_path / "sidecar.yaml"
    path.write_text(sidecar_texts()[name], encoding="utf-8")
    assert [str(problem) for problem in check(path, environ={})] == []


@pytest.mark.parametrize("name", sidecar_texts())
def test_every_sidecar_keeps_what_it_acknowledged_where_a_volume_is(name: str, tmp_path: Path) -> None:
    assert settings_of(sidecar_texts()[name], tmp_path).queue.directory == Path("/var/lib/otel-footprint")


def test_both_kinds_of_pods_are_there() -> None:
    assert len(list(pods())) == 2


def test_every_pod_s_sidecar_has_no_right_it_can_do_without() -> None:
    for spec, container in pods():
        assert spec["securityContext"]["runAsNonRoot"] is True
        allowed = container["securityContext"]
        assert allowed["readOnlyRootFilesystem"] is True
        assert allowed["allowPrivilegeEscalation"] is False
        assert allowed["capabilities"] == {"drop": ["ALL"]}
        assert allowed["runAsUser"] == spec["securityContext"]["fsGroup"] == 65532
        assert "memory" in container["resources"]["limits"]


def test_every_pod_s_sidecar_writes_to_a_volume_and_is_probed_where_it_answers(tmp_path: Path) -> None:
    for _, container in pods():
        mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
        assert "readOnly" not in mounts["/var/lib/otel-footprint"]
        assert mounts["/etc/otel-footprint"]["readOnly"] is True
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        probes = [value["httpGet"] for key, value in container.items() if key.endswith("Probe")]
        assert {probe["path"] for probe in probes} == {"/readyz", "/healthz"}
        assert {ports[probe["port"]] for probe in probes} == {9464}
    for text in sidecar_texts().values():
        endpoint = settings_of(text, tmp_path).telemetry.endpoint
        assert endpoint is not None
        assert endpoint.port == 9464


def test_a_sidecar_that_still_reads_its_queue_is_not_killed_for_it() -> None:
    """It listens only then, and a full volume takes longer than a liveness probe waits."""
    for _, container in pods():
        if "livenessProbe" in container:
            startup = container["startupProbe"]
            assert startup["periodSeconds"] * startup["failureThreshold"] >= 60


def test_the_time_to_end_is_longer_than_the_drain_everywhere(tmp_path: Path) -> None:
    drain = max(settings_of(text, tmp_path).drain_seconds for text in sidecar_texts().values())
    assert all(spec["terminationGracePeriodSeconds"] > drain for spec, _ in pods())
    assert int(COMPOSE["services"]["sidecar"]["stop_grace_period"].removesuffix("s")) > drain
    assert int(unit()["TimeoutStopSec"]) > drain


def test_the_gateway_reaches_the_port_on_which_its_sidecars_listen(tmp_path: Path) -> None:
    found = documents(RECIPES / "kubernetes" / "gateway.yaml")
    maps = {document["metadata"]["name"]: document["data"] for document in found if document["kind"] == "ConfigMap"}
    collector = yaml.safe_load(maps["otel-footprint-gateway"]["collector.yaml"])
    resolver = collector["exporters"]["loadbalancing"]["resolver"]["dns"]
    assert collector["exporters"]["loadbalancing"]["routing_key"] == "traceID"
    (service,) = [d for d in found if d["kind"] == "Service" and d["metadata"]["name"] == resolver["hostname"]]
    assert service["spec"]["clusterIP"] == "None"
    sidecar = settings_of(maps["otel-footprint-sidecars"]["sidecar.yaml"], tmp_path)
    assert str(sidecar.receivers.grpc.endpoints[0]) == f"0.0.0.0:{resolver['port']}"
    (workload,) = [d for d in found if d["kind"] == "StatefulSet"]
    assert workload["spec"]["template"]["metadata"]["labels"] == service["spec"]["selector"]


def test_the_agent_in_the_pod_sends_to_the_sidecar_beside_it(tmp_path: Path) -> None:
    found = documents(RECIPES / "kubernetes" / "sidecar-container.yaml")
    (agent,) = found[1]["spec"]["template"]["spec"]["containers"]
    endpoint = {variable["name"]: variable["value"] for variable in agent["env"]}["OTEL_EXPORTER_OTLP_ENDPOINT"]
    sidecar = settings_of(found[0]["data"]["sidecar.yaml"], tmp_path)
    assert endpoint == f"http://{sidecar.receivers.http.endpoints[0]}"


def test_the_composed_sidecar_is_read_only_and_its_files_are_there() -> None:
    sidecar = COMPOSE["services"]["sidecar"]
    assert sidecar["read_only"] is True
    assert sidecar["cap_drop"] == ["ALL"]
    for service in COMPOSE["services"].values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in COMPOSE["volumes"] or (RECIPES / "docker" / source).resolve().is_file()
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:")


def test_the_composed_services_are_those_that_the_configurations_name_by_default() -> None:
    named = set()
    for path in (RECIPES / "chain").glob("*.yaml"):
        hosts = re.findall(r"\$\{env:[A-Z_]+:-([a-z-]+):\d+\}", path.read_text(encoding="utf-8"))
        named.update(hosts)
    assert named == {"sidecar", "back-collector", "jaeger", "tempo"}
    assert named < set(COMPOSE["services"])


def test_the_image_runs_as_nobody_in_particular() -> None:
    last = DOCKERFILE[DOCKERFILE.rindex("FROM ") :]
    assert re.search(r"^USER 65532:65532$", last, re.MULTILINE)
    assert "--owner=65532" in last
    assert re.findall(r"COPY (?!--from)(\S+)", last) == ["collector/agent-to-sidecar.yaml"]


def unit() -> dict[str, str]:
    lines = UNIT_FILE.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def test_the_unit_checks_before_it_starts_and_reloads_by_a_signal() -> None:
    service = unit()
    assert service["ExecStartPre"].replace("--check ", "") == service["ExecStart"]
    assert service["ExecReload"] == "/bin/kill -HUP $MAINPID"
    assert service["StateDirectory"] == "otel-footprint"
    assert service["DynamicUser"] == service["NoNewPrivileges"] == "yes"
    assert service["ProtectSystem"] == "strict"

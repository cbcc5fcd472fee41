"""What is generated says the same as what it is generated from, and as the values it mirrors."""

from __future__ import annotations

import dataclasses
import typing
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from generators import ROOT, load_generator
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import metrics

from otel_footprint import explanation as values
from otel_footprint import semconv
from otel_footprint._proto.footprint.v1 import explanation_pb2
from otel_footprint.sdk.metrics import FoldMetrics
from otel_footprint.sidecar.metrics import METRICS
from otel_footprint.testing.explanations import subjects
from otel_footprint.writers import WRITERS

REGISTRY = ROOT / "docs" / "registry" / "footprint.yaml"

MIRRORS = {
    "Explanation": values.Explanation,
    "Call": values.CallExplanation,
    "Script": values.ScriptExplanation,
    "Signal": values.SignalExplanation,
    "Note": values.NoteExplanation,
    "Unreached": values.UnreachedExplanation,
    "Reason": values.ReasonExplanation,
    "Checks": values.Checks,
    "WrongLine": values.WrongLine,
    "Summary": values.Summary,
    "Counts": values.Counts,
    "Assessment": values.AssessmentExplanation,
    "Checked": values.CheckedExplanation,
    "Support": values.SupportExplanation,
    "Matching": values.MatchingExplanation,
    "Block": values.BlockExplanation,
    "Evidence": values.EvidenceExplanation,
    "Unsupported": values.UnsupportedExplanation,
    "Recovery": values.RecoveryExplanation,
}
UNWRITTEN = {"time_ns"}
"""Fields that place the event in time and are not part of the JSON form."""

INTEGERS = {FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64}
UNSIGNED = {FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_UINT64}

generator = load_generator("generate")
groups = generator.load(REGISTRY)
written_events = [g for g in groups if g.event and g.written and g.event.startswith("footprint.")]


# ---------------------------------------------------------------- the registry


def test_the_constants_are_those_of_the_registry() -> None:
    assert Path(semconv.__file__).read_text(encoding="utf-8") == generator.module(groups)


def test_the_page_is_that_of_the_registry() -> None:
    assert (ROOT / "docs" / "conventions.md").read_text(encoding="utf-8") == generator.page(groups)


def test_all_five_events_are_written_and_the_evaluation() -> None:
    assert {event.event for event in groups if event.event and event.written} == {
        semconv.EVENT_EVALUATION,
        semconv.EVENT_ACCOUNT,
        semconv.EVENT_SIGNAL,
        semconv.EVENT_UNREACHED,
        semconv.EVENT_REASON,
        semconv.EVENT_SCRIPT,
    }


@pytest.mark.parametrize("event", written_events, ids=lambda event: event.event)
def test_the_sentence_sorts_first_among_the_keys_of_an_event(event: Any) -> None:
    assert min(attribute.key for attribute in event.attributes) == semconv.FOOTPRINT_ABOUT


@pytest.mark.parametrize("event", written_events, ids=lambda event: event.event)
def test_the_name_of_a_written_event_fits_where_backends_cut_it(event: Any) -> None:
    assert event.event.isascii()
    assert event.event == event.event.lower()
    assert len(event.event) <= 20


@pytest.mark.parametrize("event", written_events, ids=lambda event: event.event)
def test_a_key_of_a_written_event_names_the_noun_unless_the_span_says_the_same(event: Any) -> None:
    shared = {
        semconv.FOOTPRINT_ABOUT,
        semconv.FOOTPRINT_TONE,
        semconv.FOOTPRINT_STANDING,
        semconv.FOOTPRINT_SCHEMA,
    }
    keys = {attribute.key for attribute in event.attributes} - shared
    assert [key for key in keys if not key.startswith(f"{event.event}.")] == []


@pytest.mark.parametrize(
    ("event", "value", "elsewhere"),
    [
        (semconv.EVENT_SIGNAL, values.SignalExplanation, set()),
        (semconv.EVENT_UNREACHED, values.UnreachedExplanation, set()),
        (semconv.EVENT_REASON, values.ReasonExplanation, set()),
        (semconv.EVENT_SCRIPT, values.ScriptExplanation, set()),
        (semconv.EVENT_ACCOUNT, values.Counts, {"checks", "incomplete", "revision", "events_omitted"}),
    ],
)
def test_an_event_has_a_key_for_every_field_of_its_value(event: str, value: type, elsewhere: set[str]) -> None:
    group = next(group for group in written_events if group.event == event)
    own = [attribute.key for attribute in group.attributes if attribute.key.startswith(f"{event}.")]
    keys = {key.removeprefix(f"{event}.").split(".")[0] for key in own}
    assert keys - elsewhere == written_fields(value) - {"about"}


def test_everything_in_the_registry_is_described() -> None:
    document = yaml.safe_load(REGISTRY.read_text(encoding="utf-8"))
    attributes = [a for group in document["groups"] for a in group["attributes"] if "id" in a]
    foreign = [a for group in document["groups"] for a in group["attributes"] if "annotations" in a]
    members = [m for a in attributes if isinstance(a["type"], dict) for m in a["type"]["members"]]
    assert all(item["stability"] == "development" and item["brief"] for item in [*attributes, *members])
    assert [a["id"] for a in attributes if str(a["type"]) in {"string", "string[]"} and not a.get("examples")] == []
    assert all(a["brief"] and a["examples"] and set(a["annotations"]) == {"from", "type"} for a in foreign)
    assert all(group["type"] in {"attribute_group", "event", "metric", "span"} for group in document["groups"])
    assert all(group["brief"] for group in document["groups"])


def test_a_writer_writes_nothing_that_the_registry_does_not_name() -> None:
    span = {"footprint", "footprint.addendum"}
    events: dict[str, set[str]] = {g.event: {a.key for a in g.attributes} for g in groups if g.event and g.written}
    attributes = {attribute.key for g in groups if g.written and not g.event for attribute in g.attributes}
    seen: set[str] = set()
    for writer in WRITERS.values():
        for _, subject in subjects():
            written = writer(subject)
            assert set(written.attributes) <= attributes
            assert {added.name for added in written.spans} <= span
            assert {key for added in written.spans for key in added.attributes} <= attributes
            inner = [event for added in written.spans for event in added.events]
            for name, keys in [(one.name, one.attributes) for one in (*written.events, *inner)] + [
                (record.name, record.attributes) for record in written.logs
            ]:
                assert set(keys) <= events[name], name
                seen.add(name)
    assert seen == set(events)


def test_the_metrics_are_those_that_the_sdk_and_the_sidecar_send(monkeypatch: pytest.MonkeyPatch) -> None:
    units = {g.metric.name: g.metric.unit for g in groups if g.metric}
    keys = {g.metric.name: {a.key for a in g.own} for g in groups if g.metric}
    sidecar = {metric.name: metric for metric in METRICS}
    shared = set(units) - {semconv.METRIC_HOLDER}
    assert {name: sidecar[name].unit for name in shared} == {name: units[name] for name in shared}
    assert {name: set(sidecar[name].labels) for name in shared} == {name: keys[name] for name in shared}
    made: dict[str, str] = {}

    class Meter:
        def __getattr__(self, method: str) -> Any:
            return lambda name, *more: made.update({name: more[-2]})

    monkeypatch.setattr(metrics, "get_meter", lambda *_: Meter())
    FoldMetrics(dict)
    assert made == units


def registry_of(tmp_path: Path, *registry_groups: dict[str, Any]) -> Path:
    path = tmp_path / "registry.yaml"
    path.write_text(yaml.safe_dump({"groups": list(registry_groups)}), encoding="utf-8")
    return path


def group_of(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "brief": "b", "annotations": {"direction": "read"}, "attributes": [], **more}


def test_an_attribute_that_is_defined_twice_is_refused(tmp_path: Path) -> None:
    attribute = {"id": "a.b", "type": "string", "brief": "b"}
    path = registry_of(tmp_path, group_of("x", attributes=[attribute]), group_of("y", attributes=[attribute]))
    with pytest.raises(generator.RegistryError, match=r"a\.b in y"):
        generator.load(path)


@pytest.mark.parametrize("group", [group_of("x", attributes=[{"ref": "a.b"}]), group_of("x", extends="a.b")])
def test_a_reference_to_nothing_is_refused(tmp_path: Path, group: dict[str, Any]) -> None:
    with pytest.raises(generator.RegistryError, match=r"x names 'a\.b'"):
        generator.load(registry_of(tmp_path, group))


# ---------------------------------------------------------------- the protobuf schema


def written_fields(value: type) -> set[str]:
    return {"class" if f.name == "reason_class" else f.name for f in dataclasses.fields(value)} - UNWRITTEN


def has_presence(descriptor: Descriptor, name: str) -> bool:
    field = descriptor.fields_by_name[name]
    return field.containing_oneof is not None


@pytest.mark.parametrize(("message", "value"), MIRRORS.items())
def test_a_message_mirrors_its_value_field_by_field(message: str, value: type) -> None:
    descriptor = explanation_pb2.DESCRIPTOR.message_types_by_name[message]
    hints = typing.get_type_hints(value)
    fields = {"class" if name == "reason_class" else name: hint for name, hint in hints.items()}
    assert {field.name for field in descriptor.fields} == written_fields(value)
    for field in descriptor.fields:
        hint = fields[field.name]
        optional = type(None) in typing.get_args(hint)
        repeated = typing.get_origin(hint) is tuple
        assert has_presence(descriptor, field.name) == optional, field.name
        plain = typing.get_args(hint)[0] if optional or repeated else hint
        assert field.cpp_type in cpp_types(plain), field.name


def cpp_types(hint: Any) -> set[int]:
    if dataclasses.is_dataclass(hint) or typing.get_origin(hint) is dict:
        return {FieldDescriptor.CPPTYPE_MESSAGE}
    if hint is bool:
        return {FieldDescriptor.CPPTYPE_BOOL}
    if hint is int:
        return INTEGERS | UNSIGNED
    return {FieldDescriptor.CPPTYPE_STRING}


def anything(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type of ours, whatever they mean."""
    if dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        return st.builds(typing.cast("type[Any]", hint), **{name: anything(of) for name, of in hints.items()})
    arguments = typing.get_args(hint)
    origin = typing.get_origin(hint)
    if origin is dict:
        return st.just({"kind": "agentfootprint/answer-account", "shape": 1, "scope": "own-run"})
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(anything(arguments[0]), max_size=2).map(tuple)
    if arguments:
        return st.one_of([anything(argument) for argument in arguments])
    simple: dict[Any, st.SearchStrategy[Any]] = {
        type(None): st.none(),
        bool: st.booleans(),
        int: st.integers(0, 2**32 - 1),
        str: st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    }
    return simple[hint]


def assert_same(message: Message, data: dict[str, Any]) -> None:
    for key, value in data.items():
        read = getattr(message, key)
        if value is None:
            assert not message.HasField(key)
        elif isinstance(value, dict):
            assert_same(read, value)
        elif value and isinstance(value, list) and isinstance(value[0], dict):
            assert len(read) == len(value)
            for part, item in zip(read, value, strict=True):
                assert_same(part, item)
        elif isinstance(value, list):
            assert list(read) == value
        else:
            assert read == value


@given(explanation=anything(values.Explanation), programs=st.booleans())
def test_the_json_form_of_any_explanation_is_read_by_the_schema_and_comes_back(
    explanation: values.Explanation, programs: bool
) -> None:
    data = explanation.to_dict(programs=programs)
    message = json_format.ParseDict(data, explanation_pb2.Explanation())
    assert_same(message, data)
    again = json_format.MessageToDict(message, preserving_proto_field_name=True)
    assert json_format.ParseDict(again, explanation_pb2.Explanation()) == message
    assert explanation_pb2.Explanation.FromString(message.SerializeToString()) == message


@pytest.mark.parametrize("exit_code", [-(2**63), -1, 0, 3, 2**63 - 1])
def test_every_exit_code_of_64_bits_fits(exit_code: int) -> None:
    script = json_format.ParseDict({"exit_code": exit_code}, explanation_pb2.Script())
    assert script.exit_code == exit_code
    assert script.HasField("exit_code")

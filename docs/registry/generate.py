"""Make ``otel_footprint/semconv.py`` and ``docs/conventions.md`` from ``footprint.yaml``.

Run by ``make generate``; ``make check`` runs it on a copy and fails on a difference.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

REGISTRY = Path(__file__).with_name("footprint.yaml")
ROOT = REGISTRY.parents[2]

MODULE_HEAD = '''"""Names of every attribute, event and metric of this project, and of those of others that it writes.

Generated from ``docs/registry/footprint.yaml`` by ``make generate``: do not edit.
"""

from __future__ import annotations

from typing import Final
'''

PAGE_HEAD = """# Conventions

Every attribute, event and metric of this project, and those of others that it writes. Generated from
[`registry/footprint.yaml`](registry/footprint.yaml) by `make generate`: do not edit. Stability of everything that is
ours: development.

A key of a written event of ours is `footprint.`, the event's noun and the field. Without a noun are `footprint.about`,
the sentence that every event has, and what the span carries in the same words: `footprint.tone`, `footprint.standing`,
`footprint.schema`. Where a fact is not recorded its key is left out; no empty text and no null stand for it.
"""

METRICS_HEAD = """## Metrics

The SDK and the sidecar send them under the same names and keys. The sidecar has more of its own.

| metric | instrument | unit | meaning | keys |
|---|---|---|---|---|"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One key."""

    key: str
    constant: str
    type: str
    brief: str
    values: tuple[tuple[str, str], ...]
    """Value and meaning of each member of an enumeration, else empty."""
    note: str
    defined_by: str | None
    """Whose registry defines it; ``None`` where this one does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """What only a metric has."""

    name: str
    instrument: str
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """An attribute group, an event, a span or a metric, with its attributes resolved."""

    id: str
    title: str
    event: str | None
    """The event's name; ``None`` for what is no event."""
    metric: Metric | None
    constant: str | None
    """The constant of the event's or metric's name; ``None`` for what has none."""
    brief: str
    note: str
    written: bool
    on: str | None
    attributes: tuple[Attribute, ...]
    own: tuple[Attribute, ...]
    """Those of :attr:`attributes` that this group brings: defined in it, or by another registry."""


class RegistryError(ValueError):
    """The registry breaks one of its own rules; the text names the group or attribute."""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _attribute(raw: dict[str, Any], bare_in: str | None) -> Attribute:
    key = raw["id"]
    members = raw["type"]["members"] if isinstance(raw["type"], dict) else []
    return Attribute(
        key=key,
        constant=f"{bare_in}_{_constant_of(key)}" if bare_in else _constant_of(key),
        type="string" if members else raw["type"],
        brief=_one_line(raw["brief"]),
        values=tuple((member["value"], _one_line(member["brief"])) for member in members),
        note=_one_line(raw.get("note", "")),
        defined_by=None,
    )


def _foreign(raw: dict[str, Any]) -> Attribute:
    """An attribute that another registry defines, with what this one says of its use here."""
    return Attribute(
        key=raw["ref"],
        constant=_constant_of(raw["ref"]),
        type=raw["annotations"]["type"],
        brief=_one_line(raw["brief"]),
        values=(),
        note="",
        defined_by=raw["annotations"]["from"],
    )


def _constant_of(key: str) -> str:
    return re.sub(r"\W", "_", key).strip("_").upper()


def load(path: Path) -> tuple[Group, ...]:
    """Read the registry.

    Args:
        path: The YAML file.

    Returns:
        The groups in file order.

    Raises:
        RegistryError: An attribute is defined twice, or a ``ref`` or ``extends`` names nothing.
    """
    groups: dict[str, Group] = {}
    defined: dict[str, Attribute] = {}
    for raw in yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]:
        group = _group(raw, groups, defined)
        for attribute in group.own:
            if any(attribute.constant == other.constant for other in defined.values()):
                message = f"{attribute.key} in {group.id} is defined already: use ref"
                raise RegistryError(message)
            defined[attribute.constant] = attribute
        groups[group.id] = group
    return tuple(groups.values())


def _group(raw: dict[str, Any], groups: dict[str, Group], defined: dict[str, Attribute]) -> Group:
    annotations = raw["annotations"]
    constant = annotations.get("constant")
    metric = None
    if raw.get("type") == "metric":
        metric = Metric(name=raw["metric_name"], instrument=raw["instrument"], unit=raw["unit"])
    bare_in = f"METRIC_{constant}" if metric else constant
    by_key = {attribute.key: attribute for attribute in defined.values()}
    own: list[Attribute] = []
    attributes: list[Attribute] = []
    try:
        for item in raw["attributes"]:
            if "from" in item.get("annotations", {}):
                own.append(_foreign(item))
                attributes.append(own[-1])
            elif "ref" in item:
                attributes.append(by_key[item["ref"]])
            else:
                own.append(_attribute(item, bare_in))
                attributes.append(own[-1])
        if "extends" in raw:
            attributes.extend(groups[raw["extends"]].attributes)
    except KeyError as error:
        message = f"{raw['id']} names {error}, which is not defined above it"
        raise RegistryError(message) from error
    return Group(
        id=raw["id"],
        title=raw.get("display_name", raw.get("name", "")),
        event=raw.get("name"),
        metric=metric,
        constant=constant,
        brief=_one_line(raw["brief"]),
        note=_one_line(raw.get("note", "")),
        written=annotations["direction"] == "written",
        on=annotations.get("on"),
        attributes=tuple(attributes),
        own=tuple(own),
    )


def _constant(name: str, value: str, doc: str) -> str:
    text = "\n".join(textwrap.wrap(doc, width=114, break_on_hyphens=False))
    return f'\n{name}: Final = "{value}"\n"""{text}"""\n'


def module(groups: tuple[Group, ...]) -> str:
    """The text of ``semconv.py``: a constant a name, in registry order."""
    out = [MODULE_HEAD]
    for group in groups:
        if group.event is not None:
            out.append(_constant(f"EVENT_{group.constant}", group.event, f"Event. {group.brief}".replace("`", "``")))
        if group.metric is not None:
            doc = f"Metric, {group.metric.instrument} in ``{group.metric.unit}``. {group.brief}"
            out.append(_constant(f"METRIC_{group.constant}", group.metric.name, doc))
        for attribute in group.own:
            allowed = "; one of " + ", ".join(f"``{value}``" for value, _ in attribute.values)
            kind = attribute.type + (allowed if attribute.values else "")
            parts = (attribute.brief, f"Type: {kind}.", attribute.note, _defined_by(attribute))
            doc = " ".join(part for part in parts if part).replace("``", "`").replace("`", "``")
            out.append(_constant(attribute.constant, attribute.key, doc))
    return "".join(out)


def _defined_by(attribute: Attribute) -> str:
    return f"Defined by {attribute.defined_by}." if attribute.defined_by else ""


def _table(attributes: tuple[Attribute, ...]) -> list[str]:
    rows = ["| key | type | meaning |", "|---|---|---|"]
    for attribute in attributes:
        values = " ".join(f"`{value}`: {brief}" for value, brief in attribute.values)
        text = " ".join(part for part in (attribute.brief, attribute.note, values, _defined_by(attribute)) if part)
        rows.append(f"| `{attribute.key}` | {attribute.type} | {text} |")
    return [*rows, ""]


def _metric_row(metric: Metric, group: Group) -> str:
    keys = " ".join(f"`{attribute.key}`: {attribute.brief}" for attribute in group.own)
    return f"| `{metric.name}` | {metric.instrument} | `{metric.unit}` | {group.brief} | {keys} |"


def page(groups: tuple[Group, ...]) -> str:
    """The text of ``docs/conventions.md``: what is read, what is written, and the metrics."""
    out = [PAGE_HEAD]
    for written, heading in ((False, "## Read"), (True, "## Written")):
        out += [heading, ""]
        for group in groups:
            if group.written != written or group.metric is not None:
                continue
            out += [f"### {f'Event `{group.event}`' if group.event else group.title}", "", group.brief, group.note]
            if group.event and not group.own:
                out += ["", "Keys: " + ", ".join(f"`{attribute.key}`" for attribute in group.attributes) + ".", ""]
            else:
                out += ["", *_table(group.own)]
    out += [METRICS_HEAD, *(_metric_row(group.metric, group) for group in groups if group.metric is not None)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


def main() -> None:
    """Write both files under ``--root``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="where to write; the repository by default")
    root = parser.parse_args().root
    groups = load(REGISTRY)
    (root / "otel_footprint" / "semconv.py").write_text(module(groups), encoding="utf-8")
    (root / "docs" / "conventions.md").write_text(page(groups), encoding="utf-8")


if __name__ == "__main__":
    main()

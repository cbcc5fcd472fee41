"""What MLflow's reader of foreign spans takes each span of some OTLP JSON files for.

Prints one JSON object: for each file its spans' types by span id; ``null`` where MLflow knows none.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from mlflow.tracing.otel.translation import sanitize_attributes, translate_span_type_from_otel


def plain(value: dict[str, Any]) -> Any:
    """The Python value of an OTLP ``AnyValue``."""
    if "arrayValue" in value:
        return [plain(one) for one in value["arrayValue"].get("values", ())]
    if "kvlistValue" in value:
        return {one["key"]: plain(one["value"]) for one in value["kvlistValue"].get("values", ())}
    if "intValue" in value:
        return int(value["intValue"])
    return next(iter(value.values()), None)


def types(document: dict[str, Any]) -> dict[str, str | None]:
    found = {}
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                attributes = {one["key"]: plain(one["value"]) for one in span.get("attributes", ())}
                # As MLflow's own OTLP receiver stores them.
                stored = {key: json.dumps(value, default=str) for key, value in attributes.items()}
                found[span["spanId"]] = translate_span_type_from_otel(sanitize_attributes(stored))
    return found


json.dump({path: types(json.loads(Path(path).read_text(encoding="utf-8"))) for path in sys.argv[1:]}, sys.stdout)

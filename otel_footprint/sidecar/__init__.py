"""OTLP in, OTLP out, explained on the way: for agents in any language. Needs the extra ``sidecar``."""

from __future__ import annotations

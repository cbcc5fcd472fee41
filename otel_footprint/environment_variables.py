"""Every environment variable that is read. One that is set wins over the file that ``FOOTPRINT_CONFIG`` names."""

from __future__ import annotations

from typing import Final

FOOTPRINT_CONFIG: Final = "FOOTPRINT_CONFIG"
"""
.. envvar:: FOOTPRINT_CONFIG

Path of a TOML file with settings. The only place for ``code_tools``, ``rows_at`` and ``exit_meanings``,
which are tables.
Default: no file.
"""

FOOTPRINT_EXIT_CODES: Final = "FOOTPRINT_EXIT_CODES"
"""
.. envvar:: FOOTPRINT_EXIT_CODES

``catalogue`` also reads exit codes from results and texts in which a known tool documents them;
``attributes-only`` trusts nothing but attributes. Default: ``catalogue``.
"""

FOOTPRINT_ROUTING: Final = "FOOTPRINT_ROUTING"
"""
.. envvar:: FOOTPRINT_ROUTING

What the runtime records about routing: ``none``, ``handoffs`` or ``recorded``. Default: what the
convention of the spans says.
"""

FOOTPRINT_MAX_OPEN_TURNS: Final = "FOOTPRINT_MAX_OPEN_TURNS"
"""
.. envvar:: FOOTPRINT_MAX_OPEN_TURNS

How many turns may be open at a time; the oldest beyond it is explained as incomplete. Default: 10000.
"""

FOOTPRINT_MAX_BYTES: Final = "FOOTPRINT_MAX_BYTES"
"""
.. envvar:: FOOTPRINT_MAX_BYTES

How many bytes open turns may take up together. Default: 67108864 (64 MiB).
"""

FOOTPRINT_IDLE_SECONDS: Final = "FOOTPRINT_IDLE_SECONDS"
"""
.. envvar:: FOOTPRINT_IDLE_SECONDS

A turn without a new span for so long is explained as incomplete. Default: 600.
"""

FOOTPRINT_HOLD_SECONDS: Final = "FOOTPRINT_HOLD_SECONDS"
"""
.. envvar:: FOOTPRINT_HOLD_SECONDS

How long an ended turn waits for late children. Default: 0 in process.
"""

FOOTPRINT_WRITERS: Final = "FOOTPRINT_WRITERS"
"""
.. envvar:: FOOTPRINT_WRITERS

Comma-separated: ``events``, ``attributes``, ``child_span``. Default: ``events,attributes``.
"""

FOOTPRINT_MAX_EVENTS: Final = "FOOTPRINT_MAX_EVENTS"
"""
.. envvar:: FOOTPRINT_MAX_EVENTS

Span events a turn, from 1 to 64; what does not fit is counted. Default: 32.
"""

FOOTPRINT_PROGRAMS: Final = "FOOTPRINT_PROGRAMS"
"""
.. envvar:: FOOTPRINT_PROGRAMS

``true`` writes the text of the programs, which may hold secrets. Default: ``false``.
"""

FOOTPRINT_EVIDENCE: Final = "FOOTPRINT_EVIDENCE"
"""
.. envvar:: FOOTPRINT_EVIDENCE

``false`` does not look the answer's names and numbers up in what tools returned. Default: ``true``.
"""

FOOTPRINT_EVIDENCE_MINIMUM_DIGITS: Final = "FOOTPRINT_EVIDENCE_MINIMUM_DIGITS"
"""
.. envvar:: FOOTPRINT_EVIDENCE_MINIMUM_DIGITS

Digits from which on a number of the answer is looked up. Default: 4.
"""

FOOTPRINT_EVIDENCE_SHAPES: Final = "FOOTPRINT_EVIDENCE_SHAPES"
"""
.. envvar:: FOOTPRINT_EVIDENCE_SHAPES

Shell patterns of further words that are looked up, separated by commas, e.g. ``INC*``. Default: none.
"""

FOOTPRINT_EVIDENCE_EXEMPTIONS: Final = "FOOTPRINT_EVIDENCE_EXEMPTIONS"
"""
.. envvar:: FOOTPRINT_EVIDENCE_EXEMPTIONS

Shell patterns of values that need no evidence, separated by commas. Default: none.
"""

FOOTPRINT_MATCHING: Final = "FOOTPRINT_MATCHING"
"""
.. envvar:: FOOTPRINT_MATCHING

``false`` does not match the answer's code blocks against the turn's programs. Default: ``true``.
"""

FOOTPRINT_ACCOUNT: Final = "FOOTPRINT_ACCOUNT"
"""
.. envvar:: FOOTPRINT_ACCOUNT

``true`` gives the seven-row account with each explanation. Default: ``false``.
"""

FOOTPRINT_PRESET: Final = "FOOTPRINT_PRESET"
"""
.. envvar:: FOOTPRINT_PRESET

A set of writer options under the name of the backend it fits: ``jaeger``, ``tempo``, ``phoenix``,
``langfuse`` or ``honeycomb``. Default: none of them.
"""

FOOTPRINT_EVIDENCE_LINKS: Final = "FOOTPRINT_EVIDENCE_LINKS"
"""
.. envvar:: FOOTPRINT_EVIDENCE_LINKS

``true`` links the turn's span to the spans its evidence points to. Default: ``false``.
"""

FOOTPRINT_TESTING: Final = "FOOTPRINT_TESTING"
"""
.. envvar:: FOOTPRINT_TESTING

``true`` raises this package's own errors instead of counting them. For tests only. Default: ``false``.
"""

ALL: Final = (
    FOOTPRINT_CONFIG,
    FOOTPRINT_EXIT_CODES,
    FOOTPRINT_ROUTING,
    FOOTPRINT_MAX_OPEN_TURNS,
    FOOTPRINT_MAX_BYTES,
    FOOTPRINT_IDLE_SECONDS,
    FOOTPRINT_HOLD_SECONDS,
    FOOTPRINT_WRITERS,
    FOOTPRINT_MAX_EVENTS,
    FOOTPRINT_PROGRAMS,
    FOOTPRINT_EVIDENCE,
    FOOTPRINT_EVIDENCE_MINIMUM_DIGITS,
    FOOTPRINT_EVIDENCE_SHAPES,
    FOOTPRINT_EVIDENCE_EXEMPTIONS,
    FOOTPRINT_MATCHING,
    FOOTPRINT_ACCOUNT,
    FOOTPRINT_PRESET,
    FOOTPRINT_EVIDENCE_LINKS,
    FOOTPRINT_TESTING,
)
"""All of them, in the order of this page."""

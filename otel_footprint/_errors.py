"""What this package raises on purpose, and only where a person sets it up.

::

    ValueError
    ├── ConfigError         a setting is unknown or has a bad value
    └── DeclarationError    a helper was given a malformed declaration (fold/coverage.py)
"""

from __future__ import annotations


class ConfigError(ValueError):
    """A setting is unknown or has a bad value; the message names where it stands and how to set it right."""

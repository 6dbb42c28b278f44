"""The small run of the report's tests, in a store."""

from __future__ import annotations

from report.conftest import built, store

__all__ = ["built", "store"]

"""Moments as files hold them."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(seconds: float | None) -> str | None:
    """Seconds since 1970 as "2026-11-22T14:05:03Z", in UTC; None stays None."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

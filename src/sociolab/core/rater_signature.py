"""How a rating tells who gave it: a signature before its reason, see `analysis.ratings`."""

from __future__ import annotations

import re

_SIGNED = re.compile(
    r"\[(?P<rater>\w[\w.-]*)(?: (?P<seconds>[0-9.]+) s)?"
    r"(?: (?P<when>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z))?\](?: |$)"
)


def signed(rater: str, reason: str, seconds: float | None = None, when: str = "") -> str:
    """The reason of a rating with the rater's name before it, and what is known of its time."""
    took = "" if seconds is None else f" {seconds:.10g} s"
    moment = f" {when}" if when else ""
    return f"[{rater}{took}{moment}] {reason}".rstrip()


def signature(reason: str) -> tuple[str | None, float | None]:
    """Rater and seconds of a signed reason; None where it tells none."""
    found = _SIGNED.match(reason)
    if found is None:
        return None, None
    seconds = found["seconds"]
    return found["rater"], float(seconds) if seconds and seconds.count(".") < 2 else None


def moment(reason: str) -> str:
    """When a signed reason was given, in UTC as ISO 8601; "" where it does not tell."""
    found = _SIGNED.match(reason)
    return (found["when"] or "") if found else ""


def unsigned(reason: str) -> str:
    """A reason as the rater wrote it, without the signature before it."""
    found = _SIGNED.match(reason)
    return reason[found.end() :].strip() if found else reason

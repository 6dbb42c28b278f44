"""Who gave a rating, how long it took and when: a signature before its reason in the store.

"[anna] why", "[anna 42 s] why", "[anna 42 s 2026-03-01T14:05:00Z] why": what is not known is left
out. So the raters of a set, who are one judge, are told apart wherever a reason is shown.
"""

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

"""What is said, and by the exit code too, of judges that failed: their scores are missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sociolab.report.words import plural

if TYPE_CHECKING:
    from sociolab.core.errors import Cause
    from sociolab.report.schema import RunResult

_OF_REPLIES: frozenset[Cause] = frozenset(
    ("unreadable", "not allowed", "truncated", "content filter", "context overflow", "incomplete"),
)
"""Here the judge answered, and single answers could not be used: those are counted, no more."""


def judges_failed(
    result: RunResult, store: Path | None, only: Sequence[str] | None = None
) -> tuple[str, ...]:
    """In a sentence each: judges that broke, were late or could not be reached, and those that gave
    no score at all; how many scores are missing, and why. Empty if there are none, or none of those
    named in `only`."""
    return tuple(_sentences(result, store, only))


def _sentences(result: RunResult, store: Path | None, only: Sequence[str] | None) -> Iterator[str]:
    where = f" --store {store}" if store else ""
    scored = {entry.judge for entry in result.scores if entry.n}
    for one in result.failures.first:
        if one.kind != "scores" or one.cause == "incomplete" or one.judge is None:
            continue
        if only is not None and not any(f"{one.judge} ".startswith(f"{name} ") for name in only):
            continue
        # Where several judges share a name, their labels go on after it.
        in_vain = not any(f"{label} ".startswith(f"{one.judge} ") for label in scored)
        if in_vain or one.cause not in _OF_REPLIES:
            scores = f"{plural(one.count, 'score')} {'is' if one.count == 1 else 'are'} missing"
            none = ", which gave none" if in_vain else ""
            yield (
                f"{scores} of the judge {one.judge}{none} ({one.cause}: {one.problem}); "
                f"`sociolab judge {result.run} --judge ...{where}` judges again what it failed on"
            )

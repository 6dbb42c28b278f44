"""One rating by a person, as a plain record."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from sociolab.core.errors import ConfigError

LONGEST_REASON = 10_000
"""Characters of a reason."""

_RATER = re.compile(r"\w[\w.-]{0,39}")
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Rating:
    """What one person gave one play in one dimension.

    `episode` is the id of a played episode, or a beginning of it that no other has. `seat` is ""
    for a measure of the whole episode. `rater` is a pseudonym: it is stored, exported and shown.
    `score` is in the dimension's range. `seconds` is how long the rating took, `when` the moment
    that it was given, as ISO 8601 with its zone (kept in UTC); None and "" where not known.
    ConfigError for a record that cannot be a rating of any run.
    """

    episode: str
    seat: str
    rater: str
    dimension: str
    score: float
    reason: str = ""
    seconds: float | None = None
    when: str = ""

    def __post_init__(self) -> None:
        for name in ("episode", "rater", "dimension"):
            if not getattr(self, name):
                raise ConfigError(f"expected {_AN[name]}, found none")
        if not _RATER.fullmatch(self.rater):
            raise ConfigError(
                "expected a pseudonym as rater, of at most 40 letters, digits, dots, underscores "
                f"and hyphens, found {quoted(self.rater)}"
            )
        if not math.isfinite(self.score):
            raise ConfigError(f"expected a number as score, found {quoted(self.score)}")
        if self.seconds is not None and not 0 <= self.seconds < math.inf:
            raise ConfigError(
                f"expected seconds from 0 or nothing, found {quoted(f'{self.seconds:g}')}"
            )
        if len(self.reason) > LONGEST_REASON:
            raise ConfigError(
                f"expected a reason of at most {LONGEST_REASON:,} characters, "
                f"found {len(self.reason):,}"
            )
        object.__setattr__(self, "when", _moment(self.when))


def quoted(found: object) -> str:
    """What was found, short and on one line, in quotes."""
    text = text_of(found)
    cut = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in cut)
    return f'"{shown}"'


def text_of(cell: object) -> str:
    """A cell as text; "" for None, "?" for what Python does not write out."""
    try:
        return "" if cell is None else str(cell).strip()
    except (ValueError, RecursionError):  # more digits, or deeper
        return "?"


_AN = {"episode": "an episode", "rater": "a rater", "dimension": "a dimension"}


def _moment(text: str) -> str:
    """A moment in UTC, to the second; ConfigError for what is none, or has no zone."""
    if not text:
        return ""
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            raise ValueError
        return f"{found.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, OverflowError) as error:
        raise ConfigError(
            "expected a moment with its zone as when, such as 2026-03-01T14:05:00Z, "
            f"found {quoted(text)}"
        ) from error

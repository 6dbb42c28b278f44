"""Whether a text names a skill outright."""

from __future__ import annotations

import re
from functools import cache


def names_skill(text: str, skill: str) -> bool:
    """True where the skill's own name stands in the text, in any case."""
    return _pattern(skill).search(text) is not None


@cache
def _pattern(skill: str) -> re.Pattern[str]:
    words = r"[\s-]+".join(re.escape(word) for word in skill.split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)

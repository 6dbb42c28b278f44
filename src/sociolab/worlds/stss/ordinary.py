"""Does a keyword filter pass on an ordinary day, on which nobody was told of anything?

If it does, a performer who never says a word can score: people who "have dinner" at the cafe in
time have come to the "buffet, dinner". The paper's own filters hold such words, and the import and
`data check` name them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from sociolab.town.residents import Resident
from sociolab.worlds.stss.task import Keywords, SocialTask

FILE = Path(__file__).parent / "data" / "ordinary.toml"

VERBS = frozenset(
    re.findall(
        r"\w+",
        "bring build buy chat clean collect consult cook dance deliver discuss draw exercise fetch "
        "fold interview join make meet pick play practise read rehearse repair restock review "
        "revise send shop sing study swap taste teach walk watch write",
    )
)
"""Of which a filter that names the one form should know the other: "deliver", "delivering"."""


@cache
def ordinary_day() -> Mapping[str, tuple[str, ...]]:
    """What is done on ordinary days, by part of the day: `lunch`, `work`, `home`, ..."""
    return {part: tuple(what) for part, what in tomllib.loads(FILE.read_text("utf-8")).items()}


def passed_by(filters: Iterable[Sequence[str]], routines: Iterable[str]) -> tuple[str, ...]:
    """What passes one of these filters (keywords each) though it is of an ordinary day: of our
    list, and of what is written of the days of those who live there.
    """
    said = (*(what for part in ordinary_day().values() for what in part), *routines)
    passing = [Keywords(words) for words in filters]
    return tuple(dict.fromkeys(text for text in said if any(one.said(text) for one in passing)))


def missed_by(keywords: Sequence[str]) -> tuple[str, ...]:
    """Other forms of a filter's own words that do not pass it.

    >>> missed_by(["exercise", "board games"])
    ('exercising', 'board game')
    """
    passes = Keywords(keywords)
    return tuple(dict.fromkeys(form for form in _forms(keywords) if not passes.said(form)))


def _forms(keywords: Iterable[str]) -> Iterator[str]:
    for keyword in keywords:
        first, _, rest = keyword.partition(" ")
        if first in VERBS:
            yield f"{_gerund(first)} {rest}".strip()
        if re.fullmatch(r"\w+( \w+)?[^s]s", keyword):
            yield re.sub(r"(ie)?s$", lambda end: "y" if end[1] else "", keyword)


def _gerund(verb: str) -> str:
    if verb in ("shop", "swap"):
        return f"{verb}{verb[-1]}ing"
    return f"{verb.removesuffix('e')}ing"


def remarks_on(tasks: Iterable[SocialTask], residents: Sequence[Resident]) -> tuple[str, ...]:
    """One line for each task whose filter an ordinary day passes."""
    found = []
    for task in tasks:
        routines = [text for one in residents if one.id in task.background for text in days_of(one)]
        filters = [errand.keywords for errand in task.errands] or [task.keywords]
        if texts := passed_by(filters, routines):
            more = f" and {len(texts) - 1} more" if texts[1:] else ""
            found.append(
                f'{task.id}: its keywords pass what people do on an ordinary day ("{texts[0]}"'
                f"{more}), so that people who were told of nothing count; choose words that name "
                "the event"
            )
    return tuple(found)


def days_of(resident: Resident) -> tuple[str, ...]:
    """What is written of somebody's ordinary days."""
    return (*(habit.what for habit in resident.habits), *filter(None, (resident.routine,)))

"""Who is in a scene, as its readers and its judge are told: names, and how they know each other."""

from __future__ import annotations

from itertools import combinations

from sociolab.worlds.sotopia.profiles import RelationshipType
from sociolab.worlds.sotopia.scene import Casting
from sociolab.worlds.sotopia.telling import distinct_names
from sociolab.worlds.sotopia.visibility import shown_tie


def judge_names(casting: Casting) -> dict[str, str]:
    """What the judge calls each seat."""
    return distinct_names(casting.characters)


def ties(casting: Casting) -> tuple[str, ...]:
    """How each two of them know each other, a sentence a pair."""
    names = judge_names(casting)
    told = []
    for a, b in combinations(names, 2):
        tie = casting.between(a, b)
        more = f" ({shown_tie(tie)})" if shown_tie(tie) else ""
        if tie.type is RelationshipType.STRANGER:
            told.append(f"{names[a]} and {names[b]} have never met.")
        else:
            told.append(f"{names[a]} and {names[b]}: {tie.type.replace('-', ' ')}{more}.")
    return tuple(told)

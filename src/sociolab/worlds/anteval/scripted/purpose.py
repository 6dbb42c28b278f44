"""How scripted players express what they mean to do: obliquely, in one turn of the session."""

from __future__ import annotations

from functools import cache

from sociolab.core.episode import Action
from sociolab.worlds.anteval.scripted.moment import Moment
from sociolab.worlds.anteval.scripted.phrases import content


def acting(now: Moment) -> tuple[Action, ...]:
    """The turn that shows a purpose, if this is the one; nothing otherwise."""
    if now.view.npc or not now.view.purposes:
        return ()
    own = max(1, (now.limit - now.turn + now.seats - 1) // now.seats + now.own)
    skills = [purpose.skill for purpose in now.view.purposes]
    turns = _turns(now, len(skills), own)
    if now.own not in turns:
        return ()
    ways = _ways()[skills[turns.index(now.own)]]
    way = ways[int(now.chance.random() * len(ways))]
    act, say = way.get("act", ""), way.get("say", "")
    return now.turn_of(say.format_map(now.slots), act.format_map(now.slots))


def _turns(now: Moment, count: int, own: int) -> list[int]:
    """Which of a seat's own turns show its purposes: not the first where there are others."""
    turns = list(range(1, own)) or [0]
    now.habit.shuffle(turns)
    return turns[:count]


@cache
def _ways() -> dict[str, list[dict[str, str]]]:
    """The ways to show each skill, by its name: what is done, what is said, or both."""
    return {row["skill"]: row["ways"] for row in content("skills")["skills"]}

"""Why a task has its score, in one sentence that names who counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sociolab.worlds.stss.scoring.result import SpokenTo, TaskScore
from sociolab.worlds.stss.task import SocialTask


def reason(task: SocialTask, score: TaskScore, name: Callable[[str], str]) -> str:
    """One sentence, and another where the host was absent; `name` makes a name of an id."""
    least = _at_least(score.least)
    match task.type:
        case "asking for help":
            return _errands(task, score, name)
        case "appointment":
            ways = {1.0: "met", 0.5: "were at it at the same time, but not in the same place"}
            pair = f"{name(task.performer)} and {name(task.partner)}"
            return f"{pair} {ways.get(score.goal, 'did not meet')} {least}."
        case _:
            names = ", ".join(map(name, score.participants)) or "nobody"
            many = f"{len(score.participants)} of {score.expected} expected residents took part"
            host = ""
            if score.host_absent:
                host = f" {absence(task, name)} {least} and counts as one more no-show."
            return f"{many} {least}: {names}.{host}"


def absence(task: SocialTask, name: Callable[[str], str]) -> str:
    """That the host of a public activity was not there, without a full stop."""
    return f"The host, {name(task.performer)}, was not at {task.place} during the event"


def reason_of_ratio(
    task: SocialTask, score: TaskScore, name: Callable[[str], str], both: bool
) -> str:
    """With whom the performer spoke of it in time, and when; `both`: whoever began the talk."""
    counted = _first_with_each([one for one in score.spoken_to if both or one.started])
    told = ", ".join(
        f"{name(one.who)} ({one.when:%A %H:%M}{'' if one.started else ', began it'})"
        for one in counted
    )
    did = "spoke" if both else "began to speak"
    many = f"{len(counted)} of {score.expected} expected"
    return f"{name(task.performer)} {did} of it in time with {many}: {told or 'nobody'}."


def reason_of_least(minutes: int) -> str:
    """What the goal at another least duration means."""
    if minutes:
        return f"The goal if taking part had to last at least {minutes} min."
    return "The goal if any moment of taking part counted."


def _first_with_each(spoken_to: Sequence[SpokenTo]) -> tuple[SpokenTo, ...]:
    firsts: dict[str, SpokenTo] = {}
    for one in spoken_to:
        firsts.setdefault(one.who, one)
    return tuple(firsts.values())


def _errands(task: SocialTask, score: TaskScore, name: Callable[[str], str]) -> str:
    told = "; ".join(
        f"{one.what}: {f'done by {name(one.who)}' if one.who else 'not done by a helper'} "
        f"{_at_least(min(score.least, errand.minutes))}"
        for errand, one in zip(task.errands, score.errands, strict=True)
    )
    wrong_order = score.goal < 1 and all(one.who for one in score.errands)
    return f"{told}{', but in the wrong order' if wrong_order else ''}."


def _at_least(minutes: int) -> str:
    return f"(at least {minutes} min)" if minutes else "(for any moment)"

"""Why a task has its score, in one sentence that names who counted."""

from __future__ import annotations

from collections.abc import Callable

from sociolab.worlds.stss.scoring.result import TaskScore
from sociolab.worlds.stss.task import SocialTask


def reason(task: SocialTask, score: TaskScore, name: Callable[[str], str]) -> str:
    """One sentence; `name` makes a resident's name of its id."""
    match task.type:
        case "asking for help":
            return _errands(score, name)
        case "appointment":
            ways = {1.0: "met", 0.5: "were at it at the same time, but not in the same place"}
            pair = f"{name(task.performer)} and {name(task.partner)}"
            return f"{pair} {ways.get(score.goal, 'did not meet')}."
        case _:
            names = ", ".join(map(name, score.participants)) or "nobody"
            many = f"{len(score.participants)} of {score.expected} expected residents took part"
            return f"{many}: {names}."


def _errands(score: TaskScore, name: Callable[[str], str]) -> str:
    told = "; ".join(
        f"{one.what}: {f'done by {name(one.who)}' if one.who else 'not done by a helper'}"
        for one in score.errands
    )
    wrong_order = score.goal < 1 and all(one.who for one in score.errands)
    return f"{told}{', but in the wrong order' if wrong_order else ''}."

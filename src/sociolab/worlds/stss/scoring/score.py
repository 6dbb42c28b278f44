"""A task's score: by rules on what happened, never by a model (STSS section 5.1)."""

from __future__ import annotations

from sociolab.town.trace.trajectory import Trajectory
from sociolab.worlds.stss.scoring.accounts import account, helper_account
from sociolab.worlds.stss.scoring.attendance import attendances, goal, host_absent
from sociolab.worlds.stss.scoring.errands import help_by_anybody, help_given
from sociolab.worlds.stss.scoring.evidence import Evidence, Reads
from sociolab.worlds.stss.scoring.result import ScoreSettings, TaskScore
from sociolab.worlds.stss.scoring.talks import conversation_ratio
from sociolab.worlds.stss.task import SocialTask


def score(
    task: SocialTask,
    trajectory: Trajectory,
    settings: ScoreSettings | None = None,
    reads: Reads | None = None,
) -> TaskScore:
    """How the task went; the day of the event must have been lived (see `was_lived`).

    `reads` says which actions are taking part, instead of the keyword filter.
    """
    seen, rules = Evidence(task, trajectory, reads), settings or ScoreSettings()
    return _help(seen, rules) if task.type == "asking for help" else _event(seen, rules)


def _event(seen: Evidence, rules: ScoreSettings) -> TaskScore:
    attended = attendances(seen)
    goals = {least: goal(seen, attended, least) for least in (rules.least, *rules.beside)}
    ratio = conversation_ratio(seen, attended)
    accounts = tuple(account(seen, who, when, rules.least) for who, when in attended.items())
    public = seen.task.type == "public activity"
    return TaskScore(
        type=seen.task.type,
        goal=goals[rules.least],
        goals=tuple(sorted(goals.items())),
        expected=seen.task.expected,
        window=seen.window,
        participants=tuple(one.who for one in accounts if one.fate == "took part"),
        accounts=accounts,
        ratio=ratio.started,
        ratio_both=ratio.both,
        goal_any_host=goal(seen, attended, rules.least, any_host=True) if public else None,
        host_absent=host_absent(seen, rules.least),
        least=rules.least,
        spoken_to=ratio.spoken_to,
    )


def _help(seen: Evidence, rules: ScoreSettings) -> TaskScore:
    given = {least: help_given(seen, least) for least in (rules.least, *rules.beside)}
    errands = given[rules.least].errands
    background = seen.task.background
    return TaskScore(
        type=seen.task.type,
        goal=given[rules.least].goal,
        goals=tuple(sorted((least, one.goal) for least, one in given.items())),
        expected=seen.task.expected,
        window=seen.window,
        participants=tuple(who for who in background if any(who == one.who for one in errands)),
        accounts=tuple(helper_account(seen, who, errands, rules.least) for who in background),
        ratio=None,
        ratio_both=None,
        goal_any_helper=help_by_anybody(seen, rules.least).goal,
        errands=errands,
        least=rules.least,
    )

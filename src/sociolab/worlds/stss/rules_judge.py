"""The judge of social tasks: reads the trace of an episode, and asks no model."""

from __future__ import annotations

from collections.abc import Callable

from sociolab.core.episode import Ended, Episode
from sociolab.core.errors import StoreError
from sociolab.core.score import JudgeId, Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.core.seeding import digest
from sociolab.town.trace.trajectory import Trajectory
from sociolab.worlds.stss.casting import SMOKE, is_smoke
from sociolab.worlds.stss.content import content_from
from sociolab.worlds.stss.measures import (
    ANY_HELPER,
    ANY_HOST,
    OF_TYPE,
    OVERALL,
    RATIO,
    RATIO_BOTH,
    at_least,
    measures_of,
)
from sociolab.worlds.stss.scoring.reason import reason, reason_of_least, reason_of_ratio
from sociolab.worlds.stss.scoring.result import ScoreSettings, TaskScore
from sociolab.worlds.stss.scoring.score import score
from sociolab.worlds.stss.scoring.window import was_lived
from sociolab.worlds.stss.talk.losses import LOSSES, fates, loss_verdicts, recorded, spoken
from sociolab.worlds.stss.talk.verdicts import Unread
from sociolab.worlds.stss.task import SocialTask
from sociolab.worlds.stss.world import trajectory_of

RULES = "4"
"""Changes with the rules of scoring, so that figures by other rules are never mixed."""


class Incomplete(Exception):  # noqa: N818  a state of affairs, not a fault
    """There is not enough of a trace to score."""


class StssRulesJudge:
    """One score for each measure of a task's type, of the whole episode.

    Who took part is found by the paper's keyword filter. Where tasks were lost is read off the acts
    of scripted residents; Unscored where anybody else spoke. Nothing of a smoke test is scored: a
    performer that is not built-in among scripted residents.
    """

    def __init__(self, settings: ScoreSettings | None = None) -> None:
        self._settings = settings or ScoreSettings()
        rules = digest("stss", RULES, self._settings.least, *self._settings.beside)
        self.id = JudgeId("rules", "rules", rules)

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """The verdicts; failures where the event's day was not lived to the end."""
        content = content_from(episode.trial.task.content)
        task = content.task
        measures = measures_of(task.type, self._settings.others)
        try:
            trajectory = lived(task, episode)
        except Incomplete as problem:
            return tuple(ScoreFailure(m, None, "incomplete", str(problem)) for m in measures)
        if is_smoke(episode.trial):
            return tuple(Unscored(m, None, SMOKE) for m in measures)
        found = score(task, trajectory, self._settings)
        read = recorded(spoken(content, episode, trajectory, found))
        lost = loss_verdicts(read if isinstance(read, Unread) else fates(task, found, read))
        why = reasons(task, found, content.name)
        own = (one for one in measures if one not in LOSSES.values())
        return (*(_score(one, found, why.get(one, why[OVERALL])) for one in own), *lost)

    def score(self, task: SocialTask, episode: Episode) -> TaskScore:
        """All that scoring says of an episode; Incomplete if there is not enough of it."""
        return score(task, lived(task, episode), self._settings)


def lived(task: SocialTask, episode: Episode) -> Trajectory:
    """What happened in an episode that was lived to the event's end; else Incomplete."""
    if not isinstance(episode.events[-1] if episode.events else None, Ended):
        raise Incomplete("the simulation has not come to its end")
    try:
        trajectory = trajectory_of(episode)
    except StoreError as error:
        raise Incomplete(str(error)) from error
    if not was_lived(task, trajectory):
        raise Incomplete(f"the trace ends before the event of {task.day} does")
    return trajectory


def reasons(task: SocialTask, found: TaskScore, name: Callable[[str], str]) -> dict[Measure, str]:
    """Why the measures have their values; those of a task's type have the reason of `OVERALL`."""
    return {
        OVERALL: reason(task, found, name),
        RATIO: reason_of_ratio(task, found, name, both=False),
        RATIO_BOTH: reason_of_ratio(task, found, name, both=True),
        ANY_HELPER: "The goal if a helper need not have been asked.",
        ANY_HOST: "The goal by the guests alone, whether or not the host was there (the paper's).",
        **{at_least(minutes): reason_of_least(minutes) for minutes, _ in found.goals},
    }


def _score(measure: Measure, found: TaskScore, why: str) -> Score:
    values: dict[Measure, float | None] = {
        OF_TYPE[found.type]: found.goal,
        OVERALL: found.goal,
        RATIO: found.ratio,
        RATIO_BOTH: found.ratio_both,
        ANY_HELPER: found.goal_any_helper,
        ANY_HOST: found.goal_any_host,
    }
    values |= {at_least(minutes): goal for minutes, goal in found.goals}
    value = values[measure]
    assert value is not None, f"{measure.name} is a measure of {found.type}"
    return Score(measure, None, value, why)

"""An episode in town to be replayed: its days, its task, who counted for its score since when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from sociolab.app.towns.town import Lived, lived
from sociolab.core.episode import Episode, Json
from sociolab.core.errors import ConfigError
from sociolab.store.store import Store
from sociolab.store.verdicts import ScoreRow
from sociolab.town.residents import Resident
from sociolab.town.trace import Talked
from sociolab.town.trajectory import Interval, Intervals, reached
from sociolab.worlds.stss.content import Content, content_from
from sociolab.worlds.stss.rules_judge import Incomplete, StssRulesJudge
from sociolab.worlds.stss.scoring.evidence import Evidence
from sociolab.worlds.stss.scoring.reason import reason
from sociolab.worlds.stss.scoring.result import Account, ScoreSettings, TaskScore
from sociolab.worlds.stss.scoring.window import event_window
from sociolab.worlds.stss.settings import Settings
from sociolab.worlds.stss.task import SocialTask


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a background resident, by the rules of scoring.

    `since`: the step at which it had taken part for as long as is needed, or its errand was done;
    None if it does not count. `when` it took part, `near`: when it came near to that (as steps).
    """

    who: str
    counts: bool
    since: int | None
    words: str
    when: Intervals
    near: Intervals


@dataclass(frozen=True, slots=True)
class Replay:
    """All that a replay shows.

    `score` and `outcomes` are computed from the trace by the rules of today, for `least` minutes;
    without a score (None, and no outcomes) `why` says what is missing. `about` are the talks that
    are about the task. `verdicts` are those in the
    store; `other_rules`: whether some of them were made by other rules than these.
    """

    lived: Lived
    task: SocialTask
    residents: tuple[Resident, ...]
    window: Interval
    score: TaskScore | None
    why: str
    outcomes: tuple[Outcome, ...]
    about: tuple[Talked, ...]
    verdicts: tuple[ScoreRow, ...]
    other_rules: bool


def replay(store: Store, run: str, trial: str) -> Replay:
    """The replay of an episode in the store.

    ConfigError where it was not played in a town, or nothing of it has been lived yet; StoreError
    where the store has no such run or trial, or its trace cannot be read.
    """
    episode = store.episode(run, trial)
    days = lived(episode)
    content = content_of(episode)
    judge = StssRulesJudge(ScoreSettings(least=_least(store.run(run).settings)))
    score, why = _scored(judge, content, episode)
    verdicts = tuple(row for row in store.verdicts.all(run) if row.trial == trial)
    rules = {row.judge for row in verdicts if row.judge.name == judge.id.name}
    return Replay(
        lived=days,
        task=content.task,
        residents=content.residents,
        window=event_window(content.task, days.trajectory.clock),
        score=score,
        why=why,
        outcomes=outcomes(score, days.trajectory.clock.seconds) if score else (),
        about=Evidence(content.task, days.trajectory).talks,
        verdicts=verdicts,
        other_rules=bool(rules - {judge.id}),
    )


def content_of(episode: Episode) -> Content:
    """The task and the people of an episode in town; ConfigError where they cannot be read."""
    try:
        return content_from(episode.trial.task.content)
    except ValidationError as error:
        raise ConfigError(
            f"the task of the episode {episode.trial.id} is none of this world "
            f"({error.error_count()} fields are missing or wrong); play the trial again"
        ) from error


def outcomes(score: TaskScore, seconds: int) -> tuple[Outcome, ...]:
    """What became of everybody in the background, for steps of so many seconds."""
    needed = -(-score.least * 60 // seconds)
    return tuple(_outcome(one, score, needed) for one in score.accounts)


def _outcome(one: Account, score: TaskScore, needed: int) -> Outcome:
    counts = one.who in score.participants
    since = _since(one, score, needed) if counts else None
    return Outcome(one.who, counts, since, one.words, one.when, one.near)


def _since(one: Account, score: TaskScore, needed: int) -> int | None:
    if not score.errands:
        return reached(one.when, needed)
    steps = (errand.step for errand in score.errands if errand.who == one.who)
    return min((step for step in steps if step is not None), default=None)


def _scored(
    judge: StssRulesJudge, content: Content, episode: Episode
) -> tuple[TaskScore | None, str]:
    try:
        score = judge.score(content.task, episode)
    except Incomplete as problem:
        return None, f"No score: {problem}."
    return score, reason(content.task, score, content.name)


def _least(settings: Json) -> int:
    """The minutes of taking part that the run asked for."""
    given = settings.get("world_settings") if isinstance(settings, Mapping) else None
    try:
        return Settings.model_validate(given or {}).least
    except ValidationError as error:
        item = error.errors(include_url=False)[0]
        raise ConfigError(
            f"the settings of the run cannot be read: {item['msg']}; play it again"
        ) from error

"""The replay of an episode in town: its days, who took part, and how its task was scored."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from sociolab.core.episode import Episode, Json
from sociolab.core.errors import ConfigError
from sociolab.core.reading import read_text
from sociolab.judging.reader import MissingValue
from sociolab.plugin.town import Replay, ResidentOutcome, TownScore, TownTask
from sociolab.store.store import Store, world_settings_in
from sociolab.town.map import TownMap
from sociolab.town.map_file import own_map
from sociolab.town.trace import chunks_in
from sociolab.town.trajectory import SimulatedDays, step_reaching
from sociolab.worlds.stss.dataset import (
    Content,
    parse_content,
    read_map,
    read_town,
    unpack_map,
)
from sociolab.worlds.stss.evidence import Evidence, event_window
from sociolab.worlds.stss.judges import StssRulesJudge, complete_trajectory
from sociolab.worlds.stss.scoring import Account, ScoreSettings, TaskScore, explain_score, score
from sociolab.worlds.stss.task import SocialTask
from sociolab.worlds.stss.world import StssSettings, read_trajectory


def load_town_map(place: Path | None) -> TownMap:
    """The map of a town's folder or of a `map.json`, or of the package's own town."""
    if place is None:
        return own_map()
    return read_map(read_text(place), str(place)) if place.is_file() else read_town(place).town


def simulated_days(episode: Episode) -> SimulatedDays:
    """The simulated days of an episode; ConfigError where there are none yet."""
    if not chunks_in(episode.events):
        raise ConfigError(f"nothing of the episode {episode.trial.id} has been simulated yet")
    content = parse_content(episode.trial.task.content)
    names = {resident.id: resident.name for resident in content.residents}
    return SimulatedDays(unpack_map(content.town), read_trajectory(episode), names)


def replay(store: Store, run: str, trial: str) -> Replay:
    """The replay of an episode in the store.

    ConfigError where nothing of it has been simulated yet; StoreError where the store has no such
    run or trial, or its trace cannot be read.
    """
    episode = store.episode(run, trial)
    days = simulated_days(episode)
    content = read_content(episode)
    judge = StssRulesJudge(ScoreSettings(least=_minimum_minutes(store.run(run).settings)))
    score, why = _score_episode(judge, content, episode)
    verdicts = tuple(row for row in store.verdicts.scores(run) if row.trial == trial)
    rules = {row.judge for row in verdicts if row.judge.label == judge.id.label}
    return Replay(
        lived=days,
        task=to_town_task(content.task),
        residents=content.residents,
        window=event_window(content.task, days.trajectory.clock),
        score=to_town_score(score) if score else None,
        why=why,
        outcomes=resident_outcomes(score, days.trajectory.clock.seconds) if score else (),
        about=Evidence(content.task, days.trajectory).talks,
        verdicts=verdicts,
        other_rules=bool(rules - {judge.id}),
    )


def read_content(episode: Episode) -> Content:
    """The task and the people of an episode in town; ConfigError where they cannot be read."""
    try:
        return parse_content(episode.trial.task.content)
    except ValidationError as error:
        raise ConfigError(
            f"the task of the episode {episode.trial.id} does not fit this world "
            f"({error.error_count()} fields are missing or wrong); run it again"
        ) from error


def to_town_task(task: SocialTask) -> TownTask:
    return TownTask(
        title=task.title,
        type=task.type,
        goal=task.goal,
        performer=task.performer,
        background=len(task.background),
        expected=task.expected,
        start=task.start,
        place=task.place,
        places=task.places,
    )


def to_town_score(score: TaskScore) -> TownScore:
    errands = tuple((errand.what, errand.who, errand.step) for errand in score.errands)
    return TownScore(score.goal, score.least, errands)


def resident_outcomes(score: TaskScore, seconds: int) -> tuple[ResidentOutcome, ...]:
    """The outcome for everybody in the background, for steps of `seconds`."""
    needed = -(-score.least * 60 // seconds)
    rows = []
    for account in score.accounts:
        counts = account.who in score.participants
        since = _counted_since(account, score, needed) if counts else None
        rows.append(
            ResidentOutcome(account.who, counts, since, account.words, account.when, account.near)
        )
    return tuple(rows)


def _counted_since(account: Account, score: TaskScore, needed: int) -> int | None:
    if not score.errands:
        return step_reaching(account.when, needed)
    steps = (errand.step for errand in score.errands if errand.who == account.who)
    return min((step for step in steps if step is not None), default=None)


def _score_episode(
    judge: StssRulesJudge, content: Content, episode: Episode
) -> tuple[TaskScore | None, str]:
    trajectory = complete_trajectory(content.task, episode)
    if isinstance(trajectory, MissingValue):
        return None, f"No score: {trajectory.problem}."
    scored = score(content.task, trajectory, judge.settings)
    return scored, explain_score(content.task, scored, content.name)


def _minimum_minutes(settings: Json) -> int:
    """The minimum attendance of the run, in minutes."""
    try:
        return StssSettings.model_validate(world_settings_in(settings)).least
    except ValidationError as error:
        item = error.errors(include_url=False)[0]
        raise ConfigError(
            f"the settings of the run cannot be read: {item['msg']}; run it again"
        ) from error

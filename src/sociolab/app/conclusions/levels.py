"""The two levels of STSS side by side: what was said, and what came of it in the town (5.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sociolab.app.conclusions.levels_alike import Played, check_alike, differences, town_settings
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError
from sociolab.report.grids import judges_of
from sociolab.report.result import result_of
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.store.sqlite import Store
from sociolab.town.map.town_map import TownMap
from sociolab.town.residents import Resident
from sociolab.worlds.stss.content import content_from
from sociolab.worlds.stss.packed import unpacked
from sociolab.worlds.stss.rules_judge import Incomplete, StssRulesJudge
from sociolab.worlds.stss.scoring.result import ScoreSettings
from sociolab.worlds.stss.talk.losses import Fate, Outcome, fates, wanted
from sociolab.worlds.stss.talk.measures import MEASURES
from sociolab.worlds.stss.task import TASK_TYPES
from sociolab.worlds.stss.world import trajectory_of

TALK, ACTION = "stss-talk", "stss"
GOAL = "overall"
"""The action level's measure: the goal's score, whatever the type of task."""

ALL = "all"


@dataclass(frozen=True, slots=True)
class Row:
    """One type of task, or all: entries of both levels by measure, and where tasks were lost.

    `fates` counts those who could have taken part (of help, errands), `wanted` is how many of them
    the goals ask for; `left_out` counts episodes of the action level that could not be scored.
    """

    type: str
    scores: Mapping[str, ScoreEntry]
    fates: Mapping[Outcome, int]
    wanted: int
    left_out: int


@dataclass(frozen=True, slots=True)
class AgentLevels:
    """One agent at both levels, as one judge saw its talks.

    `cautions` say what beside the level differs between its two runs.
    """

    agent: str
    judge: str
    cautions: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Levels:
    """The results of both runs, and the agents that they share."""

    talk: RunResult
    action: RunResult
    agents: tuple[AgentLevels, ...]


def levels(store: Store, talk_run: str, action_run: str) -> Levels:
    """Both levels of every agent that performed in both runs.

    ConfigError where there is none, and where the runs say nothing of each other.
    """
    talk = _played(store, talk_run, "--talk", TALK)
    action = _played(store, action_run, "--action", ACTION)
    check_alike(talk, action)
    lost = _lost(store, action)
    performed = {episode.trial.cast[0].agent for episode in store.episodes(talk_run, "played")}
    shared = [agent for agent in action.result.agents if agent in performed and agent in lost]
    if not shared:
        raise ConfigError(
            f"no agent performed in both runs: in {talk_run} {_listed(performed)}, in {action_run} "
            f"{_listed(lost)}; play the same agent at both levels"
        )
    found = (
        AgentLevels(
            agent,
            judge,
            tuple(differences(talk, action, agent)),
            tuple(_rows(agent, judge, talk.result, action.result, lost[agent])),
        )
        for agent in shared
        for judge in judges_of(talk.result)
    )
    return Levels(talk.result, action.result, tuple(found))


def _played(store: Store, run: str, flag: str, world: str) -> Played:
    result = result_of(store, run)
    if result.world != world:
        raise ConfigError(
            f"{flag}: expected a run of {world}, found {result.run}, a run of {result.world}"
        )
    return Played(result, tuple(row.trial for row in store.trials(run)))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nobody"


@dataclass
class _Lost:
    """What became of the tasks that one agent performed, by type."""

    fates: dict[str, Counter[Outcome]]
    wanted: Counter[str]
    left_out: Counter[str]


def _lost(store: Store, action: Played) -> dict[str, _Lost]:
    judge = StssRulesJudge(ScoreSettings(least=town_settings(action).least))
    found: dict[str, _Lost] = {}
    for episode in store.episodes(action.name, "played"):
        agent = episode.trial.cast[0].agent
        mine = found.setdefault(agent, _Lost({}, Counter(), Counter()))
        task = content_from(episode.trial.task.content).task
        these = _fates(judge, episode)
        for key in (task.type.replace(" ", "-"), ALL):
            if these is None:
                mine.left_out[key] += 1
            else:
                mine.fates.setdefault(key, Counter()).update(one.outcome for one in these)
                mine.wanted[key] += wanted(task)
    return found


def _fates(judge: StssRulesJudge, episode: Episode) -> tuple[Fate, ...] | None:
    """What became of an episode's task; None where it was not lived."""
    content = content_from(episode.trial.task.content)
    try:
        score = judge.score(content.task, episode)
    except Incomplete:
        return None
    town: TownMap = unpacked(content.town)
    residents: tuple[Resident, ...] = content.residents
    places = tuple(str(place) for place in town.places)
    return fates(content.task, residents, trajectory_of(episode), places, score)


def _rows(agent: str, judge: str, talk: RunResult, action: RunResult, lost: _Lost) -> Iterator[Row]:
    measures = [measure.name for measure in MEASURES]
    for kind in (*(one.replace(" ", "-") for one in TASK_TYPES), ALL):
        by = {} if kind == ALL else {"type": kind}
        scores = _entries(talk, agent, judge, measures, by)
        scores |= _entries(action, agent, "rules", [GOAL], by)
        if scores or kind in lost.fates:
            fated = lost.fates.get(kind, Counter())
            yield Row(kind, scores, fated, lost.wanted[kind], lost.left_out[kind])


def _entries(
    result: RunResult, agent: str, judge: str, measures: list[str], by: dict[str, str]
) -> dict[str, ScoreEntry]:
    return {
        entry.measure: entry
        for entry in result.scores
        if entry.agent == agent
        and entry.judge == judge
        and entry.measure in measures
        and entry.by == by
    }

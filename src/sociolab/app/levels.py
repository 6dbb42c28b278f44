"""The two levels of STSS side by side: what was said, and what came of it in the town (5.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
from sociolab.worlds.stss.talk.losses import Fate, Outcome, fates
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

    `fates` counts those who were to take part (of help, errands); `left_out` counts episodes of
    the action level that could not be scored.
    """

    type: str
    scores: Mapping[str, ScoreEntry]
    fates: Mapping[Outcome, int]
    left_out: int


@dataclass(frozen=True, slots=True)
class AgentLevels:
    """One agent at both levels, as one judge saw its talks."""

    agent: str
    judge: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Levels:
    """The results of both runs, and the agents that they share."""

    talk: RunResult
    action: RunResult
    agents: tuple[AgentLevels, ...]


def levels(store: Store, talk_run: str, action_run: str) -> Levels:
    """Both levels of every agent that performed in both runs; ConfigError where there is none."""
    talk, action = result_of(store, talk_run), result_of(store, action_run)
    for flag, result, world in (("--talk", talk, TALK), ("--action", action, ACTION)):
        if result.world != world:
            raise ConfigError(
                f"{flag}: expected a run of {world}, found {result.run}, a run of {result.world}"
            )
    lost = _lost(store, action_run)
    performed = {episode.trial.cast[0].agent for episode in store.episodes(talk_run, "played")}
    shared = [agent for agent in action.agents if agent in performed and agent in lost]
    if not shared:
        raise ConfigError(
            f"no agent performed in both runs: in {talk_run} {_listed(performed)}, in {action_run} "
            f"{_listed(lost)}; play the same agent at both levels"
        )
    found = (
        AgentLevels(agent, judge, tuple(_rows(agent, judge, talk, action, lost[agent])))
        for agent in shared
        for judge in judges_of(talk)
    )
    return Levels(talk, action, tuple(found))


def _listed(names: object) -> str:
    return ", ".join(sorted(names)) if isinstance(names, (set, dict)) and names else "nobody"


@dataclass
class _Lost:
    """What became of the tasks that one agent performed, by type."""

    fates: dict[str, Counter[Outcome]]
    left_out: Counter[str]


def _lost(store: Store, run: str) -> dict[str, _Lost]:
    found: dict[str, _Lost] = {}
    for episode in store.episodes(run, "played"):
        mine = found.setdefault(episode.trial.cast[0].agent, _Lost({}, Counter()))
        kind, these = _fates(episode)
        for key in (kind, ALL):
            if these is None:
                mine.left_out[key] += 1
            else:
                mine.fates.setdefault(key, Counter()).update(one.outcome for one in these)
    return found


def _fates(episode: Episode) -> tuple[str, tuple[Fate, ...] | None]:
    """The type of an episode's task and what became of it; None where it was not lived."""
    content = content_from(episode.trial.task.content)
    kind = content.task.type.replace(" ", "-")
    try:
        score = StssRulesJudge().score(content.task, episode)
    except Incomplete:
        return kind, None
    town: TownMap = unpacked(content.town)
    residents: tuple[Resident, ...] = content.residents
    places = tuple(str(place) for place in town.places)
    return kind, fates(content.task, residents, trajectory_of(episode), places, score)


def _rows(agent: str, judge: str, talk: RunResult, action: RunResult, lost: _Lost) -> Iterator[Row]:
    measures = [measure.name for measure in MEASURES]
    for kind in (*(one.replace(" ", "-") for one in TASK_TYPES), ALL):
        by = {} if kind == ALL else {"type": kind}
        scores = _entries(talk, agent, judge, measures, by)
        scores |= _entries(action, agent, "rules", [GOAL], by)
        if scores or kind in lost.fates:
            yield Row(kind, scores, lost.fates.get(kind, {}), lost.left_out[kind])


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

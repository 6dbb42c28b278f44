"""The two levels of STSS side by side: what was said, and what came of it in the town (5.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sociolab.app.conclusions.comparable import check_no_smoke
from sociolab.app.conclusions.levels_alike import Played, check_alike, differences
from sociolab.core.errors import ConfigError
from sociolab.core.score import JudgeId, Score
from sociolab.report.grids import judges_of
from sociolab.report.result import result_of
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.store.sqlite import Store
from sociolab.worlds.stss.content import content_from
from sociolab.worlds.stss.talk.losses import LOSSES, Outcome, eligible, wanted
from sociolab.worlds.stss.talk.measures import MEASURES
from sociolab.worlds.stss.task import TASK_TYPES

TALK, ACTION = "stss-talk", "stss"
GOAL = "overall"
"""The action level's measure: the goal's score, whatever the type of task."""

ALL = "all"


@dataclass(frozen=True, slots=True)
class Row:
    """One type of task, or all: entries of both levels by measure, and where tasks were lost.

    `fates` counts those who could have taken part (of help, errands), `wanted` is how many of them
    the goals ask for; `left_out` counts episodes of which nobody says where they were lost.
    """

    type: str
    scores: Mapping[str, ScoreEntry]
    fates: Mapping[Outcome, int]
    wanted: int
    left_out: int


@dataclass(frozen=True, slots=True)
class AgentLevels:
    """One agent at both levels, as one judge saw its talks.

    `read_by` is the judge who says where its tasks were lost, "" where none does. `cautions` say
    what beside the level differs between its two runs.
    """

    agent: str
    judge: str
    read_by: str
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
    check_no_smoke([talk.result, action.result])
    check_alike(talk, action)
    lost, read_by = _lost(store, action)
    performed = {trial.cast[0].agent for trial in talk.trials}
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
            read_by,
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

    fates: dict[str, Counter[Outcome]] = field(default_factory=dict)
    wanted: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)


def _lost(store: Store, action: Played) -> tuple[dict[str, _Lost], str]:
    """What became of the tasks, by agent, as one judge has it; and that judge's name, "" for none.

    What is on record counts more than what a model reads.
    """
    shares: dict[JudgeId, dict[str, dict[str, float]]] = {}
    for row in store.verdicts(action.name):
        verdict = row.verdict
        if isinstance(verdict, Score) and verdict.measure in LOSSES.values() and row.trial:
            of_judge = shares.setdefault(row.judge, {})
            of_judge.setdefault(row.trial, {})[verdict.measure.name] = verdict.value
    judges = sorted(shares, key=lambda judge: (judge.method != "rules", judge.name))
    told = shares[judges[0]] if judges else {}
    found: dict[str, _Lost] = {}
    for trial in action.trials:
        task = content_from(trial.task.content).task
        mine = found.setdefault(trial.cast[0].agent, _Lost())
        for key in (task.type.replace(" ", "-"), ALL):
            if trial.id not in told:
                mine.left_out[key] += 1
                continue
            mine.fates.setdefault(key, Counter()).update(_counts(told[trial.id], eligible(task)))
            mine.wanted[key] += wanted(task)
    return found, judges[0].name if judges else ""


def _counts(shares: Mapping[str, float], among: int) -> Counter[Outcome]:
    """How many of those who could have taken part were lost at each step, or did."""
    lost = {one: round(shares[measure.name] * among) for one, measure in LOSSES.items()}
    return Counter({"done": among - sum(lost.values()), **lost})


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

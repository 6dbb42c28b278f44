"""The two levels of STSS side by side: what was said, and what came of it in the town (5.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sociolab.analysis.across_worlds import TwoLevels
from sociolab.analysis.compare_sides import check_no_smoke
from sociolab.core.code_fingerprint import OPTIONS
from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.core.score import JudgeId
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, Sentence
from sociolab.report.result import result_of
from sociolab.report.run_facts import not_played
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.score_tables import judges_of
from sociolab.report.section import Section
from sociolab.report.words import by_rules, instructions_notes, nature, scripted_play
from sociolab.stats.intervals import Estimate
from sociolab.store.store import Store
from sociolab.town.questions import MOST_ROUNDS
from sociolab.worlds.stss.dataset import content_from, unpacked
from sociolab.worlds.stss.judges import LOSSES, OUTCOMES, Outcome, count_required, eligible
from sociolab.worlds.stss.talk.dataset import scenario_from
from sociolab.worlds.stss.talk.playing import TalkSettings
from sociolab.worlds.stss.talk.verdicts import MEASURES
from sociolab.worlds.stss.task import TASK_TYPES
from sociolab.worlds.stss.world import StssSettings

TALK, ACTION = "stss-talk", "stss"
GOAL = "overall"
"""The action level's measure: the goal's score, whatever the type of task."""

ALL = "all"

SAY = Catalogue("levels", "sociolab.worlds.stss.notes")
COMPARED = Catalogue("compare_runs")

_ENGINE = ("attempts", "on_failed_turn", "max_failed_turns")
"""Settings of a run that both levels should share; the catalogue says what each is."""


@dataclass(frozen=True, slots=True)
class LevelRow:
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
    what beside the level differs between its two runs. `by_task` has the fates of each social task
    of which somebody says where it was lost.
    """

    agent: str
    judge: str
    read_by: str
    cautions: tuple[Sentence, ...]
    rows: tuple[LevelRow, ...]
    by_task: Mapping[str, Mapping[Outcome, int]]


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
            f"no agent performed in both runs: in {talk_run} {_join_names(performed)}, in "
            f"{action_run} {_join_names(lost)}; play the same agent at both levels"
        )
    agents = (
        AgentLevels(
            agent,
            judge,
            read_by,
            tuple(differences(talk, action, agent)),
            tuple(_rows(agent, judge, talk.result, action.result, lost[agent])),
            lost[agent].by_task,
        )
        for agent in shared
        for judge in judges_of(talk.result)
    )
    return Levels(talk.result, action.result, tuple(agents))


def _played(store: Store, run: str, flag: str, world: str) -> LevelRun:
    result = result_of(store, run)
    if result.world != world:
        raise ConfigError(
            f"{flag}: expected a run of {world}, found {result.run}, a run of {result.world}"
        )
    return LevelRun(result, tuple(row.trial for row in store.trials(run)))


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nobody"


@dataclass
class _Lost:
    """What became of the tasks that one agent performed, by type."""

    fates: dict[str, Counter[Outcome]] = field(default_factory=dict)
    by_task: dict[str, Counter[Outcome]] = field(default_factory=dict)
    required: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)


def _lost(store: Store, action: LevelRun) -> tuple[dict[str, _Lost], str]:
    """What became of the tasks, by agent, as one judge has it; and that judge's name, "" for none.

    What is on record counts more than what a model reads.
    """
    shares: dict[JudgeId, dict[str, dict[str, float]]] = {}
    for row in store.verdicts.scores(action.name, kind="score", texts=False):
        if row.measure in LOSSES.values() and row.trial and row.value is not None:
            of_judge = shares.setdefault(row.judge, {})
            of_judge.setdefault(row.trial, {})[row.measure.name] = row.value
    judges = sorted(shares, key=lambda judge: (judge.method != "rules", judge.label))
    by_trial = shares[judges[0]] if judges else {}
    by_agent: dict[str, _Lost] = {}
    for trial in action.trials:
        task = content_from(trial.task.content).task
        losses = by_agent.setdefault(trial.cast[0].agent, _Lost())
        counts = _counts(by_trial[trial.id], eligible(task)) if trial.id in by_trial else None
        if counts is not None:
            losses.by_task.setdefault(task.id, Counter()).update(counts)
        for key in (task.type.replace(" ", "-"), ALL):
            if counts is None:
                losses.left_out[key] += 1
                continue
            losses.fates.setdefault(key, Counter()).update(counts)
            losses.required[key] += count_required(task)
    return by_agent, judges[0].label if judges else ""


def _counts(shares: Mapping[str, float], among: int) -> Counter[Outcome]:
    """How many of those who could have taken part were lost at each step, or did."""
    lost = {outcome: round(shares[measure.name] * among) for outcome, measure in LOSSES.items()}
    return Counter({"done": among - sum(lost.values()), **lost})


def _rows(
    agent: str, judge: str, talk: RunResult, action: RunResult, lost: _Lost
) -> Iterator[LevelRow]:
    measures = [measure.name for measure in MEASURES]
    for kind in (*(task_type.replace(" ", "-") for task_type in TASK_TYPES), ALL):
        by = {} if kind == ALL else {"type": kind}
        scores = _entries(talk, agent, judge, measures, by)
        scores |= _entries(action, agent, "rules", [GOAL], by)
        if scores or kind in lost.fates:
            fated = lost.fates.get(kind, Counter())
            yield LevelRow(kind, scores, fated, lost.required[kind], lost.left_out[kind])


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


@dataclass(frozen=True, slots=True)
class LevelRun:
    """A run: its result and its plan. The world of `talk` is stss-talk, that of `action` stss."""

    result: RunResult
    trials: tuple[Trial, ...]

    @property
    def name(self) -> str:
        """The run's name."""
        return self.result.run

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the run; empty where none are stored."""
        return self.result.settings if isinstance(self.result.settings, dict) else {}

    @property
    def of_world(self) -> dict[str, Any]:
        """What was given with `--set`."""
        return self.settings.get("world_settings") or {}

    @property
    def social_tasks(self) -> tuple[str, ...]:
        """The social tasks: those that were lived, or that the talks are of."""
        return tuple(dict.fromkeys(trial.task.cluster for trial in self.trials))

    def by(self, agent: str) -> tuple[Trial, ...]:
        """The trials in which this agent performs."""
        return tuple(trial for trial in self.trials if trial.cast[0].agent == agent)


def check_alike(talk: LevelRun, action: LevelRun) -> None:
    """ConfigError where the two say nothing of each other: only one with TDP, or no common task.

    GA and GA + TDP are two rows of Table 3; a figure of one beside that of the other is neither's.
    """
    if not planned_alike(talk, action):
        planned, lived = talk_settings(talk).tdp, town_settings(action).tdp
        raise ConfigError(
            f"expected both runs with TDP or both without, found {talk.name} {_with(planned)} and "
            f"{action.name} {_with(lived)}; run one of them again, or name another run"
        )
    if not set(talk.social_tasks) & set(action.social_tasks):
        raise ConfigError(
            f"expected runs of the same social tasks, found none in common: {talk.name} has "
            f"conversations of {_some(talk.social_tasks)}, {action.name} simulates "
            f"{_some(action.social_tasks)}; run both on the same town"
        )


def planned_alike(talk: LevelRun, action: LevelRun) -> bool:
    """Whether both are with TDP, or both without."""
    return talk_settings(talk).tdp == town_settings(action).tdp


def differences(talk: LevelRun, action: LevelRun, agent: str) -> Iterator[Sentence]:
    """What beside the level differs between the talks and the town of an agent, in sentences."""
    yield from not_played(talk.result)
    yield from not_played(action.result)
    yield from _tasks(talk, action)
    yield from _places(talk, action)
    yield from _held(talk, action, agent)
    yield from _background(talk, action, agent)
    yield from _set_up(talk, action, agent)
    for setting in _ENGINE:
        talking, living = (str(run.settings.get(setting)) for run in (talk, action))
        if talking != living:
            yield SAY("setting", what=SAY(setting), **_both(talk, action, talking, living))


def _both(talk: LevelRun, action: LevelRun, talking: str, living: str) -> dict[str, str]:
    """Both runs, and what is so in each."""
    return {"talk": talk.name, "action": action.name, "talking": talking, "living": living}


def talk_settings(talk: LevelRun) -> TalkSettings:
    """How the talks were held."""
    return TalkSettings.model_validate(talk.of_world)


def town_settings(action: LevelRun) -> StssSettings:
    """How the tasks were lived and scored."""
    return StssSettings.model_validate(action.of_world)


def _with(tdp: bool) -> str:
    return "with TDP" if tdp else "without TDP"


def _some(names: Iterable[str]) -> str:
    items = list(names)
    return ", ".join(items[:3]) + (f" and {len(items) - 3} more" if len(items) > 3 else "")


def _tasks(talk: LevelRun, action: LevelRun) -> Iterator[Sentence]:
    for note, run, other in (("not_simulated", talk, action), ("not_talked", action, talk)):
        if missing := [name for name in run.social_tasks if name not in other.social_tasks]:
            yield SAY(
                note,
                talk=talk.name,
                action=action.name,
                tasks=Count("social task", len(missing)),
                names=_some(missing),
            )


def _places(talk: LevelRun, action: LevelRun) -> Iterator[Sentence]:
    """The talks' own names and those of their town differ, so that the places must tell."""
    places = {place for t in talk.trials for place in scenario_from(t.task.content).place_names}
    maps = (unpacked(content_from(trial.task.content).town) for trial in action.trials)
    if places != {str(place) for town in maps for place in town.places}:
        yield SAY("other_town", talk=_data(talk), action=_data(action))


def _data(run: LevelRun) -> str:
    data = run.result.data
    return f"{data.name} ({run.name})" if data is not None else run.name


def _held(talk: LevelRun, action: LevelRun, agent: str) -> Iterator[Sentence]:
    rounds = talk_settings(talk).rounds
    if rounds < MOST_ROUNDS:
        yield SAY("rounds", talk=talk.name, rounds=Count("round", rounds), most=MOST_ROUNDS)
    if "utter" not in town_settings(action).evaluated:
        yield SAY("not_speaking", agent=agent)


def _background(talk: LevelRun, action: LevelRun, agent: str) -> Iterator[Sentence]:
    """Who thinks for all but the performer."""
    talking, living = (
        " and ".join(sorted({member.agent for trial in run.by(agent) for member in trial.cast[1:]}))
        for run in (talk, action)
    )
    if talking != living:
        yield SAY("background", **_both(talk, action, talking, living))


def _set_up(talk: LevelRun, action: LevelRun, agent: str) -> Iterator[Sentence]:
    """Agents that are not the same at both levels. A model whose temperature nobody names has 0 in
    conversations and 1 in the town, as in the paper, so that its hashes differ: of such a model
    what models.toml adds is compared instead."""
    talking, living = (
        {member.agent: member.identity for trial in run.by(agent) for member in trial.cast}
        for run in (talk, action)
    )
    for label in sorted(talking.keys() & living.keys()):
        pair = talking[label], living[label]
        listed = [(run.settings.get(OPTIONS) or {}).get(label) for run in (talk, action)]
        unnamed = all(
            identity.kind == "model" and identity.temperature is None for identity in pair
        )
        if pair[0] != pair[1] and not (unnamed and listed[0] == listed[1]):
            yield COMPARED("other_settings", agent=label)


LEVELS = TwoLevels(
    TALK,
    ACTION,
    alike=lambda talk, action: planned_alike(LevelRun(talk, ()), LevelRun(action, ())),
    talks="conversations",
    tasks="outcomes in the town",
)
"""What `sociolab table` correlates, task by task."""


# ------------------------------------------------------------------ what it concludes


def level_findings(agent_levels: AgentLevels) -> tuple[Finding, ...]:
    """A finding for each type of task: the mean of each metric of either level, clustered by task,
    and of those who were eligible how many attended, or were lost at which step."""
    return tuple(
        Finding(
            about={"type": row.type},
            more={
                **{name: level_figure(row, name) for name in row.scores},
                "eligible": sum(row.fates.values()),
                "target": row.wanted,
                **{outcome: row.fates.get(outcome, 0) for outcome in OUTCOMES},
            },
        )
        for row in agent_levels.rows
    )


def level_figure(row: LevelRow, name: str) -> Estimate | None:
    """The mean of a metric in a row with its interval; None where the judge does not give it."""
    entry = row.scores.get(name)
    return None if entry is None else entry.estimate


def levels_section(both_levels: Levels, agent_levels: AgentLevels) -> Section:
    """What an agent did at both levels, as one judge saw its talks."""
    findings = level_findings(agent_levels)
    names = [metric.name for metric in MEASURES]
    talks = (
        nature(both_levels.talk, agent_levels.judge),
        *instructions_notes(both_levels.talk, (agent_levels.judge,)),
    )
    table = partial(SAY.table, cluster="task")
    talk, action = both_levels.talk.run, both_levels.action.run
    tables = [
        table(
            "conversation",
            _over(agent_levels, findings, "conversation", names[:2]),
            notes=talks,
            run=talk,
        ),
        table(
            "summary",
            _over(agent_levels, findings, "conversation", names[2:]),
            notes=talks,
            run=talk,
        ),
        table(
            "town",
            _over(agent_levels, findings, "episode", (GOAL,)),
            notes=instructions_notes(both_levels.action),
            run=action,
        ),
    ]
    if agent_levels.read_by:
        read_by = SAY("read_by", judge=agent_levels.read_by)
        tables.append(SAY.table("losses", findings, notes=[read_by], run=action))
    return Section(
        SAY("title", arm=arm_of(both_levels, agent_levels), judge=agent_levels.judge),
        tuple(_conclusions(agent_levels)),
        tuple(_cautions(both_levels, agent_levels)),
        tuple(tables),
    )


def _over(
    agent_levels: AgentLevels, findings: Sequence[Finding], noun: str, metrics: Sequence[str]
) -> Iterator[Finding]:
    """The findings with what these metrics are over; a judge need not give all of a level."""
    for row, finding in zip(agent_levels.rows, findings, strict=True):
        scores = [row.scores[metric] for metric in metrics if metric in row.scores]
        counts = (
            Count(noun, max((score.n for score in scores), default=0)),
            Count("task", max((score.clusters for score in scores), default=0)),
        )
        failed = max((score.failures for score in scores), default=0)
        yield replace(finding, counts=counts, more={**finding.more, "failed": failed})


def arm_of(both_levels: Levels, agent_levels: AgentLevels) -> str:
    """The agent, and whether it plans with TDP."""
    return SAY("arm_tdp", agent=agent_levels.agent) if with_tdp(both_levels) else agent_levels.agent


def with_tdp(both_levels: Levels) -> bool:
    """Whether both runs are with TDP."""
    return talk_settings(LevelRun(both_levels.talk, ())).tdp


def _conclusions(agent_levels: AgentLevels) -> Iterator[Sentence]:
    every = agent_levels.rows[-1]
    conveyed, goal = (level_figure(every, name) for name in ("conversation_gcsr", GOAL))
    if conveyed and goal and conveyed.value is not None and goal.value is not None:
        yield SAY("success", conveyed=conveyed.value, goal=goal.value)
    if every.fates:
        done, unmet, untold, lost, idle = (every.fates.get(outcome, 0) for outcome in OUTCOMES)
        yield SAY(
            "losses",
            done=done,
            eligible=sum(every.fates.values()),
            wanted=every.wanted,
            unmet=unmet,
            untold=untold,
            lost=lost,
            idle=idle,
        )


def _cautions(both_levels: Levels, agent_levels: AgentLevels) -> Iterator[Sentence]:
    if by_rules(both_levels.talk, agent_levels.agent):
        yield SAY("baseline", agent=agent_levels.agent, what=scripted_play(both_levels.talk))
    yield from agent_levels.cautions
    run = both_levels.action.run
    if not agent_levels.read_by:
        yield SAY("nobody_reads", run=run)
    elif unread := agent_levels.rows[-1].left_out:
        yield SAY("unread", episodes=Count("episode", unread), run=run)

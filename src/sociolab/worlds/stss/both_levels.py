"""The two levels of STSS side by side (section 5.3): what was said, and the outcome in the town."""

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
from sociolab.report.exam import exam_notes, judge_notes
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
from sociolab.worlds.stss.dataset import parse_content, unpack_map
from sociolab.worlds.stss.judges import LOSSES, OUTCOMES, Outcome, count_eligible, count_required
from sociolab.worlds.stss.talk.dataset import parse_scenario
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
    """One type of task, or all: entries of both levels by metric, and where tasks were lost.

    `fates` counts those who could have taken part (for help, errands), `required` is how many of
    them the goals ask for; `left_out` counts episodes without any record of where they were lost.
    """

    type: str
    scores: Mapping[str, ScoreEntry]
    fates: Mapping[Outcome, int]
    required: int
    left_out: int


@dataclass(frozen=True, slots=True)
class AgentLevels:
    """One agent at both levels, with its talks as one judge scored them.

    `read_by` is the judge that says where its tasks were lost, "" without one. `cautions` say what
    else differs between its two runs. `by_task` has the fates of each social task for which they
    are known.
    """

    agent: str
    judge: str
    read_by: str
    cautions: tuple[Sentence, ...]
    rows: tuple[LevelRow, ...]
    by_task: Mapping[str, Mapping[Outcome, int]]


@dataclass(frozen=True, slots=True)
class Levels:
    talk: RunResult
    action: RunResult
    agents: tuple[AgentLevels, ...]


def read_levels(store: Store, talk_run: str, action_run: str) -> Levels:
    """Both levels of every agent that performed in both runs.

    ConfigError where there is none, and where the runs cannot be compared.
    """
    talk = _read_run(store, talk_run, "--talk", TALK)
    action = _read_run(store, action_run, "--action", ACTION)
    check_no_smoke([talk.result, action.result])
    check_alike(talk, action)
    lost, read_by = _read_losses(store, action)
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
            tuple(_level_rows(agent, judge, talk.result, action.result, lost[agent])),
            lost[agent].by_task,
        )
        for agent in shared
        for judge in judges_of(talk.result)
    )
    return Levels(talk.result, action.result, tuple(agents))


def _read_run(store: Store, run: str, flag: str, world: str) -> LevelRun:
    result = result_of(store, run)
    if result.world != world:
        raise ConfigError(
            f"{flag}: expected a run of {world}, found {result.run}, a run of {result.world}"
        )
    return LevelRun(result, tuple(row.trial for row in store.trials(run)))


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nobody"


@dataclass
class _Losses:
    """The outcomes of the tasks that one agent performed, by type."""

    fates: dict[str, Counter[Outcome]] = field(default_factory=dict)
    by_task: dict[str, Counter[Outcome]] = field(default_factory=dict)
    required: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)


def _read_losses(store: Store, action: LevelRun) -> tuple[dict[str, _Losses], str]:
    """The outcomes of the tasks, by agent, according to one judge; and that judge's name, "" for
    none.

    Recorded outcomes take precedence over those read by a model.
    """
    shares: dict[JudgeId, dict[str, dict[str, float]]] = {}
    for row in store.verdicts.scores(action.name, kind="score", texts=False):
        if row.measure in LOSSES.values() and row.trial and row.value is not None:
            by_metric = shares.setdefault(row.judge, {}).setdefault(row.trial, {})
            by_metric[row.measure.name] = row.value
    judges = sorted(shares, key=lambda judge: (judge.method != "rules", judge.label))
    by_trial = shares[judges[0]] if judges else {}
    by_agent: dict[str, _Losses] = {}
    for trial in action.trials:
        task = parse_content(trial.task.content).task
        losses = by_agent.setdefault(trial.cast[0].agent, _Losses())
        counts: Counter[Outcome] | None = None
        if trial.id in by_trial:
            counts = _count_outcomes(by_trial[trial.id], count_eligible(task))
            losses.by_task.setdefault(task.id, Counter()).update(counts)
        for key in (task.type.replace(" ", "-"), ALL):
            if counts is None:
                losses.left_out[key] += 1
                continue
            losses.fates.setdefault(key, Counter()).update(counts)
            losses.required[key] += count_required(task)
    return by_agent, judges[0].label if judges else ""


def _count_outcomes(shares: Mapping[str, float], among: int) -> Counter[Outcome]:
    """How many of those eligible were lost at each step, or took part."""
    lost = {outcome: round(shares[measure.name] * among) for outcome, measure in LOSSES.items()}
    return Counter({"done": among - sum(lost.values()), **lost})


def _level_rows(
    agent: str, judge: str, talk: RunResult, action: RunResult, lost: _Losses
) -> Iterator[LevelRow]:
    measures = [measure.name for measure in MEASURES]
    for kind in (*(task_type.replace(" ", "-") for task_type in TASK_TYPES), ALL):
        by = {} if kind == ALL else {"type": kind}
        scores = _entries(talk, agent, judge, measures, by)
        scores |= _entries(action, agent, "rules", [GOAL], by)
        if scores or kind in lost.fates:
            fates = lost.fates.get(kind, Counter())
            yield LevelRow(kind, scores, fates, lost.required[kind], lost.left_out[kind])


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
        return self.result.run

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the run; empty where none are stored."""
        return self.result.settings if isinstance(self.result.settings, dict) else {}

    @property
    def world_settings(self) -> dict[str, Any]:
        """The settings given with `--set`."""
        return self.settings.get("world_settings") or {}

    @property
    def social_tasks(self) -> tuple[str, ...]:
        """The social tasks that were simulated, or that the talks are of."""
        return tuple(dict.fromkeys(trial.task.cluster for trial in self.trials))

    def trials_of(self, agent: str) -> tuple[Trial, ...]:
        """The trials in which this agent performs."""
        return tuple(trial for trial in self.trials if trial.cast[0].agent == agent)


def check_alike(talk: LevelRun, action: LevelRun) -> None:
    """ConfigError where the two cannot be compared: only one has TDP, or no task is common to both.

    GA and GA + TDP are two rows of Table 3; figures of the one do not belong beside those of the
    other.
    """
    if not planned_alike(talk, action):
        planned, lived = talk_settings(talk).tdp, town_settings(action).tdp
        raise ConfigError(
            f"expected both runs with TDP or both without, found {talk.name} {_tdp_label(planned)} "
            f"and {action.name} {_tdp_label(lived)}; run one of them again, or name another run"
        )
    if not set(talk.social_tasks) & set(action.social_tasks):
        raise ConfigError(
            f"expected runs of the same social tasks, found none in common: {talk.name} has "
            f"conversations of {_abbreviate(talk.social_tasks)}, {action.name} simulates "
            f"{_abbreviate(action.social_tasks)}; run both on the same town"
        )


def planned_alike(talk: LevelRun, action: LevelRun) -> bool:
    """Whether both are with TDP, or both without."""
    return talk_settings(talk).tdp == town_settings(action).tdp


def differences(talk: LevelRun, action: LevelRun, agent: str) -> Iterator[Sentence]:
    """What differs between the talks and the town of an agent beside the level, in sentences."""
    yield from not_played(talk.result)
    yield from not_played(action.result)
    yield from _task_differences(talk, action)
    yield from _place_differences(talk, action)
    rounds = talk_settings(talk).rounds
    if rounds < MOST_ROUNDS:
        yield SAY("rounds", talk=talk.name, rounds=Count("round", rounds), most=MOST_ROUNDS)
    if "utter" not in town_settings(action).evaluated:
        yield SAY("not_speaking", agent=agent)
    talking, living = (
        " and ".join(
            sorted({member.agent for trial in run.trials_of(agent) for member in trial.cast[1:]})
        )
        for run in (talk, action)
    )
    if talking != living:
        yield SAY("background", **_both_runs(talk, action, talking, living))
    yield from _agent_differences(talk, action, agent)
    for setting in _ENGINE:
        talking, living = (str(run.settings.get(setting)) for run in (talk, action))
        if talking != living:
            yield SAY("setting", what=SAY(setting), **_both_runs(talk, action, talking, living))


def _both_runs(talk: LevelRun, action: LevelRun, talking: str, living: str) -> dict[str, str]:
    return {"talk": talk.name, "action": action.name, "talking": talking, "living": living}


def talk_settings(talk: LevelRun) -> TalkSettings:
    return TalkSettings.model_validate(talk.world_settings)


def town_settings(action: LevelRun) -> StssSettings:
    return StssSettings.model_validate(action.world_settings)


def _tdp_label(tdp: bool) -> str:
    return "with TDP" if tdp else "without TDP"


def _abbreviate(names: Iterable[str]) -> str:
    items = list(names)
    return ", ".join(items[:3]) + (f" and {len(items) - 3} more" if len(items) > 3 else "")


def _task_differences(talk: LevelRun, action: LevelRun) -> Iterator[Sentence]:
    for note, run, other in (("not_simulated", talk, action), ("not_talked", action, talk)):
        if missing := [name for name in run.social_tasks if name not in other.social_tasks]:
            yield SAY(
                note,
                talk=talk.name,
                action=action.name,
                tasks=Count("social task", len(missing)),
                names=_abbreviate(missing),
            )


def _place_differences(talk: LevelRun, action: LevelRun) -> Iterator[Sentence]:
    """Compares places, since the names of data sets differ between talks and their town."""
    places = {place for t in talk.trials for place in parse_scenario(t.task.content).place_names}
    maps = (unpack_map(parse_content(trial.task.content).town) for trial in action.trials)
    if places != {str(place) for town in maps for place in town.places}:
        yield SAY("other_town", talk=_data_label(talk), action=_data_label(action))


def _data_label(run: LevelRun) -> str:
    data = run.result.data
    return f"{data.name} ({run.name})" if data is not None else run.name


def _agent_differences(talk: LevelRun, action: LevelRun, agent: str) -> Iterator[Sentence]:
    """Agents that are configured differently at the two levels. A model of unspecified temperature
    gets 0 in conversations and 1 in the town, as in the paper, so that its hashes differ: of
    such a model what models.toml adds is compared instead."""
    talking, living = (
        {member.agent: member.identity for trial in run.trials_of(agent) for member in trial.cast}
        for run in (talk, action)
    )
    for label in sorted(talking.keys() & living.keys()):
        pair = talking[label], living[label]
        options = [(run.settings.get(OPTIONS) or {}).get(label) for run in (talk, action)]
        unnamed = all(
            identity.kind == "model" and identity.temperature is None for identity in pair
        )
        if pair[0] != pair[1] and not (unnamed and options[0] == options[1]):
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
    and of those eligible how many attended, or were lost at which step."""
    return tuple(
        Finding(
            about={"type": row.type},
            more={
                **{name: level_figure(row, name) for name in row.scores},
                "eligible": sum(row.fates.values()),
                "target": row.required,
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
    """What an agent did at both levels, with its talks as one judge scored them."""
    findings = level_findings(agent_levels)
    names = [metric.name for metric in MEASURES]
    talks = (
        nature(both_levels.talk, agent_levels.judge),
        *judge_notes(both_levels.talk, (agent_levels.judge,)),
    )
    judge_exam, reader_exam = (
        exam_notes({result.run: result.judges}, (judge,))
        for result, judge in (
            (both_levels.talk, agent_levels.judge),
            (both_levels.action, agent_levels.read_by),
        )
    )
    table = partial(SAY.table, cluster="task")
    talk, action = both_levels.talk.run, both_levels.action.run
    tables = [
        table(
            "conversation",
            _with_counts(agent_levels, findings, "conversation", names[:2]),
            notes=talks,
            run=talk,
        ),
        table(
            "summary",
            _with_counts(agent_levels, findings, "conversation", names[2:]),
            notes=talks,
            run=talk,
        ),
        table(
            "town",
            _with_counts(agent_levels, findings, "episode", (GOAL,)),
            notes=instructions_notes(both_levels.action),
            run=action,
        ),
    ]
    if agent_levels.read_by:
        read_by = SAY("read_by", judge=agent_levels.read_by)
        tables.append(
            SAY.table("losses", findings, notes=[read_by, *reader_exam.below], run=action)
        )
    return Section(
        SAY("title", arm=arm_label(both_levels, agent_levels), judge=agent_levels.judge),
        tuple(_conclusions(agent_levels)),
        tuple(_cautions(both_levels, agent_levels)),
        tuple(tables),
        warnings=(*judge_exam.failed, *reader_exam.failed),
    )


def _with_counts(
    agent_levels: AgentLevels, findings: Sequence[Finding], noun: str, metrics: Sequence[str]
) -> Iterator[Finding]:
    """The findings with the counts that these metrics rest on; a judge need not give all of a
    level."""
    for row, finding in zip(agent_levels.rows, findings, strict=True):
        scores = [row.scores[metric] for metric in metrics if metric in row.scores]
        counts = (
            Count(noun, max((score.n for score in scores), default=0)),
            Count("task", max((score.clusters for score in scores), default=0)),
        )
        failed = max((score.failures for score in scores), default=0)
        yield replace(finding, counts=counts, more={**finding.more, "failed": failed})


def arm_label(both_levels: Levels, agent_levels: AgentLevels) -> str:
    """The agent, and whether it plans with TDP."""
    return SAY("arm_tdp", agent=agent_levels.agent) if with_tdp(both_levels) else agent_levels.agent


def with_tdp(both_levels: Levels) -> bool:
    return talk_settings(LevelRun(both_levels.talk, ())).tdp


def _conclusions(agent_levels: AgentLevels) -> Iterator[Sentence]:
    every = agent_levels.rows[-1]
    conveyed, goal = (level_figure(every, name) for name in ("conversation_gcsr", GOAL))
    if conveyed and goal and conveyed.value is not None and goal.value is not None:
        yield SAY("success", conveyed=conveyed.value, goal=goal.value)
    if every.fates:
        counts = [every.fates.get(outcome, 0) for outcome in OUTCOMES]
        names = ("done", "unmet", "untold", "lost", "idle")
        yield SAY(
            "losses",
            eligible=sum(every.fates.values()),
            wanted=every.required,
            **dict(zip(names, counts, strict=True)),
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

"""The two levels of STSS side by side: what was said, and what came of it in the town (5.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sociolab.analysis.across import TwoLevels
from sociolab.analysis.compare_sides import check_no_smoke
from sociolab.core.code_fingerprint import OPTIONS
from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.core.score import JudgeId, Measure
from sociolab.report.formatting import NOTHING
from sociolab.report.result import result_of
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.score_tables import judges_of
from sociolab.report.section import Section, TextTable
from sociolab.report.words import (
    by_rules,
    cut_words,
    instructions_notes,
    interval,
    nature,
    number,
    percent,
    plural,
    scripted_play,
)
from sociolab.store.store import Store
from sociolab.town.questions import MOST_ROUNDS
from sociolab.worlds.stss.dataset import content_from, unpacked
from sociolab.worlds.stss.judges import LOSSES, OUTCOMES, Outcome, eligible, wanted
from sociolab.worlds.stss.talk.dataset import scenario_from
from sociolab.worlds.stss.talk.playing import TalkSettings
from sociolab.worlds.stss.talk.verdicts import MEASURES
from sociolab.worlds.stss.task import TASK_TYPES
from sociolab.worlds.stss.world import StssSettings

TALK, ACTION = "stss-talk", "stss"
GOAL = "overall"
"""The action level's measure: the goal's score, whatever the type of task."""

ALL = "all"

_ENGINE: tuple[tuple[str, str], ...] = (
    ("attempts", "attempts per reply"),
    ("on_failed_turn", "the handling of invalid turns"),
    ("max_failed_turns", "the share of invalid turns above which an episode fails"),
)

_COULD = "eligible: all background residents; for an appointment the partner; for help the errands"

_ASKED = (
    "target: how many of them the goals ask for: half of the background for public and online "
    "activities, a third for companions; so not everyone who stayed away is a loss"
)

_CAUSES = (
    "no conversation: did not speak with the performer before the event was over, including "
    "those who only passed by or heard of it from somebody else",
    "not conveyed: spoke, but were not told everything; not noted: told everything, but did not "
    "retain all of it; not acted on: retained everything, but did not come; attended: took part, "
    "informed or not",
)

_INTERVALS = "± or [low, high]: 95 % intervals, clustered by task"


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
    cautions: tuple[str, ...]
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
            lost[agent].by_task,
        )
        for agent in shared
        for judge in judges_of(talk.result)
    )
    return Levels(talk.result, action.result, tuple(found))


def _played(store: Store, run: str, flag: str, world: str) -> LevelRun:
    result = result_of(store, run)
    if result.world != world:
        raise ConfigError(
            f"{flag}: expected a run of {world}, found {result.run}, a run of {result.world}"
        )
    return LevelRun(result, tuple(row.trial for row in store.trials(run)))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nobody"


@dataclass
class _Lost:
    """What became of the tasks that one agent performed, by type."""

    fates: dict[str, Counter[Outcome]] = field(default_factory=dict)
    by_task: dict[str, Counter[Outcome]] = field(default_factory=dict)
    wanted: Counter[str] = field(default_factory=Counter)
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
    told = shares[judges[0]] if judges else {}
    found: dict[str, _Lost] = {}
    for trial in action.trials:
        task = content_from(trial.task.content).task
        mine = found.setdefault(trial.cast[0].agent, _Lost())
        counts = _counts(told[trial.id], eligible(task)) if trial.id in told else None
        if counts is not None:
            mine.by_task.setdefault(task.id, Counter()).update(counts)
        for key in (task.type.replace(" ", "-"), ALL):
            if counts is None:
                mine.left_out[key] += 1
                continue
            mine.fates.setdefault(key, Counter()).update(counts)
            mine.wanted[key] += wanted(task)
    return found, judges[0].label if judges else ""


def _counts(shares: Mapping[str, float], among: int) -> Counter[Outcome]:
    """How many of those who could have taken part were lost at each step, or did."""
    lost = {one: round(shares[measure.name] * among) for one, measure in LOSSES.items()}
    return Counter({"done": among - sum(lost.values()), **lost})


def _rows(
    agent: str, judge: str, talk: RunResult, action: RunResult, lost: _Lost
) -> Iterator[LevelRow]:
    measures = [measure.name for measure in MEASURES]
    for kind in (*(one.replace(" ", "-") for one in TASK_TYPES), ALL):
        by = {} if kind == ALL else {"type": kind}
        scores = _entries(talk, agent, judge, measures, by)
        scores |= _entries(action, agent, "rules", [GOAL], by)
        if scores or kind in lost.fates:
            fated = lost.fates.get(kind, Counter())
            yield LevelRow(kind, scores, fated, lost.wanted[kind], lost.left_out[kind])


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


def differences(talk: LevelRun, action: LevelRun, agent: str) -> Iterator[str]:
    """What beside the level differs between the talks and the town of an agent, in sentences."""
    yield from _unfinished(talk.result)
    yield from _unfinished(action.result)
    yield from _tasks(talk, action)
    yield from _places(talk, action)
    yield from _held(talk, action, agent)
    yield from _background(talk, action, agent)
    yield from _set_up(talk, action, agent)
    for key, words in _ENGINE:
        if talk.settings.get(key) != action.settings.get(key):
            yield (
                f"The runs differ in {words}: {talk.settings.get(key)} in {talk.name}, "
                f"{action.settings.get(key)} in {action.name}."
            )


def talk_settings(talk: LevelRun) -> TalkSettings:
    """How the talks were held."""
    return TalkSettings.model_validate(talk.of_world)


def town_settings(action: LevelRun) -> StssSettings:
    """How the tasks were lived and scored."""
    return StssSettings.model_validate(action.of_world)


def _with(tdp: bool) -> str:
    return "with TDP" if tdp else "without TDP"


def _some(names: Iterable[str]) -> str:
    given = list(names)
    return ", ".join(given[:3]) + (f" and {len(given) - 3} more" if len(given) > 3 else "")


def _unfinished(result: RunResult) -> Iterator[str]:
    if left := result.trials - result.played - result.failed:
        yield f"{result.run} is not finished: {plural(left, 'trial')} not played yet."
    if result.failed:
        yield f"{result.run}: {plural(result.failed, 'trial')} failed."


def _tasks(talk: LevelRun, action: LevelRun) -> Iterator[str]:
    told, lived = talk.social_tasks, action.social_tasks
    for here, others, words in (
        (told, lived, f"{talk.name} has conversations of {{}} not simulated in {action.name}"),
        (lived, told, f"{action.name} has {{}} without a conversation in {talk.name}"),
    ):
        if missing := [name for name in here if name not in others]:
            yield f"{words.format(plural(len(missing), 'social task'))}: {_some(missing)}."


def _places(talk: LevelRun, action: LevelRun) -> Iterator[str]:
    """The talks' own names and those of their town differ, so that the places must tell."""
    here = {place for t in talk.trials for place in scenario_from(t.task.content).place_names}
    maps = (unpacked(content_from(trial.task.content).town) for trial in action.trials)
    if here != {str(place) for town in maps for place in town.places}:
        yield (
            f"The conversations were frozen from another town: {_data(talk)} and {_data(action)} "
            "have different places."
        )


def _data(run: LevelRun) -> str:
    data = run.result.data
    return f"{data.name} ({run.name})" if data is not None else run.name


def _held(talk: LevelRun, action: LevelRun, agent: str) -> Iterator[str]:
    rounds = talk_settings(talk).rounds
    if rounds < MOST_ROUNDS:
        yield (
            f"Conversations in {talk.name} end after {plural(rounds, 'round')}; in the town they "
            f"may have {MOST_ROUNDS}."
        )
    if "utter" not in town_settings(action).evaluated:
        yield (
            f"In the town {agent} does not speak for the performer: another agent does, as "
            '"utter" is not among the evaluated questions.'
        )


def _background(talk: LevelRun, action: LevelRun, agent: str) -> Iterator[str]:
    """Who thinks for all but the performer."""
    told, lived = (
        sorted({member.agent for trial in run.by(agent) for member in trial.cast[1:]})
        for run in (talk, action)
    )
    if told != lived:
        yield (
            f"The background agents differ: {' and '.join(told)} in {talk.name}, "
            f"{' and '.join(lived)} in {action.name}. Differences may be due to them."
        )


def _set_up(talk: LevelRun, action: LevelRun, agent: str) -> Iterator[str]:
    """Agents that are not the same at both levels. A model whose temperature nobody names has 0 in
    conversations and 1 in the town, as in the paper, so that its hashes differ: of such a model
    what models.toml adds is compared instead."""
    ours, theirs = (
        {member.agent: member.identity for trial in run.by(agent) for member in trial.cast}
        for run in (talk, action)
    )
    for label in sorted(ours.keys() & theirs.keys()):
        pair = ours[label], theirs[label]
        listed = [(run.settings.get(OPTIONS) or {}).get(label) for run in (talk, action)]
        unnamed = all(one.kind == "model" and one.temperature is None for one in pair)
        if pair[0] != pair[1] and not (unnamed and listed[0] == listed[1]):
            yield f"{label} was not set up the same way in both runs (other settings of the agent)."


LEVELS = TwoLevels(
    TALK,
    ACTION,
    alike=lambda talk, action: planned_alike(LevelRun(talk, ()), LevelRun(action, ())),
    talks="conversations",
    tasks="outcomes in the town",
)
"""What `sociolab table` correlates, task by task."""


def levels_section(found: Levels, one: AgentLevels) -> Section:
    """What an agent did at both levels, as one judge saw its talks."""
    return Section(
        title=f"Conversation vs. outcome (STSS): {arm_of(found, one)} · judge: {one.judge}",
        said=tuple(_said(one)),
        cautions=tuple(_cautions(found, one)),
        tables=(
            _at_level(found, one, "Conversations", MEASURES[:2]),
            _at_level(found, one, "What listeners remember (summary level)", MEASURES[2:]),
            _town_table(found, one),
            *((_losses(found, one),) if one.read_by else ()),
        ),
    )


def arm_of(found: Levels, one: AgentLevels) -> str:
    """The agent, and whether it plans with TDP."""
    return one.agent + (" with TDP" if with_tdp(found) else "")


def with_tdp(found: Levels) -> bool:
    """Whether both runs are with TDP."""
    return talk_settings(LevelRun(found.talk, ())).tdp


def _said(one: AgentLevels) -> Iterator[str]:
    whole = one.rows[-1]
    talk, goal = whole.scores.get("conversation_gcsr"), whole.scores.get(GOAL)
    if talk is not None and goal is not None and talk.value is not None and goal.value is not None:
        yield (
            f"In conversation the agent conveys {percent(talk.value)} of what it must convey; in "
            f"the simulation its tasks reach {percent(goal.value)} of their goals."
        )
    if whole.fates:
        done, unmet, untold, lost, idle = (whole.fates.get(outcome, 0) for outcome in OUTCOMES)
        yield (
            f"{done} of {sum(whole.fates.values())} eligible residents attended; the goals ask "
            f"for {whole.wanted}. Of the rest, {unmet} never spoke to the performer, {untold} "
            f"were not told everything, {lost} did not retain everything, and {idle} did but "
            "did not act on it."
        )


def _cautions(found: Levels, one: AgentLevels) -> Iterator[str]:
    if by_rules(found.talk, one.agent):
        yield (
            f"{one.agent} is {scripted_play(found.talk)}; these figures are a baseline and say "
            "nothing about any language model."
        )
    yield from one.cautions
    if not one.read_by:
        yield (
            f"Why people did not attend in {found.action.run} is unknown: only what scripted "
            "players tell each other is on record. Have a model read it: `sociolab judge "
            f"{found.action.run} --judge openai/MODEL`."
        )
    elif left_out := one.rows[-1].left_out:
        them = "1 episode" if left_out == 1 else f"{left_out} episodes"
        yield f"Why people did not attend is unknown for {them} of {found.action.run}."


def _at_level(found: Levels, one: AgentLevels, what: str, measures: Sequence[Measure]) -> TextTable:
    """Measures of the talks, or of the notes of them: apart, since a note can be missing."""
    names = [measure.name for measure in measures]
    return TextTable(
        heading=f"{what} ({found.talk.run})",
        columns=("type", *(measure.title for measure in measures), "conversations", "tasks"),
        rows=tuple(
            (
                row.type,
                *(level_figure(found.talk, row, name) for name in names),
                _n(row, *names),
                _task_count(row, *names),
            )
            for row in one.rows
        ),
        notes=(
            nature(found.talk, one.judge),
            *instructions_notes(found.talk, (one.judge,)),
            _intervals(one, names),
        ),
    )


def _town_table(found: Levels, one: AgentLevels) -> TextTable:
    return TextTable(
        heading=f"Outcomes in the simulation ({found.action.run})",
        columns=("type", "goal", "tasks"),
        rows=tuple(
            (row.type, level_figure(found.action, row, GOAL), _n(row, GOAL)) for row in one.rows
        ),
        notes=(*instructions_notes(found.action), _intervals(one, [GOAL])),
    )


def _losses(found: Levels, one: AgentLevels) -> TextTable:
    return TextTable(
        heading=f"Why people did not attend ({found.action.run})",
        columns=("type", "eligible", "target", "attended", *OUTCOMES[1:]),
        rows=tuple(
            (
                row.type,
                str(sum(row.fates.values())),
                str(row.wanted),
                *(str(row.fates.get(outcome, 0)) for outcome in OUTCOMES),
            )
            for row in one.rows
        ),
        notes=(
            _COULD,
            _ASKED,
            *_CAUSES,
            f"what was conveyed and noted: judge {one.read_by}",
        ),
    )


def level_figure(result: RunResult, row: LevelRow, name: str) -> str:
    """The mean of a measure in a row with its interval, and how many failed; a dash for none."""
    entry = row.scores.get(name)
    if entry is None or entry.value is None:
        return NOTHING
    failed = f", {entry.failures} failed" if entry.failures else ""
    measure = result.measure(entry.measure)
    return f"{number(entry.value, measure)} {interval(result, entry)}".strip() + failed


def _intervals(one: AgentLevels, names: list[str]) -> str:
    shown = [row.scores[name] for row in one.rows for name in names if name in row.scores]
    return _INTERVALS + cut_words(shown)


def _n(row: LevelRow, *names: str) -> str:
    """Of how many plays there are figures; a judge need not give all measures of a level."""
    return f"{max((row.scores[name].n for name in names if name in row.scores), default=0):,}"


def _task_count(row: LevelRow, *names: str) -> str:
    """On how many social tasks the figures rest: each has several talks."""
    counts = (row.scores[name].clusters for name in names if name in row.scores)
    return f"{max(counts, default=0):,}"

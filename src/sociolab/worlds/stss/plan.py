"""Both levels of STSS as one plan (section 5.3): its cells, and what is lost between the levels.

A cell is an agent, with or without TDP, in conversations or in the town. Each is a run of its own,
NAME-AGENT-tdp-talk and so on, so that a plan resumes where it stopped, and an agent can be added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Annotated, Any

from pydantic import BaseModel, Field

from sociolab.analysis.across_worlds import Relation, related_table, relation, relation_document
from sociolab.analysis.values import RunValues, Value, values_of
from sociolab.core.errors import ConfigError
from sociolab.plugin.context import Context, Findings
from sociolab.plugin.options import Filter, Flag, Name, Names, Several
from sociolab.plugin.recipe import PlanConfig, dry_run, slug
from sociolab.report.catalogue import Catalogue
from sociolab.report.exam import exam_notes
from sociolab.report.finding import Count, Finding, Sentence
from sociolab.report.formatting import rounded
from sociolab.report.section import Section, TextTable
from sociolab.report.words import by_rules, scripted_play
from sociolab.stats.intervals import Estimate, as_record, mean, on_scale
from sociolab.store.store import Store
from sociolab.town.scripted.mind import SCRIPTED
from sociolab.worlds.stss.both_levels import (
    ACTION,
    GOAL,
    TALK,
    AgentLevels,
    Levels,
    arm_label,
    level_figure,
    levels_section,
    read_levels,
    with_tdp,
)
from sociolab.worlds.stss.judges import OUTCOMES, Outcome
from sociolab.worlds.stss.talk.playing import TalkSettings
from sociolab.worlds.stss.talk.verdicts import CONVERSATION_SR, SUMMARY_SR
from sociolab.worlds.stss.world import StssSettings

SETTINGS: Mapping[str, type[BaseModel]] = {TALK: TalkSettings, ACTION: StssSettings}
LEVEL = {TALK: "talk", ACTION: "town"}
"""What a run of a world is called in a plan."""

WON = 0.5
"""A task is won in conversation if at least this share of its conversations conveyed everything,
and won in the town if at least this share of its episodes reached the goal in full."""


class ArmsConfig(PlanConfig):
    """Agents, each in each of `arms`, on one data set a level; a setting goes to the level that has
    it."""

    arms: Annotated[
        Several, Flag("--arm", "plain|tdp", "With or without TDP; default: both. Repeatable.")
    ] = ("plain", "tdp")
    tasks: Annotated[
        Filter | None, Flag("--tasks", "FILTER", "Tags of task types, or scenario=ID.")
    ] = None
    repeats: Annotated[int, Flag("--repeats", "N", "Repeats of each task.")] = Field(
        default=1, ge=1, le=10_000
    )
    town: Annotated[Name | None, Flag("--town", "NAME|DIR", "An imported town.")] = None
    talks: Annotated[
        Name | None, Flag("--talks", "NAME|DIR", "Conversation tasks frozen from it.")
    ] = None


class LevelsConfig(ArmsConfig):
    """The configuration of `sociolab levels`: run agents at both levels, or read stored runs of
    both.

    `agents` are run in each of `arms` and at both levels, as runs whose names begin with `name`;
    what is there already is not run again. Or `talk` and `action` are stored runs, paired in their
    order. `conversations` limits those of all tasks together.
    """

    name: Annotated[
        Name, Flag("--name", "NAME", "Prefix of the runs' names; the same one resumes.")
    ] = "levels"
    conversations: Annotated[
        int | None, Flag("--conversations", "N", "Maximum number of conversations of an arm.")
    ] = Field(default=None, ge=1)
    talk: Annotated[Names, Flag("--talk", "RUN", "A stored run of stss-talk. Repeatable.")] = ()
    action: Annotated[Names, Flag("--action", "RUN", "A stored run of stss. Repeatable.")] = ()


async def levels_command(lab: Context, config: LevelsConfig) -> Findings:
    """Run what is missing of a plan, or price it, and compare conversations with outcomes."""
    pairs = _paired_runs(config)
    stopped = ""
    if config.agents:
        runs = [run for pair in pairs for run in pair]
        if config.dry_run:
            return dry_run("both levels", lab, runs)
        done = await lab.play(runs)
        stopped = done[-1].stopped
        named = {result.run for result in done if result.played}
        pairs = [pair for pair in pairs if {run["name"] for run in pair} <= named]
    arms = [
        arm
        for talk, action in pairs
        for arm in read_arms(lab.store, read_levels(lab.store, talk["name"], action["name"]))
    ]
    if not arms:
        raise ConfigError(
            f"no agent is scored at both levels{f': {stopped}' if stopped else ''}; have the "
            "conversations judged (sociolab judge RUN --judge openai/MODEL), or resume the plan"
        )
    results = {
        result.run: result for arm in arms for result in (arm.levels.talk, arm.levels.action)
    }
    sections = (
        _overview(arms, stopped),
        *(levels_section(arm.levels, arm.agent_levels) for arm in arms),
    )
    return Findings(sections, tuple(results.values()), document(arms), tuple(figure_rows(arms)))


# ------------------------------------------------------------------ the runs of a plan


def _paired_runs(config: LevelsConfig) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """A run of each level for each agent and arm, described as in a file; stored runs by name.

    ConfigError where the configuration is wrong.
    """
    if not config.agents:
        if not config.talk or len(config.talk) != len(config.action):
            raise ConfigError(
                "expected --agent SPEC to play both levels, or --talk RUN and --action RUN, as "
                f"many of the one as of the other; found {len(config.talk)} and "
                f"{len(config.action)} of them, and no agent"
            )
        pairs = zip(config.talk, config.action, strict=True)
        return [({"name": talk}, {"name": action}) for talk, action in pairs]
    if config.talk or config.action:
        raise ConfigError("expected --agent, or --talk and --action, found both; leave one out")
    check_arms(config)
    return [
        (
            level_run(config, *cell, TALK, config.name, config.conversations),
            level_run(config, *cell, ACTION, config.name),
        )
        for cell in product(dict.fromkeys(config.agents), dict.fromkeys(config.arms))
    ]


def check_arms(config: ArmsConfig) -> None:
    """ConfigError where there is no such arm, or nothing would be scored."""
    if unknown := sorted({*config.arms} - {"plain", "tdp"}):
        raise ConfigError(f'--arm: expected plain or tdp, found "{unknown[0]}"')
    if "tdp" in config.settings:
        raise ConfigError("--set tdp: expected --arm plain or --arm tdp, which decides it")
    models = [agent for agent in config.agents if agent not in SCRIPTED]
    if config.partner in SCRIPTED and models:
        raise ConfigError(
            f"scripted residents understand only each other: nothing is scored of {models[0]} "
            "among them; name a model, --background openai/MODEL"
        )


def level_run(
    config: ArmsConfig, agent: str, arm: str, world: str, prefix: str, limit: int | None = None
) -> dict[str, Any]:
    """The run of one agent in one arm at one level, as a run's configuration."""
    foreign = {name for model in SETTINGS.values() for name in model.model_fields}
    foreign -= SETTINGS[world].model_fields.keys()
    settings = {name: value for name, value in config.settings.items() if name not in foreign}
    of_talk = world == TALK
    return {
        "world": world,
        "agents": (agent,),
        "partner": config.partner,
        # Who was where is never for a model to judge.
        "judges": config.judges if of_talk else ("rules", *config.judges),
        "exam": config.exam,
        "tasks": config.tasks,
        "limit": limit,
        "repeats": config.repeats,
        "seed": config.seed,
        "data": config.talks if of_talk else config.town,
        "settings": {**settings, "tdp": "true"} if arm == "tdp" else settings,
        "name": f"{prefix}-{slug(agent)}-{arm}-{LEVEL[world]}",
    }


# ------------------------------------------------------------------ task by task


@dataclass(frozen=True, slots=True)
class TaskLevels:
    """One social task at both levels: the share of its conversations in which everything was
    conveyed, the mean score of its goal, the share of its episodes that reached it in full, and
    the outcomes of those eligible (empty where unknown)."""

    task: str
    type: str
    conveyed: float
    goal: float
    reached: float
    fates: Mapping[Outcome, int]

    @property
    def won(self) -> tuple[bool, bool]:
        """Whether it was won in conversation, and in the town."""
        return self.conveyed >= WON, self.reached >= WON

    @property
    def lost(self) -> Mapping[str, int]:
        """Where it was lost: how many at each step, the most frequent first."""
        counts = {outcome: n for outcome in OUTCOMES[1:] if (n := self.fates.get(outcome, 0))}
        return dict(sorted(counts.items(), key=lambda each: -each[1]))


@dataclass(frozen=True, slots=True)
class Arm:
    """An agent with or without TDP at both levels, with its conversations as one judge scored them.

    `reached` is the share of episodes in the town that reached their goal in full.
    """

    levels: Levels
    agent_levels: AgentLevels
    tasks: tuple[TaskLevels, ...]
    reached: Estimate

    @property
    def name(self) -> str:
        """The agent, its arm and its judge; marked where it is rule-based."""
        rules = " (rule-based)" if self.by_rules else ""
        return f"{arm_label(self.levels, self.agent_levels)}{rules}, {self.agent_levels.judge}"

    @property
    def by_rules(self) -> bool:
        """Whether the agent is scripted: a baseline, not a result."""
        return by_rules(self.levels.talk, self.agent_levels.agent)

    def count_won(self, *won: bool) -> int:
        """How many tasks were won (or not) in conversation, and in the town."""
        return sum(task.won == won for task in self.tasks)

    @property
    def lost(self) -> Estimate:
        """Of the tasks won in conversation, the share lost in the town."""
        conveyed = [task for task in self.tasks if task.won[0]]
        return _share([not task.won[1] for task in conveyed], [task.task for task in conveyed])


def read_arms(store: Store, both_levels: Levels) -> Iterator[Arm]:
    """An arm for every agent of two runs and each judge of its conversations."""
    talk, action = values_of(store, both_levels.talk.run), values_of(store, both_levels.action.run)
    for agent_levels in both_levels.agents:
        if agent_levels.judge not in talk.judges or "rules" not in action.judges:
            continue
        conversations = _by_task(
            talk.by_judge(agent_levels.judge), agent_levels.agent, CONVERSATION_SR.name
        )
        done = _by_task(action.by_judge("rules"), agent_levels.agent, GOAL)
        paired = {task: (conversations[task], done[task]) for task in conversations if task in done}
        tasks = tuple(
            TaskLevels(
                task,
                str(lived[0].type),
                fmean(_present_values(talk_values)),
                fmean(goals := _present_values(lived)),
                fmean(goal == 1 for goal in goals),
                agent_levels.by_task.get(task, {}),
            )
            for task, (talk_values, lived) in paired.items()
        )
        lived = [value for some in done.values() for value in some]
        reached = _share([value.value == 1 for value in lived], [value.task for value in lived])
        yield Arm(both_levels, agent_levels, tasks, reached)


def _by_task(run: RunValues, agent: str, measure: str) -> dict[str, list[Value]]:
    """The values that are not missing, by social task."""
    by_task: dict[str, list[Value]] = {}
    for value in run.values:
        if (value.agent, value.measure) == (agent, measure) and value.value is not None:
            by_task.setdefault(value.cluster, []).append(value)
    return by_task


def _present_values(values: Sequence[Value]) -> list[float]:
    return [value.value for value in values if value.value is not None]


def _share(held: Sequence[bool], tasks: Sequence[str]) -> Estimate:
    return on_scale(mean([float(value) for value in held], tasks), 0, 1)


def _relation(what: str, tasks: Sequence[TaskLevels]) -> Relation:
    names = [task.task for task in tasks]
    return relation(
        what, "task", [task.conveyed for task in tasks], [task.goal for task in tasks], names
    )


def between_levels(arms: Sequence[Arm]) -> tuple[Relation, ...]:
    """Correlation over the tasks of each arm and, by judge, over those of all arms, clustered by
    task."""
    several = [(judge, some) for judge, some in _by_judge(arms) if len(some) > 1]
    return (
        *(_relation(arm.name, arm.tasks) for arm in arms),
        *(_relation(f"all, {judge}", [t for arm in a for t in arm.tasks]) for judge, a in several),
    )


def between_agents(arms: Sequence[Arm]) -> tuple[Relation, ...]:
    """By judge, over three arms or more: do those that convey more also reach more? Clustered by
    agent; scripted ones are left out if there are models."""
    models = [arm for arm in arms if not arm.by_rules] or arms
    relations = []
    for judge, some in _by_judge(models):
        scored_arms = [arm for arm in some if arm.tasks]
        if len(scored_arms) > 2:
            conveyed = [fmean(task.conveyed for task in arm.tasks) for arm in scored_arms]
            goals = [fmean(task.goal for task in arm.tasks) for arm in scored_arms]
            relations.append(
                relation(
                    judge, "agent", conveyed, goals, [arm.agent_levels.agent for arm in scored_arms]
                )
            )
    return tuple(relations)


def _by_judge(arms: Sequence[Arm]) -> Iterator[tuple[str, list[Arm]]]:
    for judge in dict.fromkeys(arm.agent_levels.judge for arm in arms):
        yield judge, [arm for arm in arms if arm.agent_levels.judge == judge]


# ------------------------------------------------------------------ in words, tables and JSON


SAY = Catalogue("both_levels", "sociolab.worlds.stss.notes")


def arm_findings(arms: Sequence[Arm]) -> tuple[Finding, ...]:
    """A finding for each arm: its success at both levels, and how many tasks it won in either."""
    return tuple(_arm_finding(arm) for arm in arms)


def _arm_finding(arm: Arm) -> Finding:
    every = arm.agent_levels.rows[-1]
    names = (CONVERSATION_SR.name, SUMMARY_SR.name, GOAL)
    return Finding(
        about={"arm": arm.name},
        counts=(Count("task", len(arm.tasks)),),
        more={
            **{name: level_figure(every, name) for name in names},
            "reached": arm.reached,
            "both": arm.count_won(True, True),
            "conversation only": arm.count_won(True, False),
            "town only": arm.count_won(False, True),
            "neither": arm.count_won(False, False),
            "lost": arm.lost,
        },
    )


def _overview(arms: Sequence[Arm], stopped: str) -> Section:
    findings = arm_findings(arms)
    lost = [(arm, task) for arm in arms for task in arm.tasks if task.won == (True, False)]
    tables: list[TextTable] = [
        SAY.table("success", findings, notes=_failures(arms), cluster="task"),
        SAY.table("won", findings),
        *([SAY.table("lost", [_lost_finding(arm, task) for arm, task in lost])] if lost else []),
        related_table(SAY("between_tasks"), "agent, judge", between_levels(arms)),
    ]
    if agents := between_agents(arms):
        tables.append(related_table(SAY("between_agents"), "judge", agents))
    cautions = [SAY("stopped", why=stopped)] if stopped else []
    if ruled := dict.fromkeys(arm.agent_levels.agent for arm in arms if arm.by_rules):
        cautions.append(SAY("baseline", agents=ruled, what=scripted_play(arms[0].levels.talk)))
    judges = {arm.levels.talk.run: arm.levels.talk.judges for arm in arms}
    exams = exam_notes(judges, {arm.agent_levels.judge for arm in arms})
    return exams.on(
        Section(SAY("title"), tuple(map(_conclusion, arms)), tuple(cautions), tuple(tables))
    )


def _failures(arms: Sequence[Arm]) -> Iterator[Sentence]:
    """What has no value because it failed, at either level."""
    for arm in arms:
        scores = arm.agent_levels.rows[-1].scores
        talks, towns = (
            max((scores[name].failures for name in names if name in scores), default=0)
            for names in ((CONVERSATION_SR.name, SUMMARY_SR.name), (GOAL,))
        )
        counts = (Count("conversation", talks), Count("episode in the town", towns))
        if failed := [count for count in counts if count.n]:
            yield SAY("failed", arm=arm.name, failed=failed)


def _conclusion(arm: Arm) -> Sentence:
    lost = arm.count_won(True, False)
    fates: Counter[str] = Counter()
    for task in arm.tasks:
        fates.update(task.lost if task.won == (True, False) else {})
    why = [f"{fate} {count}" for fate, count in fates.most_common()]
    return SAY(
        "lost",
        arm=arm.name,
        won=Count("task", lost + arm.count_won(True, True)),
        lost=lost,
        residents=SAY("residents", why=why) if why else "",
    )


def _lost_finding(arm: Arm, task: TaskLevels) -> Finding:
    """Where a task was lost that was won in conversation."""
    steps = [f"{fate} {count}" for fate, count in task.lost.items()]
    why = ", ".join(steps) or SAY("all_attended" if task.fates else "unknown")
    about = {"arm": arm.name, "task": task.task}
    return Finding(about=about, more={"said": task.conveyed, "goal": task.goal, "why": why})


def document(arms: Sequence[Arm]) -> dict[str, Any]:
    """Both levels as one JSON object: see docs/stss-talk.md."""
    return {
        "schema": 1,
        "agents": [
            {
                "agent": arm.agent_levels.agent,
                "tdp": with_tdp(arm.levels),
                "rule_based": arm.by_rules,
                "talk": arm.levels.talk.run,
                "action": arm.levels.action.run,
                **_arm_document(arm),
            }
            for arm in arms
        ],
        "between_levels": rounded([relation_document(row) for row in between_levels(arms)]),
        "between_agents": rounded([relation_document(row) for row in between_agents(arms)]),
    }


def _arm_document(arm: Arm) -> dict[str, Any]:
    agent_levels = arm.agent_levels
    return {
        "judge": agent_levels.judge,
        "losses_by": agent_levels.read_by or None,
        "cautions": list(map(str, agent_levels.cautions)),
        "types": [
            {
                "type": row.type,
                "scores": {name: e.model_dump(mode="json") for name, e in row.scores.items()},
                "fates": {outcome: row.fates.get(outcome, 0) for outcome in OUTCOMES},
                "wanted": row.required,
                "losses_unknown": row.left_out,
            }
            for row in agent_levels.rows
        ],
        "goal_reached": rounded(as_record(arm.reached)),
        "lost_in_town": rounded(as_record(arm.lost)),
        "tasks": [
            {
                "task": task.task,
                "type": task.type,
                "conversation_sr": task.conveyed,
                "goal": task.goal,
                "goal_reached": task.reached,
                "won": dict(zip(("conversation", "town"), task.won, strict=True)),
                "fates": dict(task.fates) or None,
            }
            for task in arm.tasks
        ],
    }


_IN_CSV = {"value", "low", "high", "n", "clusters", "failures"}


def figure_rows(arms: Sequence[Arm]) -> Iterator[Mapping[str, Any]]:
    """A record for each figure: its cell, its task type and metric, mean, interval and counts."""
    for arm in arms:
        for row in arm.agent_levels.rows:
            for name, entry in row.scores.items():
                level = ACTION if name == GOAL else TALK
                yield {
                    "agent": arm.agent_levels.agent,
                    "tdp": with_tdp(arm.levels),
                    "rule_based": arm.by_rules,
                    "level": LEVEL[level],
                    "run": (arm.levels.action if level == ACTION else arm.levels.talk).run,
                    "judge": entry.judge,
                    "type": row.type,
                    "measure": name,
                    **entry.model_dump(include=_IN_CSV),
                }

"""Both levels of STSS to read: what talks conveyed, what came of the tasks in the town."""

from __future__ import annotations

from collections.abc import Iterator

from sociolab.app.levels import GOAL, AgentLevels, Levels, Row
from sociolab.report.schema import RunResult
from sociolab.report.section import Section, TextTable
from sociolab.report.words import agent_kind, interval, nature, number
from sociolab.worlds.stss.talk.losses import OUTCOMES
from sociolab.worlds.stss.talk.measures import MEASURES

_COUNTED = (
    "counted over those who were to take part: all residents in the background, of an appointment "
    "the partner, of help the errands"
)
_READ = "what was conveyed is read by rules, whoever judged the talks"
_INTERVALS = "± and [ ]: 95 % intervals, clustered by task"


def levels_sections(found: Levels) -> tuple[Section, ...]:
    """A section for each agent and judge of its talks."""
    return tuple(_section(found, one) for one in found.agents)


def _section(found: Levels, one: AgentLevels) -> Section:
    return Section(
        title=f"{one.agent} at both levels of STSS · judge of the talks: {one.judge}",
        said=tuple(_said(one)),
        cautions=tuple(_cautions(found, one)),
        tables=(_talks(found, one), _town(found, one)),
    )


def _said(one: AgentLevels) -> Iterator[str]:
    whole = one.rows[-1]
    talk, goal = whole.scores.get("conversation_gcsr"), whole.scores.get(GOAL)
    if talk is not None and goal is not None and talk.value is not None and goal.value is not None:
        yield (
            f"Its talks convey {talk.value:.0%} of what must be conveyed; in the town its tasks "
            f"reach {goal.value:.0%} of their goals."
        )
    lost = {outcome: whole.fates.get(outcome, 0) for outcome in OUTCOMES[1:]}
    if most := max(lost.values(), default=0):
        named = next(outcome for outcome, count in lost.items() if count == most)
        yield (
            f"Of {sum(whole.fates.values())} who were to take part {sum(lost.values())} did not; "
            f"the most frequent cause is: {named} ({most})."
        )


def _cautions(found: Levels, one: AgentLevels) -> Iterator[str]:
    if agent_kind(found.talk, one.agent) == "rules, no model":
        yield (
            f"{one.agent} plays by rules: these figures are a baseline and say nothing of any "
            "language model."
        )
    if left_out := one.rows[-1].left_out:
        yield f"{left_out} episodes of {found.action.run} could not be scored, and are not counted."


def _talks(found: Levels, one: AgentLevels) -> TextTable:
    names = [measure.name for measure in MEASURES]
    return TextTable(
        heading=f"Talks ({found.talk.run})",
        columns=("type", *(measure.title for measure in MEASURES), "talks"),
        rows=tuple(
            (row.type, *(_figure(found.talk, row, name) for name in names), _n(row, names[0]))
            for row in one.rows
        ),
        notes=(nature(found.talk, one.judge), _INTERVALS),
    )


def _town(found: Levels, one: AgentLevels) -> TextTable:
    return TextTable(
        heading=f"In the town ({found.action.run}), and where its tasks were lost",
        columns=("type", "goal", "tasks", *OUTCOMES, "of"),
        rows=tuple(
            (
                row.type,
                _figure(found.action, row, GOAL),
                _n(row, GOAL),
                *(str(row.fates.get(outcome, 0)) for outcome in OUTCOMES),
                str(sum(row.fates.values())),
            )
            for row in one.rows
        ),
        notes=(_COUNTED, _READ),
    )


def _figure(result: RunResult, row: Row, name: str) -> str:
    entry = row.scores.get(name)
    if entry is None or entry.value is None:
        return "-"
    failed = f", {entry.failures} failed" if entry.failures else ""
    measure = result.measure(entry.measure)
    return f"{number(entry.value, measure)} {interval(result, entry)}{failed}".strip()


def _n(row: Row, name: str) -> str:
    entry = row.scores.get(name)
    return f"{entry.n:,}" if entry is not None else "0"

"""Both levels of STSS to read: what talks conveyed, what came of the tasks in the town."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolab.app.conclusions.levels import GOAL, AgentLevels, Levels, Row
from sociolab.core.score import Measure
from sociolab.report.schema import RunResult
from sociolab.report.section import Section, TextTable
from sociolab.report.words import agent_kind, cut_words, interval, nature, number
from sociolab.worlds.stss.talk.losses import OUTCOMES
from sociolab.worlds.stss.talk.measures import MEASURES

_COULD = (
    "could have taken part: all residents in the background, of an appointment the partner, of "
    "help the errands"
)
_ASKED = (
    "asked for: how many of them the goals want, half of the background for public and online "
    "activities, a third for companions; so not all who stayed away are a loss"
)
_CAUSES = (
    "no conversation: did not meet, that is, no conversation with the performer before the event "
    "was over; who only passed by, or heard of it from somebody else alone, counts here",
    "not conveyed: met, but not told all; not noted: told all, and kept not all of it; not acted "
    "on: kept all, and did not come; done: took part, told or not",
)
_INTERVALS = "± or [low, high]: 95 % intervals, clustered by task"


def levels_sections(found: Levels) -> tuple[Section, ...]:
    """A section for each agent and judge of its talks."""
    return tuple(_section(found, one) for one in found.agents)


def _section(found: Levels, one: AgentLevels) -> Section:
    return Section(
        title=f"Conversation vs. outcome (STSS): {one.agent} · judge: {one.judge}",
        said=tuple(_said(one)),
        cautions=tuple(_cautions(found, one)),
        tables=(
            _at_level(found, one, "Conversations", MEASURES[:2]),
            _at_level(found, one, "What listeners remember (summary level)", MEASURES[2:]),
            _town(found, one),
            *((_losses(found, one),) if one.read_by else ()),
        ),
    )


def _said(one: AgentLevels) -> Iterator[str]:
    whole = one.rows[-1]
    talk, goal = whole.scores.get("conversation_gcsr"), whole.scores.get(GOAL)
    if talk is not None and goal is not None and talk.value is not None and goal.value is not None:
        yield (
            f"Its talks convey {talk.value * 100:.0f} % of what must be conveyed; in the town its "
            f"tasks reach {goal.value * 100:.0f} % of their goals."
        )
    if whole.fates:
        done, unmet, untold, lost, idle = (whole.fates.get(outcome, 0) for outcome in OUTCOMES)
        yield (
            f"Of {sum(whole.fates.values())} who could have taken part {done} did; the goals ask "
            f"for {whole.wanted}. Of the others {unmet} never spoke to the performer, {untold} "
            f"were not told all, {lost} did not keep all that they were told, and {idle} did but "
            "did not act on it."
        )


def _cautions(found: Levels, one: AgentLevels) -> Iterator[str]:
    if agent_kind(found.talk, one.agent) == "rules, no model":
        yield (
            f"{one.agent} plays by rules: these figures are a baseline and say nothing of any "
            "language model."
        )
    yield from one.cautions
    if not one.read_by:
        yield (
            f"Where the tasks of {found.action.run} were lost cannot be told: only what scripted "
            f"players say to each other is on record. A model can read it: `sociolab judge "
            f"{found.action.run} --judge openai/MODEL`."
        )
    elif left_out := one.rows[-1].left_out:
        them = "1 episode" if left_out == 1 else f"{left_out} episodes"
        yield f"Of {them} of {found.action.run} it cannot be told where they were lost."


def _at_level(found: Levels, one: AgentLevels, what: str, measures: Sequence[Measure]) -> TextTable:
    """Measures of the talks, or of the notes of them: apart, since a note can be missing."""
    names = [measure.name for measure in measures]
    return TextTable(
        heading=f"{what} ({found.talk.run})",
        columns=("type", *(measure.title for measure in measures), "talks", "tasks"),
        rows=tuple(
            (
                row.type,
                *(_figure(found.talk, row, name) for name in names),
                _n(row, *names),
                _tasks(row, *names),
            )
            for row in one.rows
        ),
        notes=(nature(found.talk, one.judge), _intervals(one, names)),
    )


def _town(found: Levels, one: AgentLevels) -> TextTable:
    return TextTable(
        heading=f"Outcomes in the simulation ({found.action.run})",
        columns=("type", "goal", "tasks"),
        rows=tuple((row.type, _figure(found.action, row, GOAL), _n(row, GOAL)) for row in one.rows),
        notes=(_intervals(one, [GOAL]),),
    )


def _losses(found: Levels, one: AgentLevels) -> TextTable:
    return TextTable(
        heading=f"Why people did not attend ({found.action.run})",
        columns=("type", "could have taken part", "asked for", *OUTCOMES),
        rows=tuple(
            (
                row.type,
                str(sum(row.fates.values())),
                str(row.wanted),
                *(str(row.fates.get(outcome, 0)) for outcome in OUTCOMES),
            )
            for row in one.rows
        ),
        notes=(_COULD, _ASKED, *_CAUSES, f"what was conveyed and noted is as {one.read_by} has it"),
    )


def _figure(result: RunResult, row: Row, name: str) -> str:
    entry = row.scores.get(name)
    if entry is None or entry.value is None:
        return "-"
    failed = f", {entry.failures} failed" if entry.failures else ""
    measure = result.measure(entry.measure)
    return f"{number(entry.value, measure)} {interval(result, entry)}".strip() + failed


def _intervals(one: AgentLevels, names: list[str]) -> str:
    shown = [row.scores[name] for row in one.rows for name in names if name in row.scores]
    return _INTERVALS + cut_words(shown)


def _n(row: Row, *names: str) -> str:
    """Of how many plays there are figures; a judge need not give all measures of a level."""
    return f"{max((row.scores[name].n for name in names if name in row.scores), default=0):,}"


def _tasks(row: Row, *names: str) -> str:
    """On how many social tasks the figures rest: each has several talks."""
    counts = (row.scores[name].clusters for name in names if name in row.scores)
    return f"{max(counts, default=0):,}"

"""Simulated play beside human play on the same tasks, and how much easier a simulated partner is.

Simulators are more cooperative than people, which inflates what agents reach with them ("easy
mode": Zhou et al., arXiv 2603.11245). Their index rests on user ratings and behaviour codes of
another task; the number here is another one: what whoever sat opposite got, in points.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean
from typing import Any

from sociolab.analysis.people import (
    is_formula,
    people_in,
    people_scores,
    placed,
    scores_alike,
)
from sociolab.analysis.values import RunValues, Value, values_of
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import Declared
from sociolab.core.ports import Negotiation
from sociolab.core.score import Measure, Verdict, leading_judge
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.formatting import rounded
from sociolab.report.section import Section
from sociolab.report.words import join_names, stand_in_words
from sociolab.stats.beside import DRAWS, RESAMPLES, Placed, beside_people, difference, halves_floor
from sociolab.stats.intervals import Estimate, as_record, on_scale
from sociolab.store.store import Store
from sociolab.store.verdicts import JudgingRow

SAY = Catalogue("realism")

FEW = 10
"""Episodes of a cast below which the output says that they are few."""

Outcomes = Callable[[Episode, Sequence[Verdict]], Negotiation | None]
"""What was agreed in an episode, given the verdicts of one judge by formula or reader."""

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_POLITE = re.compile(
    r"\b(?:please|pls|thanks?|thank you|thx|sorry|apolog\w+|appreciate\w*|grateful|pardon|"
    r"excuse me|(?:could|would|may|might) (?:you|i|we)|you(?:['\u2019]re| are) welcome)\b",
    re.IGNORECASE,
)
PART = 3
"""Words in a group that may be repeated."""


@dataclass(frozen=True, slots=True)
class MeasuredDialogue:
    """What is measured of an episode, by name; without what cannot be told. Shares in percent."""

    trial: str
    task: str
    cluster: str
    cast: tuple[str, ...]
    measured: Mapping[str, float]
    untold: bool = False


def measure_dialogue(
    episode: Episode, declared: Declared, outcome: Negotiation | None
) -> MeasuredDialogue:
    """The measures of an episode; only words that are spoken count."""
    turns = [
        " ".join(
            action.text
            for action in move.actions
            if not declared.spoken or action.kind in declared.spoken
        )
        for move in episode.moves
    ]
    spoken = [(text, words) for text in turns if (words := _WORD.findall(text.lower()))]
    measured: dict[str, float] = {"turns": len(spoken)}
    if spoken:
        measured["words"] = fmean(len(words) for _, words in spoken)
        measured["polite"] = 100 * fmean(bool(_POLITE.search(text)) for text, _ in spoken)
    parts = Counter(chain.from_iterable(_parts(words) for _, words in spoken))
    if parts:
        measured["repeated"] = 100 * (1 - len(parts) / parts.total())
    if outcome is not None and outcome.agreed is not None:
        measured["deals"] = 100 * outcome.agreed
    if outcome is not None and outcome.walked is not None:
        measured["walked"] = 100 * outcome.walked
    if outcome is not None and outcome.concessions is not None:
        measured["concessions"] = outcome.concessions
    trial = episode.trial
    return MeasuredDialogue(
        trial.id,
        trial.task.id,
        trial.task.cluster,
        tuple(sorted({member.agent for member in trial.cast})),
        measured,
        outcome is not None and outcome.agreed is None,
    )


def _parts(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(PART)), strict=False)


_MEASURES = ("turns", "words", "concessions", "deals", "walked", "polite", "repeated")
_WIDTHS = dict.fromkeys(("deals", "walked", "polite", "repeated"), 100.0)


@dataclass(frozen=True, slots=True)
class RealismRow:
    """One measure: its mean in simulated play and in people's, the gap, and that of halves."""

    measure: str
    simulated: float
    people: float
    gap: Estimate
    halves: tuple[float, float] | None

    @property
    def is_outside(self) -> bool:
        """Whether the whole interval of the gap lies outside that of people's halves."""
        low, high = self.gap.low, self.gap.high
        if self.halves is None or low is None or high is None:
            return False
        return high < self.halves[0] or low > self.halves[1]


@dataclass(frozen=True, slots=True)
class Ease:
    """The points of an agent opposite a simulated partner, less those opposite people.

    `same`: of the same agent opposite people; otherwise of people opposite people.
    """

    partner: str
    agent: str
    measure: Measure
    row: RealismRow
    same: bool


@dataclass(frozen=True, slots=True)
class Realism:
    """The play of one cast of a run (agents by label) beside that of people."""

    run: str
    people: str
    cast: tuple[str, ...]
    simulated: tuple[MeasuredDialogue, ...]
    human: tuple[MeasuredDialogue, ...]
    rows: tuple[RealismRow, ...]
    ease: tuple[Ease, ...]
    by_rules: tuple[str, ...]
    served: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """All of it as a JSON object."""
        ease = [
            {"partner": one.partner, "agent": one.agent, "measure": one.measure.name,
             "same_agent": one.same, **as_record(one.row)}
            for one in self.ease
        ]  # fmt: skip
        return {
            "run": self.run,
            "people": self.people,
            "cast": list(self.cast),
            "episodes": len(self.simulated),
            "dialogues": len(self.human),
            "untold": sum(one.untold for one in self.simulated),
            "measures": rounded([as_record(row) for row in self.rows]),
            "ease": rounded(ease),
            "by_rules": list(self.by_rules),
        }


def realism(store: Store, run: str, people: str, outcome_of: Outcomes) -> tuple[Realism, ...]:
    """Each cast of a run beside the people of another, on the tasks that both played.

    `outcome_of` says what was agreed in an episode. ConfigError as in `people_in`, and where no
    simulated episode is on a task that a person played.
    """
    reference = people_in(store, run, people)
    values = values_of(store, run)
    persons = {label for label, who in reference.agents.items() if who.kind == "person"}
    played = [
        one for one in _measured(store, people, outcome_of) if not persons.isdisjoint(one.cast)
    ]
    human = [one for one in played if persons.issuperset(one.cast)]
    tasks = {one.task for one in played}
    by_cast: dict[tuple[str, ...], list[MeasuredDialogue]] = {}
    for one in _measured(store, run, outcome_of):
        if one.task in tasks and any(values.agents[who].kind != "person" for who in one.cast):
            by_cast.setdefault(one.cast, []).append(one)
    if not by_cast:
        raise ConfigError(
            f"--people: expected an episode of {run} with agents on a task that people have played "
            f"in {people}, found none; play it to its end: sociolab list episodes --run {run}"
        )
    return tuple(
        Realism(
            run,
            people,
            cast,
            tuple(simulated),
            tuple(human),
            tuple(_measure_rows(simulated, human)),
            tuple(_ease(values, reference, {one.trial for one in simulated})),
            tuple(agent for agent in cast if values.agents[agent].kind == "rules"),
            tuple(stand_in_words(store.run(run).settings)),
        )
        for cast, simulated in by_cast.items()
    )


def _measured(store: Store, run: str, outcome_of: Outcomes) -> Iterator[MeasuredDialogue]:
    declared = store.run(run).declared
    by_trial = dict[str, dict[str, JudgingRow]]()
    for row in store.verdicts.judgings(run):
        if row.trial is not None and is_formula(row.judge) and row.verdicts:
            by_trial.setdefault(row.trial, {})[row.judge.label] = row
    for episode in store.episodes(run):
        rows = by_trial.get(episode.trial.id, {})
        leading = leading_judge({label: row.judge for label, row in rows.items()})
        verdicts = rows[leading].verdicts if leading else ()
        yield measure_dialogue(episode, declared, outcome_of(episode, verdicts))


def _measure_rows(
    simulated: Iterable[MeasuredDialogue], human: Iterable[MeasuredDialogue]
) -> Iterator[RealismRow]:
    for name in _MEASURES:
        own, others = (
            [
                Placed((one.task, None), one.cluster, one.trial, one.measured[name])
                for one in some
                if name in one.measured
            ]
            for some in (simulated, human)
        )
        if (row := _row(name, own, others, _WIDTHS.get(name, math.inf))) is not None:
            yield row


def _row(
    name: str, own: Sequence[Placed], others: Sequence[Placed], width: float = math.inf
) -> RealismRow | None:
    """The measure, whose scale is so wide, beside people in the same places; None where these have
    no value of both."""
    places = {row.place for row in own} & {row.place for row in others}
    held = [row for row in own if row.place in places]
    met = [row for row in others if row.place in places]
    gap = on_scale(beside_people(held, met, difference), -width, width)
    if gap.value is None:
        return None
    simulated = fmean(row.value for row in held)
    return RealismRow(name, simulated, simulated - gap.value, gap, halves_floor(met, difference))


# ------------------------------------------------------------------ easy mode


def _ease(values: RunValues, reference: RunValues, trials: set[str]) -> Iterator[Ease]:
    """How easy each simulated partner of these trials is, by the first main metric that it and
    people were scored in alike."""
    for name in values.declared.main:
        alike = {
            label: judge
            for label, judge in values.judges.items()
            if people_scores(reference, name, judge)
        }
        scored = [
            v
            for v in values.values
            if (v.measure, v.judge) == (name, leading_judge(alike))
            if v.trial in trials and v.value is not None and v.agent and v.partner
        ]
        if scored:
            judge = values.judges[scored[0].judge]
            opposite_people = [
                v
                for v in scores_alike(reference, name, judge)
                if v.partner and reference.agents[v.partner].kind == "person"
            ]
            yield from _ease_by_pair(scored, values, reference, opposite_people)
            return


def _ease_by_pair(
    scored: Sequence[Value],
    values: RunValues,
    reference: RunValues,
    opposite_people: Sequence[Value],
) -> Iterator[Ease]:
    for agent, partner in dict.fromkeys((str(v.agent), str(v.partner)) for v in scored):
        if values.agents[partner].kind == "person":
            continue
        own = [v for v in scored if (v.agent, v.partner) == (agent, partner)]
        same = [v for v in opposite_people if v.agent == agent]
        persons = [v for v in opposite_people if reference.agents[str(v.agent)].kind == "person"]
        measure = values.measures[own[0].measure]
        width = measure.high - measure.low
        row = _row(measure.name, placed(own), placed(same or persons), width)
        if row is not None:
            yield Ease(partner, agent, measure, row, bool(same))


# ------------------------------------------------------------------ sentences and tables


def realism_section(found: Realism) -> Section:
    """Which measures are further from people than people are, how easy the partner is, and both as
    tables."""
    outside = [SAY(row.measure) for row in found.rows if row.is_outside]
    cast = join_names(found.cast)
    verdict = SAY("outside", measures=outside) if outside else SAY("inside")
    if not found.rows:
        verdict = SAY("no_people", people=found.people)
    ease = [_ease_sentence(one) for one in found.ease] or [SAY("no_ease", cast=cast)]
    tables = (
        *((_measures_table(found, cast),) if found.rows else ()),
        *((_ease_table(found),) if found.ease else ()),
    )
    title = SAY("title", run=found.run, cast=cast, people=found.people)
    return Section(title, (*ease, verdict), tuple(_cautions(found)), tables)


def _ease_sentence(one: Ease) -> Sentence:
    return SAY(
        "ease_same" if one.same else "ease",
        partner=one.partner,
        agent=one.agent,
        gap=one.row.gap,
        most=one.measure.high,
        metric=one.measure,
    )


def _cautions(found: Realism) -> Iterator[str]:
    yield from found.served
    for agent in found.by_rules:
        yield SAY("rules", agent=agent)
    episodes = Count("episode", len(found.simulated))
    if found.rows and not {"deals", "concessions"} & {row.measure for row in found.rows}:
        yield SAY("unread")
    if untold := sum(one.untold for one in found.simulated):
        yield SAY("untold", n=untold, episodes=episodes)
    if episodes.n < FEW:
        tasks = Count("task", len({one.task for one in found.simulated}))
        yield SAY("little", episodes=episodes, tasks=tasks)


def _measures_table(found: Realism, cast: str) -> FindingTable:
    findings = [
        Finding(
            None,
            {"measure": SAY(row.measure)},
            row.gap,
            more={"simulated": row.simulated, "people": row.people, "halves": row.halves},
        )
        for row in found.rows
    ]
    return SAY.table(
        "measures",
        findings,
        cast=cast,
        episodes=Count("episode", len(found.simulated)),
        dialogues=Count("dialogue", len(found.human)),
        draws=DRAWS,
        resamples=RESAMPLES,
    )


def _ease_table(found: Realism) -> FindingTable:
    findings = [
        Finding(
            one.measure,
            {"partner": one.partner, "agent": one.agent},
            one.row.gap,
            (Count("score", one.row.gap.n),),
            more={
                "score": one.row.simulated,
                "people": one.row.people,
                "halves": one.row.halves,
            },
        )
        for one in found.ease
    ]
    return SAY.table("ease", findings, metric=found.ease[0].measure, people=found.people)

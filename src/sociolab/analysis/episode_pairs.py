"""The matched episodes behind a comparison, pair by pair: where an agent scored lower, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from sociolab.analysis.agent_labels import AS_LABELLED, AgentNames
from sociolab.analysis.comparison import ALIKE, ComparedAgents, ComparedMetric, EpisodePair
from sociolab.analysis.credit import add_credit
from sociolab.analysis.values import Value
from sociolab.core.score import Measure
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.formatting import figure, rounded
from sociolab.report.html import FoldedPair, PairRow, PairTable, pairs_body
from sociolab.report.section import Section, noted
from sociolab.report.transcript_views import (
    EpisodeSide,
    TranscriptOf,
    TranscriptView,
    transcript_view,
)
from sociolab.store.connect import store_path
from sociolab.store.store import Store

SAY = Catalogue("episode_pairs")
_ID = 8
"""Characters of an episode's id in a table: `show` takes the beginning of one."""

Reasons: TypeAlias = Mapping[tuple[str, str, str, str | None], str]
"""Why a judge gave a value: by run, trial, metric and seat (None: the whole episode)."""

COLUMNS = (
    "measure", "judge", "method", "task", "seat", "partner", "repeat", "run_a", "episode_a",
    "run_b", "episode_b", "value_a", "value_b", "difference", "reason_a", "reason_b",
)  # fmt: skip
"""Of the file that `compare --pairs` writes, as in docs/compare.md."""


@dataclass(frozen=True, slots=True)
class Furthest:
    """The pairs of one metric that differ most, of so many that have both values."""

    measure: str
    pairs: tuple[EpisodePair, ...]
    differ: int
    of: int


def episode_pairs(
    comparison: ComparedAgents, reasons: Reasons
) -> dict[str, tuple[EpisodePair, ...]]:
    """All matched plays by metric, those that differ most first, those with a value missing last.

    Pairs that differ by as much stand by task, seat, partner and repeat.
    """
    return {
        name: tuple(
            sorted((_with_reasons(pair, reasons) for pair in comparison.pairs(name)), key=_order)
        )
        for name in comparison.metrics
    }


def _with_reasons(pair: EpisodePair, reasons: Reasons) -> EpisodePair:
    why_a, why_b = (
        reasons.get((value.run, value.trial, pair.measure, value.seat), "")
        for value in (pair.a, pair.b)
    )
    return replace(pair, why_a=why_a, why_b=why_b)


def _order(pair: EpisodePair) -> tuple[bool, float, str]:
    gap = pair.difference
    return gap is None, -round(abs(gap or 0.0), 9), repr(pair.key)


def differing(comparison: ComparedAgents) -> tuple[str, ...]:
    """The metrics with a difference to look into: Holm's p below 0.05, or an interval without 0.

    Where there is none, the world's main metric (`ComparedAgents.main`).
    """
    names = tuple(name for name, metric in comparison.metrics.items() if _differs(metric))
    return names or (comparison.main.measure.name,)


def _differs(metric: ComparedMetric) -> bool:
    return metric.is_significant or bool(metric.excludes_zero)


def furthest(
    pairs: Mapping[str, Sequence[EpisodePair]], measures: Sequence[str], most: int
) -> tuple[Furthest, ...]:
    """Of each of these metrics the `most` pairs that differ most; equal pairs are none of them."""
    rows = []
    for name in measures:
        compared = [pair for pair in pairs[name] if pair.difference is not None]
        unlike = [pair for pair in compared if abs(pair.difference or 0.0) > ALIKE]
        rows.append(Furthest(name, tuple(unlike[:most]), len(unlike), len(compared)))
    return tuple(rows)


def pairs_section(
    comparison: ComparedAgents, furthest_: Sequence[Furthest], where: str, *, every: bool
) -> Section:
    """The pairs as text. `where` is what `sociolab show ID ID` needs besides, such as a store;
    `every`: these are all metrics, so that nothing is said of others."""
    even = [comparison.measures[group.measure] for group in furthest_ if not group.differ]
    notes = [SAY("sides", a=comparison.a.name, b=comparison.b.name)]
    if even:
        notes.append(SAY("none_differs", metrics=even))
    rest = len(comparison.metrics) - len(furthest_)
    if rest and not every:
        metrics = [comparison.metrics[group.measure] for group in furthest_]
        if any(map(_differs, metrics)):
            notes.append(SAY("others", others=Count("metric", rest)))
        else:
            notes.append(SAY("instead", metrics=[m.measure for m in metrics], others=rest))
    tables = tuple(_table(comparison, group, where) for group in furthest_ if group.pairs)
    return noted(Section(SAY("title"), tuple(notes), tables=tables), comparison.exams.below)


def heading(comparison: ComparedAgents, group: Furthest) -> Sentence:
    """The heading of a metric's pairs: how many, and by which judge."""
    return SAY(
        "heading",
        metric=comparison.measures[group.measure],
        shown=len(group.pairs),
        pairs=Count("pair", group.differ),
        all=group.of,
        judge=comparison.judge,
    )


def hint(pair: EpisodePair, where: str) -> str:
    """The command that shows the two episodes side by side."""
    runs = dict.fromkeys((pair.a.run, pair.b.run))
    named = " ".join(f"--run {run}" for run in runs)
    return f"sociolab show {_short(pair.a.trial)} {_short(pair.b.trial)} {named}{where}"


def _table(comparison: ComparedAgents, group: Furthest, where: str) -> FindingTable:
    seats = ("seat",) if any(pair.key.seat for pair in group.pairs) else ()
    return SAY.table(
        "pairs",
        [_finding(comparison.measures[group.measure], pair) for pair in group.pairs],
        columns=("task", *seats, "a", "b", "difference", "episode_a", "episode_b"),
        notes=[SAY("side_by_side", command=hint(group.pairs[0], where))],
        heading=heading(comparison, group),
    )


def _finding(measure: Measure, pair: EpisodePair) -> Finding:
    return Finding(
        measure,
        {
            "task": pair.key.task,
            "seat": pair.key.seat or "",
            "episode_a": _short(pair.a.trial),
            "episode_b": _short(pair.b.trial),
        },
        more={"a": pair.a.value, "b": pair.b.value, "gap": pair.difference},
    )


def _short(trial: str) -> str:
    """The first 8 characters of an id that is a hash; other ids are not cut."""
    hashed = len(trial) == 16 and set(trial) <= set("0123456789abcdef")
    return trial[:_ID] if hashed else trial


def pairs_document(
    comparison: ComparedAgents, furthest_: Sequence[Furthest]
) -> list[dict[str, object]]:
    """The pairs that are shown as JSON objects, by measure: see docs/compare.md."""
    return [
        {
            "measure": group.measure,
            "judge": comparison.judge,
            "pairs": group.of,
            "differ": group.differ,
            "shown": [_pair_document(pair) for pair in group.pairs],
        }
        for group in furthest_
    ]


def _pair_document(pair: EpisodePair) -> dict[str, object]:
    def side(value: Value, why: str) -> dict[str, object]:
        return {"run": value.run, "episode": value.trial, "value": value.value, "reason": why}

    key = pair.key
    return {
        "task": key.task,
        "seat": key.seat,
        "partner": key.partner,
        "repeat": key.repeat,
        "a": side(pair.a, pair.why_a),
        "b": side(pair.b, pair.why_b),
        "difference": pair.difference,
    }


@dataclass(frozen=True, slots=True)
class ComparedPairs:
    """All pairs of a comparison, by metric, and those that are shown."""

    comparison: ComparedAgents
    pairs: Mapping[str, tuple[EpisodePair, ...]]
    furthest: tuple[Furthest, ...]
    section: Section

    def next_pair(self) -> Iterator[tuple[str, ...]]:
        """The command that shows the pair that differs most, where one does."""
        pair = next((pair for group in self.furthest for pair in group.pairs), None)
        if pair is not None:
            yield tuple(hint(pair, "").split()[1:])

    def document(self) -> list[dict[str, Any]]:
        """The pairs that are shown, as JSON objects."""
        return [*rounded(pairs_document(self.comparison, self.furthest))]


def compared_pairs(
    store: Store, comparison: ComparedAgents, most: int, *, every: bool
) -> ComparedPairs:
    """The pairs of each metric that differs, or of `every` one; the `most` unlike are shown."""
    reasons = _reasons(store, comparison)
    pairs = episode_pairs(comparison, reasons)
    measures = tuple(comparison.metrics) if every else differing(comparison)
    selected = furthest(pairs, measures, most)
    return ComparedPairs(
        comparison, pairs, selected, pairs_section(comparison, selected, _where(store), every=every)
    )


def with_episodes(
    store: Store, pairs: ComparedPairs, transcript_of: TranscriptOf, names: AgentNames = AS_LABELLED
) -> Section:
    """The section for a page: tables that lead to both episodes of each pair, side by side;
    `names`: what agents and judges are called."""
    comparison = pairs.comparison
    folded = _Folded(store, comparison, transcript_of, names)
    tables = [
        PairTable(
            heading(comparison, group),
            tuple(_row(comparison, pair, folded) for pair in group.pairs),
        )
        for group in pairs.furthest
        if group.pairs
    ]
    return replace(pairs.section, body=pairs_body(tables, folded.pairs))


def pairs_rows(compared: ComparedPairs) -> Iterator[tuple[str | float | None, ...]]:
    """All pairs of all metrics, with a value for each of `COLUMNS`."""
    about = compared.comparison
    for pairs in compared.pairs.values():
        for pair in pairs:
            key, a, b = pair.key, pair.a, pair.b
            yield (
                pair.measure, about.judge, about.judge_id.method, key.task, key.seat, key.partner,
                key.repeat, a.run, a.trial, b.run, b.trial, a.value, b.value, pair.difference,
                pair.why_a, pair.why_b,
            )  # fmt: skip


class _Folded:
    """The pairs of episodes that tables lead to, each once: metrics share many."""

    def __init__(
        self,
        store: Store,
        comparison: ComparedAgents,
        transcript_of: TranscriptOf,
        names: AgentNames,
    ) -> None:
        self._store, self._comparison, self._transcript_of = store, comparison, transcript_of
        self._names = names
        self._folded: dict[tuple[str, str], FoldedPair] = {}

    @property
    def pairs(self) -> tuple[FoldedPair, ...]:
        """The folded pairs, in the order of their first anchors."""
        return tuple(self._folded.values())

    def anchor(self, pair: EpisodePair) -> str:
        """The page's anchor of two episodes, which are folded in on first use."""
        key = pair.a.trial, pair.b.trial
        if key not in self._folded:
            sides = tuple(
                EpisodeSide(f"{letter}: {side.name}", self._view(value.run, value.trial))
                for letter, side, value in zip(
                    "AB", (self._comparison.a, self._comparison.b), (pair.a, pair.b), strict=True
                )
            )
            place = f"pair-{len(self._folded) + 1}"
            title = sides[0].view.title
            self._folded[key] = FoldedPair(place, title, hint(pair, _where(self._store)), sides)
        return self._folded[key].anchor

    def _view(self, run: str, trial: str) -> TranscriptView:
        """An episode's transcript with its scores and credit."""
        episode = self._store.episode(run, trial)
        transcript_of = add_credit(self._store, run, self._transcript_of, self._names.judge)
        judgings = self._store.verdicts.judgings(run, trial=trial)
        return self._names.view(run, transcript_view(episode, transcript_of(episode), judgings))


def _row(comparison: ComparedAgents, pair: EpisodePair, folded: _Folded) -> PairRow:
    measure = comparison.measures[pair.measure]
    return PairRow(
        pair.key.task,
        pair.key.seat or "",
        figure(pair.a.value, measure),
        figure(pair.b.value, measure),
        figure(pair.difference, measure),
        pair.why_a,
        pair.why_b,
        folded.anchor(pair),
    )


def _reasons(store: Store, comparison: ComparedAgents) -> Reasons:
    """What the judge wrote of each value; of several judgings all that differ."""
    written: dict[tuple[str, str, str, str | None], dict[str, None]] = {}
    for run in dict.fromkeys((comparison.a.run, comparison.b.run)):
        for row in store.verdicts.scores(run, comparison.judge_id):
            if row.trial is not None and row.kind != "failure":
                reason = row.rated_by.sign(row.text) if row.rated_by else row.text
                key = run, row.trial, row.measure.name, row.seat
                written.setdefault(key, {})[reason.strip()] = None
    return {key: " / ".join(filter(None, some)) for key, some in written.items()}


def _where(store: Store) -> str:
    """What a command needs to find the store, where it is not the usual one."""
    return "" if store.path == store_path(None) else f" --store {store.path}"

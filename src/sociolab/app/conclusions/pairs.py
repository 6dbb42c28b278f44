"""From a comparison to the episodes behind it: shown, as links of a page, and as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sociolab.analysis.compare import Compared, EpisodePair
from sociolab.analysis.credit import credit_of, with_credit
from sociolab.analysis.episode_pairs import (
    Furthest,
    Reasons,
    differing,
    episode_pairs,
    furthest,
    heading,
    hint,
    pairs_document,
    pairs_section,
)
from sociolab.analysis.figures import figure, rounded
from sociolab.app.transcripts import told
from sociolab.app.user_files import free_file, write_new
from sociolab.report.export import csv_text
from sociolab.report.html import FoldedPair, PairRow, PairTable, pairs_body
from sociolab.report.section import Section
from sociolab.report.transcript_view import EpisodeSide, TranscriptView, transcript_view
from sociolab.store.connect import store_path
from sociolab.store.store import Store

COLUMNS = (
    "measure", "judge", "method", "task", "seat", "partner", "repeat", "run_a", "episode_a",
    "run_b", "episode_b", "value_a", "value_b", "difference", "reason_a", "reason_b",
)  # fmt: skip
"""Of the file that `write_pairs` makes, as in docs/compare.md."""


@dataclass(frozen=True, slots=True)
class ComparedPairs:
    """All pairs of a comparison, by measure, and those that are shown."""

    found: Compared
    pairs: Mapping[str, tuple[EpisodePair, ...]]
    furthest: tuple[Furthest, ...]
    section: Section

    def document(self) -> list[dict[str, Any]]:
        """The pairs that are shown, as JSON objects."""
        return [*rounded(pairs_document(self.found, self.furthest))]


def compared_pairs(store: Store, found: Compared, most: int, *, every: bool) -> ComparedPairs:
    """The pairs of each measure that differs, or of `every` one; the `most` unlike are shown."""
    reasons = _reasons(store, found)
    pairs = episode_pairs(found, reasons)
    measures = tuple(found.measures) if every else differing(found)
    shown_ = furthest(pairs, measures, most)
    return ComparedPairs(
        found, pairs, shown_, pairs_section(found, shown_, _where(store), every=every)
    )


def with_episodes(store: Store, pairs: ComparedPairs) -> Section:
    """The section for a page: tables that lead to both episodes of each pair, side by side."""
    found, folded = pairs.found, _Folded(store, pairs.found, _where(store))
    tables = [
        PairTable(heading(found, one), tuple(_row(found, pair, folded) for pair in one.shown))
        for one in pairs.furthest
        if one.shown
    ]
    return replace(pairs.section, body=pairs_body(tables, folded.pairs))


def write_pairs(found: ComparedPairs, path: Path) -> int:
    """Write all pairs of all measures as CSV, all or nothing; how many rows there are.

    ConfigError where the file is there already or cannot be written.
    """
    rows = [row for pairs in found.pairs.values() for row in _csv_rows(found.found, pairs)]
    write_new(path, "--pairs", csv_text(COLUMNS, rows))
    return len(rows)


def check_pairs_file(path: Path) -> None:
    """ConfigError where `write_pairs` could not write here: before anything is worked out."""
    free_file(path, "--pairs")


def _csv_rows(
    found: Compared, pairs: Sequence[EpisodePair]
) -> Iterator[tuple[str | float | None, ...]]:
    for pair in pairs:
        key, a, b = pair.key, pair.a, pair.b
        yield (
            pair.measure, found.judge, found.judge_id.method, key.task, key.seat, key.partner,
            key.repeat, a.run, a.trial, b.run, b.trial, a.value, b.value, pair.difference,
            pair.why_a, pair.why_b,
        )  # fmt: skip


class _Folded:
    """The pairs of episodes that tables lead to, each once: measures share many."""

    def __init__(self, store: Store, found: Compared, where: str) -> None:
        self._store, self._found, self._where = store, found, where
        self._made: dict[tuple[str, str], FoldedPair] = {}

    @property
    def pairs(self) -> tuple[FoldedPair, ...]:
        """In the order in which they were first led to."""
        return tuple(self._made.values())

    def anchor(self, pair: EpisodePair) -> str:
        """Where the page shows the two episodes."""
        key = pair.a.trial, pair.b.trial
        if key not in self._made:
            sides = tuple(
                EpisodeSide(f"{letter}: {side.name}", shown_of(self._store, value.run, value.trial))
                for letter, side, value in zip(
                    "AB", (self._found.a, self._found.b), (pair.a, pair.b), strict=True
                )
            )
            place = f"pair-{len(self._made) + 1}"
            title = sides[0].shown.title
            self._made[key] = FoldedPair(place, title, hint(pair, self._where), sides)
        return self._made[key].anchor


def shown_of(store: Store, run: str, trial: str) -> TranscriptView:
    """An episode to read, with what judges said of it."""
    episode = store.episode(run, trial)
    transcript = with_credit(told(episode), credit_of(store, run, trial))
    return transcript_view(episode, transcript, store.verdicts.judgings(run, trial=trial))


def _row(found: Compared, pair: EpisodePair, folded: _Folded) -> PairRow:
    measure = found.measures[pair.measure]
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


def _reasons(store: Store, found: Compared) -> Reasons:
    """What the judge wrote of each value; of several judgings all that differ."""
    given: dict[tuple[str, str, str, str | None], dict[str, None]] = {}
    for run in dict.fromkeys((found.a.run, found.b.run)):
        for one in store.verdicts.reasons(run, found.judge_id):
            key = run, one.trial, one.measure, one.seat or None
            given.setdefault(key, {})[one.reason.strip()] = None
    return {key: " / ".join(filter(None, some)) for key, some in given.items()}


def _where(store: Store) -> str:
    """What a command needs to find the store, where it is not the usual one."""
    return "" if store.path == store_path(None) else f" --store {store.path}"

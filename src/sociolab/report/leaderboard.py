"""Rankings of agents that are comparable: same data and tasks, same judge, same partners.
Rule-based players are listed beside a ranking, and scores of a heuristic judge rank nobody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sociolab.core.metrics import UNDECLARED, Better, Declared
from sociolab.core.score import BASELINES, JudgeId, Method, judge_title
from sociolab.report.catalogue import Catalogue, Column
from sociolab.report.exam import ExamNotes, exam_notes
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.html import pages
from sociolab.report.schema import JudgeEntry, MeasureEntry, RunResult, ScoreEntry
from sociolab.report.score_tables import (
    finding_of,
    judges_of,
    little_established,
    main_measure,
    value_text,
)
from sociolab.report.section import Section
from sociolab.report.words import (
    agent_kind,
    by_rules,
    covered,
    failed_turns,
    headed,
    instructions_notes,
    interval_words,
    legend,
    metric_of,
    nature,
    sanitize,
    stand_in_words,
)
from sociolab.store.store import world_settings_in

SAY = Catalogue("leaderboard")
ALPHA = 0.05
"""Corrected p below which two neighbours differ."""
_ORDER: tuple[Method, ...] = (
    "people", "model", "formula", "reported", "rules", "heuristic", "scripted",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RankingTerms:
    """What two runs must have in common for their agents to be ranked together; `met` says which
    partners the agents met."""

    world: str
    data: str
    tasks: str
    met: str
    judge: str
    judge_id: JudgeId
    measure: str
    declared: Declared = field(default=UNDECLARED, compare=False)

    @property
    def better(self) -> Better:
        return self.declared.metric(self.measure).better


@dataclass(frozen=True, slots=True)
class NeighbourTest:
    """The paired comparison of an agent with the one ranked above it.

    `difference` is the mean difference (above minus below) over `pairs`, None without pairs; `p` is
    corrected over the neighbours of the board, and None also where no cluster differs. `undecided`:
    missing scores could reverse the order. `by_scenario`: means of scenarios were compared, since
    too few episodes of the two match by task.
    """

    pairs: int
    difference: float | None
    p: float | None
    undecided: bool = False
    better: Better = "higher"
    by_scenario: bool = False

    @property
    def conclusion(self) -> Sentence:
        """The conclusion as a sentence."""
        if self.undecided:
            return SAY("undecided")
        if not self.pairs or self.difference is None:
            return SAY("nothing_common")
        if self.p is None:
            return SAY("no_difference")
        p: str = "p <0.001" if self.p < 0.001 else f"p {self.p:.3f}"
        if self.by_scenario:
            p = SAY("by_scenario", p=p)
        if self.p >= ALPHA:
            return SAY("not_significant", p=p)
        worse = self.difference < 0 if self.better == "lower" else self.difference > 0
        direction = "lower" if self.difference > 0 else "higher"
        return SAY("differs" if worse else "differs_on_common", direction=direction, p=p)


@dataclass(frozen=True, slots=True)
class BoardRow:
    """An agent of a run on a board.

    `rank` is None if it is not ranked, `kind` the agent's kind in words. `lost` is its share of
    failed turns, such as "13 % (24 of 192)", or "". `covered` holds coverage and bounds of its mean
    (`words.covered`). `step` compares it with the row above; None for the first, and where no test
    was made.
    """

    rank: int | None
    agent: str
    kind: str
    run: str
    seed: int | None
    entry: ScoreEntry
    value: str
    played: str
    lost: str
    covered: Mapping[str, str]
    of: Finding
    by_rules: bool = False
    step: NeighbourTest | None = None

    @property
    def finding(self) -> Finding:
        """The row as a finding."""
        step = self.step
        more = {"rank": self.rank or "", "lost": self.lost, "step": step.conclusion if step else ""}
        about = {**self.of.about, "run": self.run, "kind": self.kind}
        p = step.p if step else None
        return replace(self.of, about=about, adjusted_p=p, more={**self.of.more, **more})


@dataclass(frozen=True, slots=True)
class Board:
    """A ranking, best first, with the rule-based players beside it."""

    terms: RankingTerms
    title: str
    places: tuple[BoardRow, ...]
    baselines: tuple[BoardRow, ...]
    notes: tuple[str, ...]
    tip: str = ""
    exams: ExamNotes = field(default_factory=ExamNotes)

    @property
    def better(self) -> Better:
        """Which end of the metric is better; where neither is, the highest is first."""
        return self.terms.better

    @property
    def ranked(self) -> bool:
        """Whether scores of this judge may rank agents; those of a baseline judge may not."""
        return self.terms.judge_id.method not in BASELINES

    @property
    def established(self) -> bool:
        """Whether the means of all agents are established (`ScoreEntry.established`)."""
        return all(place.entry.established for place in (*self.places, *self.baselines))

    @property
    def stepped(self) -> bool:
        """Whether any row was compared with the one above it."""
        return any(place.step is not None for place in (*self.places, *self.baselines))

    @property
    def any_lost(self) -> bool:
        return any(place.lost for place in (*self.places, *self.baselines))

    @property
    def coverage_columns(self) -> tuple[str, ...]:
        """The keys of `BoardRow.covered` to show; none where everything could be scored."""
        every = (*self.places, *self.baselines)
        return ("coverage", "bounds") if any(place.entry.unscored for place in every) else ()


def make_boards(results: Sequence[RunResult]) -> tuple[Board, ...]:
    """The boards of these runs by their main metrics, sorted by world, then by kind of judge.

    Partners are on no board, and smoke tests are left out. A board whose metric is not established
    for all agents is followed by one of the judge's first metric that is, if there is one.
    """
    rows_by_terms: dict[RankingTerms, list[tuple[RunResult, ScoreEntry]]] = {}
    for result in (run for run in results if not run.smoke):
        for terms, entry in _ranked_entries(result):
            rows_by_terms.setdefault(terms, []).append((result, entry))
    for terms, rows in [*rows_by_terms.items()]:
        if instead := _established_instead(terms, rows):
            rows_by_terms.setdefault(instead[0], []).extend(instead[1])
    all_boards = [_board(terms, rows) for terms, rows in rows_by_terms.items()]
    worlds = list(dict.fromkeys(board.terms.world for board in all_boards))

    def place(board: Board) -> tuple[int, bool, int]:
        method = _ORDER.index(board.terms.judge_id.method)
        return worlds.index(board.terms.world), not board.established, method

    return tuple(sorted(all_boards, key=place))


def _established_instead(
    terms: RankingTerms, rows: Sequence[tuple[RunResult, ScoreEntry]]
) -> tuple[RankingTerms, list[tuple[RunResult, ScoreEntry]]] | None:
    """If a board's metric is not established for all agents: the same agents by the judge's first
    metric that is; None if there is none, or no need."""
    if all(entry.established for _, entry in rows):
        return None
    candidates = [
        (result, other)
        for result, entry in rows
        for other in result.scores
        if (other.judge, other.agent, other.by) == (entry.judge, entry.agent, {})
    ]
    entries = [entry for _, entry in candidates]
    for measure in main_measure(rows[0][0], entries):
        its_rows = [row for row in candidates if row[1].measure == measure.measure]
        if all(entry.established for _, entry in its_rows) and len(its_rows) == len(rows):
            return replace(terms, measure=measure.measure), its_rows
    return None


def boards_section(all_boards: Sequence[Board]) -> Section:
    failed = dict.fromkeys(warning for board in all_boards for warning in board.exams.failed)
    return Section(
        title=SAY("title"),
        cautions=(SAY("alike"), SAY("neighbours")),
        tables=tuple(_text_table(board) for board in all_boards),
        warnings=tuple(failed),
    )


def index(
    results: Sequence[RunResult],
    links: Mapping[str, str],
    boards: Sequence[Board],
    towns: Mapping[str, Sequence[tuple[str, str]]],
) -> str:
    """The first page of a site as HTML.

    `links` holds the relative address of each run's page by name, `boards` the rankings of these
    results, and `towns` titles and addresses of replays by run.
    """
    worlds: dict[str, list[Board]] = {}
    for board in boards:
        worlds.setdefault(board.terms.world, []).append(board)
    text = (
        pages()
        .get_template("site.html")
        .render(
            title="Social intelligence of language agents",
            worlds=list(worlds.items()),
            results=results,
            links=links,
            towns=towns,
            alike=SAY("alike"),
            neighbours=SAY("neighbours"),
            version=results[0].versions["sociolab"],
        )
    )
    return sanitize(text)


def undecided(above: ScoreEntry, below: ScoreEntry, better: Better = "higher") -> bool:
    """Whether missing scores could reverse the order of two agents."""
    if not above.unscored + below.unscored:
        return False
    if above.bounds is None or below.bounds is None:
        return True
    if better == "lower":
        above, below = below, above
    assert above.bounds is not None and below.bounds is not None  # noqa: PT018
    return above.bounds[0] < below.bounds[1]


def _ranked_entries(result: RunResult) -> Iterable[tuple[RankingTerms, ScoreEntry]]:
    judges_by_label = {judge.judge: judge for judge in result.judges}
    for judge in judges_of(result):
        entries = [
            entry
            for entry in result.scores
            if entry.judge == judge and entry.agent not in (None, result.partner) and not entry.by
        ]
        for measure in _ranking_measure(result, entries):
            terms = _terms(result, judges_by_label[judge], measure.measure)
            yield from ((terms, entry) for entry in entries if entry.measure == measure.measure)


def _ranking_measure(result: RunResult, entries: Sequence[ScoreEntry]) -> tuple[MeasureEntry, ...]:
    """The metric that ranks these entries: the world's main one even if all its values are missing,
    so that an agent that failed everywhere is not ranked by another metric."""
    for name in result.declared.main:
        if any(entry.measure == name and entry.n + entry.failures for entry in entries):
            return (result.measure(name),)
    return main_measure(result, entries)


def _terms(result: RunResult, judge: JudgeEntry, measure: str) -> RankingTerms:
    settings = result.recorded
    return RankingTerms(
        world=result.world,
        data=_describe_data(result),
        tasks=_describe_tasks(settings),
        met=_describe_partners(result, settings),
        judge=judge.judge,
        judge_id=judge.id,
        measure=measure,
        declared=result.declared,
    )


def _describe_data(result: RunResult) -> Sentence:
    data = result.data
    if data is None:
        return SAY("no_data", run=result.run)
    return SAY("data", name=data.name, version=data.version, hash=data.hash)


def _describe_tasks(settings: dict[str, Any]) -> str:
    parts: list[str] = [SAY("tasks", tasks=settings.get("tasks") or "all")]
    if limit := settings.get("limit"):
        parts.append(SAY("first_tasks", n=limit))
    if options := sorted(world_settings_in(settings).items()):
        parts.append(" ".join(f"{name}={value}" for name, value in options))
    if settings.get("on_failed_turn", "skip") != "skip":
        parts.append(SAY("on_failed_turn", setting=settings["on_failed_turn"]))
    if (limit := settings.get("max_failed_turns", 0.5)) != 0.5:
        parts.append(SAY("max_failed_turns", setting=str(limit)))
    return ", ".join(parts)


def _describe_partners(result: RunResult, settings: dict[str, Any]) -> Sentence:
    if result.partner is not None:
        match settings.get("partner"):
            case [_, str(its_hash), *_]:
                return SAY("with_partner_of", partner=result.partner, hash=its_hash[:8])
            case _:
                return SAY("with_partner", partner=result.partner)
    if len(result.agents) == 1:
        return SAY("with_itself")
    return SAY("all_pairs", agents=sorted(result.agents))


def _board(terms: RankingTerms, rows: Sequence[tuple[RunResult, ScoreEntry]]) -> Board:
    first = rows[0][0]
    places = [_place(result, entry) for result, entry in rows]
    ranked = [place for place in places if not place.by_rules]
    baselines = [place for place in places if place.by_rules]
    entries = [entry for _, entry in rows]
    how = interval_words(entries, terms.declared.cluster)
    measure = first.measure(terms.measure)
    metric = metric_of(first, measure)
    spelt = legend([(measure.title, measure.low, measure.high, metric)], better=True)
    board = Board(
        terms,
        headed(first, measure),
        _in_order(ranked, terms.better),
        _in_order(baselines, terms.better),
        (
            *stand_in_words(*(result.settings for result, _ in rows)),
            nature(first, terms.judge),
            *dict.fromkeys(
                note for result, _ in rows for note in instructions_notes(result, (terms.judge,))
            ),
            *([how] if how else []),
            *little_established(first, entries),
            spelt,
        ),
        metric.describe(measure.low, measure.high),
        exam_notes({result.run: result.judges for result, _ in rows}, (terms.judge,)),
    )
    if not board.ranked:
        return board
    return replace(board, places=_with_ranks(board.places, terms.better))


def _in_order(places: Iterable[BoardRow], better: Better) -> tuple[BoardRow, ...]:
    """Best first, those without a value last, ties by name, whatever the order of runs."""
    sign = 1.0 if better == "lower" else -1.0

    def key(place: BoardRow) -> tuple[bool, float, str, str]:
        value = place.entry.value
        return value is None, sign * (value or 0.0), place.agent, place.run

    return tuple(sorted(places, key=key))


def _with_ranks(places: Sequence[BoardRow], better: Better) -> tuple[BoardRow, ...]:
    """With ranks: one more than the number of agents decidedly above; None without a value."""
    return tuple(
        place
        if place.entry.value is None
        else replace(
            place, rank=1 + sum(_is_above(other.entry, place.entry, better) for other in places)
        )
        for place in places
    )


def _is_above(entry: ScoreEntry, other: ScoreEntry, better: Better) -> bool:
    if entry.value is None or other.value is None or undecided(entry, other, better):
        return False
    return entry.value < other.value if better == "lower" else entry.value > other.value


def _place(result: RunResult, entry: ScoreEntry) -> BoardRow:
    agent = entry.agent or ""
    return BoardRow(
        None,
        agent,
        agent_kind(result, agent),
        result.run,
        result.seed,
        entry,
        value_text(result, entry),
        SAY("trials", n=result.played, trials=Count("trial", result.trials)),
        failed_turns(entry),
        covered(result, entry),
        finding_of(result, entry),
        by_rules(result, agent),
    )


def _text_table(board: Board) -> FindingTable:
    terms = board.terms
    rows = (*board.places, *board.baselines)
    ranks = ("rank",) if any(place.rank is not None for place in board.places) else ()
    lost = ("lost",) if board.any_lost else ()
    step = ("step",) if board.stepped else ()
    mean = Column("mean", board.title, "estimate", part="margin")
    extra: tuple[Sentence, ...] = ()
    if not board.ranked:
        extra = (SAY("heuristic"),)
    elif board.baselines:
        extra = (SAY("baselines"),)
    table = SAY.table(
        "board",
        (place.finding for place in rows),
        columns=(
            "agent",
            *ranks,
            mean,
            "n",
            "failed",
            *board.coverage_columns,
            *lost,
            *step,
            "run",
            "kind",
        ),
        notes=(
            SAY("terms", data=terms.data, tasks=terms.tasks, met=terms.met),
            *extra,
            *board.notes,
            *board.exams.below,
        ),
        world=terms.world,
        metric=board.title,
        judge=judge_title(terms.judge, terms.judge_id.method),
    )
    return replace(table, tips={board.title: board.tip})

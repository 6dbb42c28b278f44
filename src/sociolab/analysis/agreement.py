"""How far judges and people agree on the plays of some runs, and what that lets one conclude."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from statistics import median
from typing import Any

from sociolab.analysis.judge_by_agent import (
    AgentBias,
    JudgeByAgent,
    judge_by_agent,
    judge_by_agent_section,
)
from sociolab.analysis.observations import (
    ObservationCell,
    observation_cells,
    observation_rows,
    observation_section,
)
from sociolab.analysis.ratings import (
    MODELS,
    OTHERS,
    PEOPLE,
    RULES,
    StoredRatings,
    ratings_of,
)
from sociolab.analysis.validity import FEW_PLAYS, Validity, validities, validity_section
from sociolab.core.score import Method
from sociolab.report.charts import Bars, bar_chart
from sociolab.report.finding import documents
from sociolab.report.formatting import (
    NOTHING,
    ends,
    interval_notes,
    missing_notes,
    p_text,
    plain,
    share,
    title_of,
)
from sociolab.report.section import Chart, Figure, Section, TextTable
from sociolab.report.words import listed, minus, plural
from sociolab.stats.agreement import (
    OVERALL,
    POOLED,
    AgreementReport,
    AmongPeople,
    JudgeAndPeople,
    JudgePair,
    Spread,
    agreement_report,
)
from sociolab.stats.correlation import Correlation
from sociolab.stats.inter_rater import Alpha, Bins
from sociolab.stats.intervals import Estimate
from sociolab.stats.raters import Severity, ceilings, for_other_raters, severities
from sociolab.store.store import Store

PLAYED: Mapping[str | None, str] = {
    None: "all",
    MODELS: "models",
    PEOPLE: "people",
    RULES: "rules",
    OTHERS: "others",
}
"""Who played, in the heads of columns."""

FEW_CLUSTERS = 10
"""Below so many scenarios an interval itself is not to be trusted far."""

THESE_RATERS = "these intervals hold for these raters"

_LIFT = 0.25
"""By how much r exceeds rho where a few plays carry it."""
_WIDE = 4
"""Points that a scale is long at least for a chart in whole points."""

_KIND: dict[Method, str] = {
    "model": "a model",
    "heuristic": "the offline judge, no model: this says nothing of a model judge",
    "rules": "rules that read the transcript, no model: this says nothing of a model judge",
    "scripted": "scripted: its figures are made up for a test and say nothing",
}


@dataclass(frozen=True, slots=True)
class Agreements:
    """What was rated, what came of it, and how it reads."""

    ratings: StoredRatings
    report: AgreementReport
    bins: int
    sections: tuple[Section, ...]
    observations: tuple[ObservationCell, ...] = ()
    validities: tuple[Validity, ...] = ()
    by_agent: tuple[JudgeByAgent, ...] = ()

    def document(self) -> dict[str, Any]:
        """All figures and all sentences, see docs/ratings.md."""
        return {
            "runs": list(self.ratings.runs),
            "bins": self.bins,
            "raters": [asdict(rater) for rater in self.ratings.raters],
            "judges": {label: one.method for label, one in self.ratings.judge_ids.items()},
            "people": [asdict(cell) for cell in self.report.people],
            "judge_and_people": [asdict(cell) for cell in self.report.judges],
            "judge_pairs": [asdict(cell) for cell in self.report.pairs],
            "yes_no": [asdict(cell) for cell in self.observations],
            "validity": [asdict(cell) for cell in self.validities],
            "by_agent": [asdict(one) for one in self.by_agent],
            "severity": [asdict(one) for one in severities(on_scales(self.ratings).people)],
            "ceiling": [asdict(one) for one in ceilings(on_scales(self.ratings).people)],
            "sections": documents(self.sections),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Every figure that has a value as a row of a CSV file; `group` is "" over all plays."""
        report = self.report
        sides: list[
            tuple[AmongPeople | JudgeAndPeople | JudgePair | Validity | AgentBias, str, str]
        ] = [
            *((cell, "people", "people") for cell in report.people),
            *((cell, cell.judge, "people") for cell in report.judges),
            *((cell, cell.first, cell.second) for cell in report.pairs),
            *((cell, f"{cell.judge}: {cell.metric}", "people") for cell in self.validities),
            *((cell, cell.judge, "people") for one in self.by_agent for cell in one.biases),
        ]
        return [
            {
                "first": first,
                "second": second,
                "metric": cell.dimension,
                "group": getattr(cell, "group", None) or "",
                "figure": name,
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "n": found.items if isinstance(found, Alpha) else found.n,
                "clusters": found.clusters,
            }
            for cell, first, second in sides
            for name, found in _cell_figures(cell)
            if found.value is not None
        ] + list(observation_rows(self.observations))


def _cell_figures(cell: object) -> Iterator[tuple[str, Estimate | Correlation | Alpha]]:
    """The figures of a cell by name, those of its parts among them."""
    for one in fields(cell):  # type: ignore[arg-type]
        found = getattr(cell, one.name)
        if isinstance(found, Alpha):
            yield f"alpha ({one.name})", found
        elif isinstance(found, Estimate | Correlation):
            yield one.name.replace("_", " "), found
        elif is_dataclass(found):
            yield from _cell_figures(found)


def agreements(
    store: Store,
    runs: Sequence[str],
    judges: Sequence[str] = (),
    sets: Sequence[str] = (),
    *,
    bins: int = 5,
) -> Agreements:
    """Compare the judges of some runs with the people who rated them; ConfigError if nobody did."""
    ratings = ratings_of(store, runs, judges, sets)
    scales, observed = on_scales(ratings), observation_cells(ratings)
    ranges = {measure.name: (measure.low, measure.high) for measure in scales.measures}
    report = agreement_report(scales.people, scales.judges, ranges, bins=bins)
    of = {name: Bins(low, high, bins) for name, (low, high) in ranges.items()}
    others = for_other_raters(report.judges, scales.people, scales.judges, of)
    report = replace(report, judges=others)
    beside_people = tuple(judge_by_agent(scales, judge) for judge in scales.judge_ids)
    sections = sections_of(scales, report, bins, beside_people) if scales.measures else ()
    if observed:
        sections += (observation_section(ratings, observed),)
    if beside := validities(ratings):
        sections += (validity_section(ratings, beside),)
    return Agreements(ratings, report, bins, sections, observed, beside, beside_people)


def on_scales(ratings: StoredRatings) -> StoredRatings:
    """The ratings without those of yes/no questions."""
    measures = tuple(one for one in ratings.measures if not one.yes_no)
    if measures == ratings.measures:
        return ratings
    names = {one.name for one in measures}
    judges = tuple(row for row in ratings.judges if row.dimension in names)
    scored = {row.rater for row in judges}
    return replace(
        ratings,
        people=tuple(row for row in ratings.people if row.dimension in names),
        judges=judges,
        measures=measures,
        judge_ids={name: one for name, one in ratings.judge_ids.items() if name in scored},
    )


def sections_of(
    ratings: StoredRatings,
    report: AgreementReport,
    bins: int,
    by_agent: Sequence[JudgeByAgent] = (),
) -> tuple[Section, ...]:
    """Judges by agent, people among themselves, each judge beside them, and each two judges."""
    titles = Titles.of(ratings)
    found = [
        judge_by_agent_section(one, titles.measures, titles.cluster)
        for one in by_agent
        if one.biases
    ]
    found += [people_section(ratings, report.people, titles, bins)]
    found += [judge_section(ratings, report, judge, titles) for judge in ratings.judge_ids]
    pairs = dict.fromkeys((cell.first, cell.second) for cell in report.pairs)
    if pairs:
        tables = {
            pair: pair_table([c for c in report.pairs if (c.first, c.second) == pair], titles)
            for pair in pairs
        }
        apart = [" and ".join(pair) for pair, table in tables.items() if not table.rows]
        said = (f"No seat was scored by both in what people rated: {'; '.join(apart)}.",)
        cautions = (
            "Judges that agree may share an error: only people show that.",
            *(told for pair in pairs for told in _instructed_apart(ratings, *pair)),
        )
        shown = tuple(table for table in tables.values() if table.rows)
        title = "Judges beside each other"
        found.append(Section(title, said if apart else (), cautions if shown else (), shown))
    return tuple(found)


def people_section(
    ratings: StoredRatings, cells: Sequence[AmongPeople], titles: Titles, bins: int
) -> Section:
    """The section on people among themselves."""
    seats = len({row.item for row in ratings.people})
    episodes = len({row.item.rpartition(" ")[0] for row in ratings.people})
    clusters = len({row.cluster for row in ratings.people})
    said = [
        f"{plural(len(ratings.raters), 'person', 'people')} gave "
        f"{plural(len(ratings.people), 'rating')} in {plural(len(ratings.measures), 'dimension')} "
        f"of {plural(seats, 'seat')} of {plural(episodes, 'episode')} in "
        f"{plural(clusters, titles.cluster)} "
        f"({'run' if len(ratings.runs) == 1 else 'runs'} {listed(ratings.runs)})."
    ]
    tables = [raters_table(ratings), *severity_tables(ratings, titles)]
    if any(cell.agreement.kappa.n for cell in cells):
        said += _agreeing(cells, titles, bins)
        tables += [agreement_table(cells, titles, bins), alpha_table(cells, titles)]
        if len(groups_of(cells)) > 1:
            tables.append(people_by_group(cells, titles))
    return Section(
        "How far people agree",
        tuple(said),
        tuple(_people_cautions(ratings, cells, titles, clusters)),
        tuple(tables),
    )


def _agreeing(cells: Sequence[AmongPeople], titles: Titles, bins: int) -> Iterator[str]:
    rows = [cell for cell in cells if cell.group is None]
    main = next((cell for cell in rows if cell.dimension == POOLED), rows[0])
    of = "Over all dimensions" if main.dimension == POOLED else f"On {titles[main.dimension]}"
    found = main.agreement
    yield (
        f"{of}, two people who rate the same seat choose the same of {bins} bins in "
        f"{share(found.binned.value)} of cases (Randolph's kappa {_kappa(found.kappa, bins)}), "
        f"the same score in {share(found.exact.value)}, scores at most one point apart in "
        f"{share(found.near.value)}."
    )
    alphas = sorted(
        (cell.interval.value, titles[cell.dimension])
        for cell in rows
        if cell.interval is not None
        and cell.interval.value is not None
        and cell.dimension != OVERALL
    )
    if len(alphas) > 1:
        (low, worst), (high, best) = alphas[0], alphas[-1]
        span = f"runs from {plain(low)} ({worst}) to {plain(high)} ({best})"
        if plain(low) == plain(high):
            span = f"is {plain(low)} in each of {plural(len(alphas), 'dimension')}"
        yield f"Krippendorff's alpha (interval) {span}."


def _kappa(found: Estimate, bins: int) -> str:
    span = kappa_ends(found, bins) if found.low is not None else "without an interval"
    return f"{plain(found.value)} {span}"


def _people_cautions(
    ratings: StoredRatings, cells: Sequence[AmongPeople], titles: Titles, clusters: int
) -> Iterator[str]:
    raters = len(ratings.raters)
    if raters == 1:
        yield (
            "One rater only: nothing here tells how far people agree, and where a judge differs "
            "from this person, others might side with the judge."
        )
    elif not any(cell.agreement.kappa.n for cell in cells):
        yield "No seat was rated by two people: nothing here tells how far people agree."
    elif raters < 4:
        yield (
            f"{raters} raters: the intervals are over {titles.cluster}s, not over people; other "
            "people may agree more or less."
        )
    rated = {row.item.partition(" ")[0] for row in ratings.people}
    if unrated := [run for run in ratings.runs if run not in rated]:
        yield f"Nobody rated an episode of {listed(unrated)}: no conclusion about it is possible."
    if len(ratings.sets) > 1:
        yield (
            f"Ratings of several sets are pooled: {listed(ratings.sets)} (--ratings takes one). Of "
            "what a rater rated in two, the mean counts."
        )
    rows = [cell for cell in cells if cell.group is None and cell.dimension != POOLED]
    lone = {titles[c.dimension]: c.agreement.left_out for c in rows if c.agreement.left_out}
    if raters > 1 and lone:
        told = ", ".join(f"{name} {count:,}" for name, count in lone.items())
        yield f"Seats with a single rating are left out of agreement: {told}."
    if flat := [titles[cell.dimension] for cell in rows if _flat(cell)]:
        yield (
            f"In {listed(flat)} nearly all scores fall in one bin: kappa is high there though the "
            "raters hardly tell any seats apart, which alpha shows."
        )
    yield from few_clusters(clusters, titles)
    rules = len({row.item for row in ratings.people if row.group == RULES})
    if rules:
        yield (
            f"{plural(rules, 'seat')} rated here were played by rule-based (scripted) agents: "
            "agreement on them says little of agreement on seats played by models or people."
        )


def _flat(cell: AmongPeople) -> bool:
    same, alpha = cell.agreement.binned.value, cell.interval
    if same is None or alpha is None or same < 0.8:
        return False
    return alpha.value is None or alpha.value < 0.4


def raters_table(ratings: StoredRatings) -> TextTable:
    """Who rated how much."""
    return TextTable(
        "Raters",
        ("", "seats", "ratings", "median seconds"),
        tuple(
            (
                rater.name,
                f"{rater.plays:,}",
                f"{rater.ratings:,}",
                f"{median(rater.seconds):.0f}" if rater.seconds else NOTHING,
            )
            for rater in ratings.raters
        ),
        (
            "seats: each seat of an episode is rated by itself; an episode rated as a whole counts "
            "as one seat",
            *(
                ("median seconds per rating, where recorded",)
                if any(rater.seconds for rater in ratings.raters)
                else ()
            ),
        ),
    )


def severity_tables(ratings: StoredRatings, titles: Titles) -> Iterator[TextTable]:
    """How severe each rater is, and how well anybody could follow the raters."""
    found = severities(ratings.people)
    names = [measure.name for measure in ratings.measures]
    cells = {(one.rater, one.dimension): one for one in found}
    if any(one.shared for one in found):
        yield TextTable(
            "Mean of each rater, and how far from the others who rated the same",
            ("", *(titles[name] for name in names)),
            tuple(
                (rater.name, *(_severity(cells.get((rater.name, name))) for name in names))
                for rater in ratings.raters
            ),
            ("in brackets: the rater's score minus the mean of the others of the same seat",),
        )
    most = [one for one in ceilings(ratings.people) if one.pair is not None]
    if most:
        yield TextTable(
            "How well raters predict each other, and the most a judge could reach",
            ("", "seats", "r of two raters", "ceiling"),
            tuple(
                (
                    titles[one.dimension],
                    f"{one.items:,}",
                    plain(one.pair),
                    plain(one.ceiling),
                )
                for one in most
            ),
            (
                "r: Pearson's, over pairs of different raters of one seat, each in both orders",
                "ceiling: the square root of the reliability of the raters' mean (Spearman-Brown), "
                "the most that a judge's r with it can be expected to be",
            ),
        )


def _severity(found: Severity | None) -> str:
    if found is None:
        return NOTHING
    away = "" if found.deviation is None else f" ({plain(found.deviation, sign=True)})"
    return plain(found.mean) + away


def agreement_table(cells: Sequence[AmongPeople], titles: Titles, bins: int) -> TextTable:
    """Pairwise agreement and kappa, all groups together."""
    rows = [cell for cell in cells if cell.group is None]
    return TextTable(
        "Two people who rated the same seat",
        ("", "seats", "exact", "within 1", "same bin", "kappa", "95 % interval"),
        tuple(
            (
                titles[cell.dimension],
                f"{cell.agreement.kappa.n:,}",
                share(cell.agreement.exact.value),
                share(cell.agreement.near.value),
                share(cell.agreement.binned.value),
                plain(cell.agreement.kappa.value),
                kappa_ends(cell.agreement.kappa, bins),
            )
            for cell in rows
        ),
        (
            "exact: the same score; within 1: at most one point apart; same bin: in the same of "
            f"{bins} equal parts of the scale; shares of pairs of raters, averaged over seats",
            f"kappa: Randolph's, of the same bin (chance 1/{bins})",
            *(_summaries(rows)),
            *interval_notes([cell.agreement.kappa for cell in rows], titles.cluster),
            THESE_RATERS,
        ),
    )


def alpha_table(cells: Sequence[AmongPeople], titles: Titles) -> TextTable:
    """Krippendorff's alpha by three metrics, all groups together."""
    rows = [cell for cell in cells if cell.group is None and cell.interval is not None]
    return TextTable(
        "Krippendorff's alpha among people",
        ("", "nominal", "ordinal", "interval", "95 % interval"),
        tuple(
            (
                titles[cell.dimension],
                _alpha(cell.nominal),
                _alpha(cell.ordinal),
                _alpha(cell.interval),
                NOTHING if cell.interval is None else ends(cell.interval),
            )
            for cell in rows
        ),
        (
            "1: full agreement; 0: what chance gives; the 95 % interval is that of the interval "
            f"metric, {titles.cluster}s left out one at a time, for these raters",
            *missing_notes(cell.interval.note for cell in rows if cell.interval is not None),
        ),
    )


def people_by_group(cells: Sequence[AmongPeople], titles: Titles) -> TextTable:
    """Kappa and alpha of plays by models, by people, apart."""
    groups = groups_of(cells)
    rows = []
    for dimension in dict.fromkeys(cell.dimension for cell in cells):
        row = [titles[dimension]]
        for group in groups:
            cell = next(c for c in cells if (c.dimension, c.group) == (dimension, group))
            found = cell.agreement.kappa
            row += [f"{found.n:,}", plain(found.value), _alpha(cell.interval)]
        rows.append(tuple(row))
    heads = [head for group in groups for head in (PLAYED[group], "kappa", "alpha")]
    return TextTable(
        "Agreement among people by who played",
        ("", *heads),
        tuple(rows),
        ("below who played: seats that two people or more rated; alpha by the interval metric",),
    )


def pair_table(cells: Sequence[JudgePair], titles: Titles) -> TextTable:
    """Two judges as raters of the same plays."""
    rows = [cell for cell in cells if cell.group is None and cell.agreement.kappa.n]
    first, second = cells[0].first, cells[0].second
    return TextTable(
        f"{first} and {second}",
        ("", "seats", "exact", "within 1", "kappa", "r", "difference", "95 % interval"),
        tuple(
            (
                titles[cell.dimension],
                f"{cell.agreement.kappa.n:,}",
                share(cell.agreement.exact.value),
                share(cell.agreement.near.value),
                plain(cell.agreement.kappa.value),
                correlated(cell.pearson),
                plain(None if cell.difference is None else cell.difference.value, sign=True),
                NOTHING if cell.difference is None else ends(cell.difference),
            )
            for cell in rows
        ),
        (
            f"difference: {first} minus {second}, in points",
            *interval_notes(
                [c.difference for c in rows if c.difference is not None], titles.cluster
            ),
        ),
    )


def _summaries(rows: Iterable[AmongPeople | JudgePair]) -> tuple[str, ...]:
    if POOLED not in {cell.dimension for cell in rows}:
        return ()
    return (
        "mean of all: the mean of a rater's scores of a seat, as a score of its own; all "
        "scores: each dimension of a seat counts as a seat",
    )


def _alpha(found: Alpha | None) -> str:
    return NOTHING if found is None else plain(found.value)


def _instructed_apart(ratings: StoredRatings, judge: str, other: str) -> Iterator[str]:
    """That two had different instructions, so that agreement tells of that, too."""
    one, two = (ratings.instructions.get(who) for who in (judge, other))
    if one and two and one.hash != two.hash:
        yield (
            f"{judge} and {other} had different instructions ({one}; {two}): how far they agree "
            "depends on that, too."
        )


def judge_section(
    ratings: StoredRatings, report: AgreementReport, judge: str, titles: Titles
) -> Section:
    """The section on one judge."""
    cells = judged_by(report, judge)
    rows = [cell for cell in cells if cell.group is None]
    method = ratings.judge_ids[judge].method
    kind = _KIND.get(method, method)
    said = [f"{judge}: {kind}."]
    if not rows:
        said.append("It scored no seat that people rated.")
        return Section(f"{judge} beside people", tuple(said), tuple(_owed(report, judge)))
    said += [*_following(rows, titles), *_biased(rows, titles), *_inside(rows)]
    tables = [correlation_table(cells, titles), difference_table(cells, titles)]
    ranged = range_table(cells, titles)
    if ranged.rows:
        tables.append(ranged)
    return Section(
        f"{judge} beside people",
        tuple(said),
        tuple(_judge_cautions(ratings, judge, cells, titles)),
        tuple(tables),
        tuple(_figures(ratings, rows, titles, judge)),
    )


def _owed(report: AgreementReport, judge: str) -> Iterator[str]:
    """The scores that a judge who gave none owes."""
    mine = [cell for cell in report.judges if (cell.judge, cell.group) == (judge, None)]
    if failed := sum(cell.failed for cell in mine if cell.dimension != OVERALL):
        yield f"{plural(failed, 'score')} that it owes {'is' if failed == 1 else 'are'} missing."


def _following(rows: Sequence[JudgeAndPeople], titles: Titles) -> Iterator[str]:
    parts = [cell for cell in rows if cell.dimension != OVERALL]
    ranked = sorted(
        (cell for cell in parts if cell.pearson.value is not None),
        key=lambda cell: -(cell.pearson.value or 0.0),
    )
    if not ranked:
        return
    best, worst = ranked[0], ranked[-1]
    line = f"It follows the people's mean best in {titles[best.dimension]} (r {_r(best)})"
    if len(ranked) > 1:
        line += f" and least in {titles[worst.dimension]} (r {_r(worst)})"
    yield f"{line}."
    open_ = [
        titles[cell.dimension]
        for cell in ranked
        if cell.pearson.low is None or cell.pearson.low <= 0 <= (cell.pearson.high or 0)
    ]
    if open_:
        yield f"No evidence of a correlation in {listed(open_)}."


def _r(cell: JudgeAndPeople) -> str:
    found = cell.pearson
    return f"{correlated(found)} {ends(found)}" if found.low is not None else correlated(found)


def _biased(rows: Sequence[JudgeAndPeople], titles: Titles) -> Iterator[str]:
    above, below = [], []
    for cell in rows:
        bias = cell.spread.bias
        if bias.value is None or bias.low is None or bias.high is None:
            continue
        told = f"{titles[cell.dimension]} ({plain(bias.value, sign=True)} {ends(bias)})"
        if bias.low > 0:
            above.append(told)
        elif bias.high < 0:
            below.append(told)
    if above:
        yield f"It scores higher than people in {listed(above)}."
    if below:
        yield f"It scores lower than people in {listed(below)}."
    if not above and not below:
        yield "No dimension shows it scoring higher or lower than people on average."


def _inside(rows: Sequence[JudgeAndPeople]) -> Iterator[str]:
    parts = [cell.spread for cell in rows if cell.dimension != OVERALL]
    total = sum(spread.inside.n for spread in parts)
    if total:
        below, above = sum(s.below for s in parts), sum(s.above for s in parts)
        inside = total - below - above
        yield (
            f"Of {plural(total, 'score')} of seats with two raters or more, {inside:,} "
            f"({share(inside / total)}) lie in the range that the raters span, "
            f"{below:,} below and {above:,} above."
        )


def _judge_cautions(
    ratings: StoredRatings, judge: str, cells: Sequence[JudgeAndPeople], titles: Titles
) -> Iterator[str]:
    rows = [cell for cell in cells if cell.group is None]
    there = {cell.dimension for cell in rows}
    left_out = [titles[m.name] for m in ratings.measures if m.name not in there]
    for raters in ratings.sets:
        yield from _instructed_apart(ratings, judge, raters)
    if left_out:
        yield f"It gave no score that can be compared in {listed(left_out)}."
    failed = {titles[cell.dimension]: cell.failed for cell in rows if cell.failed}
    if failed:
        told = ", ".join(f"{name} {count:,}" for name, count in failed.items())
        yield f"Missing scores: {told}."
    small = [titles[cell.dimension] for cell in rows if cell.pearson.n < FEW_PLAYS]
    if small:
        yield f"Fewer than {FEW_PLAYS} seats: r says little in {listed(small)}."
    undefined = [titles[cell.dimension] for cell in rows if cell.pearson.value is None]
    if undefined:
        yield (
            f"No r for {listed(undefined)}: too few seats, or one side gives all of them the "
            "same score; agreement there shows in the differences only."
        )
    lifted = [titles[cell.dimension] for cell in rows if _lifted(cell)]
    if lifted:
        yield (
            f"In {listed(lifted)} a few seats far from the rest drive r: by rank (Spearman) the "
            "judge agrees with people much less."
        )
    doubtful = [titles[cell.dimension] for cell in rows if _doubtful(cell)]
    if doubtful:
        yield (
            f"In {listed(doubtful)} the stars claim more than the interval does; the interval is "
            "clustered: trust it."
        )
    if ending := [titles[c.dimension] for c in rows if _at_an_end(ratings, judge, c.dimension)]:
        yield (
            f"In {listed(ending)} it gives every seat the same score, an end of the scale: "
            "people can differ from that in one direction only, so their noise is part of the "
            "difference."
        )
    if len(ratings.raters) == 1:
        yield "With one rater there is no range and no standard deviation to compare it with."
    groups = groups_of(cells)
    if PEOPLE not in groups:
        played = listed([PLAYED[group] for group in groups])
        yield (
            f"All of these seats were played by {played}: this says nothing about seats played by "
            "people."
        )
    yield from few_clusters(max(cell.pearson.clusters for cell in rows), titles)
    if ratings.judge_ids[judge].method == "model" and len(ratings.worlds) == 1:
        (declared,) = ratings.worlds.values()
        yield from (declared.published[group] for group in groups if group in declared.published)


def _doubtful(cell: JudgeAndPeople) -> bool:
    found = cell.pearson
    if not found.stars:
        return False
    return found.low is None or found.high is None or found.low <= 0 <= found.high


def _lifted(cell: JudgeAndPeople) -> bool:
    r, rho = cell.pearson.value, cell.spearman.value
    return r is not None and rho is not None and cell.pearson.n >= FEW_PLAYS and r - rho > _LIFT


def _at_an_end(ratings: StoredRatings, judge: str, dimension: str) -> bool:
    """Whether all that a judge gives in a dimension is the lowest, or the highest, score."""
    ends_of = {m.name: (m.low, m.high) for m in ratings.measures}.get(dimension, ())
    given = {
        row.value
        for row in ratings.judges
        if (row.rater, row.dimension) == (judge, dimension) and row.value is not None
    }
    return len(given) == 1 and given <= set(ends_of)


def _figures(
    ratings: StoredRatings, rows: Sequence[JudgeAndPeople], titles: Titles, judge: str
) -> Iterator[Figure]:
    wide = {measure.name for measure in ratings.measures if measure.high - measure.low >= _WIDE}
    drawn = [(titles[c.dimension], c.spread) for c in rows if c.dimension in wide]
    if drawn:
        title = f"{judge} minus people"
        yield Figure(
            f"{judge} minus the mean of the people: seats at each whole number of points",
            difference_bars(title, drawn),
        )


def correlation_table(cells: Sequence[JudgeAndPeople], titles: Titles) -> TextTable:
    """r of a judge and the people's mean; by who played where that differs (SOTOPIA, Table 1)."""
    groups = groups_of(cells)
    apart = groups if len(groups) > 1 else ()
    by = {(cell.dimension, cell.group): cell for cell in cells}
    dimensions = [cell.dimension for cell in cells if cell.group is None]
    rows = []
    for dimension in dimensions:
        row = [titles[dimension]]
        for group in apart:
            one = by[dimension, group].pearson
            row += [correlated(one), f"{one.n:,}"]
        whole = by[dimension, None]
        row += [correlated(whole.pearson), f"{whole.pearson.n:,}", ends(whole.pearson)]
        row += [*([] if apart else [p_text(whole.pearson.p)]), correlated(whole.spearman)]
        rows.append(tuple(row))
    bias = by[dimensions[0], None].spread.bias
    also = ", and raters, so that it holds for others too" if bias.method == "crossed" else ""
    heads = [head for group in apart for head in (PLAYED[group], "n")]
    heads += ["all", "n", "95 % interval"] if apart else ["r", "n", "95 % interval", "p"]
    return TextTable(
        "Correlation with the mean of the people",
        ("", *heads, "Spearman"),
        tuple(rows),
        (
            "Pearson's r over seats; ** p <= 0.01, * p <= 0.05 by the t test, which treats "
            f"seats as independent; the interval does not: {titles.cluster}s are left out one "
            f"at a time{also}",
            "where the people agree little (their alpha), no judge can follow their mean closely",
            *missing_notes(by[dimension, None].pearson.note for dimension in dimensions),
        ),
    )


def difference_table(cells: Sequence[JudgeAndPeople], titles: Titles) -> TextTable:
    """Judge minus people."""
    rows = [cell for cell in cells if cell.group is None]
    return TextTable(
        "Judge minus the mean of the people, in points",
        ("", "n", "mean", "95 % interval", "sd", "within own sd", "within pooled sd"),
        tuple(
            (
                titles[cell.dimension],
                f"{cell.spread.bias.n:,}",
                plain(cell.spread.bias.value, sign=True),
                ends(cell.spread.bias),
                plain(cell.spread.sd),
                share(cell.spread.within_own_sd.value),
                share(cell.spread.within_pooled_sd.value),
            )
            for cell in rows
        ),
        (
            "within own sd: seats where the judge lies within one standard deviation of that "
            "seat's raters; pooled: of all raters about their seats' means; seats of "
            "two raters or more",
            *interval_notes([cell.spread.bias for cell in rows], titles.cluster),
        ),
    )


def range_table(cells: Sequence[JudgeAndPeople], titles: Titles) -> TextTable:
    """The judge against the range that raters perceived (SOTOPIA, Figures F.1 to F.3)."""
    rows = [cell for cell in cells if cell.group is None and cell.spread.inside.n]
    return TextTable(
        "The judge and the range of the people's scores of the same seat",
        ("", "n", "inside", "95 % interval", "below", "above", "outside by"),
        tuple(
            (
                titles[cell.dimension],
                f"{cell.spread.inside.n:,}",
                share(cell.spread.inside.value),
                ends(cell.spread.inside, percent=True),
                f"{cell.spread.below:,}",
                f"{cell.spread.above:,}",
                plain(cell.spread.outside_by.value),
            )
            for cell in rows
        ),
        (
            "inside: from the lowest to the highest score that a rater gave, ends included; "
            "outside by: points, mean of those outside",
            "without ties, a judge interchangeable with the raters would lie inside in "
            "(n - 1)/(n + 1) of them: a third with two raters, half with three; ties raise this",
            *interval_notes([cell.spread.inside for cell in rows], titles.cluster),
            THESE_RATERS,
        ),
    )


def difference_bars(title: str, rows: Sequence[tuple[str, Spread]]) -> Chart:
    """A row of bars for each dimension: how many plays lie at each whole number of points from the
    people's mean; a line marks 0."""
    places = [place for _, spread in rows for place, _ in spread.counts]
    ends = min([-1, *places]) - 0.5, max([1, *places]) + 0.5
    bars = [
        Bars(
            name,
            [(place - 0.5, place + 0.5, count) for place, count in spread.counts],
            None,
            f"n {spread.bias.n:,}",
        )
        for name, spread in rows
    ]
    told = "; ".join(_differences(name, spread) for name, spread in rows)
    return bar_chart(title, told, bars, ends, zero=True)


def _differences(name: str, spread: Spread) -> str:
    found = ", ".join(f"{minus(f'{place:+d}')}: {count}" for place, count in spread.counts if count)
    return f"{name}: {found or 'nothing compared'}"


@dataclass(frozen=True, slots=True)
class Titles:
    """What dimensions, summaries and clusters are called."""

    measures: Mapping[str, str]
    cluster: str

    @classmethod
    def of(cls, ratings: StoredRatings) -> Titles:
        """As in the world of these ratings."""
        names = {measure.name: title_of(measure) for measure in ratings.measures}
        clusters = {one.cluster for one in ratings.worlds.values()}
        return cls(names, clusters.pop() if len(clusters) == 1 else "situation")

    def __getitem__(self, dimension: str) -> str:
        summaries = {OVERALL: "mean of all", POOLED: "all scores"}
        return self.measures.get(dimension) or summaries[dimension]


def kappa_ends(found: Estimate, bins: int) -> str:
    """A kappa's interval, cut off where kappa ends: at -1 / (bins - 1) and 1."""
    if found.low is None or found.high is None:
        return NOTHING
    low, high = max(found.low, -1 / (bins - 1)), min(found.high, 1.0)
    return f"[{plain(low)}, {plain(high)}]"


def correlated(found: Correlation | None) -> str:
    """r with its stars."""
    return NOTHING if found is None else plain(found.value) + found.stars


def groups_of(cells: Iterable[AmongPeople | JudgeAndPeople | JudgePair]) -> tuple[str, ...]:
    """The groups apart, in the order of SOTOPIA's Table 1."""
    there = {cell.group for cell in cells}
    return tuple(group for group in PLAYED if group is not None and group in there)


def judged_by(report: AgreementReport, judge: str) -> tuple[JudgeAndPeople, ...]:
    """The cells of one judge, of the dimensions in which it and people rated the same plays."""
    cells = [cell for cell in report.judges if cell.judge == judge]
    there = {cell.dimension for cell in cells if cell.group is None and cell.spread.bias.n}
    return tuple(cell for cell in cells if cell.dimension in there)


def few_clusters(clusters: int, titles: Titles) -> Iterator[str]:
    """What to think of intervals from so few clusters; nothing where there are enough, or none."""
    if 1 < clusters < FEW_CLUSTERS:
        yield (
            f"Only {plural(clusters, titles.cluster)}: an interval from so few is uncertain "
            "itself, and tends to be too short."
        )

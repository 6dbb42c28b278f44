"""Agreement of judges and people on the episodes of some runs, as figures and in sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from statistics import fmean, median
from typing import Any

from sociolab.analysis.judge_by_agent import (
    AgentBias,
    Calibration,
    JudgeByAgent,
    constant_judge,
    judge_by_agent,
    judge_by_agent_section,
)
from sociolab.analysis.ratings import (
    GROUPS,
    PEOPLE,
    RULES,
    StoredRatings,
    load_ratings,
)
from sociolab.analysis.validity import FEW_SEATS, Validity, validities, validity_section
from sociolab.core.metrics import UNDECLARED
from sociolab.core.score import RULE_BASED, Measure
from sociolab.report.catalogue import Catalogue, Column
from sociolab.report.charts import Bars, bar_chart
from sociolab.report.exam import exam_notes
from sociolab.report.finding import Count, Finding, FindingTable, Sentence, documents
from sociolab.report.formatting import missing_notes, title_of
from sociolab.report.section import Chart, Figure, Section
from sociolab.report.words import method_words, minus
from sociolab.stats.adjusted_means import adjust_means
from sociolab.stats.agreement import (
    OVERALL,
    POOLED,
    AgreementReport,
    ItemRating,
    JudgeAndPeople,
    JudgePair,
    PeopleAgreement,
    Spread,
    agreement_report,
)
from sociolab.stats.crossed_raters import LEAST_RATERS, RatedPlay
from sociolab.stats.inter_rater import Alpha, Bins, RaterAgreement, YesNoAgreement, yes_no_agreement
from sociolab.stats.intervals import Estimate, as_record, on_scale
from sociolab.stats.raters import ceilings, for_other_raters, severities
from sociolab.store.store import Store

SAY = Catalogue("agreement")

ALL = "all"
"""Whoever played: beside `GROUPS`."""

AMONG = "people"
"""In the place of a judge: people among themselves."""

FEW_CLUSTERS = 10
"""Below so many scenarios an interval itself is not to be trusted far."""

_LIFT = 0.25
"""By how much r exceeds rho where a few seats carry it."""
_WIDE = 4
"""Points that a scale is long at least for a chart in whole points."""


@dataclass(frozen=True, slots=True)
class YesNoCell:
    """Agreement of a judge and people, or of people among themselves, on a yes/no question."""

    judge: str
    dimension: str
    agreement: YesNoAgreement


@dataclass(frozen=True, slots=True)
class Agreements:
    """What was rated, how far ratings agree, and the sections that say so."""

    ratings: StoredRatings
    report: AgreementReport
    bins: int
    sections: tuple[Section, ...]
    observations: tuple[YesNoCell, ...] = ()
    validities: tuple[Validity, ...] = ()
    by_agent: tuple[JudgeByAgent, ...] = ()

    def document(self) -> dict[str, Any]:
        """All figures and all sentences, see docs/ratings.md."""
        people = on_scales(self.ratings).people
        return {
            "runs": list(self.ratings.runs),
            "bins": self.bins,
            "raters": [as_record(rater) for rater in self.ratings.raters],
            "judges": {label: judge.method for label, judge in self.ratings.judge_ids.items()},
            "people": [as_record(cell) for cell in self.report.people],
            "judge_and_people": [as_record(cell) for cell in self.report.judges],
            "judge_pairs": [as_record(cell) for cell in self.report.pairs],
            "yes_no": [as_record(cell) for cell in self.observations],
            "validity": [as_record(cell) for cell in self.validities],
            "by_agent": [as_record(judge) for judge in self.by_agent],
            "severity": [as_record(severity) for severity in severities(people)],
            "ceiling": [as_record(ceiling) for ceiling in ceilings(people)],
            "adjusted": [
                {
                    "dimension": _name(row),
                    "agent": row.about["agent"],
                    "mean": row.more["people"],
                    "adjusted": as_record(row.estimate) if row.estimate else None,
                }
                for row in adjusted_findings(on_scales(self.ratings))
            ],
            "sections": documents(self.sections),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Every figure that has a value as a row of a CSV file; `group` is "" over all seats."""
        report = self.report
        cells: list[tuple[_Cell, str, str]] = [
            *((cell, "people", "people") for cell in report.people),
            *((cell, cell.judge, "people") for cell in report.judges),
            *((cell, cell.first, cell.second) for cell in report.pairs),
            *((cell, f"{cell.judge}: {cell.metric}", "people") for cell in self.validities),
            *((cell, cell.judge, "people") for judge in self.by_agent for cell in judge.biases),
            *((row, row.judge, "people") for judge in self.by_agent for row in judge.calibrations),
            *((cell, cell.judge, "people") for cell in self.observations),
        ]
        return [
            {
                "first": first,
                "second": second,
                "metric": cell.dimension,
                "group": getattr(cell, "group", None) or "",
                **_row(name, figure),
            }
            for cell, first, second in cells
            for name, figure in _figures(cell).items()
            if getattr(figure, "value", None) is not None
        ]


_Cell = (
    PeopleAgreement | JudgeAndPeople | JudgePair | Validity | AgentBias | Calibration | YesNoCell
)


def _figures(cell: object) -> dict[str, Any]:
    """The figures of a cell by name, including those of its nested records."""
    figures: dict[str, Any] = {}
    for field in fields(cell):  # type: ignore[arg-type]
        match getattr(cell, field.name):
            case RaterAgreement() | Spread() as part:
                figures |= _figures(part)
            case None | str() | tuple():
                pass
            case figure:
                figures[field.name] = figure
    return figures


def _row(name: str, figure: Any) -> dict[str, Any]:
    """A figure as the columns of a CSV file."""
    match figure:
        case Alpha():
            name, n = f"alpha ({name})", figure.items
        case YesNoAgreement():
            name, n = "Cohen's kappa", figure.pairs
        case _:
            name, n = name.replace("_", " "), figure.n
    row = {"figure": name, "value": figure.value, "low": figure.low, "high": figure.high}
    return {**row, "n": n, "clusters": figure.clusters}


def agreements(
    store: Store,
    runs: Sequence[str],
    judges: Sequence[str] = (),
    sets: Sequence[str] = (),
    *,
    bins: int = 5,
) -> Agreements:
    """Compare the judges of some runs with the people who rated them; ConfigError if nobody did."""
    ratings = load_ratings(store, runs, judges, sets)
    scales, answers = on_scales(ratings), yes_no_cells(ratings)
    ranges = {name: (metric.low, metric.high) for name, metric in scales.metrics.items()}
    report = agreement_report(scales.people, scales.judges, ranges, bins=bins)
    bins_of = {name: Bins(low, high, bins) for name, (low, high) in ranges.items()}
    judged = for_other_raters(report.judges, scales.people, scales.judges, bins_of)
    report = replace(report, judges=judged)
    by_agent = tuple(judge_by_agent(scales, judge) for judge in scales.judge_ids)
    sections = build_sections(scales, report, bins, by_agent) if scales.measures else ()
    if answers:
        section = yes_no_section(ratings, answers)
        sections += (add_exam_notes(ratings, section, *ratings.judge_ids),)
    if beside := validities(ratings):
        section = validity_section(ratings, beside)
        sections += (add_exam_notes(ratings, section, *(row.judge for row in beside)),)
    return Agreements(ratings, report, bins, sections, answers, beside, by_agent)


def on_scales(ratings: StoredRatings) -> StoredRatings:
    """The ratings without those of yes/no questions."""
    measures = tuple(measure for measure in ratings.measures if not measure.yes_no)
    if measures == ratings.measures:
        return ratings
    names = {measure.name for measure in measures}
    judges = tuple(row for row in ratings.judges if row.dimension in names)
    scored = {row.rater for row in judges}
    return replace(
        ratings,
        people=tuple(row for row in ratings.people if row.dimension in names),
        judges=judges,
        measures=measures,
        judge_ids={name: judge for name, judge in ratings.judge_ids.items() if name in scored},
    )


def build_sections(
    ratings: StoredRatings,
    report: AgreementReport,
    bins: int,
    by_agent: Sequence[JudgeByAgent] = (),
) -> tuple[Section, ...]:
    """Sections on each judge by agent, on people, on each judge and people, on pairs of judges."""
    people = people_section(ratings, people_findings(ratings, report, bins), bins)
    sections = [
        *(
            add_exam_notes(ratings, judge_by_agent_section(ratings, judge), judge.judge)
            for judge in by_agent
            if judge.biases
        ),
        add_exam_notes(ratings, people),
        *(
            add_exam_notes(ratings, judge_section(ratings, report, judge), judge)
            for judge in ratings.judge_ids
        ),
    ]
    if report.pairs:
        sections.append(add_exam_notes(ratings, pairs_section(ratings, report), *ratings.judge_ids))
    return tuple(sections)


def add_exam_notes(ratings: StoredRatings, section: Section, *judges: str) -> Section:
    """The section with notes on the exams of these judges and of the people."""
    return exam_notes(ratings.exams, (*ratings.sets, *judges)).on(section)


# ------------------------------------------------------------------ findings


def people_findings(ratings: StoredRatings, report: AgreementReport, bins: int) -> list[Finding]:
    """Randolph's kappa of two people by metric and who played; beside it shares and alphas."""
    return [
        replace(
            _finding(ratings, cell, "kappa", cell.agreement.kappa.n, played=cell.group or ALL),
            estimate=kappa_on_scale(cell.agreement.kappa, bins),
        )
        for cell in report.people
    ]


def judge_findings(ratings: StoredRatings, report: AgreementReport, judge: str) -> list[Finding]:
    """r of a judge and the people's mean by metric and who played, of the metrics in which both
    scored a seat; beside it how far, and on which side of people, its scores lie."""
    cells = [cell for cell in report.judges if cell.judge == judge]
    compared = {cell.dimension for cell in cells if cell.group is None and cell.pearson.n}
    return [
        replace(
            _finding(
                ratings, cell, "pearson", cell.pearson.n, judge=judge, played=cell.group or ALL
            ),
            p=cell.pearson.p,
        )
        for cell in cells
        if cell.dimension in compared
    ]


def adjusted_findings(ratings: StoredRatings) -> Iterator[Finding]:
    """People's mean of each agent in each metric, adjusted for how severe its raters are; beside it
    the mean as it is. Nothing where too few people rated to speak of others."""
    for metric in ratings.measures:
        items: dict[str, list[tuple[str, float]]] = {}
        for row in ratings.people:
            if row.dimension == metric.name and row.value is not None:
                items.setdefault(row.item, []).append((row.rater, row.value))
        seats = {item: ratings.seats[item] for item in items}
        plays = [
            RatedPlay(seats[item].cluster, tuple(given), side=seats[item].agent)
            for item, given in items.items()
        ]
        if not plays or (means := adjust_means(plays)).raters < LEAST_RATERS:
            continue
        for agent in means.sides:
            own = [fmean(v for _, v in play.ratings) for play in plays if play.side == agent]
            estimate = on_scale(means.contrast({agent: 1.0}), metric.low, metric.high)
            counts = (Count("seat", len(own)),)
            yield Finding(metric, {"agent": agent}, estimate, counts, more={"people": fmean(own)})


def pair_findings(ratings: StoredRatings, report: AgreementReport) -> list[Finding]:
    """The first of two judges minus the second, by metric; beside it how far they agree."""
    return [
        _finding(ratings, cell, "difference", seats, first=cell.first, second=cell.second)
        for cell in report.pairs
        if cell.group is None and (seats := cell.agreement.kappa.n)
    ]


def _finding(ratings: StoredRatings, cell: _Cell, leading: str, n: int, **about: str) -> Finding:
    """A cell as a finding: `leading` names its estimate, all other figures go to `more`."""
    figures = _figures(cell)
    estimate = figures.pop(leading, None)
    counts = (Count("score" if cell.dimension == POOLED else "seat", n),)
    return Finding(_metrics(ratings)[cell.dimension], about, estimate, counts, more=figures)


def kappa_on_scale(kappa: Estimate, bins: int) -> Estimate:
    """A kappa whose interval ends where kappa does: at -1 / (bins - 1) and 1."""
    if kappa.low is None or kappa.high is None:
        return kappa
    return replace(kappa, low=max(kappa.low, -1 / (bins - 1)), high=min(kappa.high, 1.0))


def _metrics(ratings: StoredRatings) -> dict[str, Measure]:
    """The metrics that people rated, and the two summaries, by name."""
    return ratings.metrics | {
        OVERALL: Measure(OVERALL, 0, 1, title=SAY("overall")),
        POOLED: Measure(POOLED, 0, 1, title=SAY("pooled")),
    }


def _of_all(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.about["played"] == ALL]


def _name(finding: Finding) -> str:
    return finding.metric.name if finding.metric else ""


def _parts(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of single metrics, without the summaries."""
    return [finding for finding in findings if _name(finding) not in (OVERALL, POOLED)]


def _groups(findings: Sequence[Finding]) -> list[str]:
    """The groups of players that occur, in the order of SOTOPIA's Table 1."""
    groups = {finding.about["played"] for finding in findings}
    return [group for group in GROUPS if group in groups]


# ------------------------------------------------------------------ people


def people_section(ratings: StoredRatings, findings: Sequence[Finding], bins: int) -> Section:
    """Agreement of people among themselves, raters one by one, and how severe each is."""
    items = {row.item for row in ratings.people}
    clusters = Count(ratings.cluster, len({row.cluster for row in ratings.people}))
    overall = _of_all(findings)
    sentences = [
        SAY(
            "rated",
            raters=Count("person", len(ratings.raters)),
            ratings=Count("rating", len(ratings.people)),
            dimensions=Count("dimension", len(ratings.measures)),
            seats=Count("seat", len(items)),
            episodes=Count("episode", len({ratings.seats[item].episode for item in items})),
            clusters=clusters,
            runs=ratings.runs,
        )
    ]
    tables = [_raters_table(ratings), *_severity_tables(ratings)]
    if adjusted := tuple(adjusted_findings(ratings)):
        tables.append(SAY.table("adjusted", adjusted, cluster=ratings.cluster))
    if any(finding.counts[0].n for finding in overall):
        sentences += _agreeing(overall, bins)
        tables += _people_tables(findings, ratings.cluster, bins)
    cautions = tuple(_people_cautions(ratings, overall, clusters))
    return Section(SAY("people_title"), tuple(sentences), cautions, tuple(tables))


def _agreeing(findings: Sequence[Finding], bins: int) -> Iterator[Sentence]:
    main = next((finding for finding in findings if _name(finding) == POOLED), findings[0])
    where = SAY("over_all") if _name(main) == POOLED else SAY("on", metric=main.metric)
    kappa: Any = main.estimate
    yield SAY(
        "two_people",
        where=where,
        bins=bins,
        same=main.more["binned"].value,
        kappa=SAY("no_interval", kappa=kappa) if kappa.low is None else kappa,
        exact=main.more["exact"].value,
        near=main.more["near"].value,
    )
    alphas = sorted(
        (finding.more["interval"].value, title_of(finding.metric))
        for finding in _parts(findings)
        if finding.metric and finding.more["interval"].value is not None
    )
    if len(alphas) > 1:
        (low, worst), (high, best) = alphas[0], alphas[-1]
        if round(low, 2) == round(high, 2):
            dimensions = Count("dimension", len(alphas))
            yield SAY("alphas_alike", alpha=low, dimensions=dimensions)
        else:
            yield SAY("alphas", low=low, worst=worst, high=high, best=best)


def _people_cautions(
    ratings: StoredRatings, findings: Sequence[Finding], clusters: Count
) -> Iterator[Sentence]:
    raters = len(ratings.raters)
    if raters == 1:
        yield SAY("one_rater")
    elif not any(finding.counts[0].n for finding in findings):
        yield SAY("no_seat_twice")
    elif raters < 4:
        yield SAY("few_raters", raters=Count("rater", raters), cluster=ratings.cluster)
    rated = {ratings.seats[row.item].run for row in ratings.people}
    if unrated := [run for run in ratings.runs if run not in rated]:
        yield SAY("unrated", runs=unrated)
    if len(ratings.sets) > 1:
        yield SAY("several_sets", sets=ratings.sets)
    if raters > 1 and (once := _counted(findings, "left_out")):
        yield SAY("rated_once", seats=once)
    if flat := [finding.metric for finding in findings if _flat(finding)]:
        yield SAY("flat", metrics=flat)
    yield from _few_clusters(clusters)
    if rules := len({row.item for row in ratings.people if row.group == RULES}):
        yield SAY("rule_based", seats=Count("seat", rules))


def _counted(findings: Sequence[Finding], name: str) -> list[Sentence]:
    """The metrics in which this figure is not 0, each with it."""
    return [
        SAY("listed", metric=finding.metric, n=finding.more[name])
        for finding in findings
        if finding.more[name] and _name(finding) != POOLED
    ]


def _flat(finding: Finding) -> bool:
    same, alpha = finding.more["binned"].value, finding.more.get("interval")
    if same is None or alpha is None or same < 0.8:
        return False
    return alpha.value is None or alpha.value < 0.4


def _few_clusters(clusters: Count) -> Iterator[Sentence]:
    """A caution for intervals from few clusters; none for a single one, which has no interval."""
    if 1 < clusters.n < FEW_CLUSTERS:
        yield SAY("few_clusters", clusters=clusters)


def _raters_table(ratings: StoredRatings) -> FindingTable:
    findings = [
        Finding(
            about={"rater": rater.name},
            counts=(Count("seat", rater.plays), Count("rating", rater.ratings)),
            more={"seconds": median(rater.seconds) if rater.seconds else None},
        )
        for rater in ratings.raters
    ]
    timed = any(rater.seconds for rater in ratings.raters)
    return SAY.table("raters", findings, notes=[SAY("seconds")] if timed else ())


def _severity_tables(ratings: StoredRatings) -> Iterator[FindingTable]:
    """How severe each rater is, and the ceiling of a judge's r."""
    metrics, severity_rows = _metrics(ratings), severities(ratings.people)
    if any(severity.shared for severity in severity_rows):
        by_rater: dict[str, dict[str, Any]] = {rater.name: {} for rater in ratings.raters}
        for severity in severity_rows:
            mean, deviation = severity.mean, severity.deviation
            by_rater[severity.rater][severity.dimension] = (
                mean if deviation is None else SAY("severity", mean=mean, deviation=deviation)
            )
        rows = [Finding(about={"rater": rater}, more=means) for rater, means in by_rater.items()]
        columns = [
            Column(metric.name, title_of(metric), metric.name) for metric in ratings.measures
        ]
        yield SAY.table("severity", rows, columns=("rater", *columns))
    most = [
        Finding(
            metrics[ceiling.dimension],
            counts=(Count("seat", ceiling.items),),
            more={"pair": ceiling.pair, "ceiling": ceiling.ceiling},
        )
        for ceiling in ceilings(ratings.people)
        if ceiling.pair is not None
    ]
    if most:
        yield SAY.table("ceiling", most)


def _people_tables(findings: Sequence[Finding], cluster: str, bins: int) -> Iterator[FindingTable]:
    overall = _of_all(findings)
    summaries = [SAY("summaries")] if len(_parts(overall)) < len(overall) else ()
    yield SAY.table("people", overall, notes=summaries, cluster=cluster, bins=bins)
    alphas = [finding for finding in overall if "interval" in finding.more]
    why = missing_notes(finding.more["interval"].note for finding in alphas)
    yield SAY.table("alpha", alphas, notes=why, unit=cluster)
    if len(_groups(findings)) > 1:
        apart = [finding for finding in findings if finding.about["played"] != ALL]
        yield SAY.table("people_by_group", apart)


# ------------------------------------------------------------------ judges


def judge_section(ratings: StoredRatings, report: AgreementReport, judge: str) -> Section:
    """How far a judge follows people, and on which side of them its scores lie."""
    findings = judge_findings(ratings, report, judge)
    overall, title = _of_all(findings), SAY("judge_title", judge=judge)
    who = ratings.judge_ids[judge]
    declared = next(iter(ratings.worlds.values()), UNDECLARED)
    sentences = [SAY("judge", judge=judge, method=method_words(declared, who))]
    if who.method in RULE_BASED:
        sentences.append(SAY("no_model"))
    if not overall:
        sentences.append(SAY("scored_nothing"))
        cells = [cell for cell in report.judges if (cell.judge, cell.group) == (judge, None)]
        owed = sum(cell.failed for cell in cells if cell.dimension != OVERALL)
        cautions = [SAY("owed", scores=Count("score", owed))] if owed else []
        return Section(title, tuple(sentences), tuple(cautions))
    parts = _parts(overall)
    constant = [row.metric for row in parts if _constant(ratings, judge, row) is not None]
    if constant:
        sentences.insert(0, constant_judge(constant))
    sentences += _following(overall)
    if len(constant) < len(parts):
        sentences += _biased(overall)
    sentences += _in_range(overall)
    tables, figures = _judge_tables(ratings, findings), _differences(ratings, report, judge)
    return Section(
        title,
        tuple(sentences),
        tuple(_judge_cautions(ratings, judge, findings)),
        tuple(tables),
        tuple(figures),
    )


def _following(findings: Sequence[Finding]) -> Iterator[Sentence]:
    values = [(finding, finding.estimate) for finding in _parts(findings)]
    ranked = sorted(
        ((finding, r) for finding, r in values if r and r.value is not None),
        key=lambda pair: -(pair[1].value or 0.0),
    )
    if not ranked:
        return
    (best, r), (worst, least) = ranked[0], ranked[-1]
    if len(ranked) > 1:
        yield SAY("follows_apart", best=best.metric, r=r, worst=worst.metric, least=least)
    else:
        yield SAY("follows", best=best.metric, r=r)
    if none := [finding.metric for finding, r in ranked if _may_be_zero(r)]:
        yield SAY("no_correlation", metrics=none)


def _may_be_zero(r: Any) -> bool:
    return r.low is None or r.high is None or r.low <= 0 <= r.high


def _biased(findings: Sequence[Finding]) -> Iterator[Sentence]:
    biases = [(finding.metric, finding.more["bias"]) for finding in findings]
    sure = [(metric, bias) for metric, bias in biases if bias.low is not None]
    higher = [SAY("bias", metric=metric, bias=bias) for metric, bias in sure if bias.low > 0]
    lower = [SAY("bias", metric=metric, bias=bias) for metric, bias in sure if bias.high < 0]
    if higher:
        yield SAY("higher", biases=higher)
    if lower:
        yield SAY("lower", biases=lower)
    if not higher and not lower:
        yield SAY("no_bias")


def _in_range(findings: Sequence[Finding]) -> Iterator[Sentence]:
    figures = [finding.more for finding in _parts(findings)]
    total = sum(each["inside"].n for each in figures)
    if total:
        below, above = (sum(each[side] for each in figures) for side in ("below", "above"))
        inside = total - below - above
        yield SAY(
            "range",
            scores=Count("score", total),
            inside=inside,
            share=inside / total,
            below=below,
            above=above,
        )


def _judge_cautions(
    ratings: StoredRatings, judge: str, findings: Sequence[Finding]
) -> Iterator[str]:
    overall = _of_all(findings)
    compared = {finding.metric for finding in overall}
    for raters in ratings.sets:
        yield from _instructed_apart(ratings, judge, raters)
    if lacking := [metric for metric in ratings.measures if metric not in compared]:
        yield SAY("not_compared", metrics=lacking)
    if missing := _counted(overall, "failed"):
        yield SAY("missing", scores=missing)
    if few := [finding.metric for finding in overall if finding.counts[0].n < FEW_SEATS]:
        yield SAY("few_seats", few=FEW_SEATS, metrics=few)
    if undefined := [finding.metric for finding in overall if _r(finding).value is None]:
        yield SAY("no_r", metrics=undefined)
    if lifted := [finding.metric for finding in overall if _lifted(finding)]:
        yield SAY("lifted", metrics=lifted)
    if doubtful := [f.metric for f in overall if _r(f).stars and _may_be_zero(_r(f))]:
        yield SAY("doubtful", metrics=doubtful)
    if at_an_end := [f.metric for f in overall if _at_an_end(ratings, judge, f)]:
        yield SAY("at_an_end", metrics=at_an_end)
    if len(ratings.raters) == 1:
        yield SAY("no_range")
    groups = _groups(findings)
    if PEOPLE not in groups:
        yield SAY("not_by_people", groups=groups)
    clusters = max(_r(finding).clusters for finding in overall)
    yield from _few_clusters(Count(ratings.cluster, clusters))
    if ratings.judge_ids[judge].method == "model" and len(ratings.worlds) == 1:
        (declared,) = ratings.worlds.values()
        yield from (declared.published[group] for group in groups if group in declared.published)


def _r(finding: Finding) -> Any:
    return finding.estimate


def _lifted(finding: Finding) -> bool:
    r, rho = _r(finding).value, finding.more["spearman"].value
    enough = finding.counts[0].n >= FEW_SEATS
    return r is not None and rho is not None and enough and r - rho > _LIFT


def _constant(ratings: StoredRatings, judge: str, finding: Finding) -> float | None:
    """The one score that a judge gives all of several seats in a metric; None if it gives more."""
    rows = [
        row.value
        for row in ratings.judges
        if (row.rater, row.dimension) == (judge, _name(finding)) and row.value is not None
    ]
    return rows[0] if len(rows) > 1 and len({*rows}) == 1 else None


def _at_an_end(ratings: StoredRatings, judge: str, finding: Finding) -> bool:
    """Whether all that a judge gives in a metric is the lowest, or the highest, score."""
    score, metric = _constant(ratings, judge, finding), finding.metric
    return metric is not None and score in (metric.low, metric.high)


def _instructed_apart(ratings: StoredRatings, judge: str, other: str) -> Iterator[Sentence]:
    """A caution where two raters had different instructions: agreement reflects that, too."""
    first, second = (ratings.instructions.get(who) for who in (judge, other))
    if first and second and first.hash != second.hash:
        prompts = {"first": str(first), "second": str(second)}
        yield SAY("instructed_apart", one=judge, other=other, **prompts)


def _judge_tables(ratings: StoredRatings, findings: Sequence[Finding]) -> Iterator[FindingTable]:
    overall, cluster = _of_all(findings), ratings.cluster
    for_others = overall[0].more["bias"].method == "crossed"
    also = SAY("and_raters") if for_others else ""
    t_test = SAY("t_test", cluster=cluster, also=also)
    why = missing_notes(_r(finding).note for finding in overall)
    apart = len(_groups(findings)) > 1
    yield SAY.table(
        "correlation",
        findings if apart else overall,
        columns=(
            "metric",
            *(("played",) if apart else ()),
            "seats",
            "r",
            "interval",
            "p",
            "spearman",
        ),
        notes=(t_test, *why),
    )
    yield SAY.table("difference", overall, cluster=cluster)
    ranged = [
        replace(finding, counts=(Count("seat", finding.more["inside"].n),))
        for finding in overall
        if finding.more["inside"].n
    ]
    if ranged:
        yield SAY.table("range", ranged, cluster=cluster)


def _differences(ratings: StoredRatings, report: AgreementReport, judge: str) -> Iterator[Figure]:
    wide = {
        metric.name: title_of(metric)
        for metric in ratings.measures
        if metric.high - metric.low >= _WIDE
    }
    rows = [
        (wide[cell.dimension], cell.spread)
        for cell in report.judges
        if cell.dimension in wide and (cell.judge, cell.group) == (judge, None)
        and cell.spread.bias.n
    ]  # fmt: skip
    if rows:
        chart = difference_bars(SAY("chart", judge=judge), rows)
        yield Figure(SAY("chart_caption", judge=judge), chart)


def difference_bars(title: str, rows: Sequence[tuple[str, Spread]]) -> Chart:
    """A row of bars for each metric: how many seats lie at each whole number of points from the
    people's mean; a line marks 0."""
    points = [point for _, spread in rows for point, _ in spread.counts]
    ends = min([-1, *points]) - 0.5, max([1, *points]) + 0.5
    bars = [
        Bars(
            name,
            [(point - 0.5, point + 0.5, count) for point, count in spread.counts],
            None,
            str(Count("seat", spread.bias.n)),
        )
        for name, spread in rows
    ]
    in_words = "; ".join(
        f"{name}: "
        + ", ".join(f"{minus(f'{point:+d}')}: {count}" for point, count in spread.counts if count)
        for name, spread in rows
    )
    return bar_chart(title, in_words, bars, ends, zero=True)


def pairs_section(ratings: StoredRatings, report: AgreementReport) -> Section:
    """Agreement of each pair of judges, as raters of the same seats."""
    findings = pair_findings(ratings, report)
    tables, apart, cautions = [], [], [SAY("shared_error")]
    for first, second in dict.fromkeys((cell.first, cell.second) for cell in report.pairs):
        cautions += _instructed_apart(ratings, first, second)
        if rows := [
            finding for finding in findings if (*finding.about.values(),) == (first, second)
        ]:
            tables.append(
                SAY.table("pair", rows, cluster=ratings.cluster, first=first, second=second)
            )
        else:
            apart.append(SAY("pair", first=first, second=second))
    sentences = (SAY("nothing_shared", pairs=apart),) if apart else ()
    return Section(SAY("pairs_title"), sentences, tuple(cautions) if tables else (), tuple(tables))


# ------------------------------------------------------------------ yes/no questions


def yes_no_cells(ratings: StoredRatings) -> tuple[YesNoCell, ...]:
    """For each yes/no question people among themselves, then each judge beside them: each pair of
    answers about the same seat counts once.

    Whoever gave no yes or no is in no pair. Of repeated judgings the majority counts.
    """
    cells = []
    for measure in ratings.measures:
        if not measure.yes_no:
            continue
        people = _answers(ratings.people, measure.name)
        pairs = [
            (pair, cluster)
            for cluster, answers in people.values()
            for pair in combinations(answers.values(), 2)
        ]
        cells.append(_yes_no_cell(AMONG, measure.name, pairs))
        for judge in ratings.judge_ids:
            own = _answers([row for row in ratings.judges if row.rater == judge], measure.name)
            pairs = [
                ((own[item][1][judge], answer), cluster)
                for item, (cluster, answers) in people.items()
                if item in own
                for answer in answers.values()
            ]
            if own:
                cells.append(_yes_no_cell(judge, measure.name, pairs))
    return tuple(cells)


def _yes_no_cell(
    judge: str, dimension: str, pairs: Sequence[tuple[tuple[bool, bool], str]]
) -> YesNoCell:
    answers, clusters = [pair for pair, _ in pairs], [cluster for _, cluster in pairs]
    agreement = yes_no_agreement(answers, clusters, interchangeable=judge == AMONG)
    return YesNoCell(judge, dimension, agreement)


def _answers(rows: Sequence[ItemRating], dimension: str) -> dict[str, tuple[str, dict[str, bool]]]:
    """By item: its cluster, and the yes/no answers by rater."""
    answers: dict[str, tuple[str, dict[str, bool]]] = {}
    for row in rows:
        if row.dimension == dimension and row.value is not None and row.value != 0.5:
            answers.setdefault(row.item, (row.cluster, {}))[1][row.rater] = row.value > 0.5
    return answers


def yes_no_section(ratings: StoredRatings, cells: Sequence[YesNoCell]) -> Section:
    """The agreement on each question, people first."""
    metrics = _metrics(ratings)
    findings = [
        Finding(
            metrics[cell.dimension],
            {"judge": cell.judge},
            counts=(Count("pair", cell.agreement.pairs),),
            more={
                "kappa": cell.agreement,
                "yes": cell.agreement.first,
                "yes_people": cell.agreement.second,
                "same": cell.agreement.same,
            },
        )
        for cell in cells
    ]
    tables = []
    for judge in dict.fromkeys(cell.judge for cell in cells):
        rows = [finding for finding in findings if finding.about["judge"] == judge]
        table = "yes_no_people" if judge == AMONG else "yes_no_judge"
        tables.append(SAY.table(table, rows, judge=judge))
    sentences = (SAY("yes_no_pairs"), SAY("yes_no_kappa"))
    return Section(SAY("yes_no_title"), sentences, (), tuple(tables))

"""All pairs of several agents compared in the same metrics, with one correction for all tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from sociolab.analysis.comparison import ComparedAgents, compare_agents
from sociolab.analysis.comparison_notes import matching_notes
from sociolab.analysis.comparison_tables import comparison_findings, metric_row
from sociolab.analysis.matching import ComparedSide, Match
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import JudgeId, Measure
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, Sentence
from sociolab.report.formatting import headed
from sociolab.report.section import Section
from sociolab.report.verdict import enough, too_few
from sociolab.stats.paired_tests import holm

SAY = Catalogue("all_pairs")
VERDICT = Catalogue("verdict")


@dataclass(frozen=True, slots=True)
class AgentPairs:
    """All pairs of agents, each compared as by `compare`.

    `holm` has p corrected over all pairs and metrics, by number of the pair and metric. `apart` are
    the reasons why pairs cannot be compared.
    """

    compared: tuple[ComparedAgents, ...]
    holm: Mapping[tuple[int, str], float | None]
    apart: tuple[str, ...]

    def document(self) -> list[dict[str, Any]]:
        """A JSON object for each two agents and metric: see docs/compare.md."""
        return [
            {
                "a": {"run": pair.a.run, "agent": pair.a.agent},
                "b": {"run": pair.b.run, "agent": pair.b.agent},
                "measure": name,
                "match": pair.match,
                "matched_by": pair.matched_by,
                **metric_row(metric),
                "holm_p": self.holm[number, name],
            }
            for number, pair in enumerate(self.compared)
            for name, metric in pair.metrics.items()
        ]


def compare_all(
    world: str,
    sides: Sequence[ComparedSide],
    judge: tuple[str, JudgeId],
    measures: Mapping[str, Measure],
    declared: Declared = UNDECLARED,
    match: Match | None = None,
    looks: int = 1,
) -> AgentPairs:
    """Compare each two sides, in their order; ConfigError where no two of them can be compared."""
    comparisons, apart = list[ComparedAgents](), list[str]()
    for a, b in combinations(sides, 2):
        try:
            comparisons.append(compare_agents(world, a, b, judge, measures, declared, match, looks))
        except ConfigError as error:
            apart.append(str(error))
    if not comparisons:
        raise ConfigError(SAY("none_comparable", reasons="; ".join(apart)))
    ps = {
        (number, name): metric.test.permutation.testable
        for number, pair in enumerate(comparisons)
        for name, metric in pair.metrics.items()
    }
    return AgentPairs(tuple(comparisons), holm(ps, looks), tuple(apart))


def pairs_section(
    every: AgentPairs, judged: str, cautions: Sequence[str], label: str = ""
) -> Section:
    """Which pairs differ significantly, and a table for each metric; `label` stands before the
    verdict where that is no result."""
    first = every.compared[0]
    names = {side.name for pair in every.compared for side in (pair.a, pair.b)}
    agents = Count("agent", len(names))
    pairs = Count("pair", len(every.compared))
    findings = pairs_findings(every)
    return Section(
        SAY("title", agents=agents),
        (
            SAY("agents", agents=agents, pairs=pairs),
            *filter(None, [judged]),
            *_state_differences(findings),
        ),
        (*cautions, *(SAY("apart", why=why) for why in every.apart)),
        tuple(
            SAY.table(
                "metric",
                [row for row in findings if row.metric == measure],
                notes=_notes(every),
                cluster=first.cluster,
                metric=headed(measure, first.declared),
                judge=first.judged,
            )
            for measure in first.measures.values()
        ),
        verdict=_pairs_verdict(every, findings, agents, label),
    )


def _pairs_verdict(
    every: AgentPairs, findings: Sequence[Finding], agents: Count, label: str
) -> Sentence:
    """In how many pairs the main metric differs, and where most."""
    name, metric = next(iter(every.compared[0].metrics.items()))
    measure, judge = metric.measure, every.compared[0].judge
    main = [pair.metrics[name] for pair in every.compared]
    scored, due = sum(each.scored for each in main), sum(each.due for each in main)
    if not enough(scored, due):
        return too_few(label, measure, judge, scored, due)
    rows = [row for row in findings if row.metric == measure]
    differ = [row for row in rows if row.is_significant and row.estimate and row.estimate.value]
    if not differ:
        return VERDICT("no_pair", label=label, agents=agents, metric=measure, judge=judge)
    most = max(differ, key=lambda row: abs((row.estimate and row.estimate.value) or 0.0))
    return VERDICT(
        "pairs",
        label=label,
        n=len(differ),
        pairs=Count("pair", len(rows)),
        metric=measure,
        a=most.about["agent_a"],
        b=most.about["agent_b"],
        difference=most.estimate,
        judge=judge,
    )


def pairs_findings(every: AgentPairs) -> tuple[Finding, ...]:
    """A finding for each two agents and metric, as `comparison_findings` has them, with the
    correction over all of them."""
    return tuple(
        replace(
            row,
            about={"agent_a": pair.a.name, "agent_b": pair.b.name},
            adjusted_p=every.holm[number, row.metric.name],
            more={**row.more, "match": pair.match, "n": row.estimate and row.estimate.n},
        )
        for number, pair in enumerate(every.compared)
        for row in comparison_findings(pair)
        if row.metric is not None
    )


def _state_differences(findings: Sequence[Finding]) -> Iterator[Sentence]:
    significant = False
    for row in findings:
        value = row.estimate.value if row.estimate else None
        if row.is_significant and value is not None:
            significant = True
            yield SAY(
                "shown",
                metric=row.metric,
                direction="higher" if value > 0 else "lower",
                a=row.about["agent_a"],
                b=row.about["agent_b"],
                size=abs(value),
                adjusted_p=row.adjusted_p,
            )
    if not significant:
        yield SAY("not_shown")


def _notes(every: AgentPairs) -> Iterator[Sentence]:
    first = every.compared[0]
    tests = sum(p is not None for p in every.holm.values())
    if tests:
        yield SAY("correction", family=(Count("test", tests), *first.planned))
    else:
        yield SAY("untestable", clusters=first.clusters)
    examples = {pair.match: pair for pair in reversed(every.compared)}
    for pair in reversed(examples.values()):
        matching = " ".join(matching_notes(pair))
        yield SAY("example", match=pair.match, a=pair.a.name, b=pair.b.name, matching=matching)

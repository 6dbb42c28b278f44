"""Each two of several agents compared in the same metrics, with one correction for all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sociolab.analysis.compare import ComparedAgents, compared, matched_by
from sociolab.analysis.compare_section import and_looks, cluster_of, matching_sentences
from sociolab.analysis.matching import ComparedSide, Match
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import JudgeId, Measure, judge_title
from sociolab.report.formatting import NOTHING, figure, headed, p_text, span, title_of
from sociolab.report.section import Section, TextTable
from sociolab.report.words import interval_methods, plural
from sociolab.stats.paired import holm
from sociolab.stats.power import ALPHA


@dataclass(frozen=True, slots=True)
class AgentPairs:
    """Each two agents as `compare` compares them; `holm` corrects p over all pairs and metrics, by
    the number of the pair and the metric. `apart` says of two agents why they cannot be compared.
    """

    compared: tuple[ComparedAgents, ...]
    holm: Mapping[tuple[int, str], float | None]
    apart: tuple[str, ...]

    def document(self) -> list[dict[str, Any]]:
        """A JSON object for each two agents and metric: see docs/compare.md."""
        return [
            {
                "a": {"run": one.a.run, "agent": one.a.agent},
                "b": {"run": one.b.run, "agent": one.b.agent},
                "measure": name,
                "match": one.match,
                "matched_by": matched_by(one),
                "pairs": metric.test.pairs,
                "clusters": metric.test.clusters,
                "mean_a": metric.test.mean_a,
                "mean_b": metric.test.mean_b,
                "difference": metric.test.difference.value,
                "low": metric.test.difference.low,
                "high": metric.test.difference.high,
                "p": metric.test.p,
                "holm_p": self.holm[number, name],
            }
            for number, one in enumerate(self.compared)
            for name, metric in one.metrics.items()
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
    found, apart = list[ComparedAgents](), list[str]()
    for a, b in combinations(sides, 2):
        try:
            found.append(compared(world, a, b, judge, measures, declared, match, looks))
        except ConfigError as error:
            apart.append(str(error))
    if not found:
        raise ConfigError(f"no two of these agents can be compared: {'; '.join(apart)}")
    ps = {
        (number, name): metric.test.permutation.testable
        for number, one in enumerate(found)
        for name, metric in one.metrics.items()
    }
    return AgentPairs(tuple(found), holm(ps, looks), tuple(apart))


def pairs_section(found: AgentPairs, judged: str, cautions: Sequence[str]) -> Section:
    """What is shown of which two agents, and a table for each metric."""
    first = found.compared[0]
    agents = dict.fromkeys(side.name for one in found.compared for side in (one.a, one.b))
    said = (
        f"{plural(len(agents), 'agent')} in {plural(len(found.compared), 'pair')}.",
        judged,
        *_findings(found),
    )
    apart = tuple(f"Not compared: {why}." for why in found.apart)
    return Section(
        f"All pairs of {len(agents)} agents",
        tuple(filter(None, said)),
        (*cautions, *apart),
        tuple(_table(found, name) for name in first.metrics),
    )


def _findings(found: AgentPairs) -> Iterator[str]:
    shown = False
    for number, one in enumerate(found.compared):
        for name, metric in one.metrics.items():
            p, gap = found.holm[number, name], metric.test.difference
            if p is not None and p < ALPHA and gap.value is not None:
                shown = True
                yield (
                    f"{title_of(metric.measure)} is {'higher' if gap.value > 0 else 'lower'} for "
                    f"{one.a.name} than for {one.b.name} by "
                    f"{figure(abs(gap.value), metric.measure)} (Holm p {p_text(p)})."
                )
    if not shown:
        yield (
            "No two agents differ significantly. This is not evidence of equality: any true "
            "difference within an interval is compatible with these episodes."
        )


def _table(found: AgentPairs, name: str) -> TextTable:
    first = found.compared[0]
    rows = tuple(
        (
            one.a.name,
            one.b.name,
            figure(test.mean_a, metric.measure),
            figure(test.mean_b, metric.measure),
            figure(test.difference.value, metric.measure),
            span(test.difference, metric.measure) or NOTHING,
            p_text(test.p),
            p_text(found.holm[number, name]),
            one.match,
            f"{test.pairs:,}",
        )
        for number, one in enumerate(found.compared)
        for metric in (one.metrics[name],)
        for test in (metric.test,)
    )
    gaps = [one.metrics[name].test.difference for one in found.compared]
    how = interval_methods(gap.method for gap in gaps)
    family = sum(p is not None for p in found.holm.values())
    matches = dict.fromkeys(one.match for one in found.compared)
    examples = [next(one for one in found.compared if one.match == match) for match in matches]
    return TextTable(
        f"{headed(first.metrics[name].measure, first.declared)} · judge: "
        f"{judge_title(first.judge, first.judge_id.method)}",
        ("A", "B", "mean A", "mean B", "A \N{MINUS SIGN} B", "95 % interval", "p", "Holm p",
         "match", "n"),
        rows,
        (
            f"95 % interval: {how}, clustered by {cluster_of(first)}, of one pair; Holm p: "
            f"corrected for {plural(family, 'test')}, all pairs and metrics "
            f"shown{and_looks(first)}"
            if family
            else f"no test possible with so few {cluster_of(first)}s",
            *(
                f"{one.match}, such as {one.a.name} and {one.b.name}: "
                f"{' '.join(matching_sentences(one))}"
                for one in examples
            ),
        ),
        words=(1, 8),
    )  # fmt: skip

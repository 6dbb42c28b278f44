"""Gates: rules such as "goal<-0.5", tested on the interval of a difference or of a run's mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from sociolab.core.errors import ConfigError, did_you_mean
from sociolab.core.score import Measure, leading_judge, resolve_measure
from sociolab.report.catalogue import Catalogue, write
from sociolab.report.exam import exam_notes
from sociolab.report.finding import Sentence
from sociolab.report.plays import TRANSCRIPT
from sociolab.report.run_facts import evaluated
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.words import counted, plural
from sociolab.stats.intervals import (
    LEVEL,
    NO_VARIATION,
    Estimate,
    on_scale,
    sure_from,
    t_critical,
    t_quantile,
)

if TYPE_CHECKING:
    from sociolab.analysis.comparison import ComparedAgents
    from sociolab.report.result import ColumnOutcomes

SAY = Catalogue("gates")
JUDGES = Catalogue("judges")
TRANSCRIPTS = 10
"""Episodes, or pairs, that a failed gate names."""
_RULE = re.compile(r"\s*([^<>=]*[^<>=\s])\s*([<>])\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*")


@dataclass(frozen=True, slots=True)
class GateRule:
    """That the mean, or the difference A - B, of a metric is surely below, or above, a limit."""

    measure: str
    below: bool
    limit: float

    @property
    def text(self) -> str:
        """Such as "goal<-0.5"."""
        return f"{self.measure}{'<' if self.below else '>'}{self.limit:g}"


@dataclass(frozen=True, slots=True)
class Gate:
    """A rule tested on the interval from `low` to `high` of an estimate.

    `of` says whose: "A - B", or an agent and its run. `transcripts` are, of a gate that failed, the
    episodes or pairs that lie beyond the limit, the furthest first. `judge` gave the scores, and
    `led_by` names others that gave some, where nobody named one. `undecided`: that judge failed its
    exam, so that the gate has neither passed nor failed.
    """

    rule: GateRule
    of: str
    value: float
    low: float
    high: float
    failed: bool
    sentence: Sentence
    kind: Literal["difference", "mean"]
    transcripts: tuple[Sentence, ...] = ()
    judge: str = ""
    led_by: str = ""
    undecided: bool = False

    def document(self) -> dict[str, Any]:
        """The gate as a JSON object: see docs/compare.md."""
        return {
            "rule": self.rule.text,
            "failed": self.failed,
            "undecided": str(self.sentence) if self.undecided else None,
            self.kind: self.value,
            "low": self.low,
            "high": self.high,
        }


def parse_rule(text: str) -> GateRule:
    """Parse "goal<-0.5" or "goal>0.5"; ConfigError for anything else."""
    match = _RULE.fullmatch(text)
    if match is None:
        raise ConfigError(
            f'--fail-if: expected a metric, < or > and a number, such as "goal<-0.5", in '
            f'quotes, since < and > mean files to a shell; found "{text}"'
        )
    return GateRule(match[1], match[2] == "<", float(match[3]))


def difference_gates(
    comparison: ComparedAgents,
    rules: Sequence[GateRule],
    why: Callable[[str], str] = lambda _: "",
) -> tuple[Gate, ...]:
    """Test each rule on the interval of the paired difference A - B.

    A gate fails where all of the interval lies beyond the limit; where several looks are planned,
    of an interval at the level that they share. Where all clusters differ by the same there is no
    interval, and the difference stands for it from `sure_from` clusters on. ConfigError for a
    metric that is not compared (`why` says why not, and what to do), and where there is nothing to
    decide by: no pairs, or a single cluster.
    """
    gates = []
    for rule in rules:
        name = resolve_measure(rule.measure, comparison.measures.values())
        if name not in comparison.metrics:
            raise ConfigError(
                f'--fail-if: "{rule.measure}" is not compared'
                f"{did_you_mean(name, comparison.metrics)}; these are: "
                f"{', '.join(comparison.metrics)}{why(name)}"
            )
        metric = comparison.metrics[name]
        width = metric.measure.high - metric.measure.low
        wide = _wider(metric.test.difference, width, comparison.looks)
        whose = f"A \N{MINUS SIGN} B ({_sides(comparison)})"
        gate = _gate(rule, whose, wide, metric.measure, "difference", comparison.looks)
        gate = replace(gate, judge=comparison.judge)
        pairs = [
            (pair.difference, pair.a.task, pair.a.seat, f"{pair.a.trial} {pair.b.trial}")
            for pair in comparison.pairs(name)
            if pair.difference is not None
        ]
        gates.append(_with_transcripts(gate, pairs, metric.measure))
    return tuple(gates)


def _sides(comparison: ComparedAgents) -> str:
    """What is subtracted from what: the runs, or the agents of one run."""
    a, b = comparison.a, comparison.b
    names = (a.run, b.run) if a.run != b.run else (a.agent, b.agent)
    return " \N{MINUS SIGN} ".join(names)


def _with_transcripts(
    gate: Gate, plays: Iterable[tuple[float, str, str | None, str]], measure: Measure
) -> Gate:
    """The gate, if it failed, with the plays beyond its limit: value, task, seat, episodes."""
    below, limit = gate.rule.below, gate.rule.limit
    beyond = [play for play in plays if (play[0] < limit if below else play[0] > limit)]
    beyond.sort(key=lambda play: play[0] if below else -play[0])
    named = tuple(
        SAY(
            "transcript",
            value=write(value, "scaled", metric=measure),
            task=task,
            seat=SAY("seat", seat=seat) if seat else "",
            episodes=episodes,
        )
        for value, task, seat, episodes in beyond[:TRANSCRIPTS]
    )
    return replace(gate, transcripts=named) if gate.failed else gate


def withhold(gates: Iterable[Gate], results: Sequence[RunResult]) -> tuple[Gate, ...]:
    """The gates, of which those by a judge that failed its exam are undecided: its scores are not
    to be relied on."""
    return tuple(_withheld(gate, results) for gate in gates)


def _withheld(gate: Gate, results: Sequence[RunResult]) -> Gate:
    exams = exam_notes({result.run: result.judges for result in results}, (gate.judge,))
    if not exams.failed:
        return gate
    sentence = SAY("undecided", rule=gate.rule.text, of=gate.of, why=" ".join(exams.failed))
    return replace(gate, failed=False, undecided=True, sentence=sentence, transcripts=())


def order_notes(outlines: Sequence[RunResult]) -> tuple[Sentence, ...]:
    """That the first of two runs is the older one, though a gate tests the first minus the
    second."""
    if len(outlines) != 2 or outlines[0].created >= outlines[1].created:
        return ()
    return (SAY("older", a=outlines[0].run, b=outlines[1].run),)


def score_gates(
    result: RunResult, rules: Sequence[GateRule], columns: Sequence[ColumnOutcomes] = ()
) -> tuple[Gate, ...]:
    """Each rule held against the interval of the mean of each evaluated agent of a run (not of a
    partner), over all its episodes, by the leading judge that gave scores of the metric; else as
    `difference_gates`. `columns` are the scores of single plays (`ResultDetails`), by which gates
    that fail name transcripts.
    """
    measures = {
        entry.measure: Measure(
            entry.measure,
            entry.low,
            float("inf") if entry.high is None else entry.high,
            title=entry.title,
        )
        for entry in result.measures
    }
    gates = []
    for rule in rules:
        name = resolve_measure(rule.measure, measures.values())
        entries = [
            entry
            for entry in result.scores
            if entry.measure == name and not entry.by and entry.agent in (*evaluated(result), None)
        ]
        judges = {entry.judge: entry.id for entry in result.judges}
        by = {entry.judge: judges.get(entry.judge, TRANSCRIPT) for entry in entries}
        leading = leading_judge(by)
        if leading is None:
            choices = dict.fromkeys(entry.measure for entry in result.scores)
            raise ConfigError(
                f'--fail-if: {result.run} has no scores of "{rule.measure}"'
                f"{did_you_mean(name, choices)}; it has scores of: "
                f"{', '.join(choices) or 'none'}{_failed(result)}"
            )
        others = [judge for judge in by if judge != leading]
        led_by = JUDGES("leading_judge", judge=leading, others=others) if others else ""
        for entry in entries:
            if entry.judge == leading:
                whose = f"{entry.agent or 'all agents'} in {result.run}"
                if not entry.n:
                    raise ConfigError(
                        f"--fail-if {rule.text} cannot be decided: no episode of {whose} has a "
                        f"score{_why_none(result, entry)}"
                    )
                gate = replace(
                    _gate(rule, whose, entry, measures[name], "mean"), judge=leading, led_by=led_by
                )
                plays = [
                    (outcome, play.cluster, play.key[1], play.key[0])
                    for scores in columns
                    if (scores.column.measure.name, scores.column.label) == (name, entry.judge)
                    for play, outcome in zip(scores.plays, scores.outcomes, strict=True)
                    if play.agent == entry.agent and isinstance(outcome, float)
                ]
                gates.append(_with_transcripts(gate, plays, measures[name]))
    return tuple(gates)


def _failed(result: RunResult) -> str:
    if not result.failed:
        return ""
    episodes = plural(result.trials, "episode")
    return f" ({result.failed} of {episodes} failed: {counted(result.failures.trials)})"


def _why_none(result: RunResult, entry: ScoreEntry) -> str:
    if not entry.unscored:
        return _failed(result)
    return (
        f": {entry.judge} cannot tell in {entry.unscored:,}; `sociolab show EPISODE --run "
        f"{result.run}` says why"
    )


def _wider(estimate: Estimate, width: float, looks: int) -> Estimate:
    """The interval of a difference on a scale of this width, at the level that so many looks share;
    unchanged for one look."""
    tail, freedom = (1 - LEVEL) / 2, estimate.freedom
    if estimate.value is None or estimate.low is None or estimate.high is None or looks == 1:
        return estimate
    if estimate.by_cluster is not None:
        return on_scale(estimate, -width, width, tail / looks)
    if freedom:
        by = t_quantile(1 - tail / looks, freedom) / t_critical(freedom)
    else:
        return estimate
    low, high = (
        estimate.value + by * (end - estimate.value) for end in (estimate.low, estimate.high)
    )
    return replace(estimate, low=low, high=high)


def _gate(
    rule: GateRule,
    of: str,
    estimate: Estimate | ScoreEntry,
    measure: Measure,
    kind: Literal["difference", "mean"],
    looks: int = 1,
) -> Gate:
    value, low, high = estimate.value, estimate.low, estimate.high
    if estimate.note == NO_VARIATION:
        low = high = value
    if value is None or low is None or high is None:
        raise ConfigError(
            f"--fail-if {rule.text} cannot be decided: the {kind} has no interval "
            f"({estimate.note or 'no score'}); play more tasks"
        )
    wide = measure.high - measure.low
    least, most = (measure.low, measure.high) if kind == "mean" else (-wide, wide)
    if not least <= rule.limit <= most:
        on = f"on the scale of the {kind}, from {least:g} to {most:g}"
        raise ConfigError(f"--fail-if {rule.text}: expected a number {on}, found {rule.limit:g}")
    failed = high < rule.limit if rule.below else low > rule.limit
    text = write(value, "scaled", metric=measure)
    if estimate.low is not None:
        interval = write((low, high), "scaled", metric=measure)
    elif failed and estimate.clusters < sure_from(looks):
        failed, interval = False, SAY("too_few_alike", value=text, clusters=sure_from(looks))
    else:
        interval = SAY("alike", value=text)
    sentence = SAY(
        "failed" if failed else "passed",
        rule=rule.text,
        of=of,
        value=text,
        level=100 * (1 - (1 - LEVEL) / looks),
        interval=interval,
    )
    return Gate(rule, of, value, low, high, failed, sentence, kind)


def junit(
    suite: str,
    gates: Sequence[Gate],
    undecided: str = "",
    cautions: Sequence[str] = (),
    verdicts: Sequence[str] = (),
) -> str:
    """Gates as JUnit XML, which CI services show: a test case for each, failed where it did, with
    an error where it is undecided, and one with an error where none could be decided; verdicts are
    its output, and cautions what was said beside."""
    failures = str(sum(gate.failed for gate in gates))
    tests = str(len(gates) + bool(undecided))
    errors = str(sum(gate.undecided for gate in gates) + bool(undecided))
    top = Element("testsuite", name=suite, tests=tests, failures=failures, errors=errors)
    if undecided:
        case = SubElement(top, "testcase", classname=suite, name="gates can be decided")
        SubElement(case, "error", message=undecided)
    for gate in gates:
        name = f"not {gate.rule.text} ({gate.of})"
        case = SubElement(top, "testcase", classname=suite, name=name)
        if gate.undecided:
            SubElement(case, "error", message=gate.sentence)
        elif gate.failed:
            SubElement(case, "failure", message=gate.sentence).text = "\n".join(gate.transcripts)
        else:
            SubElement(case, "system-out").text = gate.sentence
    if verdicts:
        SubElement(top, "system-out").text = "\n".join(verdicts)
    if cautions:
        SubElement(top, "system-err").text = "\n".join(cautions)
    indent(top)
    return tostring(top, encoding="unicode", xml_declaration=True) + "\n"

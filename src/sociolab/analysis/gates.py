"""Rules that a comparison may break, such as "goal<-0.5": for programs that stop on a loss."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sociolab.analysis.compare import Compared
from sociolab.analysis.figures import figure, span
from sociolab.core.errors import ConfigError
from sociolab.core.score import measure_called
from sociolab.stats.intervals import NO_VARIATION

_RULE = re.compile(r"\s*([^<>=]*[^<>=\s])\s*([<>])\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*")


@dataclass(frozen=True, slots=True)
class Rule:
    """That the difference A - B in a measure is surely below, or above, a limit."""

    measure: str
    below: bool
    limit: float

    @property
    def text(self) -> str:
        """As it is written."""
        return f"{self.measure}{'<' if self.below else '>'}{self.limit:g}"


@dataclass(frozen=True, slots=True)
class Gate:
    """A rule held against a comparison; `low` to `high` is what it was held against."""

    rule: Rule
    value: float
    low: float
    high: float
    failed: bool
    sentence: str

    def document(self) -> dict[str, Any]:
        """The gate as a JSON object: see docs/compare.md."""
        return {
            "rule": self.rule.text,
            "failed": self.failed,
            "difference": self.value,
            "low": self.low,
            "high": self.high,
        }


def rule_of(text: str) -> Rule:
    """The rule of "goal<-0.5" or "goal>0.5"; ConfigError for anything else."""
    read = _RULE.fullmatch(text)
    if read is None:
        raise ConfigError(
            f'--fail-if: expected a measure, < or > and a number, such as "goal<-0.5"; '
            f'found "{text}"'
        )
    return Rule(read[1], read[2] == "<", float(read[3]))


def gates_of(found: Compared, rules: Sequence[Rule]) -> tuple[Gate, ...]:
    """Each rule held against the interval of the paired difference A - B.

    It fails where all of the interval lies beyond the limit. Where all clusters differ by the same
    there is no interval, and the difference stands for it. ConfigError for a measure that is not
    compared, and where there is nothing to decide by: no pairs, or a single cluster.
    """
    return tuple(_gates(found, rules))


def _gates(found: Compared, rules: Sequence[Rule]) -> Iterator[Gate]:
    for rule in rules:
        name = measure_called(rule.measure, found.measures.values())
        if name not in found.found:
            known = ", ".join(found.found)
            raise ConfigError(f'--fail-if: "{rule.measure}" is not compared; these are: {known}')
        estimate = found.found[name].difference
        low, high = estimate.low, estimate.high
        if estimate.note == NO_VARIATION:
            low = high = estimate.value
        if estimate.value is None or low is None or high is None:
            raise ConfigError(
                f"--fail-if {rule.text} cannot be decided: the difference has no interval "
                f"({estimate.note}); play more tasks"
            )
        failed = high < rule.limit if rule.below else low > rule.limit
        measure = found.measures[name]
        ends = span(estimate, measure) or f"{figure(estimate.value, measure)} in every cluster"
        sentence = (
            f"--fail-if {rule.text}: {'FAILED' if failed else 'passed'}; A \N{MINUS SIGN} B is "
            f"{figure(estimate.value, measure)}, 95 % interval {ends}"
        )
        yield Gate(rule, estimate.value, low, high, failed, sentence)

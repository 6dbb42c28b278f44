"""Gates of a verb: the rules of --fail-if, the file of --junit, and exit code 1 where one fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sociolab.cli.options import OptPath, option, refuse
from sociolab.cli.output import say
from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from sociolab.analysis.gates import Gate, GateRule
    from sociolab.report.schema import RunResult


def fail_option(of: str, example: str) -> Any:
    """The option for rules of what has intervals, with an example of one."""
    rule = f'the whole interval of {of} satisfies it: "{example}"'
    return option("--fail-if", "RULE", f"Exit with 1 if {rule}. Repeatable.")


Junit = Annotated[OptPath, option("--junit", "FILE", "Write the gates as JUnit XML, for CI.")]


@dataclass(frozen=True, slots=True)
class GateCheck:
    """The rules that a verb checks, what it was called with, and the JUnit file, if wanted."""

    suite: str
    rules: tuple[GateRule, ...]
    junit: Path | None

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """Whatever keeps gates from being decided stands in their JUnit file, too: a file of an
        earlier run would show a pass."""
        try:
            yield
        except ConfigError as error:
            self._write((), str(error))
            raise

    def decide(self, gates: Sequence[Gate], results: Sequence[RunResult], *judges: str) -> None:
        """Say, and write, which gates passed, and first which judges of the results (of all, if
        none is named) failed their exam; exit code 1 if a gate failed."""
        from sociolab.report.exam import exam_notes

        exams = exam_notes({result.run: result.judges for result in results}, judges or None)
        failed = exams.failed if gates else ()
        for sentence in (*failed, *(gate.sentence for gate in gates)):
            say(sentence)
        if self.junit is not None:
            self._write(gates, cautions=failed)
            say(f"wrote {self.junit}")
        if any(gate.failed for gate in gates):
            raise typer.Exit(1)

    def _write(
        self, gates: Sequence[Gate], undecided: str = "", cautions: Sequence[str] = ()
    ) -> None:
        if self.junit is not None:
            from sociolab.analysis.gates import junit
            from sociolab.report.export import write_report

            write_report(self.junit, junit(self.suite, gates, undecided, cautions))


def gate_check(
    verb: str, runs: Sequence[str], fail_if: Sequence[str] | None, junit: Path | None
) -> GateCheck:
    """What --fail-if and --junit ask for; ConfigError for a rule that is none, and for --junit
    without any."""
    suite = f"sociolab {verb} {' '.join(runs)}"
    if not fail_if:
        refuse({"--junit": junit}, "is for gates: say --fail-if too, or leave it out")
        return GateCheck(suite, (), None)
    from sociolab.analysis.gates import rule_of

    return GateCheck(suite, tuple(map(rule_of, fail_if)), junit)

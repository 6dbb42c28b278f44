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
    """The option `--fail-if`; `of` names the estimates that its rules are about."""
    rule = f'the whole interval of {of} lies beyond a limit: "{example}"'
    return option("--fail-if", "RULE", f"Exit with 1 if {rule}. Repeatable.")


AcceptFailedExam = Annotated[
    bool,
    typer.Option(
        "--accept-failed-exam", help="Let scores of a judge that failed its exam decide --fail-if."
    ),
]
Junit = Annotated[OptPath, option("--junit", "FILE", "Write the gates as JUnit XML, for CI.")]


@dataclass(frozen=True, slots=True)
class GateCheck:
    """The rules that a verb checks; `suite` is the command line that the JUnit file names.
    `any_judge`: judges that failed their exam decide, too."""

    suite: str
    rules: tuple[GateRule, ...]
    junit: Path | None
    any_judge: bool = False

    def trusted(self, gates: Sequence[Gate], results: Sequence[RunResult]) -> tuple[Gate, ...]:
        """The gates, undecided where their judge failed its exam and that is not accepted."""
        if self.any_judge or not gates:
            return tuple(gates)
        from sociolab.analysis.gates import withhold

        return withhold(gates, results)

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """Write a ConfigError raised meanwhile into the JUnit file, too: a file left by an earlier
        run would show a pass."""
        try:
            yield
        except ConfigError as error:
            self._write((), str(error))
            raise

    def decide(
        self,
        gates: Sequence[Gate],
        results: Sequence[RunResult],
        *,
        verdicts: Sequence[str] = (),
    ) -> None:
        """Print and write which gates passed, and write the `verdicts`; exit with 1 if one failed,
        else with 2 if one is undecided.

        Judges of the gates that failed their exam, where that is accepted, are named first.
        """
        from sociolab.report.exam import exam_notes

        judges = {gate.judge for gate in gates if not gate.undecided}
        failed = exam_notes({result.run: result.judges for result in results}, judges).failed
        led_by = dict.fromkeys(gate.led_by for gate in gates if gate.led_by)
        for sentence in (*failed, *led_by, *(gate.sentence for gate in gates)):
            say(sentence)
        if self.junit is not None:
            self._write(gates, cautions=failed, verdicts=verdicts)
            say(f"wrote {self.junit}")
        if any(gate.failed for gate in gates):
            raise typer.Exit(1)
        if any(gate.undecided for gate in gates):
            raise typer.Exit(2)

    def _write(
        self,
        gates: Sequence[Gate],
        undecided: str = "",
        cautions: Sequence[str] = (),
        verdicts: Sequence[str] = (),
    ) -> None:
        if self.junit is not None:
            from sociolab.analysis.gates import junit
            from sociolab.report.export import write_report

            write_report(self.junit, junit(self.suite, gates, undecided, cautions, verdicts))


def gate_check(
    verb: str,
    runs: Sequence[str],
    fail_if: Sequence[str] | None,
    junit: Path | None,
    any_judge: bool,
) -> GateCheck:
    """The gates that a command line asks for; ConfigError for a malformed rule, and for --junit or
    --accept-failed-exam without --fail-if."""
    suite = f"sociolab {verb} {' '.join(runs)}"
    if not fail_if:
        given = {"--junit": junit, "--accept-failed-exam": any_judge}
        refuse(given, "is for gates: say --fail-if too, or leave it out")
        return GateCheck(suite, (), None)
    from sociolab.analysis.gates import parse_rule

    return GateCheck(suite, tuple(map(parse_rule, fail_if)), junit, any_judge)

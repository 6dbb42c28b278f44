"""Whether two runs can be compared, and what beside the agents differs between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sociolab.analysis.comparing import Compared
from sociolab.analysis.matching import Side
from sociolab.analysis.values import RunValues, unscored_hint
from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.report.schema import RunResult
from sociolab.report.words import plural, smoke_words


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """A run with the outline of its result, the values of the judge, and its plan.

    `codes` has the names of agents whose labels stand for other code in the other run, by label.
    """

    result: RunResult
    values: RunValues
    trials: tuple[Trial, ...]
    codes: Mapping[str, str] = field(default_factory=dict)

    def called(self, agent: str | None) -> str | None:
        """The name under which an agent stands here, if its label or its name is given."""
        return agent and self.codes.get(agent, agent)

    @property
    def agents(self) -> tuple[str, ...]:
        """Whom the run evaluates: who has values, but for the partner of the others."""
        found = dict.fromkeys(value.agent for value in self.values.values if value.agent)
        others = [agent for agent in found if agent != self.result.partner]
        return tuple(others or found)

    def side(self, agent: str) -> Side:
        """One agent's plays."""
        return Side(
            agent,
            self.result.run,
            agent,
            tuple(value for value in self.values.values if value.agent == agent),
            {trial.id: trial.cast for trial in self.trials},
            untold=tuple(value for value in self.values.untold if value.agent == agent),
        )


def check_judge(runs: Sequence[OpenedRun], judge: str) -> None:
    """The judge must have given agents values in each run; ConfigError that says who did."""
    blank = [run.result.run for run in runs if not run.agents]
    if not blank or len(runs) < 2:
        return
    hint = unscored_hint([run.values for run in runs], judge)
    if len(blank) == len(runs):
        raise ConfigError(
            f"{judge} gave no value to an agent of {' or '.join(blank)}; have them judged by a "
            f"judge that scores such episodes: sociolab judge RUN --judge JUDGE{hint}"
        )
    by = "; ".join(
        f"{run.result.run} by {', '.join(one.judge for one in run.result.judges) or 'nobody'}"
        for run in runs
    )
    raise ConfigError(
        f"the judges differ: {by}. {judge} gave no value to an agent of {blank[0]}; have all "
        f"judged by one judge: sociolab judge RUN --judge JUDGE{hint}"
    )


def check_no_smoke(results: Sequence[RunResult]) -> None:
    """A smoke test is no result: ConfigError that names it."""
    for result in results:
        if result.smoke:
            raise ConfigError(f"{smoke_words(result)}; leave {result.run} out")


def check_tasks(runs: Sequence[OpenedRun]) -> None:
    """Tasks of one id must be the same task: words, seats and scenario."""
    first, *others = ({trial.task.id: trial.task for trial in run.trials} for run in runs)
    for other in others:
        common = [name for name in first if name in other]
        changed = [
            name
            for name in common
            if (first[name].content, first[name].seats, first[name].cluster)
            != (other[name].content, other[name].seats, other[name].cluster)
        ]
        names = " and ".join(run.result.run for run in runs)
        if changed:
            raise ConfigError(
                f"{names} were played on different data: {len(changed)} of "
                f"{plural(len(common), 'common task')} differ, such as {changed[0]}; "
                "play both on the same data"
            )
        if not common:
            raise ConfigError(f"{names} have no task in common")


def cautions_of(runs: Sequence[OpenedRun], found: Compared) -> Iterator[str]:
    """What beside the agents differs between the sides, and what is not there yet."""
    if found.by == "role":
        yield _partners(found)
    if len(runs) == 2:
        for condition in _conditions(runs[0], runs[1]):
            yield f"The runs differ in {condition}."
        yield from _settings(runs[0], runs[1], found)
    for run in runs:
        left = run.result.trials - run.result.played - run.result.failed
        if left:
            yield f"{run.result.run} is not finished: {plural(left, 'trial')} not played yet."
        if run.result.failed:
            yield f"{run.result.run}: {plural(run.result.failed, 'trial')} failed."


def same_agent(runs: Sequence[OpenedRun], a: Side, b: Side) -> Iterator[str]:
    """That both sides are one agent, played twice: what a difference is then."""
    first, last = _hashes(runs[0]), _hashes(runs[-1])
    if a.agent != b.agent or first[a.agent] != last[b.agent]:
        return
    seeds = " and ".join(str(run.result.seed) for run in runs)
    same = f"Both sides are the same agent with the same settings (seeds {seeds})"
    if _conditions(runs[0], runs[-1]):
        yield f"{same}: what else differs between the runs is said below."
    else:
        yield f"{same}: a difference here is noise, and shows how large noise can be."


def _partners(found: Compared) -> str:
    a, b = found.a, found.b
    if a.partners == (a.agent,) and b.partners == (b.agent,):
        return (
            "Each agent played with itself, so both seats changed: the difference is that of a "
            "pair of A and a pair of B, not of one agent's own doing. --partner in both runs would "
            "tell."
        )
    return (
        f"The partners differ: A met {' and '.join(a.partners)}, B met {' and '.join(b.partners)}. "
        "The difference is theirs as well."
    )


def _settings(a: OpenedRun, b: OpenedRun, found: Compared) -> Iterator[str]:
    ours, theirs = _hashes(a), _hashes(b)
    labels = {*found.a.partners, *found.b.partners, found.a.agent, found.b.agent}
    for label in sorted(labels & ours.keys() & theirs.keys()):
        if ours[label] != theirs[label]:
            yield f"{label} was not set up the same way in both runs (other settings of the agent)."


def _conditions(a: OpenedRun, b: OpenedRun) -> tuple[str, ...]:
    """How the runs were played differently, in a clause each: what was set, and to what in each."""
    one, other = (
        run.result.settings if isinstance(run.result.settings, dict) else {} for run in (a, b)
    )
    return tuple(
        f"{key.replace('_', ' ')} ({_value(one.get(key))} in {a.result.run}, "
        f"{_value(other.get(key))} in {b.result.run})"
        for key in ("world_settings", "attempts", "on_failed_turn", "max_failed_turns")
        if one.get(key) != other.get(key)
    )


def _hashes(run: OpenedRun) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for trial in run.trials:
        for member in trial.cast:
            found.setdefault(member.agent, set()).add(member.settings)
    return found


def _value(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={item}" for key, item in value.items()) or "none"
    return "none" if value is None else str(value)

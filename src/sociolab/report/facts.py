"""What a run was and what it took, as short labelled facts."""

from __future__ import annotations

from sociolab.report.schema import RunResult
from sociolab.report.words import agent_kind, counted, money, plural


def setting(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What was played, by whom, and who judged."""
    agents = "; ".join(
        f"{label} ({agent_kind(result, label)}{', the partner' if label == result.partner else ''})"
        for label in result.agents
    )
    judges = "; ".join(f"{judge.judge} ({judge.method})" for judge in result.judges)
    found = [("World", result.world)]
    if result.data:
        data = result.data
        found.append(("Data", f"{data.name} {data.version} (hash {data.hash})"))
    found += [
        ("Agents", agents or "none"),
        ("Judges", judges or "none"),
        ("Seed", "not recorded" if result.seed is None else str(result.seed)),
        ("Begun", date(result)),
    ]
    return tuple(found)


def date(result: RunResult) -> str:
    """When the run was begun, to the minute."""
    return f"{result.created[:10]} {result.created[11:16]} UTC"


def account(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What became of the trials, how episodes ended, what failed, and what it took."""
    left = result.trials - result.played - result.failed
    trials = f"{result.played:,} of {result.trials:,} played, {result.failed:,} failed"
    failures = result.failures
    found = [
        ("Trials", trials + (f", {left:,} not played yet" if left else "")),
        ("Ends", counted(result.ends)),
        ("Failed trials", counted(failures.trials)),
        ("Failed turns", counted(failures.turns)),
        ("Asked again", plural(failures.replies_asked_again, "reply", "replies")),
        ("Missing scores", counted(failures.scores)),
        ("Failed calls", counted(failures.calls)),
        ("Calls", f"{result.calls:,}{_each(result, result.calls)}"),
        ("Tokens", _tokens(result)),
        ("Cost", _cost(result)),
        ("Time", f"{result.seconds:,.1f} s"),
    ]
    return tuple(found)


def _tokens(result: RunResult) -> str:
    tokens = result.tokens
    if not result.calls:
        return "0"
    share = tokens.cached / tokens.prompt if tokens.prompt else 0.0
    return (
        f"{tokens.prompt:,} in (of which {share:.0%} cached), {tokens.completion:,} out"
        f"{_each(result, tokens.prompt + tokens.completion)}"
    )


def _cost(result: RunResult) -> str:
    if not result.calls:
        return "none: no model was called"
    if result.cost_usd is None:
        return "not known: no price is listed for any model"
    each = f"; {money(result.cost_usd / result.played)} an episode" if result.played else ""
    return f"{money(result.cost_usd)}{each}"


def _each(result: RunResult, total: int) -> str:
    if not result.played or not total:
        return ""
    return f"; {total / result.played:,.1f} an episode"

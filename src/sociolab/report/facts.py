"""What a run was and what it took, as short labelled facts."""

from __future__ import annotations

from collections.abc import Iterator

from sociolab.core.code_mark import code_in
from sociolab.report.made_with import made_with
from sociolab.report.schema import Failures, JudgeEntry, RunResult
from sociolab.report.words import about, agent_kind, counted, money, plural


def setting(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What was played, by whom, and who judged."""
    agents = "; ".join(
        f"{label} ({agent_kind(result, label)}{', the partner' if label == result.partner else ''})"
        for label in result.agents
    )
    judges = "; ".join(_judge(judge) for judge in result.judges)
    found = [("World", result.world)]
    if result.data:
        data = result.data
        found.append(("Data", f"{data.name} {data.version} (hash {data.hash})"))
    if settings := world_settings(result):
        named = ", ".join(f"{name}={value}" for name, value in settings.items())
        found.append(("Settings", named))
    found += [
        ("Agents", agents or "none"),
        ("Judges", judges or "none"),
        ("Seed", "not recorded" if result.seed is None else str(result.seed)),
        ("Begun", date(result)),
    ]
    if made := made_with(result):
        found.append(("Made with", made))
    if tags := _tags(result):
        found.append(("Tags", tags))
    return tuple(found)


def _judge(judge: JudgeEntry) -> str:
    own = "" if code_in("", judge.settings) is None else ", says this python: class"
    return f"{judge.judge} ({judge.method}{own})"


def _tags(result: RunResult) -> str:
    settings = result.settings if isinstance(result.settings, dict) else {}
    tags = settings.get("tags")
    return ", ".join(map(str, tags)) if isinstance(tags, list) else ""


def world_settings(result: RunResult) -> dict[str, str]:
    """The settings of the world that were given (`--set`, `--tdp`), by name."""
    settings = result.settings if isinstance(result.settings, dict) else {}
    given = settings.get("world_settings")
    return {name: str(value) for name, value in given.items()} if isinstance(given, dict) else {}


def date(result: RunResult) -> str:
    """When the run was begun, to the minute."""
    return f"{result.created[:10]} {result.created[11:16]} UTC"


def account(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What became of the trials, how episodes ended, what failed, and what it took."""
    return course(result) + failed(result) + taken(result)


def course(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What became of the trials, and how episodes ended."""
    left = result.trials - result.played - result.failed
    trials = f"{result.played:,} of {result.trials:,} played, {result.failed:,} failed"
    return (
        ("Trials", trials + (f", {left:,} not played yet" if left else "")),
        ("Ends", counted(result.ends)),
    )


def failed(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What failed, by cause."""
    failures = result.failures
    return (
        ("Failed trials", counted(failures.trials)),
        *_unanswered(failures),
        ("Asked again", plural(failures.replies_asked_again, "reply", "replies")),
        ("Missing scores", counted(failures.scores)),
        ("Failed calls", counted(failures.calls)),
        *((("Impossible token counts", counted(failures.usage)),) if failures.usage else ()),
    )


def _unanswered(failures: Failures) -> Iterator[tuple[str, str]]:
    """Turns and questions that failed; of a town, where nobody takes turns, questions alone."""
    if failures.turns or not failures.questions:
        yield "Failed turns", counted(failures.turns)
    if failures.questions:
        yield "Failed questions", counted(failures.questions)
    if failures.went_without:
        yield "Went on without", counted(failures.went_without)


def taken(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What the run took: calls, tokens, money, time."""
    return (
        ("Calls", f"{result.calls:,}{_each(result, result.calls)}"),
        ("Tokens", _tokens(result)),
        ("Cost", _cost(result)),
        ("Time", f"{result.seconds:,.1f} s"),
    )


def identity(result: RunResult) -> tuple[tuple[str, str], ...]:
    """Hashes of what was played and how it was judged, prompts included, and the version."""
    found = [("sociolab", result.versions.get("sociolab", "not recorded"))]
    if result.data:
        found.append((f"Data {result.data.name} {result.data.version}", result.data.hash))
    settings = result.settings if isinstance(result.settings, dict) else {}
    partner = settings.get("partner")
    found += [(f"Agent {label}", its_hash) for label, its_hash in _hashes(settings.get("agents"))]
    found += [(f"Partner {label}", its_hash) for label, its_hash in _hashes([partner])]
    found += [(f"Judge {judge.judge}", judge.settings or "none") for judge in result.judges]
    return tuple(found)


def _hashes(recorded: object) -> list[tuple[str, str]]:
    """The labels and hashes in a list of [label, hash]; what is not like that is passed over."""
    if not isinstance(recorded, list):
        return []
    return [(str(one[0]), str(one[1])) for one in recorded if isinstance(one, list) and one[1:]]


def _tokens(result: RunResult) -> str:
    tokens = result.tokens
    if not result.calls:
        return "0"
    share = tokens.cached / tokens.prompt if tokens.prompt else 0.0
    mark = about(result.estimated_calls)
    return (
        f"{mark}{tokens.prompt:,} in (of which {share:.0%} cached), {mark}{tokens.completion:,} out"
        f"{_each(result, tokens.prompt + tokens.completion, mark)}"
    )


def _cost(result: RunResult) -> str:
    if not result.calls:
        return "none: no model was called"
    if result.cost_usd is None:
        return "not known: no price is listed for any model"
    mark = about(result.estimated_calls)
    each = f"; {mark}{money(result.cost_usd / result.played)} an episode" if result.played else ""
    return f"{mark}{money(result.cost_usd)}{each}"


def _each(result: RunResult, total: int, mark: str = "") -> str:
    if not result.played or not total:
        return ""
    return f"; {mark}{total / result.played:,.1f} an episode"

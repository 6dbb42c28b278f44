"""A run in plain sentences: what was played, what may not be concluded, how to play it again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from sociolab.core.score import READER
from sociolab.report.grids import judges_of, main_measure
from sociolab.report.layout import layout_of
from sociolab.report.schema import MeasureEntry, RunResult, ScoreEntry
from sociolab.report.words import (
    OWN,
    agent_kind,
    failed_share,
    failed_unit,
    interval,
    minus,
    number,
    plural,
)


def summary(result: RunResult) -> str:
    """What was played, by whom, and who judged."""
    data = result.data
    of_data = f" (data set {data.name}, version {data.version})" if data else ""
    played = (
        f"{result.played:,} of {plural(result.trials, 'trial')} of the world {result.world}"
        f"{of_data} {'was' if result.played == 1 else 'were'} played to the end"
    )
    failed = f"; {result.failed:,} failed" if result.failed else ""
    return f"{played}{failed}. {_pairing(result)} {_judging(result)}"


def _pairing(result: RunResult) -> str:
    named = [f"{label} ({agent_kind(result, label)})" for label in result.agents]
    if not named:
        return "No agent took part."
    people = _people(result)
    if people:
        others = [n for n, a in zip(named, result.agents, strict=True) if a != PERSON]
        with_others = f" with {' or '.join(others)} in the other seats" if others else ""
        return f"In each, {people} sat{with_others}, as a study laid it out."
    if len(named) == 1:
        return f"{named[0]} played itself, in all seats."
    if result.partner is not None:
        others = [n for n, a in zip(named, result.agents, strict=True) if a != result.partner]
        each = f"Each of {_listed(others)}" if len(others) > 1 else _listed(others)
        kind = agent_kind(result, result.partner)
        return f"{each} played with {result.partner} ({kind}), in each seat."
    return f"{_listed(named)} played in every ordered pairing, with themselves included."


PERSON = "human"
"""The label of seats in which people sat."""


def _people(result: RunResult) -> str:
    """How many people sat in each episode of a study's run, in words; "" for other runs."""
    settings = result.settings if isinstance(result.settings, dict) else {}
    people = settings.get("people")
    if not isinstance(people, int):
        return ""
    return ("up to " if settings.get("stand_in") else "") + plural(people, "person", "people")


def _judging(result: RunResult) -> str:
    names = [judge.judge for judge in result.judges]
    return f"Verdicts are by {_listed(names)}." if names else "Nothing was judged."


def findings(result: RunResult) -> tuple[str, ...]:
    """For each judge, what it gave each agent in the main measure, in a sentence."""
    found = []
    for judge in judges_of(result):
        mine = [e for e in result.scores if e.judge == judge and e.agent and not e.by]
        for measure in main_measure(result, mine):
            entries = [e for e in mine if e.measure == measure.measure]
            found.append(
                f"{measure.title} by {judge}, on a scale {_scale(measure)}: "
                f"{_told(result, entries, measure)}."
            )
    return tuple(found)


_MANY = 6
"""Agents from which on only the highest and the lowest are told; the table has all."""


def _told(result: RunResult, entries: Sequence[ScoreEntry], measure: MeasureEntry) -> str:
    scored = sorted((e for e in entries if e.value is not None), key=lambda e: e.value or 0.0)
    if len(entries) < _MANY or len(scored) < 2:
        return "; ".join(_found(result, entry, measure) for entry in entries)
    high, low = (_found(result, entry, measure) for entry in (scored[-1], scored[0]))
    return f"of {len(entries)} agents the highest mean, {high}; the lowest, {low}"


def _scale(measure: MeasureEntry) -> str:
    low = minus(f"{measure.low:.3g}")
    return f"from {low}" + ("" if measure.high is None else f" to {minus(f'{measure.high:.3g}')}")


def _found(result: RunResult, entry: ScoreEntry, measure: MeasureEntry) -> str:
    missing = f", {entry.failures:,} failed" if entry.failures else ""
    missing += f", {entry.unscored:,} not scored" if entry.unscored else ""
    lost = failed_share(entry).replace("%", " %")
    turns = f"; {lost} of its {failed_unit(result)} failed" if lost else ""
    plays = f"({plural(entry.n, 'play')}{missing}{turns})"
    if entry.value is None:
        return f"{entry.agent} nothing {plays}"
    span = interval(result, entry)
    figures = f"{number(entry.value, measure)} {span or 'without an interval'}"
    return f"{entry.agent} {minus(figures)} {plays}"


def cautions(result: RunResult) -> tuple[str, ...]:
    """What the figures do not show, a sentence or two each."""
    methods = {judge.method for judge in result.judges}
    rules = [label for label in result.agents if agent_kind(result, label) == "rules, no model"]
    found = []
    if rules:
        found.append(
            f"{_listed(rules)} {'plays' if len(rules) == 1 else 'play'} by rules. Such scores are "
            "a baseline; they say nothing of any language model."
        )
    if "heuristic" in methods:
        found.append(
            "The heuristic judge scores what scripted players put on record. Its scores are not "
            "comparable to those of a model judge, of people, or of the paper; all else it leaves "
            "unscored."
        )
    if "model" in methods:
        found.append(
            "A model judge is not a person, and may favour texts like its own. Compare scores only "
            "where judge and prompt are the same."
        )
    if "scripted" in methods:
        found.append("A scripted judge makes its scores up, to test the machinery.")
    if any(e.unscored and e.n and e.method == "formula" for e in result.scores):
        found.append(
            "Outcomes that could not be established are not zeros: means are over the others, and "
            "an agent may look better where it disputes what it lost. The bounds say how much."
        )
    found += _design(result)
    if result.failed or result.failures.scores:
        found.append(
            "Failures are not zeros: averages are over what was scored, and may flatter an agent "
            "that fails where it is hard. Each figure shows how many failed."
        )
    return tuple(found)


def _design(result: RunResult) -> list[str]:
    """What so few tasks, single plays and means beside each other cannot show."""
    found = []
    of_agents = [e for e in result.scores if e.agent and not e.by and e.judge not in OWN and e.n]
    word = layout_of(result.world).clusters
    most = max((entry.clusters for entry in of_agents), default=0)
    if most == 1:
        found.append(
            f"The scores come from one {word}: there is no interval, and how far other {word}s "
            "would change them is not known."
        )
    elif 1 < most < FEW_CLUSTERS:
        found.append(
            f"The scores come from {plural(most, word)} at most. From so few a 95 % interval is "
            "too short: it holds the true mean in about 90 of 100 studies."
        )
    if most > 1 and len(result.agents) > 1:
        found.append(
            f"Intervals say how far other {word}s would change a mean, with the partners that were "
            "played. Other partners would change it, too (sociolab variance)."
        )
    settings = result.settings if isinstance(result.settings, dict) else {}
    if of_agents and settings.get("repeats") == 1:
        found.append(
            "Each task was played once by each cast: how much scores would change if the same were "
            "played again is not known."
        )
    if len({entry.agent for entry in of_agents}) > 1:
        found.append(
            "Whether two agents differ cannot be read off their two intervals: that takes their "
            "differences on the same tasks (sociolab compare)."
        )
    return found


FEW_CLUSTERS = 30
"""Below so many a page says that its intervals are too short (coverage: benchmarks/RESULTS.md)."""


def command(result: RunResult) -> str:
    """The command line that plays this run again, as far as its settings tell; what people played
    in a study takes the study's file, and people."""
    if _people(result):
        return shlex.join(["sociolab", "study", "create", f"{result.run}.toml"])
    settings: dict[str, Any] = result.settings if isinstance(result.settings, dict) else {}
    words = ["sociolab", "run", result.world]
    for label in result.agents:
        if label != result.partner or label in _labels(settings.get("agents")):
            words += ["--agent", label]
    if result.partner is not None:
        words += ["--partner", result.partner]
    # A formula comes with its world; other judges, and readers, are asked for.
    formulas = {judge.judge for judge in result.judges if judge.method == "formula"}
    asked = [judge for judge in _labels(settings.get("judges")) if judge not in formulas]
    for judge in [judge for judge in asked if not judge.startswith(READER)] or ["none"]:
        words += ["--judge", judge]
    for judge in asked:
        words += ["--reader", judge.removeprefix(READER)] if judge.startswith(READER) else []
    given = settings.get("world_settings")
    for name, value in given.items() if isinstance(given, dict) else ():
        words += ["--set", f"{name}={value}"]
    for option, usual in _OPTIONS.items():
        value = settings.get("data_source" if option == "data" else option, usual)
        if value != usual:
            words += [f"--{option.replace('_', '-')}", str(value)]
    return shlex.join([*words, "--seed", str(result.seed or 0), "--name", result.run])


_OPTIONS = {
    "data": None,
    "tasks": None,
    "limit": None,
    "repeats": 1,
    "attempts": 3,
    "on_failed_turn": "skip",
    "max_failed_turns": 0.5,
}
"""Settings that have an option of their own, with the values that need not be written."""


def _labels(agents: object) -> list[str]:
    """The labels in the settings' list of agents: [[label, hash], ...]."""
    if not isinstance(agents, list):
        return []
    return [agent[0] for agent in agents if isinstance(agent, list) and agent]


def _listed(names: list[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([*([", ".join(names[:-1])] if names[1:] else []), *names[-1:]])

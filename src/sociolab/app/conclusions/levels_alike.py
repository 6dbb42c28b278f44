"""Whether talks and a town can be set side by side, and what beside the level differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.report.schema import RunResult
from sociolab.report.words import plural
from sociolab.town.thoughts import MOST_ROUNDS
from sociolab.worlds.stss.dataset import content_from
from sociolab.worlds.stss.map_codec import unpacked
from sociolab.worlds.stss.talk.dataset import scenario_from
from sociolab.worlds.stss.talk.playing import TalkSettings
from sociolab.worlds.stss.world import Settings

_ENGINE: tuple[tuple[str, str], ...] = (
    ("attempts", "how often a reply may be tried"),
    ("on_failed_turn", "what follows a failed turn"),
    ("max_failed_turns", "the share of failed turns above which a trial fails"),
)


@dataclass(frozen=True, slots=True)
class Played:
    """A run: its result and its plan. The world of `talk` is stss-talk, that of `action` stss."""

    result: RunResult
    trials: tuple[Trial, ...]

    @property
    def name(self) -> str:
        """The run's name."""
        return self.result.run

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the run; empty where none are stored."""
        return self.result.settings if isinstance(self.result.settings, dict) else {}

    @property
    def of_world(self) -> dict[str, Any]:
        """What was given with `--set`."""
        return self.settings.get("world_settings") or {}

    @property
    def social_tasks(self) -> tuple[str, ...]:
        """The social tasks: those that were lived, or that the talks are of."""
        return tuple(dict.fromkeys(trial.task.cluster for trial in self.trials))

    def by(self, agent: str) -> tuple[Trial, ...]:
        """The trials in which this agent performs."""
        return tuple(trial for trial in self.trials if trial.cast[0].agent == agent)


def check_alike(talk: Played, action: Played) -> None:
    """ConfigError where the two say nothing of each other: only one with TDP, or no common task.

    GA and GA + TDP are two rows of Table 3; a figure of one beside that of the other is neither's.
    """
    if not planned_alike(talk, action):
        planned, lived = talk_settings(talk).tdp, town_settings(action).tdp
        raise ConfigError(
            f"expected both runs with TDP or both without, found {talk.name} {_with(planned)} and "
            f"{action.name} {_with(lived)}; play one of them again, or name another run"
        )
    if not set(talk.social_tasks) & set(action.social_tasks):
        raise ConfigError(
            f"expected runs of the same social tasks, found none in common: {talk.name} has talks "
            f"of {_some(talk.social_tasks)}, in {action.name} were lived "
            f"{_some(action.social_tasks)}; play both on the same town"
        )


def planned_alike(talk: Played, action: Played) -> bool:
    """Whether both are with TDP, or both without."""
    return talk_settings(talk).tdp == town_settings(action).tdp


def differences(talk: Played, action: Played, agent: str) -> Iterator[str]:
    """What beside the level differs between the talks and the town of an agent, in sentences."""
    yield from _unfinished(talk.result)
    yield from _unfinished(action.result)
    yield from _tasks(talk, action)
    yield from _town(talk, action)
    yield from _held(talk, action, agent)
    yield from _background(talk, action, agent)
    yield from _set_up(talk, action, agent)
    for key, words in _ENGINE:
        if talk.settings.get(key) != action.settings.get(key):
            yield (
                f"The runs differ in {words}: {talk.settings.get(key)} in {talk.name}, "
                f"{action.settings.get(key)} in {action.name}."
            )


def talk_settings(talk: Played) -> TalkSettings:
    """How the talks were held."""
    return TalkSettings.model_validate(talk.of_world)


def town_settings(action: Played) -> Settings:
    """How the tasks were lived and scored."""
    return Settings.model_validate(action.of_world)


def _with(tdp: bool) -> str:
    return "with TDP" if tdp else "without TDP"


def _some(names: Iterable[str]) -> str:
    given = list(names)
    return ", ".join(given[:3]) + (f" and {len(given) - 3} more" if len(given) > 3 else "")


def _unfinished(result: RunResult) -> Iterator[str]:
    if left := result.trials - result.played - result.failed:
        yield f"{result.run} is not finished: {plural(left, 'trial')} not played yet."
    if result.failed:
        yield f"{result.run}: {plural(result.failed, 'trial')} failed."


def _tasks(talk: Played, action: Played) -> Iterator[str]:
    told, lived = talk.social_tasks, action.social_tasks
    for here, others, words in (
        (told, lived, f"{talk.name} has talks of {{}} not lived in {action.name}"),
        (lived, told, f"{action.name} has {{}} without a talk in {talk.name}"),
    ):
        if missing := [name for name in here if name not in others]:
            yield f"{words.format(plural(len(missing), 'social task'))}: {_some(missing)}."


def _town(talk: Played, action: Played) -> Iterator[str]:
    """The talks' own names and those of their town differ, so that the places must tell."""
    here = {place for t in talk.trials for place in scenario_from(t.task.content).place_names}
    maps = (unpacked(content_from(trial.task.content).town) for trial in action.trials)
    if here != {str(place) for town in maps for place in town.places}:
        yield (
            f"The talks were frozen from another town: {_data(talk)} and {_data(action)} have "
            "other places."
        )


def _data(run: Played) -> str:
    data = run.result.data
    return f"{data.name} ({run.name})" if data is not None else run.name


def _held(talk: Played, action: Played, agent: str) -> Iterator[str]:
    rounds = talk_settings(talk).rounds
    if rounds < MOST_ROUNDS:
        yield (
            f"The talks of {talk.name} end after {plural(rounds, 'round')}; in the town they may "
            f"have {MOST_ROUNDS}."
        )
    if "utter" not in town_settings(action).evaluated:
        yield (
            f"In the town {agent} does not speak for the performer: another agent does, as "
            '"utter" is not among the evaluated questions.'
        )


def _background(talk: Played, action: Played, agent: str) -> Iterator[str]:
    """Who thinks for all but the performer."""
    told, lived = (
        sorted({member.agent for trial in run.by(agent) for member in trial.cast[1:]})
        for run in (talk, action)
    )
    if told != lived:
        yield (
            f"The background agents differ: {' and '.join(told)} in {talk.name}, "
            f"{' and '.join(lived)} in {action.name}. What differs may be theirs."
        )


def _set_up(talk: Played, action: Played, agent: str) -> Iterator[str]:
    ours, theirs = _hashes(talk.by(agent)), _hashes(action.by(agent))
    for label in sorted(ours.keys() & theirs.keys()):
        if ours[label] != theirs[label]:
            yield f"{label} was not set up the same way in both runs (other settings of the agent)."


def _hashes(trials: Iterable[Trial]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for trial in trials:
        for member in trial.cast:
            found.setdefault(member.agent, set()).add(member.settings)
    return found

"""Read what was played in an episode of SOTOPIA's package: its scene and its turns.

Both stand in the messages that the program kept. Files without messages have the prompt of the
judge, which contains the whole episode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pydantic import AliasChoices, Field, field_validator

from sociolab.core.episode import Action
from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.importing.reading import PackageRecord, PlacedRow, Quirk, Quirks
from sociolab.worlds.sotopia.scene import LEAVE, NON_VERBAL, NONE, PHYSICAL, SPEAK

ENVIRONMENT = "Environment"
"""Who sends the scene and what was done, and receives actions, in a log of messages."""
Messages: TypeAlias = tuple[tuple[tuple[str, str, str], ...], ...]
"""By turn, the scene first: from, to, text."""


class RawEpisode(PackageRecord):
    """An episode as the public package logs it, or as its authors export it.

    The judge's prompt in an exported file is often that of another episode, judged at the same
    time: messages count where there are any. (`parsed`, another field, has lost empty turns and, in
    some lines, the conversation.) `rewards` are each agent's overall score and scores by dimension,
    `reasoning` is the judge's text on all.
    """

    pk: str = Field(validation_alias=AliasChoices("pk", "episode_id"))
    environment: str = Field("", validation_alias=AliasChoices("environment", "environment_id"))
    agents: tuple[str, ...] = Field((), validation_alias=AliasChoices("agents", "agent_ids"))
    tag: str = Field("", validation_alias=AliasChoices("tag", "experiment_tag"))
    models: tuple[str, ...] = Field(
        (), validation_alias=AliasChoices("models", "experiment_model_name_pairs")
    )
    setting: str = Field("", validation_alias="_setting")
    judge_prompt: str = Field(
        "", validation_alias=AliasChoices("rewards_prompt", "raw_rewards_prompt")
    )
    messages: Messages = Field((), validation_alias=AliasChoices("messages", "raw_messages"))
    rewards: tuple[tuple[float | None, dict[str, Any]] | float | None, ...] = Field(
        (), validation_alias=AliasChoices("raw_rewards", "rewards")
    )
    reasoning: str = ""

    @field_validator("rewards", mode="before")
    @classmethod
    def _with_overall(cls, rewards: Any) -> Any:
        """Exported files have scores by dimension without the overall, too; NaN is no score."""
        if not isinstance(rewards, list):
            return rewards
        known = [None if each != each else each for each in rewards]
        return [(None, each) if isinstance(each, dict) else each for each in known]


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn: the participant's position, and the action."""

    who: int
    action: Action


@dataclass(frozen=True, slots=True)
class PlayedEpisode:
    """An episode as in the judge's prompt; backgrounds and goals in the order of `names`."""

    scenario: str
    names: tuple[str, ...]
    backgrounds: tuple[str, ...]
    goals: tuple[str, ...]
    turns: tuple[PlayedTurn, ...] = ()


def read_episode(item: PlacedRow[RawEpisode], quirks: Quirks) -> PlayedEpisode:
    """The episode of a row, from its messages if these begin with a scene, or else from the judge's
    prompt; ConfigError for a missing part, or a turn of unknown form."""
    row, place = item.row, item.place
    told = {
        to: text
        for sender, to, text in (row.messages or ((),))[0]
        if sender == ENVIRONMENT and _STAGE.search(text)
    }
    if not told:
        return parse_judge_prompt(row.judge_prompt, place, quirks)
    episode = _read_messages(told, row.messages, place, quirks)
    prompt = _STAGE.search(row.judge_prompt)
    in_prompt = _split_names(prompt["names"]) if prompt else ()
    quirks[Quirk.FOREIGN_PROMPT] += bool(row.judge_prompt) and in_prompt != episode.names
    return episode


def _read_messages(
    told: Mapping[str, str], messages: Messages, place: str, quirks: Quirks
) -> PlayedEpisode:
    """An episode from the scene as each agent was told it, which has its own background and goal,
    and a log of messages, the actions one by one, even simultaneous ones."""
    scenes = {to: _read_scene(text, place, "messages") for to, text in told.items()}
    shared = next(iter(scenes.values()))
    for name in shared.names:
        if name not in scenes or scenes[name].names != shared.names:
            raise ConfigError(f"{place}: messages do not hold the scene as {name} was told it")
    turns: list[PlayedTurn] = []
    for turn in messages:
        acts = [(who, text.strip()) for who, to, text in turn if to == ENVIRONMENT and who != to]
        if not acts:  # what was seen of the last turn, or the scene alone
            continue
        done = [(who, text) for who, text in acts if text != "did nothing"]
        turns += (
            _read_turn(f"{who} {text}".strip(), len(turns), shared.names, place, quirks, "messages")
            for who, text in done or [("", "")]
        )
    own = [scenes[name] for name in shared.names]
    return replace(
        shared,
        backgrounds=tuple(scene.backgrounds[seat] for seat, scene in enumerate(own)),
        goals=tuple(scene.goals[seat] for seat, scene in enumerate(own)),
        turns=tuple(turns),
    )


_HEADER = re.compile(r"^Turn #(?P<number>\d+)(?P<colon>:?)", re.MULTILINE)
_STAGE = re.compile(r"^Scenario: (?P<scenario>.*?)\nParticipants: (?P<names>[^\n]+)", re.S | re.M)
_KINDS = {
    "non-verbal communication": NON_VERBAL,
    "action": PHYSICAL,
    "physical action": PHYSICAL,
}
_GESTURE = re.compile(rf"\[({'|'.join(_KINDS)})\]\s*")


def parse_judge_prompt(prompt: str, place: str, quirks: Quirks) -> PlayedEpisode:
    """Parse a judge's prompt; ConfigError for a missing part, or a turn of unknown form."""
    first = _HEADER.search(prompt)
    if first is None:
        raise ConfigError(f'{place}: rewards_prompt holds no "Turn #"; expected the whole episode')
    scene = _read_scene(prompt[: first.start()], place, "rewards_prompt")
    turns = tuple(
        _read_turn(content, number, scene.names, place, quirks)
        for number, content in enumerate(_split_turns(prompt, first, place))
    )
    return replace(scene, turns=turns)


def _read_scene(text: str, place: str, where: str) -> PlayedEpisode:
    """The scene alone, without turns; `where` it stands."""
    stage = _STAGE.search(text)
    if stage is None:
        raise ConfigError(f'{place}: {where} holds no "Scenario:" and "Participants:"')
    names = _split_names(stage["names"])
    if len(names) < 2 or len(set(names)) != len(names):
        raise ConfigError(f"{place}: expected two or more participants, found {stage['names']!r}")
    markers = [f"{name}'s {what}:" for what in ("background", "goal") for name in names]
    sections = _split_sections(text[stage.end() :], markers, f"{place}: {where}")
    backgrounds, goals = sections[: len(names)], sections[len(names) :]
    return PlayedEpisode(stage["scenario"].strip(), names, backgrounds, goals)


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(re.split(r", (?:and )?| and ", text.strip()))


def _split_sections(text: str, markers: list[str], place: str) -> tuple[str, ...]:
    """The text after each marker, up to the next one."""
    starts = []
    for marker in markers:
        match = re.search(rf"^{re.escape(marker)}", text, re.MULTILINE)
        if match is None:
            raise ConfigError(f'{place} holds no "{marker}"')
        starts.append(match)
    ends = [start.start() for start in starts[1:]]
    over = re.search(r"^Conversation Starts:", text, re.MULTILINE)
    ends.append(over.start() if over else len(text))
    return tuple(text[a.end() : b].strip() for a, b in zip(starts, ends, strict=True))


def _split_turns(prompt: str, first: re.Match[str], place: str) -> tuple[str, ...]:
    """The text of each turn. Two layouts occur: "Turn #1" on its own line, and "Turn #0: ".

    Models quote such headers in what they say, so that only the next number in the layout of the
    first header begins a turn.
    """
    after = r": ?" if first["colon"] else r"(?=,?[ \t]*$)"
    number = int(first["number"])
    contents = []
    start = re.compile(rf"^Turn #{number}{after}", re.MULTILINE).match(prompt, first.start())
    while start is not None:
        number += 1
        following = re.compile(rf"^Turn #{number}{after}", re.MULTILINE).search(prompt, start.end())
        contents.append(prompt[start.end() : following.start() if following else len(prompt)])
        start = following
    if not contents:
        raise ConfigError(f"{place}: the first turn of rewards_prompt has no known form")
    # The prompt goes on after the last turn with a comma, and what the judge is to do.
    last = _TASK.sub("", contents[-1])
    return (*(c.strip() for c in contents[:-1]), last.strip().removesuffix(",").strip())


_TASK = re.compile(
    r"\nBased on previous interactions, evaluate how well (each of the )?participants achieve.*",
    re.DOTALL,
)


def _read_turn(
    content: str,
    number: int,
    names: tuple[str, ...],
    place: str,
    quirks: Quirks,
    where: str = "rewards_prompt",
) -> PlayedTurn:
    """Parse a turn. An empty one belongs to the seat whose turn it was (section 2.2)."""
    if not content:
        quirks[Quirk.EMPTY_TURN] += 1
        return PlayedTurn(number % len(names), Action(NONE))
    for who, name in enumerate(names):
        if content.startswith(f"{name} "):
            action = _read_action(content[len(name) :].strip(), quirks)
            if action is not None:
                return PlayedTurn(who, action)
    raise ConfigError(f"{place}: turn {number + 1} of {where} has no known form: {content[:80]!r}")


def _read_action(text: str, quirks: Quirks) -> Action | None:
    """Parse the text after the name; None if its form is unknown."""
    if text == "did nothing":
        return Action(NONE)
    if text == "left the conversation":
        return Action(LEAVE)
    if text.startswith("said:"):
        words = text.removeprefix("said:").strip()
        if len(words) >= 2 and words[0] == words[-1] == '"':
            words = words[1:-1].strip()
        return _with_text(SPEAK, words, quirks)
    labels = []
    while label := _GESTURE.match(text):
        labels.append(label[1])
        text = text[label.end() :]
    if not labels:
        return None
    quirks[Quirk.REPEATED_LABEL] += len(labels) > 1
    return _with_text(_KINDS[labels[0]], text.strip(), quirks)


def _with_text(kind: str, text: str, quirks: Quirks) -> Action:
    if text:
        return Action(kind, text)
    quirks[Quirk.EMPTY_ACT] += 1
    return Action(NONE)

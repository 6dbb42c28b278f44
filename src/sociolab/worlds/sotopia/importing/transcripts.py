"""A SOTOPIA judge's prompt, read back: who was there, what they wanted, what they did."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sociolab.core.episode import Action
from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.importing.quirks import Quirk, Quirks
from sociolab.worlds.sotopia.scene import LEAVE, NON_VERBAL, NONE, PHYSICAL, SPEAK

_HEADER = re.compile(r"^Turn #(?P<number>\d+)(?P<colon>:?)", re.MULTILINE)
_STAGE = re.compile(r"^Scenario: (?P<scenario>.*?)\nParticipants: (?P<names>[^\n]+)", re.S | re.M)
_KINDS = {
    "non-verbal communication": NON_VERBAL,
    "action": PHYSICAL,
    "physical action": PHYSICAL,
}
_GESTURE = re.compile(rf"\[({'|'.join(_KINDS)})\]\s*")


@dataclass(frozen=True, slots=True)
class Turn:
    """Who acted (a participant's position) and how."""

    who: int
    action: Action


@dataclass(frozen=True, slots=True)
class Played:
    """An episode as the judge's prompt tells it. Backgrounds and goals in the order of `names`."""

    scenario: str
    names: tuple[str, ...]
    backgrounds: tuple[str, ...]
    goals: tuple[str, ...]
    turns: tuple[Turn, ...]


def played(prompt: str, place: str, quirks: Quirks) -> Played:
    """The prompt, read; ConfigError where a part of it is missing or a turn has no known form."""
    first = _HEADER.search(prompt)
    if first is None:
        raise ConfigError(f'{place}: rewards_prompt holds no "Turn #"; expected the whole episode')
    head = prompt[: first.start()]
    stage = _STAGE.search(head)
    if stage is None:
        raise ConfigError(f'{place}: rewards_prompt holds no "Scenario:" and "Participants:"')
    names = tuple(re.split(r", (?:and )?| and ", stage["names"].strip()))
    if len(names) < 2 or len(set(names)) != len(names):
        raise ConfigError(f"{place}: expected two or more participants, found {stage['names']!r}")
    markers = [f"{name}'s {what}:" for what in ("background", "goal") for name in names]
    sections = _sections(head[stage.end() :], markers, place)
    contents = _contents(prompt, first, place)
    turns = tuple(
        _turn(content, number, names, place, quirks) for number, content in enumerate(contents)
    )
    return Played(
        scenario=stage["scenario"].strip(),
        names=names,
        backgrounds=sections[: len(names)],
        goals=sections[len(names) :],
        turns=turns,
    )


def _sections(text: str, markers: list[str], place: str) -> tuple[str, ...]:
    """What stands after each of these markers, up to the next one."""
    starts = []
    for marker in markers:
        found = re.search(rf"^{re.escape(marker)}", text, re.MULTILINE)
        if found is None:
            raise ConfigError(f'{place}: rewards_prompt holds no "{marker}"')
        starts.append(found)
    ends = [found.start() for found in starts[1:]]
    over = re.search(r"^Conversation Starts:", text, re.MULTILINE)
    ends.append(over.start() if over else len(text))
    return tuple(text[a.end() : b].strip() for a, b in zip(starts, ends, strict=True))


def _contents(prompt: str, first: re.Match[str], place: str) -> tuple[str, ...]:
    """The text of each turn. Two layouts occur: "Turn #1" on a line of its own, and "Turn #0: ".

    Models quote such headers in what they say, so that only the next number in the layout of the
    first one begins a turn.
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
    # The prompt goes on after the last turn with a comma.
    return (*(c.strip() for c in contents[:-1]), contents[-1].strip().removesuffix(",").strip())


def _turn(content: str, number: int, names: tuple[str, ...], place: str, quirks: Quirks) -> Turn:
    """One turn. An empty one belongs to whose turn it was: they take turns (section 2.3)."""
    if not content:
        quirks[Quirk.EMPTY_TURN] += 1
        return Turn(number % len(names), Action(NONE))
    for who, name in enumerate(names):
        if content.startswith(f"{name} "):
            action = _action(content[len(name) :].strip(), quirks)
            if action is not None:
                return Turn(who, action)
    raise ConfigError(
        f"{place}: turn {number + 1} of rewards_prompt has no known form: {content[:80]!r}"
    )


def _action(text: str, quirks: Quirks) -> Action | None:
    """What comes after the name; None where it has no known form."""
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

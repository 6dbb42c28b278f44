"""Labelled examples from FIREBALL: play of D&D on Discord, recorded by the bot that rolls the dice.

Who checked which skill is on record there, so that no talk is read for labels (Zhu et al., ACL
2023). Two forms are public: the raw events of a combat, and filtered triples of what was said
before a command, the command's outcome, and what was said after it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Field, model_validator

from sociolab.core.errors import ConfigError
from sociolab.core.reading import ForeignRecord, json_lines, record
from sociolab.worlds.anteval.importing.crd3 import CONTEXT, CUT
from sociolab.worlds.anteval.importing.crd3_speech import sentences
from sociolab.worlds.anteval.importing.dnd import ImportedPlay, keep
from sociolab.worlds.anteval.session import ABILITIES, SKILLS
from sociolab.worlds.anteval.virtual_dm.example import (
    DM,
    HALF_WINDOW,
    Example,
    Label,
    Turn,
    names_skill,
)

_Id = Annotated[str, Field(coerce_numbers_to_str=True)]
_Check: TypeAlias = tuple[str, str]
"""The name of who rolled, and what for, in lower case; "" where that is not on record."""


class _Recorded(ForeignRecord):
    """A record in which null is as good as missing."""

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, fields: Any) -> Any:
        if not isinstance(fields, dict):
            return fields
        return {name: value for name, value in fields.items() if value is not None}


class _Actor(_Recorded):
    """A character or monster: in raw events with `type` in a combat, or `owner` of a player's
    sheet; `combatants` are a group's. In triples, only players' characters have a class."""

    name: str
    type: str = ""
    owner: object = None
    controller_id: _Id = ""
    combatants: tuple[_Actor, ...] = ()
    char_class: Annotated[str, Field(alias="class")] = ""

    @property
    def is_character(self) -> bool:
        return self.type == "player" or self.owner is not None or bool(self.char_class)


class _State(_Recorded):
    dm: _Id = ""
    combatants: tuple[_Actor, ...] = ()
    current: int | None = None

    @property
    def current_name(self) -> str:
        """Whose turn in the fight it is; "" between turns."""
        if self.current is None or self.current >= len(self.combatants):
            return ""
        return self.combatants[self.current].name


class _Event(_Recorded):
    """An event of any kind; each has some of these fields. `author_bot` is newer than the set."""

    combat_id: _Id
    event_type: str
    message_id: _Id = ""
    interaction_id: _Id = ""
    author_id: _Id = ""
    author_name: str = ""
    author_bot: bool | None = None
    content: str = ""
    embeds: tuple[dict[str, Any], ...] = ()
    prefix: str = "!"
    command_name: str = ""
    caster: _Actor | None = None
    targets: tuple[_Actor | str, ...] = ()
    automation_result: Any = None
    data: _State | None = None


class _Triple(_Recorded):
    speaker_id: _Id
    before_utterances: tuple[str, ...]
    combat_state_before: tuple[_Actor, ...]
    automation_results: tuple[str, ...]
    utterance_history: tuple[str, ...]
    command_idxs: Annotated[tuple[int, ...], Field(min_length=1)]


@dataclass(slots=True)
class _Play:
    """A combat: its characters, what was said, and the checks by the number of turns before them,
    each with an id."""

    table: tuple[str, ...]
    turns: list[Turn] = field(default_factory=list)
    checks: dict[int, list[tuple[str, _Check]]] = field(default_factory=dict)


def import_fireball(source: Path, target: Path) -> tuple[str, ...]:
    """Import a file of FIREBALL, raw or filtered, or a folder of such; returns lines to print."""
    files = [source]
    if source.is_dir():
        files = sorted(path for path in source.rglob("*.jsonl*") if path.is_file())
    examples: list[Example] = []
    read: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    rows = chain.from_iterable(map(_rows, files))
    for (_, combat), group in groupby(rows, key=lambda row: row[0]):
        items = [item for _, item in group]
        triples = [item for item in items if isinstance(item, _Triple)]
        play = (
            _play_of_triples(triples)
            if triples
            else _play_of_events([item for item in items if isinstance(item, _Event)])
        )
        examples += _examples(combat, play, dropped)
        read.update({"combats": 1, "turns": len(play.turns)})
        read["checks"] += sum(map(len, play.checks.values()))
    if not read:
        raise ConfigError(f"{source}: expected files of FIREBALL (.jsonl or .jsonl.gz), found none")
    reasons = dict(dropped.most_common())
    return keep(
        ImportedPlay("fireball", tuple(examples), read, reasons, "CC BY 4.0"), source, files, target
    )


def _rows(path: Path) -> Iterator[tuple[tuple[Path, str], _Event | _Triple]]:
    """The events or triples of a file, each with its place and combat.

    Triples do not name their combat: their numbers of events begin again in a new one.
    """
    number, last = 1, -1
    for place, fields in json_lines(path):
        if isinstance(fields, dict) and "event_type" in fields:
            event = record(place, _Event, fields)
            yield (path.parent, event.combat_id), event
        elif isinstance(fields, dict) and "automation_results" in fields:
            triple = record(place, _Triple, fields)
            number += triple.command_idxs[0] <= last
            last = triple.command_idxs[0]
            yield (path, f"{path.name.split('.')[0]}-{number}"), triple
        else:
            raise ConfigError(
                f"{place}: expected an event of FIREBALL (with event_type) or a filtered triple "
                "(with automation_results), found neither"
            )


def _examples(combat: str, play: _Play, dropped: Counter[str]) -> Iterator[Example]:
    """An example for the checks between two turns; `dropped` counts the checks without one."""
    for number, checks in play.checks.items():
        labels = frozenset(
            Label(name, skill)
            for _, (name, skill) in checks
            if name in play.table and skill in SKILLS
        )
        for _, (name, skill) in checks:
            if skill not in SKILLS:
                dropped["not of a skill" if skill else "skill not on record"] += 1
            elif name not in play.table:
                dropped["by a monster or companion"] += 1
        skills = [label.skill for label in labels]
        turns = _cut(play.turns[:number], skills)[-CONTEXT:]
        if labels and not turns:
            dropped["no play before"] += len(labels)
        elif labels:
            border = min((later for later in play.checks if later > number), default=None)
            after = play.turns[number:border]
            while after and after[0].speaker == DM:  # what the DM makes of the roll
                del after[0]
            yield Example(
                id=f"{combat}_{checks[0][0]}",
                group=combat,
                turns=turns,
                candidates=play.table,
                labels=labels,
                strict=not names_skill(turns, skills),
                after=tuple(after[:HALF_WINDOW]),
            )


def _cut(turns: Sequence[Turn], skills: Sequence[str]) -> tuple[Turn, ...]:
    """The turns up to the sentence, in the last few, that first names a skill: a check was asked
    for there."""
    for number in range(max(0, len(turns) - CUT), len(turns)):
        speaker, text = turns[number].speaker, turns[number].text
        for sentence in sentences(text):
            if names_skill([Turn(speaker, sentence.words)], skills):
                rest = text[: sentence.start].strip()
                return (*turns[:number], *([Turn(speaker, rest)] if rest else []))
    return tuple(turns)


def _played_by(characters: Iterable[_Actor]) -> Mapping[str, str]:
    """The character of each player who plays just one, by the player's id."""
    names: dict[str, set[str]] = {}
    for each in characters:
        names.setdefault(each.controller_id, set()).add(each.name)
    return {player: min(played) for player, played in names.items() if len(played) == 1}


def _resolve_skill(word: str) -> str:
    """The skill that a command's word stands for; "" where the bot had to ask which."""
    word = word.strip("\"'").casefold()
    names = [name for name in (*SKILLS, *ABILITIES, "initiative") if word in name.replace(" ", "")]
    return names[0] if word and len(names) == 1 else ""


# ------------------------------------------------------------------------------ raw events

_CHECKS = ("check", "init check", "moncheck")
"""The bot's commands for a check; the last is a monster's."""
_ROLLED = re.compile(r"(?P<name>.+) makes an? (?:\w+ \()?(?P<skill>[\w ]+?)\)? check!")
"""The title of the bot's answer, such as "Ida makes a Strength (Athletics) check!"."""
_MENU = re.compile(r"\s*(\d{1,2}|[cynp]|yes|no)?\s*", re.IGNORECASE)
"""Nothing, or an answer to the bot's question which of several things was meant."""
_PROXY = 5
"""A bot that speaks for a character repeats a message of so many events before."""


def _play_of_events(events: Sequence[_Event]) -> _Play:
    """The play of a combat; a check stands where its command was given."""
    states = [event.data for event in events if event.data is not None]
    characters = [each for state in states for each in _characters(state.combatants)]
    casters = [event.caster for event in events if event.caster and event.caster.is_character]
    play = _Play(tuple(dict.fromkeys(each.name for each in (*characters, *casters))))
    dm = next((state.dm for state in states if state.dm), "")
    played_by = _played_by(characters)
    mentions = {**played_by, dm: DM}
    checks = _checks_of_events(events)
    messages = _messages(events, play.table)
    current = ""
    for position, event in enumerate(events):
        current = event.data.current_name if event.data is not None else current
        if position in messages:
            speaker = played_by.get(event.author_id, event.author_name)
            if event.author_id == dm and speaker != current:
                speaker = DM
            text = re.sub(
                r"<@!?(\d+)>", lambda match: mentions.get(match[1], "somebody"), event.content
            )
            play.turns.append(Turn(speaker, text))
        if position in checks:
            id = event.message_id or event.interaction_id
            placed = play.checks.setdefault(len(play.turns), [])
            placed += [(id, check) for check in checks[position]]
    return play


def _characters(actors: Iterable[_Actor]) -> Iterator[_Actor]:
    """The players' characters among combatants, those in groups too."""
    for actor in actors:
        if actor.is_character:
            yield actor
        yield from _characters(actor.combatants)


def _messages(events: Sequence[_Event], table: Sequence[str]) -> dict[int, _Event]:
    """The messages to the table, by position: no commands, no answers to a menu, none of bots but
    those that speak for a character, and not what such a bot repeats."""
    commands = {event.message_id for event in events if event.event_type != "message"}
    prefixes = tuple({event.prefix for event in events})
    messages = {
        position: event
        for position, event in enumerate(events)
        if event.event_type == "message"
        and event.message_id not in commands
        and not event.content.startswith(prefixes)
        and not _MENU.fullmatch(event.content)
        and (event.author_name in table or not _is_bot(event))
    }
    proxies = {position: event.content for position, event in messages.items() if _is_bot(event)}
    return {
        position: event
        for position, event in messages.items()
        if position in proxies
        or not any(
            later in proxies and proxies[later] in event.content
            for later in range(position, position + _PROXY)
        )
    }


def _is_bot(event: _Event) -> bool:
    if event.author_bot is None:
        return bool(event.embeds) or event.author_name == "Avrae"
    return event.author_bot


def _checks_of_events(events: Sequence[_Event]) -> Mapping[int, list[_Check]]:
    """The checks by the position of the message that called for them."""
    starts: dict[str, int] = {}
    for position, event in enumerate(events):
        if event.event_type == "message":
            starts.setdefault(event.message_id, position)
    checks: dict[int, list[_Check]] = {}
    for position, event in enumerate(events):
        start = starts.get(event.message_id or event.interaction_id, position)
        if event.event_type == "command" and event.command_name in _CHECKS:
            checks.setdefault(start, []).append(_commanded(event, events[start:position]))
        elif event.event_type == "automation_run" and event.caster is not None:
            result = event.automation_result
            rolled = list(_automated(result, event.caster, event.targets, ""))
            if rolled:
                checks.setdefault(start, []).extend(rolled)
    return checks


def _commanded(command: _Event, answers: Iterable[_Event]) -> _Check:
    """The check of a command, by the title of the bot's answer, else by the command's words."""
    name = command.caster.name if command.caster else ""
    for title in (embed.get("title") or "" for answer in answers for embed in answer.embeds):
        match = _ROLLED.fullmatch(title)
        if match and (not name or match["name"] in (name, "An unknown creature")):
            return name or match["name"], match["skill"].casefold()
    words = re.split(r"\b(?:check|c)\b", command.content, maxsplit=1)[-1].split()
    return name, _resolve_skill(words[0] if words else "")


def _automated(
    node: Any, caster: _Actor, targets: Sequence[_Actor | str], target: str
) -> Iterator[_Check]:
    """The checks in the result of an action: of its targets and, in a contest, of its caster."""
    if not isinstance(node, dict):
        return
    if node.get("type") == "target_iteration":
        index = node.get("target_index")
        if node.get("target_type") == "self":
            target = caster.name
        elif isinstance(index, int) and 0 <= index < len(targets):
            aimed = targets[index]
            target = aimed if isinstance(aimed, str) else aimed.name
    if node.get("type") == "check" and node.get("check_roll"):
        yield target, str(node.get("skill_name", "")).casefold()
        if node.get("contest_skill_name"):
            yield caster.name, str(node["contest_skill_name"]).casefold()
    for child in chain(node.get("children") or (), node.get("results") or ()):
        yield from _automated(child, caster, targets, target)


# ------------------------------------------------------------------------------ filtered triples

_RESULT = re.compile(
    r"^(.+?) rolled an? ([\w ]+?) (?:check|contest against (.+?)'s ([\w ]+?)) (?:and|but) ",
    re.MULTILINE,
)


def _play_of_triples(triples: Sequence[_Triple]) -> _Play:
    """The play of a combat, put together from the last five turns that each triple has."""
    actors = [actor for triple in triples for actor in triple.combat_state_before]
    characters = [actor for actor in actors if actor.is_character]
    play = _Play(tuple(dict.fromkeys(actor.name for actor in characters)))
    voices = dict(_played_by(characters))
    masters = Counter(actor.controller_id for actor in actors if not actor.is_character)
    voices |= {id: DM for id, _ in masters.most_common(1)}
    names = {
        line.partition(": ")[0]: voices[triple.speaker_id]
        for triple in triples
        for line in triple.utterance_history
        if triple.speaker_id in voices and line.partition(": ")[2] in triple.before_utterances
    }
    for triple in triples:
        parts = (line.partition(": ") for line in triple.utterance_history)
        turns = [Turn(names.get(name, name), text) for name, _, text in parts if text.strip()]
        lengths = range(len(turns), -1, -1)
        overlap = next(
            size for size in lengths if play.turns[-size or None :][:size] == turns[:size]
        )
        play.turns += turns[overlap:]
        for target, skill, caster, contest in _RESULT.findall("\n".join(triple.automation_results)):
            rolled = [(target, skill), (caster, contest)] if caster else [(target, skill)]
            play.checks.setdefault(len(play.turns), []).extend(
                (f"{triple.command_idxs[0]:05d}", (name, what.casefold())) for name, what in rolled
            )
    return play

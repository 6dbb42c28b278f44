"""A model writes a drawn character's name, look and description in place of the grammar's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from sociolab.core.errors import ReplyError
from sociolab.core.ports import CallKey, ChatModel
from sociolab.prompting.ask import ask_model, typed_prompt
from sociolab.prompting.templates import prompt
from sociolab.worlds.anteval.party.phrases import PRONOUNS
from sociolab.worlds.anteval.session import Character

ATTEMPTS = 3

SHORTEST, LONGEST = 40, 250
"""Words that a description may have."""

_ASKED = (90, 180)
"""Words that are asked for: as many as the grammar writes."""

_TEMPERATURE = 1.0
"""High, since parties should not resemble one another."""

_LONGEST_NAME = 60
_LONGEST_LOOK = 60
"""Characters of a name, words of a look: it enters the prompts of all the others."""


class Writing(BaseModel):
    """What the model is asked for."""

    model_config = ConfigDict(frozen=True)

    name: str
    look: str
    description: str


async def write_character(
    model: ChatModel, drawn: Character, key: CallKey, taken: Sequence[str]
) -> Character:
    """The character with a name, look and description by the model; its traits stay as drawn.

    `taken` are names, or first names, that others at the table have. A reply that will not do is
    sent back with the problem, twice at most; then ReplyError says what the last one lacks.
    ModelError passes through: a call failed for good.
    """
    head = prompt("sociolab.worlds.anteval", "write_character").render(
        {"shortest": _ASKED[0], "longest": _ASKED[1]}
    )
    check = _Check(drawn, frozenset(_first(name) for name in taken if name.strip()))
    asked = await ask_model(
        model,
        typed_prompt(head, _sheet(drawn, taken), Writing, _TEMPERATURE),
        Writing,
        key,
        attempts=ATTEMPTS,
        complaint=check.complaint,
    )
    if asked.value is None or asked.problem:
        raise ReplyError(asked.problem, raw=asked.raw, cause=asked.cause)
    written = {
        "name": _one_line(asked.value.name),
        "look": _one_line(asked.value.look),
        "description": asked.value.description.strip(),
    }
    return drawn.model_copy(update=written)


def _sheet(drawn: Character, taken: Sequence[str]) -> str:
    """The traits as the model reads them, a line each; the drawn name is not among them."""
    abilities = ", ".join(f"{ability} {score}" for ability, score in drawn.abilities.items())
    lines = (
        ("race", drawn.race),
        ("class", drawn.class_name),
        ("background", drawn.background),
        ("alignment", drawn.alignment),
        ("pronouns", drawn.pronouns),
        ("abilities, of which 10 is a common person's", abilities),
        ("personality", " ".join(drawn.personality)),
        ("ideal", drawn.ideal),
        ("bond", drawn.bond),
        ("flaw", drawn.flaw),
        ("goal", drawn.goal),
        ("first names that are taken", ", ".join(map(_first_word, taken)) or "none"),
    )
    return "\n".join(f"{what}: {value}" for what, value in lines)


@dataclass(frozen=True, slots=True)
class _Check:
    """What a writing for this character lacks, in a sentence; nothing if it will do."""

    drawn: Character
    taken: frozenset[str]

    def complaint(self, writing: Writing) -> str:
        problems = (
            self._name(_one_line(writing.name)),
            self._look(writing.look),
            self._length(writing.description),
            self._missing(writing.description),
        )
        return "; ".join(problem for problem in problems if problem)

    def _name(self, name: str) -> str:
        if not name:
            return "name: expected a name, found none"
        if len(name) > _LONGEST_NAME:
            return f"name: expected at most {_LONGEST_NAME} characters, found {len(name)}"
        if _first(name) in self.taken:
            return f'name: expected a first name that is not taken, found "{_first_word(name)}"'
        return ""

    def _look(self, look: str) -> str:
        words = len(look.split())
        if not 0 < words <= _LONGEST_LOOK:
            return f"look: expected one sentence of at most {_LONGEST_LOOK} words, found {words}"
        return ""

    def _length(self, description: str) -> str:
        words = len(description.split())
        if SHORTEST <= words <= LONGEST:
            return ""
        return f"description: expected {SHORTEST} to {LONGEST} words, found {words}"

    def _missing(self, description: str) -> str:
        words = set(_words(description))
        text = " ".join(_words(description))
        wanted = [self.drawn.race, self.drawn.class_name]
        missing = [f'"{word}"' for word in wanted if " ".join(_words(word)) not in text]
        if words.isdisjoint(_pronouns(self.drawn.pronouns)):
            missing.append(f"the pronouns {self.drawn.pronouns}")
        return f"description: expected it to have {' and '.join(missing)}" if missing else ""


def _pronouns(label: str) -> set[str]:
    """All the forms of these pronouns, known or, from another's data, as the label has them."""
    for pronouns in PRONOUNS:
        if pronouns.label == label:
            return set(pronouns.forms.values())
    return set(_words(label))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _first_word(name: str) -> str:
    return (name.split() or [""])[0]


def _first(name: str) -> str:
    return _first_word(name).casefold()

"""What a rater reads: both characters with all that is private to them, and what each knew of the
other (SOTOPIA, appendix D.4). Who played them is not in it."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.scene import Casting, casting_from, judge_names, ties
from sociolab.worlds.sotopia.visibility import (
    describe_known,
    describe_self,
    known,
    line_text,
    shown_tie,
)


@dataclass(frozen=True, slots=True)
class Person:
    """A character to be rated. `knew` holds, for each other one, the name and what this one was
    told about them, word for word."""

    seat: str
    name: str
    about: str
    secret: str
    goal: str
    knew: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A turn: who, and what was done in a line. `number` counts from 1."""

    number: int
    seat: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class RatedScene:
    """An episode as raters see it."""

    context: str
    people: tuple[Person, ...]
    ties: tuple[str, ...]
    lines: tuple[Said, ...]

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats, in their order."""
        return tuple(person.seat for person in self.people)


def rated_scene(episode: Episode) -> RatedScene:
    """The scene of an episode; ConfigError where it is not one of SOTOPIA's."""
    casting = casting_of(episode.trial.task.content)
    names = judge_names(casting)
    return RatedScene(
        casting.scenario.context,
        tuple(_person(casting, names, index) for index in range(len(casting.characters))),
        ties(casting),
        tuple(
            Said(
                move.turn + 1,
                move.seat,
                names[move.seat],
                " ".join(
                    line_text("", action, tuple(names[to] for to in action.to))
                    .removeprefix(":")
                    .strip()
                    for action in move.actions
                ),
            )
            for move in episode.moves
        ),
    )


def casting_of(content: str) -> Casting:
    """The casting in a task's content; ConfigError where it holds none."""
    try:
        return casting_from(content)
    except ValueError as error:
        raise ConfigError(
            "expected an episode of SOTOPIA with its characters and goals, found another kind; "
            "rate a run of sotopia"
        ) from error


def _person(casting: Casting, names: dict[str, str], index: int) -> Person:
    me = casting.characters[index]
    about = describe_self(me.model_copy(update={"secret": ""}))
    return Person(
        me.id,
        names[me.id],
        about,
        me.secret,
        casting.scenario.goals[index].text,
        tuple(
            (names[other.id], describe_known(known(other, tie.type, shown_tie(tie))))
            for other in casting.characters
            if other.id != me.id
            for tie in (casting.between(me.id, other.id),)
        ),
    )

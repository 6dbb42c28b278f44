"""Which player means to use which skill: drawn by seed from a prior (AntEval section 3.2)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from sociolab.core.errors import ConfigError
from sociolab.core.seeding import stream
from sociolab.worlds.anteval.session import Intention
from sociolab.worlds.anteval.skills import SKILLS

UNIFORM = "uniform"

_MEANT = {
    "acrobatics": "keep your balance, tumble or land on your feet where others would fall",
    "animal handling": "win over, calm or lead an animal, or read what it is about to do",
    "arcana": "work out what a spell, a rune or an enchanted thing is",
    "athletics": "climb, jump, swim, lift or break something by the strength of your body",
    "deception": "make somebody believe what is not true",
    "history": "remember what happened here long ago, or whose arms and customs these are",
    "insight": "find out what somebody really feels or means, and whether they are honest",
    "intimidation": "frighten somebody into giving way",
    "investigation": "search a thing closely and piece together what the traces mean",
    "medicine": "tend a wound or an illness, or tell what somebody suffers or died of",
    "nature": "tell what a plant, a beast, the weather or the ground is, by what you were taught",
    "perception": "notice with eyes and ears what others miss",
    "performance": "hold an audience with a song, a dance, a tale or a part that you play",
    "persuasion": "bring somebody round with tact, good reasons and good faith",
    "religion": "tell what a rite, a prayer or a holy sign means and whom it serves",
    "sleight of hand": "take, palm, plant or hide something small with quick fingers",
    "stealth": "move or hide so that nobody notices you",
    "survival": "follow tracks, find the way, food or shelter, or foresee what the wilds hold",
}


@dataclass(frozen=True, slots=True)
class Assigned:
    """How skills are given out.

    `weights` of the skills (a prior), `none` the chance that a player means to use none, and how
    many different ones the others get.
    """

    weights: tuple[tuple[str, float], ...]
    none: float
    per_player: int

    def draw(self, seed: int, session: str, players: Sequence[str]) -> tuple[Intention, ...]:
        """The intentions of a session's players; alike for the same seed and session."""
        found = []
        for seat in players:
            chance = stream(seed, session, seat, "intention")
            if chance.random() < self.none:
                continue
            left = dict(self.weights)
            for _ in range(min(self.per_player, len(left))):
                skill = chance.choices(list(left), list(left.values()))[0]
                del left[skill]
                found.append(Intention(seat=seat, skill=skill, text=meant(skill)))
        return tuple(found)


def meant(skill: str) -> str:
    """What a player is told that it means to do."""
    return f"You mean to use your {skill} here: to {_MEANT[skill]}."


def read_prior(prior: str) -> tuple[tuple[str, float], ...]:
    """The weights of a prior: "uniform", or a path to a JSON object from skill to weight.

    ConfigError for a file that cannot be read, an unknown skill, a negative weight, or no weight.
    """
    if prior == UNIFORM:
        return tuple((skill, 1.0) for skill in SKILLS)
    weights = _weights(Path(prior))
    for skill, weight in weights.items():
        if skill not in SKILLS:
            raise ConfigError(f'{prior}: expected one of the 18 skills, found "{skill}"')
        if not 0 <= weight < float("inf"):
            raise ConfigError(f"{prior}: {skill}: expected a weight of 0 or more, found {weight}")
    if not any(weights.values()):
        raise ConfigError(f"{prior}: expected a weight above 0 for at least one skill, found none")
    return tuple((skill, weights[skill]) for skill in SKILLS if weights.get(skill))


def _weights(path: Path) -> Mapping[str, float]:
    try:
        return TypeAdapter(dict[str, float]).validate_python(json.loads(path.read_bytes()))
    except OSError as error:
        raise ConfigError(
            f'the prior "{path}" cannot be read ({error.strerror}); expected "{UNIFORM}" or a path '
            "to a JSON object from skill to weight"
        ) from error
    except (ValueError, ValidationError) as error:
        raise ConfigError(f"{path}: expected a JSON object from skill to weight") from error

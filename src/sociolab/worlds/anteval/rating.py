"""How people rate AntEval's sessions: a guide to informativeness or expressiveness, and a
session as anybody at the table could see it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import as_file, files

from sociolab.core.episode import Episode, Moved
from sociolab.core.errors import ConfigError
from sociolab.plugin.shown import RatedLine, RatedPerson, RatedScene, guides_from
from sociolab.plugin.world import RatingGuide
from sociolab.worlds.anteval.scene import line_of
from sociolab.worlds.anteval.session import PACKAGE, Form, Session, session_from

DIMENSIONS: Mapping[Form, str] = {"information": "informativeness", "intention": "expressiveness"}
"""What is rated in sessions of each form: what IEP, and what F and G, are to measure."""

SCENE = (
    "The examples below are of one small scene. Ada, Ben and Cleo are travellers who have come to "
    "a mill. Orla, the miller, knows the country around it."
)
KNEW = (
    "You see what was said and done at the table, whispers included, and nothing of what the "
    "players were told in private. Rate what shows."
)


def rating_guide(form: Form) -> RatingGuide:
    """One scale from 1 to 5 for each player; the NPC is shown but not rated."""
    with as_file(files(PACKAGE) / "data" / "rating.toml") as file:
        guides = tuple(guide for guide in guides_from(file) if guide.name == DIMENSIONS[form])
    return RatingGuide(guides, rated_scene, SCENE, KNEW)


def rated_scene(episode: Episode) -> RatedScene:
    """The session without anything private; ConfigError where it is none of AntEval's."""
    try:
        session = session_from(episode.trial.task.content)
    except ValueError as error:
        raise ConfigError("expected a session of AntEval, found another kind of episode") from error
    npc = session.npc
    return RatedScene(
        f"{session.situation}\n{npc.name}, whom the party meets (not rated): {npc.look}",
        tuple(RatedPerson(p.id, p.first_name, p.look, full_name=p.name) for p in session.players),
        (),
        tuple(_line(session, move) for move in episode.moves),
    )


def _line(session: Session, move: Moved) -> RatedLine:
    name = session.seated(move.seat).first_name
    text = line_of(session, move).removeprefix(name)
    spoken = text.startswith(":")
    return RatedLine(move.turn + 1, move.seat, name, text.removeprefix(":").strip(), spoken)

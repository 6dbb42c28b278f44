"""Sessions whose people and knowledge a model writes, laid down as a folder that can be played."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sociolab.core.errors import ConfigError, ModelError, ReplyError
from sociolab.core.ports import CallKey, ChatModel
from sociolab.worlds.anteval.information.knowledge_writer import write_knowledge
from sociolab.worlds.anteval.party.writer import write_character
from sociolab.worlds.anteval.session import Character, Fact, Session
from sociolab.worlds.anteval.sessions import FILE, Drawn
from sociolab.worlds.anteval.situation import draw_situation

_TOLD = 10
"""About so often it is told how far the work is."""


@dataclass(frozen=True, slots=True)
class Written:
    """The sessions that were written, and a sentence for each one that could not be."""

    sessions: tuple[Session, ...]
    failures: tuple[str, ...]


async def write_sessions(
    model: ChatModel, folder: Path, drawn: Drawn, tell: Callable[[str], None]
) -> Written:
    """Draw sessions, have a model write their characters and knowledge, and keep them.

    Traits, situation and intentions stay as drawn. A session's decoys are the knowledge of the next
    one, of the last one that of the first. One call a character and, in sessions about information,
    one for the knowledge. A session for which the model gives no usable reply is left out. The
    folder is written when all are done; `tell` hears how far it is. ConfigError where it holds
    sessions already; a fatal ModelError passes through.
    """
    path = folder / FILE
    if path.exists():
        raise ConfigError(f"{path} is there already: name another folder, or remove the file first")
    tasks = [asyncio.ensure_future(_one(model, session, drawn)) for session in drawn.all()]
    try:
        for done, outcome in enumerate(asyncio.as_completed(tasks), start=1):
            await outcome
            if done < len(tasks) and done % max(1, len(tasks) // _TOLD) == 0:
                tell(f"{done} of {len(tasks)} sessions are done")
        outcomes = await asyncio.gather(*tasks)
    finally:  # a fatal error of one ends all
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    written = [outcome for outcome in outcomes if isinstance(outcome, Session)]
    sessions = _with_decoys(written) if drawn.facts else tuple(written)
    if sessions:
        _keep(path, sessions)
    return Written(sessions, tuple(one for one in outcomes if isinstance(one, str)))


def _keep(path: Path, sessions: Sequence[Session]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (f"{session.model_dump_json()}\n" for session in sessions)
    path.write_text("".join(lines), encoding="utf-8")


async def _one(model: ChatModel, session: Session, drawn: Drawn) -> Session | str:
    """The session as the model wrote it, or why there is none."""
    try:
        return await _written(model, session, drawn)
    except ReplyError as error:
        return f"{session.id}: {error}"
    except ModelError as error:
        if error.fatal:
            raise
        return f"{session.id}: {error}"


async def _written(model: ChatModel, session: Session, drawn: Drawn) -> Session:
    characters: list[Character] = []
    for character in session.characters:
        taken = [one.name for one in characters]
        key = CallKey(session.id, "writer", character.id, 0, "character", 1)
        characters.append(await write_character(model, character, key, taken))
    situation = draw_situation(drawn.seed, session.id, characters).text
    known: tuple[Fact, ...] = ()
    if drawn.facts:
        key = CallKey(session.id, "writer", "", 0, "knowledge", 1)
        npc = characters[-1].name
        known = await write_knowledge(model, situation, npc, drawn.facts, key)
    changed = {"characters": tuple(characters), "situation": situation, "knowledge": known}
    return Session.model_validate({**dict(session), **changed})


def _with_decoys(sessions: Sequence[Session]) -> tuple[Session, ...]:
    """Each session with the knowledge of the next; a single one keeps what was drawn."""
    if len(sessions) < 2:
        return tuple(sessions)
    following = (*sessions[1:], sessions[0])
    return tuple(
        one.model_copy(update={"decoys": other.knowledge})
        for one, other in zip(sessions, following, strict=True)
    )

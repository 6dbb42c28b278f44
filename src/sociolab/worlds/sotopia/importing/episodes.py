"""`import_episodes`: episodes that SOTOPIA's models played, as episodes of ours to be judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from sociolab.core.episode import CastMember, Ended, Episode, Event, Moved, Task, Trial
from sociolab.core.errors import ConfigError
from sociolab.core.seeding import digest
from sociolab.worlds.sotopia.importing.models import model_labels
from sociolab.worlds.sotopia.importing.people import people
from sociolab.worlds.sotopia.importing.public_data import (
    AGENTS,
    PublicData,
    read_public_data,
)
from sociolab.worlds.sotopia.importing.quirks import Quirk, Quirks, told
from sociolab.worlds.sotopia.importing.reading import Placed, RawRow, file_text, rows
from sociolab.worlds.sotopia.importing.stage import Told, tasks_of
from sociolab.worlds.sotopia.importing.transcripts import Played, played
from sociolab.worlds.sotopia.scene import LEAVE, NONE, TURN_LIMIT


class RawEpisode(RawRow):
    """A line of an episode file. The prompt that its judge was given tells the whole of it.

    (`parsed`, beside it, has lost empty turns and, in some lines, the conversation.)
    """

    pk: str
    environment: str = ""
    tag: str = ""
    models: tuple[str, ...] = ()
    setting: str = Field("", alias="_setting")
    rewards_prompt: str


@dataclass(frozen=True, slots=True)
class ImportedEpisodes:
    """Episodes ready to be judged, and how often each quirk was met."""

    episodes: tuple[Episode, ...]
    quirks: tuple[tuple[Quirk, int], ...]
    lines: tuple[str, ...]
    """The report to print: one line for what there is, then one for each quirk."""


def import_episodes(source: Path) -> ImportedEpisodes:
    """Read the episode files in `source`, in `source/episodes`, or the one file that it is.

    Characters, scenarios and tasks are those of the profile files where these are at hand (in
    `source`, in a folder `profiles` in it or beside it), and otherwise read off the episodes.
    ConfigError with file and line for whatever cannot be read.
    """
    quirks = Quirks()
    folder = _profiles_near(source)
    public = None if folder is None else read_public_data(folder, Quirks())
    files = _episode_files(source)
    episodes = tuple(read_episodes(files, public, quirks))
    agents = {member.agent for episode in episodes for member in episode.trial.cast}
    tasks = {episode.trial.task.id for episode in episodes}
    first = f"{len(episodes)} episodes of {len(tasks)} tasks, played by {', '.join(sorted(agents))}"
    met = tuple((quirk, quirks[quirk]) for quirk in Quirk if quirks[quirk])
    return ImportedEpisodes(episodes, met, (first, *told(quirks)))


def read_episodes(
    files: tuple[Path, ...], public: PublicData | None, quirks: Quirks
) -> Iterator[Episode]:
    """The episodes of these files in order. A trial's id is the episode's own (`pk`)."""
    raw = [item for file in files for item in rows(file, RawEpisode)]
    seen = [played(item.row.rewards_prompt, item.place, quirks) for item in raw]
    episodes = [
        Told(item.place, item.row.environment, scene) for item, scene in zip(raw, seen, strict=True)
    ]
    told_of = (
        (told.place, name, background)
        for told in episodes
        for name, background in zip(told.scene.names, told.scene.backgrounds, strict=True)
    )
    characters = people(told_of, public.characters if public else {}, quirks)
    tasks = tasks_of(episodes, characters, public, quirks)
    repeats: Counter[tuple[str, ...]] = Counter()
    known: set[str] = set()
    for item, scene, task in zip(raw, seen, tasks, strict=True):
        if item.row.pk in known:
            raise ConfigError(f"{item.place}: the episode {item.row.pk} comes a second time")
        known.add(item.row.pk)
        cast = _cast(item, task, quirks)
        key = (task.id, *(f"{member.agent} {member.settings}" for member in cast))
        trial = Trial(item.row.pk, "sotopia", task, cast, repeats[key], 0)
        repeats[key] += 1
        yield Episode(trial, _events(scene, task.seats, quirks))


def _cast(item: Placed[RawEpisode], task: Task, quirks: Quirks) -> tuple[CastMember, ...]:
    raw = item.row
    labels = model_labels(raw.models, raw.setting, raw.tag, len(task.seats), quirks)
    return tuple(
        CastMember(seat, label, digest("imported", label))
        for seat, label in zip(task.seats, labels, strict=True)
    )


def _events(scene: Played, seats: tuple[str, ...], quirks: Quirks) -> tuple[Event, ...]:
    moves = tuple(
        Moved(number, seats[turn.who], (turn.action,)) for number, turn in enumerate(scene.turns)
    )
    last = moves[-1]
    quirks[Quirk.PAST_LIMIT] += len(moves) > TURN_LIMIT
    if last.actions[0].kind == LEAVE:
        return (*moves, Ended("left", last.turn, last.seat))
    if last.actions[0].kind == NONE and len(moves) < TURN_LIMIT:
        quirks[Quirk.SILENT_END] += 1
        return (*moves, Ended("silence", last.turn, last.seat))
    # One that stops in mid-talk met a limit of its own.
    return (*moves, Ended("turn limit", last.turn))


def _episode_files(source: Path) -> tuple[Path, ...]:
    """The files that hold episodes, by name; ConfigError where there is none."""
    if source.is_file():
        return (source,)
    for folder in (source / "episodes", source):
        found = [
            path
            for path in sorted(folder.glob("*.jsonl"))
            if '"rewards_prompt"' in file_text(path).lstrip().partition("\n")[0]
        ]
        if found:
            return tuple(found)
    raise ConfigError(
        f"expected JSON-lines files with episodes (rows with a rewards_prompt) in {source} "
        f"or in {source / 'episodes'}, and there is none"
    )


def _profiles_near(source: Path) -> Path | None:
    folder = source.parent if source.is_file() else source
    for place in (folder, folder / "profiles", folder.parent / "profiles"):
        if (place / AGENTS).is_file():
            return place
    return None

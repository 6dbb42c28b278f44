"""Import data sets and episodes made elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sociolab.app.data.sets import new_data_set
from sociolab.app.gap import SAMPLE
from sociolab.app.registry import world_plugin
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError
from sociolab.report.words import plural
from sociolab.store.connect import store_path
from sociolab.store.export import import_run as restore_run
from sociolab.store.export import make_room
from sociolab.store.store import Store


@dataclass(frozen=True, slots=True)
class Import:
    """Where to import from, what to call it, and the store for episodes.

    A run without a name keeps the one in its file.
    `hints`: whether the goals of public data keep their hints at a strategy. `correct`: whether
    defects of public data are mended, where a format knows some. `run` is whom ratings are of.
    """

    path: Path
    name: str
    replace: bool
    hints: bool
    correct: bool
    store: Path | None
    run: str = ""


def import_sotopia(wanted: Import) -> tuple[str, ...]:
    """SOTOPIA's public profiles, scenarios, relationships and combinations as a data set."""
    from sociolab.worlds.sotopia.importing.public_data import import_sotopia as read

    lines = _data_set(
        wanted,
        "sotopia",
        lambda path, fresh: read(path, fresh, wanted.name, strategy_hints=wanted.hints).lines,
    )
    return (*lines, f"play it: sociolab run sotopia --data {wanted.name}")


def import_sotopia_episodes(wanted: Import) -> tuple[str, ...]:
    """SOTOPIA's public episodes as a run that can be shown and judged."""
    from sociolab.worlds.sotopia.importing.episodes import import_episodes

    found = import_episodes(wanted.path)
    with Store.open(store_path(wanted.store)) as store, store.transaction():
        if wanted.replace:
            make_room(store, wanted.name)
        keep_episodes(store, wanted.name, "sotopia", found.episodes)
    return (*found.lines, f"judge it: sociolab judge {wanted.name} --judge SPEC")


def import_dnd(wanted: Import) -> tuple[str, ...]:
    """Labelled play in our open format (docs/import-dnd.md) as a data set for virtual DMs."""
    from sociolab.worlds.anteval.importing.dnd import import_dnd as read

    return _real_play(wanted, read)


def import_crd3(wanted: Import) -> tuple[str, ...]:
    """CRD3's transcripts of a show, from a clone of its repository, as a data set."""
    from sociolab.worlds.anteval.importing.crd3 import import_crd3 as read

    return _real_play(wanted, read)


def import_fireball(wanted: Import) -> tuple[str, ...]:
    """FIREBALL's records of play over a bot as a data set."""
    from sociolab.worlds.anteval.importing.fireball import import_fireball as read

    return _real_play(wanted, read)


def import_transcript(wanted: Import) -> tuple[str, ...]:
    """Transcripts that somebody marked by hand as a data set."""
    from sociolab.worlds.anteval.importing.transcript import import_transcript as read

    return _real_play(wanted, read)


def import_stss(wanted: Import) -> tuple[str, ...]:
    """STSS's public map, personas and 30 tasks as a town of its own."""
    from sociolab.worlds.stss.importing.importer import import_stss as read

    lines = _data_set(
        wanted,
        "stss",
        lambda path, fresh: read(path, fresh, wanted.name, correct=wanted.correct).lines,
    )
    return (*lines, f"play it: sociolab run stss --data {wanted.name}")


def import_run(wanted: Import) -> tuple[str, ...]:
    """A run that `sociolab export` wrote."""
    with Store.open(store_path(wanted.store)) as store:
        name = restore_run(store, wanted.path, wanted.name or None, replace=wanted.replace)
        trials = len(store.trials(name))
    return (f"{name}: {plural(trials, 'trial')}", f"look at it: sociolab report {name}")


Reader = Callable[[Import], tuple[str, ...]]
FORMATS: Mapping[str, Reader] = {
    "sotopia": import_sotopia,
    "sotopia-episodes": import_sotopia_episodes,
    "dnd": import_dnd,
    "crd3": import_crd3,
    "fireball": import_fireball,
    "dnd-transcript": import_transcript,
    "stss": import_stss,
    "run": import_run,
}


def import_anything(
    format: str, wanted: Import, readers: Mapping[str, Reader] = FORMATS
) -> tuple[str, ...]:
    """Import in the named format; sentences on what was read. ConfigError if there is none."""
    reader = readers.get(format)
    if reader is None:
        raise ConfigError(
            f'there is no import format "{format}"; expected one of {", ".join(readers)}'
        )
    for flag, given, of in (
        ("--no-hints", not wanted.hints, "sotopia"),
        ("--correct", wanted.correct, "stss"),
    ):
        if given and format != of:
            raise ConfigError(f"{flag}: expected with {of} only, found with {format}; leave it out")
    return reader(wanted)


def _real_play(wanted: Import, read: Callable[[Path, Path], tuple[str, ...]]) -> tuple[str, ...]:
    if wanted.name == SAMPLE:
        raise ConfigError(
            f'--name: "{SAMPLE}" is what the sample data of this package is called; choose another'
        )
    lines = _data_set(wanted, "dnd", read)
    return (*lines, f"learn from it: sociolab gap --real {wanted.name} --generated RUN")


def _data_set(
    wanted: Import, kind: str, read: Callable[[Path, Path], tuple[str, ...]]
) -> tuple[str, ...]:
    """Read a source into a folder under the wanted name, whole or not at all; what `read` tells."""
    with new_data_set(kind, wanted.name, replace=wanted.replace) as fresh:
        return read(wanted.path, fresh)


def keep_episodes(store: Store, name: str, world: str, episodes: tuple[Episode, ...]) -> None:
    """Store finished episodes as a run of their own, all or none."""
    with store.transaction():
        labels = {member.agent for one in episodes for member in one.trial.cast}
        declared = replace(world_plugin(world).declared, agents=dict.fromkeys(labels, "imported"))
        trials = [episode.trial for episode in episodes]
        store.create_run(name, world, {"imported": True}, trials, declared)
        for episode in episodes:
            for event in episode.events:
                store.append(name, episode.trial.id, event)
            store.set_status(name, episode.trial.id, "played")

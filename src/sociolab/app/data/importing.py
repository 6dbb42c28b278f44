"""Import data sets and episodes made elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from sociolab.app.data.sets import new_data_set
from sociolab.app.registry import world_plugin, worlds_that
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError, did_you_mean
from sociolab.core.foreign_formats import explain_refusal
from sociolab.plugin.options import Flag
from sociolab.plugin.world import EpisodeImporter, Importer, Importing
from sociolab.prompting.sets import prompts_kind, shipped_sets
from sociolab.report.words import plural
from sociolab.store.connect import store_path
from sociolab.store.export import delete_for_replacement, import_run as restore_run
from sociolab.store.store import Store


@dataclass(frozen=True, slots=True)
class Import:
    """What to import, its new name, and the store for episodes.

    With the name "", a run keeps the name in its file. `flags` are options that only some formats
    have, such as "--no-hints". Of ratings only: `run` is the run that was rated ("": found by its
    episodes), `mapped` says what columns hold, `duplicates` which of two ratings counts.
    """

    path: Path
    name: str
    replace: bool
    store: Path | None
    flags: frozenset[str] = frozenset()
    run: str = ""
    mapped: tuple[str, ...] = ()
    duplicates: str = "refuse"


def import_run(request: Import) -> tuple[str, ...]:
    """Import a run that `sociolab export` wrote."""
    with Store.open(store_path(request.store)) as store:
        name = restore_run(store, request.path, request.name or None, replace=request.replace)
        trials = len(store.trials(name))
    return (f"{name}: {plural(trials, 'trial')}", f"look at it: sociolab report {name}")


Reader = Callable[[Import], tuple[str, ...]]


def import_prompts(world: str, variant: str, request: Import) -> tuple[str, ...]:
    """Import a set of prompts from a user's copy of the paper's code; ConfigError where the world
    has no importer for prompts."""
    importer = world_plugin(world).prompts
    if importer is None:
        choices = ", ".join(worlds_that(lambda installed: installed.prompts is not None))
        raise ConfigError(f'prompts are imported for {choices or "no world"}, found "{world}"')
    if variant not in ("", *importer.variants):
        choices = " or ".join(importer.variants) or "none"
        raise ConfigError(f'--variant: expected {choices}, found "{variant}"')
    if request.name in shipped_sets(importer.package):
        raise ConfigError(f'--name: "{request.name}" is a set of this package; choose another name')
    kind = prompts_kind(importer.package)
    with new_data_set(kind, request.name, replace=request.replace) as fresh:
        lines = importer.read(request.path, fresh, request.name, variant)
    return (*lines, f"play with it: sociolab run {world} --set prompts={request.name}")


OWN: Mapping[str, Reader] = {"run": import_run}
"""The formats of sociolab itself."""

_OWN_PAGES = {"run": "docs/export.md", "ratings": "docs/ratings.md"}
"""Where these are described."""


def world_formats() -> Mapping[str, str]:
    """The formats that installed worlds import, each with the name of its world."""
    formats: dict[str, str] = {}
    for name in worlds_that(lambda world: bool(world.importers)):
        formats |= dict.fromkeys(world_plugin(name).importers, name)
    return formats


def world_flags() -> Mapping[str, Flag]:
    """The options of `world_formats`, by format, for those that have one."""
    importers = {
        format: world_plugin(world).importers[format] for format, world in world_formats().items()
    }
    return {
        format: importer.flag
        for format, importer in importers.items()
        if isinstance(importer, Importer) and importer.flag is not None
    }


def check_format(format: str, own: Iterable[str]) -> None:
    """ConfigError unless the format is one of a world or one of `own`."""
    formats = (*world_formats(), *own)
    if format not in formats:
        none = f'there is no import format "{format}"{did_you_mean(format, formats)}'
        raise ConfigError(f"{none}; expected one of {', '.join(formats)}")


def import_anything(
    format: str, request: Import, own: Mapping[str, Reader] = OWN
) -> tuple[str, ...]:
    """Import in a format; returns sentences on what was read. ConfigError for an unknown format,
    for a flag of another one, and for a file that cannot be read, with what it looks like."""
    check_format(format, own)
    worlds = world_formats()
    importer = None if format in own else world_plugin(worlds[format]).importers[format]
    flag_of = {name: flag.flags for name, flag in world_flags().items()}
    for flag in sorted(request.flags - {flag_of.get(format)}):
        formats = [name for name, needed in flag_of.items() if needed == flag]
        raise ConfigError(
            f"{flag}: expected with {' or '.join(formats)} only, found with {format}; leave it out"
        )
    try:
        return _import(format, importer, request, own)
    except ConfigError as error:
        page = importer.page if importer else _OWN_PAGES.get(format, "")
        if (sentence := explain_refusal(request.path, format, str(error), page)) == str(error):
            raise
        raise ConfigError(sentence) from error


def _import(
    format: str,
    importer: Importer | EpisodeImporter | None,
    request: Import,
    own: Mapping[str, Reader],
) -> tuple[str, ...]:
    if importer is None:
        return own[format](request)
    world = world_formats()[format]
    if isinstance(importer, EpisodeImporter):
        return import_episodes(world, importer, request)
    return _import_data(world, importer, request)


def _import_data(world: str, importer: Importer, request: Import) -> tuple[str, ...]:
    """Import a data set under the requested name, all or nothing."""
    if request.name in importer.reserved:
        raise ConfigError(
            f'--name: "{request.name}" is what the {request.name} data of this package is called; '
            "choose another"
        )
    source = Importing(request.path, request.name, bool(request.flags))
    with new_data_set(importer.kind or world, request.name, replace=request.replace) as fresh:
        lines = importer.read(source, fresh)
    return (*lines, importer.then.format(name=request.name))


def import_episodes(world: str, importer: EpisodeImporter, request: Import) -> tuple[str, ...]:
    """Import finished episodes as a run that can be shown and judged, and their tasks as a data set
    if the format has them; all or nothing."""
    episodes, lines, judgings = importer.read(request.path)
    with ExitStack() as whole:
        if importer.write_tasks is not None:
            data = new_data_set(world, request.name, replace=request.replace)
            source = Importing(request.path, request.name, bool(request.flags))
            importer.write_tasks(episodes, source, whole.enter_context(data))
        store = whole.enter_context(Store.open(store_path(request.store)))
        whole.enter_context(store.transaction())
        if request.replace:
            delete_for_replacement(store, request.name)
        store_episodes(store, request.name, world, tuple(episodes))
        for judging in judgings:
            store.verdicts.add(request.name, judging.judge, judging.verdicts, trial=judging.trial)
    return (*lines, importer.then.format(name=request.name))


def store_episodes(store: Store, name: str, world: str, episodes: tuple[Episode, ...]) -> None:
    """Store finished episodes as a run of their own, all or nothing."""
    with store.transaction():
        declared = world_plugin(world).declared
        trials = [episode.trial for episode in episodes]
        store.create_run(name, world, {"imported": True}, trials, declared)
        for episode in episodes:
            for event in episode.events:
                store.append(name, episode.trial.id, event)
            store.set_status(name, episode.trial.id, "played")

"""Find plugins by entry point: worlds, agents, judges, model providers.

    sociolab.worlds   a WorldPlugin
    sociolab.agents   () -> Player
    sociolab.judges   (kit: WorldKit) -> Judge
    sociolab.models   (spec: EndpointSpec) -> Provider

Built-in plugins are registered in the same way.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from sociolab.core.errors import ConfigError, WorldError
from sociolab.core.ports import ChatModel
from sociolab.core.tracebacks import describe_error
from sociolab.plugin.world import Importer, WorldPlugin

if TYPE_CHECKING:
    from sociolab.analysis.across_worlds import TwoLevels
    from sociolab.plugin.town import TownWorld

Group: TypeAlias = Literal[
    "sociolab.worlds", "sociolab.agents", "sociolab.judges", "sociolab.models"
]


class Provider(Protocol):
    """Gives access to the models of an endpoint."""

    def model(self, name: str, options: Mapping[str, Any]) -> ChatModel:
        """A model of this endpoint; `options` go into each of its requests."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


@cache
def _entry_points(group: Group, path: tuple[str, ...]) -> dict[str, dict[str, EntryPoint]]:
    """The entry points along a `sys.path`, by name, then by value ("module:attribute"): a name
    with several values is ambiguous."""
    points: dict[str, dict[str, EntryPoint]] = {}
    for point in entry_points(group=group):
        points.setdefault(point.name, {})[point.value] = point
    return points


def names(group: Group) -> tuple[str, ...]:
    return tuple(sorted(_entry_points(group, tuple(sys.path))))


def plugin(group: Group, name: str) -> Any:
    """Load a plugin; ConfigError for an unknown or ambiguous name, WorldError where its module
    cannot be imported."""
    points = _entry_points(group, tuple(sys.path)).get(name)
    if points is None:
        kind = group.removeprefix("sociolab.").removesuffix("s")
        choices = ", ".join(names(group)) or "none"
        raise ConfigError(f'there is no {kind} called "{name}"; there is: {choices}')
    if len(points) > 1:
        raise ConfigError(
            f'two plugins are called "{name}" in {group}: {" and ".join(points)}; uninstall one of '
            "them"
        )
    (point,) = points.values()
    try:
        return point.load()
    except ConfigError:  # of an extra that is not installed
        raise
    except (Exception, SystemExit) as error:  # whatever its module does when it is imported
        raise WorldError(
            f'the plugin "{name}" ({point.value}) cannot be loaded: {describe_error(error)}'
        ) from error


def world_plugin(name: str) -> WorldPlugin:
    """Load a world; ConfigError for an unknown name, WorldError for a broken plugin."""
    world = plugin("sociolab.worlds", name)
    if not isinstance(world, WorldPlugin):
        raise WorldError(
            f'the plugin "{name}" is no world: expected a sociolab.plugin.world.WorldPlugin, found '
            f"{type(world).__name__}"
        )
    if world.name != name:
        raise WorldError(
            f'the plugin "{name}" calls itself "{world.name}": give its entry point and its '
            "WorldPlugin one name"
        )
    return world


def find_world(name: str) -> WorldPlugin | None:
    """Load a world; None where it is not installed or broken: stored runs outlive their world."""
    try:
        return world_plugin(name)
    except (ConfigError, WorldError):
        return None


def about_world(name: str) -> str:
    """A world's description in a line, or why it cannot be used."""
    try:
        return world_plugin(name).about
    except (ConfigError, WorldError) as error:
        return f"cannot be used: {error}"


def worlds_that(offer: Callable[[WorldPlugin], bool]) -> tuple[str, ...]:
    """The sorted names of the installed worlds for which a condition holds; broken ones are left
    out."""
    worlds = ((name, find_world(name)) for name in names("sociolab.worlds"))
    return tuple(name for name, world in worlds if world is not None and offer(world))


def switches() -> frozenset[str]:
    """The names of installed worlds' boolean settings, for which the command line and run files
    accept a short form, such as `--tdp`."""
    worlds = map(world_plugin, worlds_that(lambda world: world.settings is not None))
    return frozenset(
        name
        for world in worlds
        if world.settings is not None
        for name, field in world.settings.model_fields.items()
        if field.annotation is bool
    )


def two_levels() -> tuple[TwoLevels, ...]:
    """What the installed worlds that play the same tasks at two levels declare about these."""
    worlds = map(world_plugin, worlds_that(lambda installed: installed.levels is not None))
    levels = []
    for world in worlds:
        with suppress(WorldError):  # one broken world does not hide the others
            levels += [world.levels()] if world.levels is not None else []
    return tuple(levels)


def town_of(world: str | None, what: str = "") -> TownWorld:
    """The town interface of a world or, if none is named, of the first world that has one.

    ConfigError where it has none; `what` names the object that the user asked about.
    """
    worlds = worlds_that(lambda installed: installed.town is not None)
    for name in worlds:
        town = world_plugin(name).town
        if world in (None, name) and town is not None:
            return town()
    raise ConfigError(
        f"{what} is of {world}, which has no town; expected an episode of "
        f"{', '.join(worlds) or 'a world with one'} (`sociolab show` reads it)"
    )


def data_kinds() -> tuple[str, ...]:
    """Kinds of data sets: the installed worlds, and the other kinds that their importers read."""
    worlds = map(world_plugin, worlds_that(lambda world: bool(world.importers)))
    importers = [importer for world in worlds for importer in world.importers.values()]
    other_kinds = (
        importer.kind for importer in importers if isinstance(importer, Importer) and importer.kind
    )
    return tuple(dict.fromkeys((*names("sociolab.worlds"), *other_kinds)))


def python_object(path: str) -> Any:
    """Import the object at `package.module:Name`; ConfigError says which part of the path is
    wrong."""
    module_name, colon, attribute = path.partition(":")
    if not colon or not module_name or not attribute:
        before, dot, last = path.rpartition(".")
        hint = f'; did you mean "python:{before}:{last}"?' if dot and not colon else ""
        raise ConfigError(f'expected python:package.module:Class, found "python:{path}"{hint}')
    if module_name.endswith(".py"):
        named = f"python:{module_name.removesuffix('.py')}:{attribute}"
        raise ConfigError(f'python:{path}: leave out ".py": "{named}"')
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # whatever the module does when it is imported
        absent = isinstance(error, ModuleNotFoundError) and error.name
        if absent and f"{module_name}.".startswith(f"{absent}."):
            raise ConfigError(
                f'python:{path}: there is no module "{module_name}", neither in this folder nor '
                "installed nor on PYTHONPATH"
            ) from error
        raise ConfigError(
            f'python:{path}: the module "{module_name}" breaks when it is imported: '
            f"{describe_error(error)}"
        ) from error
    try:
        return getattr(module, attribute)
    except AttributeError as error:
        raise ConfigError(f'python:{path}: "{module_name}" has no "{attribute}"') from error

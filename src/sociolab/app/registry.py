"""Plugins by entry point: worlds, agents, judges, model providers.

    sociolab.worlds   a WorldPlugin
    sociolab.agents   () -> Player
    sociolab.judges   (kit: WorldKit) -> Judge
    sociolab.models   (spec: EndpointSpec) -> Provider

The built-in ones are registered the same way.
"""

from __future__ import annotations

import importlib
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
    """Serves the models of one endpoint."""

    def model(self, name: str, options: Mapping[str, Any]) -> ChatModel:
        """A model of this endpoint, each of whose requests holds these options."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@cache
def _points(group: Group) -> dict[str, dict[str, EntryPoint]]:
    """What is registered, by name and by what it leads to."""
    points: dict[str, dict[str, EntryPoint]] = {}
    for point in entry_points(group=group):
        points.setdefault(point.name, {})[point.value] = point
    return points


def names(group: Group) -> tuple[str, ...]:
    """The names registered in a group, sorted."""
    return tuple(sorted(_points(group)))


def plugin(group: Group, name: str) -> Any:
    """The object behind a name; ConfigError lists those there are, a broken one fails by name."""
    points = _points(group).get(name)
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
    """The world of this name; ConfigError lists those there are."""
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


def known_world(name: str) -> WorldPlugin | None:
    """The world of this name, for what pages show beside a run; None where it is not installed, or
    does not load."""
    try:
        return world_plugin(name)
    except (ConfigError, WorldError):
        return None


def about_world(name: str) -> str:
    """What a world says of itself in a line, or why it cannot be used."""
    try:
        return world_plugin(name).about
    except (ConfigError, WorldError) as error:
        return f"cannot be used: {error}"


def worlds_that(offer: Callable[[WorldPlugin], bool]) -> tuple[str, ...]:
    """The names of the installed worlds that offer something, sorted; one that does not load offers
    nothing."""
    worlds = ((name, known_world(name)) for name in names("sociolab.worlds"))
    return tuple(name for name, world in worlds if world is not None and offer(world))


def switches() -> frozenset[str]:
    """The settings of installed worlds that are on or off: on the command line and in a file, each
    may stand by itself, as `--tdp`."""
    worlds = map(world_plugin, worlds_that(lambda world: world.settings is not None))
    return frozenset(
        name
        for world in worlds
        if world.settings is not None
        for name, field in world.settings.model_fields.items()
        if field.annotation is bool
    )


def two_levels() -> tuple[TwoLevels, ...]:
    """The worlds that play the same tasks at two levels, as they declare it."""
    worlds = map(world_plugin, worlds_that(lambda installed: installed.levels is not None))
    levels = []
    for world in worlds:
        with suppress(WorldError):  # what one world breaks, others need not miss
            levels += [world.levels()] if world.levels is not None else []
    return tuple(levels)


def town_of(world: str | None, what: str = "") -> TownWorld:
    """How the town of a world is looked at, of the first that has one where none is named.

    ConfigError, which says what was asked about (`what`), where a world has none.
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
    """What data sets can be of: the installed worlds, and what else their importers read."""
    worlds = map(world_plugin, worlds_that(lambda world: bool(world.importers)))
    importers = [importer for world in worlds for importer in world.importers.values()]
    other_kinds = (
        importer.kind for importer in importers if isinstance(importer, Importer) and importer.kind
    )
    return tuple(dict.fromkeys((*names("sociolab.worlds"), *other_kinds)))


def python_object(path: str) -> Any:
    """The object at `package.module:Name`; ConfigError says which part of the path is wrong."""
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

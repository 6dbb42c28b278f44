"""Sessions that a model writes, as a data set to play: `sociolab write`."""

from __future__ import annotations

from collections.abc import Callable

from sociolab.app.data.sets import free_place, new_data_set, world_names
from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.app.registry import world_plugin, worlds_that
from sociolab.app.run.config import WriteConfig
from sociolab.app.run.session import kept_in_a_run
from sociolab.app.run_sync import synchronous
from sociolab.core.errors import ConfigError
from sociolab.engine.setup import WorldSetup
from sociolab.models.budget import Budget
from sociolab.plugin.world import Writer, WrittenTasks
from sociolab.runner.progress import TalliedReplies, Tally
from sociolab.store.connect import store_path
from sociolab.store.store import Store


@synchronous
async def write(config: WriteConfig, tell: Callable[[str], None]) -> tuple[str, ...]:
    """Have sessions written and keep them as a data set; sentences on what came of it.

    `tell` hears how far it is.

    ConfigError where the description is wrong or no session could be written. Replies are kept in
    the store, so that the same command after a break pays for none of them twice.
    """
    writer = _writer(config)
    setup = WorldSetup(settings=config.settings, seed=config.seed)
    world_plugin(config.world)(setup)  # a wrong setting is told before anything is paid for
    spec = parse(config.writer, "writer")
    if not isinstance(spec, ModelSpec):
        raise ConfigError(
            f'--writer: expected a model such as openai/MODEL, found "{config.writer}"; without '
            "one, tables of our own write the sessions when they are played"
        )
    free_place(config.world, config.name, replace=config.replace)  # before anything is paid for
    budget, replies, models = (
        Budget(config.budget),
        TalliedReplies(Tally()),
        Models(config),
    )
    model = models.kept(spec, replies, budget)
    path = store_path(config.store)
    about = {
        "world": config.world,
        "writer": config.writer,
        "base_url": config.base_url,
        "seed": str(config.seed),
        **config.settings,
    }
    with (
        Store.open(path) as store,
        kept_in_a_run(store, path, config.world, ("write", about), replies) as kept,
        new_data_set(config.world, config.name, replace=config.replace) as fresh,
    ):
        budget.carry_over(store.calls.totals(kept))
        try:
            written = await writer(model, fresh, setup, tell)
        finally:
            await models.close()
        if not written.count:
            what = written.what.removesuffix("s")
            raise ConfigError(
                f"{config.writer} wrote no {what} that can be used ({written.failures[0]})"
            )
    return _told(config, written, kept)


def _told(config: WriteConfig, written: WrittenTasks, kept: str) -> tuple[str, ...]:
    return (
        f"{written.count} {written.what} written by {config.writer}",
        *(f"left out: {failure}" for failure in written.failures),
        f"the writer's replies are kept in the run {kept}",
        f"play them: sociolab run {config.world} --data {config.name}",
    )


def _writer(config: WriteConfig) -> Writer:
    if config.world in world_names():
        write = world_plugin(config.world).writer
        if write is not None:
            return write
    known = " and ".join(worlds_that(lambda one: one.writer is not None))
    raise ConfigError(f'a model can write sessions of {known}, found the world "{config.world}"')

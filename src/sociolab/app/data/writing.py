"""Have a model write a data set for a world: `sociolab write`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from sociolab.app.data.paraphrasing import paraphraser
from sociolab.app.data.sets import world_names
from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.app.registry import world_plugin, worlds_that
from sociolab.app.run.config import WriteConfig
from sociolab.app.run.session import note_addresses, run_for_replies
from sociolab.app.run_sync import synchronous
from sociolab.core.errors import ConfigError
from sociolab.core.ports import CallKey, ChatReply, Prompt, Usage
from sociolab.core.seeding import stream
from sociolab.engine.setup import WorldSetup
from sociolab.models.budget import CHARACTERS_A_TOKEN, Budget, estimate_tokens
from sociolab.plugin.world import Writer
from sociolab.plugin.writing import Author, WriteJob
from sociolab.prompting.made_up import Draw, reply_to
from sociolab.prompting.sets import PromptedSettings
from sociolab.report.words import plural
from sociolab.runner.progress import TalliedReplies, Tally
from sociolab.store.connect import store_path
from sociolab.store.store import Store


@synchronous
async def write(config: WriteConfig, tell: Callable[[str], None]) -> tuple[str, ...]:
    """Have a model write records into a folder; returns sentences on the outcome.

    `tell` is called with the progress. Replies are stored, so that the same command after an
    interruption pays for none of them twice. ConfigError where the description is wrong or nothing
    usable was written.
    """
    writer, spec = _find_writer(config), _model_spec(config)
    budget, replies, models = Budget(config.budget), TalliedReplies(Tally()), Models(config)
    model = models.cached(spec, replies, budget)
    path = store_path(config.store)
    about = {
        "world": config.world,
        "what": config.what,
        "writer": config.writer,
        "base_url": config.base_url,
        "seed": str(config.seed),
        **config.settings,
    }
    with (
        Store.open(path) as store,
        run_for_replies(store, path, config.world, ("writer", about), replies) as run,
    ):
        budget.carry_over(store.calls.totals(run))
        try:
            await note_addresses(store, run, [spec], models)
            written = await writer.write(_job(config, Author(model), config.to, tell))
        finally:
            await models.close()
    if not written.count and written.failures:
        what, why = written.what, written.failures[0]
        raise ConfigError(f"{config.writer} wrote no usable {what} ({why})")
    if not written.count:
        return (f"nothing is left to write in {config.to}", *written.then)
    return (
        f"{plural(written.count, written.what)} written by {config.writer}",
        *(f"left out: {failure}" for failure in written.failures),
        *(["another --seed asks again for what was left out"] if written.failures else []),
        f"the writer's replies are kept in the run {run}",
        *written.then,
    )


@synchronous
async def rehearse(config: WriteConfig) -> tuple[str, ...]:
    """Estimate calls, tokens and dollars with made-up replies; returns them as sentences.

    No model is called, and nothing is written. Retries come on top.
    """
    writer, spec, models = _find_writer(config), _model_spec(config), Models(config)
    made_up = _MadeUpModel(spec.label)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / "data"
        if config.to.is_dir():
            shutil.copytree(config.to, folder)
        job = _job(config, Author(made_up, rehearsal=True), folder, lambda _: None)
        try:
            written = await writer.write(job)
        except ConfigError as error:
            raise ConfigError(str(error).replace(str(folder), str(config.to))) from error
    price, usage = models.price(spec), Usage(made_up.read, made_up.wrote)
    cost = models.no_price(spec) if price is None else f"${price.cost_of(usage):.4f}"
    return (
        f"{plural(written.count, written.what)} by {config.writer}: about "
        f"{plural(made_up.calls, 'call')}, {made_up.read:,} tokens read, {made_up.wrote:,} "
        "written; retries are extra",
        f"cost: {cost}",
    )


def _job(
    config: WriteConfig, author: Author, folder: Path, tell: Callable[[str], None]
) -> WriteJob:
    setup = WorldSetup(settings=config.settings, seed=config.seed)
    today = datetime.now(UTC).date()
    return WriteJob(author, config.writer, today, folder, setup, tell, config.n)


def _find_writer(config: WriteConfig) -> Writer:
    """The writer for what is requested; ConfigError where the world has none, or a setting is
    wrong."""
    if config.to.exists() and not config.to.is_dir():
        raise ConfigError(f"--to: expected a folder, found the file {config.to}")
    plugin = world_plugin(config.world) if config.world in world_names() else None
    own = plugin.writers if plugin else {}
    writers = dict(own)
    settings = plugin.settings if plugin else None
    if settings is not None and issubclass(settings, PromptedSettings) and settings.told:
        writers["prompts"] = paraphraser(config.world, settings)
    if not writers:
        worlds = " and ".join(worlds_that(lambda installed: bool(installed.writers)))
        raise ConfigError(f'a model can write for {worlds}, found the world "{config.world}"')
    kind = config.what or (next(iter(own)) if len(own) == 1 else "")
    if kind not in writers:
        named = f'"{kind}"' if kind else "nothing"
        raise ConfigError(
            f"of {config.world}, a model can write {', '.join(writers)}; found {named}: say "
            f"`sociolab write {config.world} {next(iter(writers))} ...`"
        )
    WorldSetup(settings=config.settings).read(config.world, writers[kind].settings)
    return writers[kind]


def _model_spec(config: WriteConfig) -> ModelSpec:
    spec = parse(config.writer, "writer")
    if not isinstance(spec, ModelSpec):
        raise ConfigError(
            f'--writer: expected a model such as openai/MODEL, found "{config.writer}"; without '
            "a model, use the data that comes with the world"
        )
    return spec


@dataclass(slots=True)
class _MadeUpModel:
    """Replies at random within the schema, and counts calls and tokens."""

    label: str
    calls: int = 0
    read: int = 0
    wrote: int = 0

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        texts = [message.text for message in prompt.messages]
        schema = prompt.schema.text if prompt.schema else ""
        text = reply_to(texts, schema, Draw(stream(0, repr(key))))
        self.calls += 1
        self.read += estimate_tokens(prompt)
        self.wrote += round(len(text) / CHARACTERS_A_TOKEN)
        return ChatReply(text)

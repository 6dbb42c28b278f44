"""Export episodes in the form of another program, as worlds offer it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sociolab.app.registry import world_plugin, worlds_that
from sociolab.core.errors import ConfigError
from sociolab.core.user_files import fresh_folder, require_new_file, write_files
from sociolab.plugin.world import EpisodeExporter, ImportedJudging
from sociolab.report.words import join_names, plural
from sociolab.store.checking import verify_runs
from sociolab.store.store import Store


def world_exporters() -> Mapping[str, tuple[str, EpisodeExporter]]:
    """By form: the world that offers it, and its exporter."""
    names = worlds_that(lambda world: bool(world.exporters))
    return {
        form: (name, export)
        for name in names
        for form, export in world_plugin(name).exporters.items()
    }


def export_episodes(store: Store, run: str, folder: Path, form: str, by: str | None) -> str:
    """Write the finished episodes of a run into a new folder, with the scores of the judge `by`, or
    of the only model that judged; returns a sentence.

    ConfigError, and no folder, for a run of another world, without episodes, or if judges do not
    tell which.
    """
    world, export = world_exporters()[form]
    if (found := store.run(run).world) != world:
        raise ConfigError(f"--as {form}: expected a run of {world}, found {run}, of {found}")
    require_new_file(folder, "FOLDER")
    verify_runs(store, run)
    episodes = tuple(store.episodes(run))
    if not episodes:
        raise ConfigError(f"--as {form}: no episode of {run} is finished; play it first")
    rows = [row for row in store.verdicts.judgings(run) if row.trial is not None]
    judges = {
        row.judge for row in rows if (row.judge.label == by if by else row.judge.method == "model")
    }
    if len(judges) > 1 or (by and not judges):
        labels = join_names(sorted({row.judge.label for row in rows})) or "none"
        raise ConfigError(
            f"--by: expected one judge of {run} (there are: {labels}), found {by or 'none'}"
        )
    judgings = {
        str(row.trial): ImportedJudging(str(row.trial), row.judge, row.verdicts)
        for row in rows
        if row.judge in judges
    }
    files = export(run, episodes, judgings)
    with fresh_folder(folder) as fresh:
        write_files(fresh, files)
    scores = ", ".join(judge.label for judge in judges)
    said = f"{plural(len(judgings), 'judging')} by {scores}" if judges else "no scores by a model"
    return f"wrote {folder}: {plural(len(episodes), 'episode')}, {said}"

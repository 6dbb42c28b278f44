"""SOTOPIA-pi's public ratings: each model's mean goal by people, and the agreement of raters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from sociolab.analysis.agreement import agreements
from sociolab.core.errors import ConfigError
from sociolab.plugin.context import Context, Findings
from sociolab.plugin.options import Flag, Name, StoreAccess
from sociolab.plugin.recipe import BesideConfig, Sheet, Yours, figure, reproduced
from sociolab.report.score_tables import finding_of
from sociolab.stats.agreement import POOLED
from sociolab.worlds.sotopia.importing.episodes import import_episodes


class PublicRatingsConfig(BesideConfig, StoreAccess):
    """The user's copies of both; `name` is the run's unless the store has the episodes."""

    ratings: Annotated[
        Path, Flag("RATINGS", "RATINGS", "The file of ratings, or a folder of several (*.csv).")
    ]
    episodes: Annotated[
        Path, Flag("EPISODES", "EPISODES", "The file or folder of the rated episodes.")
    ]
    name: Annotated[Name, Flag("--name", "NAME", "The run, if its episodes are not stored.")] = (
        "sotopia-pi"
    )


async def public_ratings(sheet: Sheet, lab: Context, config: PublicRatingsConfig) -> Findings:
    """Mean goal of each model by people, and how far raters agree (SOTOPIA-pi)."""
    files = sorted(config.ratings.glob("*.csv")) if config.ratings.is_dir() else [config.ratings]
    if not files:
        raise ConfigError(f"RATINGS: expected files *.csv in {config.ratings}, found none")
    episodes = {each.trial.id for each in import_episodes(config.episodes).episodes}
    stored = lab.runs_with(episodes)
    run = next((name for name in (config.name, *stored) if name in stored), config.name)
    said = [] if stored else [*lab.import_file("sotopia-episodes", config.episodes, run)[:-1]]
    try:
        for file in files:
            *_, summary, _ = lab.import_file("ratings", file, "people", run=run, duplicates="mean")
            said.append(f"{file.name}: {summary}")
    except ConfigError:
        if not stored:
            lab.store.delete_run(run)
        raise
    for line in said:
        lab.tell(line)
    (result,) = await lab.judge([run], (), {})
    goals = {
        _PI_MODELS.get(entry.agent, entry.agent): finding_of(result, entry)
        for entry in result.scores
        if (entry.judge, entry.measure, entry.by) == ("people", "goal", {}) and entry.agent
    }
    agreement = agreements(lab.store, [run], sets=["people"])
    cells = {cell.dimension: cell for cell in agreement.report.people if cell.group is None}
    alike = cells.get(POOLED, cells[next(iter(cells))]).agreement
    pairs = {"kappa": figure(alike.kappa), "binned": figure(alike.binned)}
    yours = [Yours("people", "mean goal", goals), Yours("people", "agreement of raters", pairs)]
    (section, *_) = agreement.sections
    shown = [each for each in section.tables if getattr(each, "id", "") in _AGREEMENT]
    more = replace(section, tables=tuple(shown))
    return reproduced(sheet, yours, config, [result], more=[more])


_AGREEMENT = ("agreement.people", "agreement.alpha")
"""The tables of `sociolab agree` that are shown."""
_PI_MODELS = {
    "init-selftrain-round-1_checkpoint_improve-0_epoch-18": "SR",
    "sft-round-2_checkpoint_improve-0_epoch-20": "BC",
    "sft-selftrain-round-1-filtered-top-4_checkpoint_improve-0_epoch-5": "BC-SR",
    "mistral-instruct": "MistralInstruct",
}
"""Models that episodes without a setting name by their tag."""

"""AntEval's tables reproduced: information and intention by model (1), and by virtual DM (2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel

from sociolab.core.errors import ConfigError
from sociolab.plugin.context import Context, Findings
from sociolab.plugin.options import Flag
from sociolab.plugin.recipe import (
    Sheet,
    TasksConfig,
    Yours,
    dry_run,
    figure,
    first_judge,
    reproduced,
    scored,
    slug,
    standing,
)
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Finding
from sociolab.report.run_facts import evaluated
from sociolab.report.schema import RunResult
from sociolab.report.section import Section
from sociolab.stats.intervals import Estimate, Method
from sociolab.worlds.anteval.gap_of_runs import DMConfig, GapConfig, gap
from sociolab.worlds.anteval.real_play import SAMPLE, real_play
from sociolab.worlds.anteval.sessions import InformationSettings, IntentionSettings
from sociolab.worlds.anteval.virtual_dm.specs import DMFactory

SAY = Catalogue("recipes", "sociolab.worlds.anteval.notes")

_SESSIONS = 600
"""Sessions of each agent that a virtual DM learns from (section 5.1)."""

_SETTINGS: Mapping[str, type[BaseModel]] = {
    "information": InformationSettings,
    "intention": IntentionSettings,
}


class AntRecipeConfig(TasksConfig, DMConfig):
    """Beside what every recipe is asked, what `sociolab gap` is; without `real` there is no gap."""

    real: Annotated[
        str | None, Flag("--real", "DATA", "Real episodes: an import, a file, or sample.")
    ] = None

    def sessions(self, form: str, **more: Any) -> list[dict[str, Any]]:
        """A run for each agent; a setting goes to the form that has it."""
        other_names = {name for model in _SETTINGS.values() for name in model.model_fields}
        other_names -= _SETTINGS[form].model_fields.keys()
        settings = {name: value for name, value in self.settings.items() if name not in other_names}
        drawn = {"settings": more.pop("drawn", {}) | settings}
        return [
            self.run(f"anteval-{form}", f"{slug(agent)}-{form}", agents=(agent,), **drawn, **more)
            for agent in dict.fromkeys(self.agents)
        ]

    def intention(self, data: str | None = None) -> list[dict[str, Any]]:
        """As many sessions as in the paper. Virtual DMs learn from them; nobody judges them."""
        drawn = {} if data else {"sessions": str(self.limit or _SESSIONS)}
        return self.sessions("intention", data=data, drawn=drawn, judges=("none",))


async def table1(sheet: Sheet, lab: Context, config: AntRecipeConfig) -> Findings:
    """Information exchange and the intention gap, by model."""
    config.needs(sheet, "agents", "judges")
    await _check(lab, config)
    runs = [*config.sessions("information"), *(config.intention() if config.real else ())]
    if config.dry_run:
        return dry_run(sheet.name, lab, runs, *([SAY("unpriced")] if config.real else []))
    results = await lab.play(runs)
    yours = [
        replace(row, figures={name: _percent(iep) for name, iep in row.figures.items()})
        for result in results
        if result.world == "anteval-information"
        for row in scored(sheet, result, first_judge(result))
    ]
    gaps, sections = await _gaps(lab, config, results)
    for (agent, dm), gap_row in gaps.items():
        figures = {name: gap_row.figures[name] for name in sheet.columns if name in gap_row.figures}
        iep = next((each for each in yours if each.who == agent), None)
        # In one column with the IEP, where the paper's may stand beside both or neither.
        if iep is not None and len(config.dm) == 1 and bool(iep.withheld) == bool(gap_row.withheld):
            yours[yours.index(iep)] = replace(iep, figures={**iep.figures, **figures})
        else:
            yours.append(Yours(SAY("by_dm", agent=agent, dm=dm), "all", figures, gap_row.withheld))
    sentences = () if config.real else (SAY("no_gap"),)
    return reproduced(sheet, yours, config, results, sentences=sentences, more=sections)


async def table2(sheet: Sheet, lab: Context, config: AntRecipeConfig) -> Findings:
    """F-scores of untrained, generated and real play, and G, for each virtual DM."""
    config.needs(sheet, "agents", "real")
    if config.judges:
        raise ConfigError(
            f"{sheet.name} has no judge, virtual DMs measure it: expected no --judge, found "
            f"{config.judges[0]}; leave it out"
        )
    await _check(lab, config)
    runs = config.intention(config.data)
    if config.dry_run:
        return dry_run(sheet.name, lab, runs, SAY("unpriced"))
    results = await lab.play(runs)
    gaps, sections = await _gaps(lab, config, results)
    parts = dict(zip(config.dm, sheet.rows, strict=False))
    yours = [
        replace(row, who=SAY("by_dm", agent=agent, dm=dm), part=parts.get(dm, SAY("other_dm")))
        for (agent, dm), row in gaps.items()
    ]
    sentences = [SAY("dm", dm=dm, part=part) for dm, part in parts.items()]
    return reproduced(sheet, yours, config, results, sentences=sentences, more=sections)


async def _check(lab: Context, config: AntRecipeConfig) -> None:
    """ConfigError, before anything is played, for missing real play or an unknown virtual DM."""
    if config.real:
        real_play(config.real, config.test, [])
        factory = DMFactory(lab, config.seed)
        for dm in config.dm:
            factory.kind(dm)
        await factory.close()


async def _gaps(
    lab: Context, config: AntRecipeConfig, results: Sequence[RunResult]
) -> tuple[Mapping[tuple[str, str], Yours], Sequence[Section]]:
    """The figures of each agent by each virtual DM, in percent, and the sections of the gap."""
    played = [result for result in results if result.world == "anteval-intention" and result.played]
    if not played or not config.real:
        return {}, ()
    options = {name: getattr(config, name) for name in DMConfig.model_fields}
    generated = tuple(result.run for result in played)
    gap_config = GapConfig(real=config.real, generated=generated, seed=config.seed, **options)
    measured = await gap(lab, gap_config)
    yours = {}
    for dm, table in zip(config.dm, (measured.figures or {})["tables"], strict=True):
        why = ""
        if SAMPLE in (config.real, config.test):
            why = SAY("sample")
        elif not dm.startswith("tuned:"):
            why = SAY("untuned", dm=dm)
        elif await lab.stand_ins([dm.removeprefix("tuned:").partition("?")[0]]):
            why = SAY("stand_in", dm=dm)
        for result, row in zip(played, table["rows"], strict=True):
            figures = {
                f"{name}_{kind}": _percent(_figure(scores[f"f_{kind}"], row["examples"]))
                for name, scores in (("f0", table["f0"]), ("fr", row["fr"]), ("fg", row["fg"]))
                for kind in ("c", "o")
                if scores is not None
            }
            for kind in ("c", "o"):
                figures[f"g_{kind}"] = _figure(row[f"g_{kind}"]["printed"], row["examples"])
            of_play, _ = standing([result], result.agents, None)
            yours[evaluated(result)[0], dm] = Yours("", "", figures, of_play or why)
    return yours, measured.sections


def _figure(gap_figure: Mapping[str, Any], n: int) -> Finding:
    low = gap_figure["low"]
    method: Method = "none" if low is None else "t"
    return figure(Estimate(gap_figure["value"], n, n, low, gap_figure["high"], method), "example")


def _percent(finding: Finding) -> Finding:
    estimate = finding.estimate
    if estimate is None:
        return finding
    ends = (estimate.value, estimate.low, estimate.high)
    value, low, high = (None if end is None else end * 100 for end in ends)
    return replace(
        finding, metric=None, estimate=replace(estimate, value=value, low=low, high=high)
    )


RECIPES = {
    "anteval-table1": (AntRecipeConfig, table1),
    "anteval-table2": (AntRecipeConfig, table2),
}

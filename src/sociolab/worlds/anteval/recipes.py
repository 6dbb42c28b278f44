"""AntEval's tables made again: information and intention by model (1), and by virtual DM (2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from sociolab.plugin.context import Context, Findings
from sociolab.plugin.options import Flag, Several
from sociolab.plugin.recipe import (
    Recipe,
    RecipeConfig,
    Yours,
    dry_run,
    published,
    reproduced,
    scored,
    slug,
    standing,
)
from sociolab.report.schema import RunResult
from sociolab.report.section import Section
from sociolab.stats.intervals import Estimate
from sociolab.worlds.anteval.gap_of_runs import SAMPLE, GapConfig, gap
from sociolab.worlds.anteval.session import PACKAGE
from sociolab.worlds.anteval.virtual_dm.specs import LINEAR

_SESSIONS = "600"
"""Sessions that a virtual DM learns from (section 5.1)."""

_MISSING = {
    "its models": "all versions of GPT-3.5 and GPT-4 of 2023 are retired",
    "real play of Liang et al. (2023), training and test": "not public: CRD3 with labels by rules "
    "here (sociolab import crd3), or your own",
    "virtual DMs: GPT-3.5 and GPT-3.5-lc, fine-tuned": "retired; name others by --dm "
    "tuned:openai/MODEL",
    "F-scores, and how predictions are decoded": "not printed: micro F1 of one guess a row",
    "the authors' prompts": "in a supplement that was not at hand: paraphrased",
}
_IEP = {
    "sessions (H), key points (k), who plays the NPC": "not printed: 50, all facts, the agent",
    "GPT-4 as judge": "retired; --judge names another",
}


class AntRecipeConfig(RecipeConfig):
    """`real`, `test` and `dm` are those of `sociolab gap`; without `real` there is no gap."""

    real: Annotated[
        str | None, Flag("--real", "DATA", "Real episodes: an import, a file, or sample.")
    ] = None
    test: Annotated[
        str | None, Flag("--test", "DATA", "Real episodes to test on; default: a fifth.")
    ] = None
    dm: Annotated[
        Several, Flag("--dm", "SPEC", "Virtual DM, such as tuned:openai/MODEL. Repeatable.")
    ] = Field(default=(LINEAR,), min_length=1)
    refits: Annotated[
        int | None, Flag("--refits", "N", "Refits on resampled play (intervals).")
    ] = Field(default=None, ge=0)

    def runs(self, form: str, **more: Any) -> list[dict[str, Any]]:
        """A run for each agent."""
        return [
            self.run(f"anteval-{form}", f"{slug(agent)}-{form}", agents=(agent,), **more)
            for agent in dict.fromkeys(self.agents)
        ]

    def intention(self) -> list[dict[str, Any]]:
        """As many sessions as in the paper; they are not judged: virtual DMs learn from them."""
        settings = {"sessions": _SESSIONS, **self.settings} if not self.data else self.settings
        return self.runs("intention", settings=settings, judges=("none",))


async def table1(lab: Context, config: AntRecipeConfig) -> Findings:
    """Information exchange and the intention gap, by model."""
    config.needs("agents", "judges")
    table = published(PACKAGE, "table1")
    information = config.runs("information")
    intention = config.intention() if config.real else []
    if config.dry_run:
        note = "the training of virtual DMs and their replies are not in it"
        return dry_run("anteval-table1", lab, [*information, *intention], note)
    results = await lab.play([*information, *intention])
    heard = [one for one in results if one.world == "anteval-information"]
    iep = {}
    for result in heard:
        agent, judges = result.agents[0], [j.judge for j in result.judges if j.method == "model"]
        judge = next(iter(judges or [j.judge for j in result.judges if j.method == "formula"]), "")
        found = scored(result, agent, judge, "all", ("iep",))
        shares = {name: _percent(one) for name, one in found.figures.items()}
        iep[agent] = Yours(agent, "all", shares, found.withheld)
    gaps, sections = await _gaps(lab, config, results)
    # What a virtual DM made is another figure than what a judge counted: each by itself.
    yours = list(iep.values())
    for (agent, dm), one in gaps.items():
        who = f"{agent}, {dm}" if len(config.dm) > 1 else agent
        kept = {name: one.figures[name] for name in table.columns if name in one.figures}
        mine = iep.get(agent)
        if mine is not None and mine.withheld == one.withheld:
            yours = [each for each in yours if each is not mine]
            kept = {**mine.figures, **kept}
        yours.append(Yours(who, "all", kept, one.withheld))
    missing = {**_IEP, **_MISSING} if config.real else _IEP | {"G": "needs --real DATA"}
    return reproduced(
        "anteval-table1", table, yours, config, results, missing=missing, more=sections
    )


async def table2(lab: Context, config: AntRecipeConfig) -> Findings:
    """F-scores of untrained, generated and real play, and G, for each virtual DM."""
    config.needs("agents", "real")
    table = published(PACKAGE, "table2")
    runs = config.intention()
    if config.dry_run:
        note = "the training of virtual DMs and their replies are not in it"
        return dry_run("anteval-table2", lab, runs, note)
    results = await lab.play(runs)
    gaps, sections = await _gaps(lab, config, results)
    parts = dict(zip(dict.fromkeys(dm for _, dm in gaps), table.rows, strict=False))
    yours = [
        Yours(f"{agent}, {dm}", parts.get(dm, "another virtual DM"), one.figures, one.withheld)
        for (agent, dm), one in gaps.items()
    ]
    said = [f"{dm} stands where the paper has {part}." for dm, part in parts.items()]
    return reproduced(
        "anteval-table2",
        table,
        yours,
        config,
        results,
        missing=_MISSING,
        said=said,
        more=sections,
    )


async def _gaps(
    lab: Context, config: AntRecipeConfig, results: Sequence[RunResult]
) -> tuple[Mapping[tuple[str, str], Yours], Sequence[Section]]:
    """The figures of each agent by each virtual DM, in percent, and the sections of the gap."""
    played = [one for one in results if one.world == "anteval-intention" and one.played]
    if not played or not config.real:
        return {}, ()
    wanted = GapConfig(
        real=config.real,
        test=config.test,
        generated=tuple(one.run for one in played),
        dm=config.dm,
        refits=config.refits,
        seed=config.seed,
    )
    measured = await gap(lab, wanted)
    fakes = await lab.stand_ins([one.removeprefix("tuned:") for one in config.dm if "/" in one])
    found = {}
    for dm, table in zip(config.dm, (measured.figures or {})["tables"], strict=True):
        why = "" if dm.startswith("tuned:") else f"the virtual DM {dm} is no fine-tuned chat model"
        why = f"the virtual DM {dm}: the stand-in endpoint" if fakes and not why else why
        why = "the real play is sample data" if SAMPLE in (config.real, config.test) else why
        for result, row in zip(played, table["rows"], strict=True):
            figures = {
                f"{name}_{kind}": _percent(_figure(scores[f"f_{kind}"], row["examples"]))
                for name, scores in (("f0", table["f0"]), ("fr", table["fr"]), ("fg", row["fg"]))
                for kind in ("c", "o")
                if scores is not None
            }
            figures |= {
                f"g_{kind}": _figure(row[f"g_{kind}"]["printed"], row["examples"])
                for kind in ("c", "o")
            }
            of_play, _ = standing([result], result.agents, None)
            found[result.agents[0], dm] = Yours("", "", figures, of_play or why)
    return found, measured.sections


def _figure(one: Mapping[str, Any], examples: int) -> Estimate:
    value, low, high = one["value"], one["low"], one["high"]
    return Estimate(value, examples, examples, low, high, "none" if low is None else "t")


def _percent(one: Estimate) -> Estimate:
    value, low, high = (
        None if end is None else end * 100 for end in (one.value, one.low, one.high)
    )
    return replace(one, value=value, low=low, high=high)


RECIPES = {
    "anteval-table1": Recipe(
        AntRecipeConfig,
        table1,
        "Information exchange (IEP) and the intention gap (IEG), beside AntEval's Table 1.",
        "--agent openai/MODEL --judge openai/JUDGE --real NAME --dry-run",
        page=True,
        table="Table 1: IEP and IEG by model",
        needs="agents, a judge; for IEG real play (--real) and a virtual DM (--dm)",
        repeatable="in part: models, real play and virtual DMs are not to be had",
    ),
    "anteval-table2": Recipe(
        AntRecipeConfig,
        table2,
        "F-scores and G for two virtual DMs, beside AntEval's Table 2.",
        "--agent openai/MODEL --real NAME --dm tuned:openai/A --dm tuned:openai/B",
        page=True,
        table="Table 2: f0, fg, fr, G for two virtual DMs",
        needs="agents, real play (--real), two virtual DMs (--dm)",
        repeatable="in part: models, real play and virtual DMs are not to be had",
    ),
}

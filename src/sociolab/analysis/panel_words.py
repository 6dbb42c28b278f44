"""A panel of judges to read: its scores, its judges beside it, and where they differ most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sociolab.analysis.audit_words import cell, main_measure, plain, table_notes, titled
from sociolab.analysis.figures import NOTHING, in_words, listed
from sociolab.analysis.panels import LACKS, Lack, Panel, PanelFigures, lacking, panel_figures
from sociolab.core.code_fingerprint import code_in
from sociolab.core.score import RULE_BASED
from sociolab.report.section import Section, TextTable
from sociolab.report.words import method_words, plural
from sociolab.stats.intervals import Estimate, means

_MOST_SHOWN = 5
_WHY: Mapping[Lack, str] = {
    "failed": "a judge or the play failed",
    "not judged": "a judge has not judged it",
    "cannot tell": "a judge cannot tell",
}


def panel_section(panel: Panel, apart: float) -> Section:
    """What the panel gave, where judges who lie more than `apart` points apart disagree."""
    figures = panel_figures(panel, apart)
    main = main_measure(panel.declared, [one.measure.name for one in figures if one.mean.n])
    of_main = next((one for one in figures if one.measure.name == main), None)
    tables = [
        _scores(panel, figures),
        _disagreement(panel, figures, apart),
        _alone(panel, figures),
    ]
    if of_main is not None:
        tables += [_by_agent(panel, of_main), _apart(panel, of_main)]
    return Section(
        f"A panel of {', '.join(panel.judges)} · run {panel.run}",
        _said(of_main, apart),
        _cautions(panel),
        tuple(table for table in tables if table.rows),
    )


def _said(main: PanelFigures | None, apart: float) -> tuple[str, ...]:
    if main is None or main.mean.value is None:
        return ("No play was scored by all judges of the panel.",)
    title = titled(main.measure)
    return (
        f"{title}: {cell(main.mean)} over {plural(main.mean.n, 'play')}; the judges lie "
        f"{cell(main.range)} points apart on a play, and more than {apart:g} on "
        f"{in_words(cell(main.apart, percent=True))} of the plays.",
    )


def _cautions(panel: Panel) -> tuple[str, ...]:
    found = [*_methods(panel)]
    why = lacking(panel.plays)
    if why:
        total = len(panel.plays)
        told = ", ".join(f"{_WHY[lack]} {why[lack]:,}" for lack in LACKS if why[lack])
        found.append(
            f"{why.total():,} of {plural(total, 'score')} of the panel are incomplete ({told}): "
            "left out, not averaged over fewer judges."
        )
    if panel.left_out:
        found.append(f"Not given by all of these judges, and left out: {', '.join(panel.left_out)}")
    return tuple(found)


def _methods(panel: Panel) -> Iterator[str]:
    """That models are averaged with people, and what to think of judges that need saying so."""
    labelled = dict(zip(panel.judges, panel.ids, strict=True))
    people = [name for name, one in labelled.items() if one.method == "people"]
    others = [name for name in labelled if name not in people]
    if people and others:
        yield (
            f"Models ({listed(others)}) and people ({listed(people)}) are averaged here, each as "
            "one judge: the mean of all ratings by people counts as much as one model. It is "
            "neither a score by models nor one by people, and a bias of the models is in it. See "
            "each judge alone below, and sociolab agree, before you use it."
        )
    for name, one in labelled.items():
        if one.method in RULE_BASED or code_in("", one.settings):
            yield f"Judged by {name}: {method_words(panel.declared, one.method, one.settings)}."


def _scores(panel: Panel, figures: Sequence[PanelFigures]) -> TextTable:
    rows = tuple(
        (
            titled(f.measure),
            cell(f.mean),
            cell(f.median),
            f"{f.mean.n:,}",
            *(f"{f.lacking.get(lack, 0):,}" for lack in LACKS),
        )
        for f in figures
    )
    notes = (
        "over the judges of one play, then over plays",
        "failed: a judge failed, or the play itself; cannot tell: a judge says so, and none failed",
        *_how(panel, [estimate for f in figures for estimate in (f.mean, f.median)]),
    )
    columns = ("measure", "mean", "median", "plays", *LACKS)
    return TextTable("Scores of the panel", columns, rows, notes)


def _disagreement(panel: Panel, figures: Sequence[PanelFigures], apart: float) -> TextTable:
    rows = tuple(
        (titled(f.measure), cell(f.range), cell(f.sd), cell(f.apart, percent=True)) for f in figures
    )
    notes = (
        f"range, sd: of the judges' scores of one play, mean over plays; more than {apart:g}: "
        "share of plays whose range is more than that",
        *_how(panel, [estimate for f in figures for estimate in (f.range, f.sd, f.apart)]),
    )
    columns = ("measure", "range", "sd", f"more than {apart:g}")
    return TextTable("How far its judges lie apart", columns, rows, notes)


def _alone(panel: Panel, figures: Sequence[PanelFigures]) -> TextTable:
    rows = tuple((titled(f.measure), *(plain(judge.value) for judge in f.judges)) for f in figures)
    notes = ("each judge's own mean over the same plays",)
    return TextTable("Each judge alone", ("measure", *panel.judges), rows, notes)


def _by_agent(panel: Panel, main: PanelFigures) -> TextTable:
    rows, shown = [], []
    for agent in panel.agents:
        plays = panel.of(main.measure.name, agent)
        whole = [play for play in plays if play.complete]
        columns = {"mean": [p.mean for p in whole], "median": [p.median for p in whole]}
        made = means(columns, [play.cluster for play in whole])
        shown += list(made.values())
        why = lacking(plays)
        counts = (f"{len(whole):,}", *(f"{why[lack]:,}" for lack in LACKS))
        rows.append((agent, cell(made["mean"]), cell(made["median"]), *counts))
    names = ("agent", "mean", "median", "plays", *LACKS)
    heading = f"{titled(main.measure)} by agent"
    return TextTable(heading, names, tuple(rows), _how(panel, shown))


def _apart(panel: Panel, main: PanelFigures) -> TextTable:
    plays = [play for play in panel.of(main.measure.name) if play.complete]
    plays.sort(key=lambda play: (-(play.range or 0), play.trial, play.seat or ""))
    rows = tuple(
        (play.trial[:10], play.seat or NOTHING, *map(plain, play.scores), plain(play.range))
        for play in plays[:_MOST_SHOWN]
    )
    columns = ("episode", "seat", *panel.judges, "range")
    heading = f"{titled(main.measure)}: where they differ most"
    return TextTable(heading, columns, rows, ("read one: sociolab show EPISODE",), words=(1,))


def _how(panel: Panel, shown: Sequence[Estimate]) -> tuple[str, ...]:
    return table_notes(shown, panel.declared.cluster)

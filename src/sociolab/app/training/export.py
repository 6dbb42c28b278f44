"""Stored runs as files to train a model on, and what is in them in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sociolab.analysis.values import values_of
from sociolab.app.finding.agent_names import agent_names
from sociolab.app.finding.stored import open_store
from sociolab.app.training.choosing import Source, check_names
from sociolab.app.training.examples import Example, chat_examples, turn_examples
from sociolab.app.training.left_out import LeftOut
from sociolab.app.training.output import free_output, no_run
from sociolab.app.training.pairs import pair_examples
from sociolab.app.training.rewards import Rewards
from sociolab.app.training.wanted import Wanted
from sociolab.app.training.whole import whole_examples
from sociolab.app.training.writing import Written, files_of, write_examples
from sociolab.report.words import plural
from sociolab.store.store import Store

_MAKERS: Mapping[str, Callable[[Source, LeftOut], Iterator[Example]]] = {
    "turns": turn_examples,
    "sft": chat_examples,
    "pairs": pair_examples,
}


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written, and what was left out, as counts by why."""

    form: str
    files: tuple[Written, ...]
    left: LeftOut
    notes: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """As lines to read: one a file, what was held out, what was left out, what to know."""
        lines = [_told(self.form, one) for one in self.files]
        if len(self.files) > 1:
            lines.append(_held_out(*self.files))
        left = self.left.sentence()
        return [*lines, f"left out: {left}" if left else "nothing was left out", *self.notes]


def export_training(
    runs: Sequence[str],
    file: Path,
    wanted: Wanted,
    store: Path | None = None,
    *,
    replace: bool = False,
) -> Exported:
    """Write examples of some stored runs to JSON lines, beside and then in place.

    ConfigError where a run, an agent, a judge or a measure is not there, where nothing fits, where
    a file is there already (unless it is to be replaced) or cannot be written; nothing is written
    then.
    """
    with open_store(store) as opened:
        no_run(file, opened, runs)
        for one in files_of(file, wanted).values():
            free_output(one, replace=replace)
        source, left = source_of(opened, runs, wanted), LeftOut()
        make = whole_examples if wanted.whole else _MAKERS[wanted.form]
        written = write_examples(
            file,
            wanted,
            make(source, left),
            lambda: f"nothing fits: no example was found ({left.sentence() or 'no turns'})",
        )
        notes = (*source.rewards.cautions(source.judges), *_notes(opened, runs, wanted, written))
    return Exported(wanted.form, tuple(written), left, notes)


def source_of(store: Store, runs: Sequence[str], wanted: Wanted) -> Source:
    """The runs, once each, with their scores and who gave what is wanted; ConfigError as above."""
    names = list(dict.fromkeys(runs))
    plans = [store.trials(name) for name in names]
    check_names(wanted, [store.run(n) for n in names], [one for plan in plans for one in plan])
    rewards = Rewards(
        [
            values_of(store, name, plan)
            for name, plan in zip(names, plans, strict=True)
            if wanted.world in (None, store.run(name).world)
        ]
    )
    measures = wanted.measures
    if wanted.form == "pairs" and not measures:
        measures = (rewards.main(),)
    judges = {measure: rewards.judge_of(measure, wanted.by) for measure in measures}
    return Source(store, names, rewards, judges, wanted)


def _notes(
    store: Store, runs: Sequence[str], wanted: Wanted, written: Sequence[Written]
) -> Iterator[str]:
    """What somebody who trains on it should know: whose turns they are."""
    agents = sorted({agent for one in written for agent in one.agents})
    if wanted.form == "sft" and wanted.agent is None and len(agents) > 1:
        yield f"turns of all players are in it: {', '.join(agents)}; --agent keeps those of one"
    labels = agents if wanted.agent is None else [wanted.agent]
    for note in agent_names(store, list(dict.fromkeys(runs))).notes:
        if wanted.form == "pairs" or any(label in note.split() for label in labels):
            yield f"{note} --agent LABEL@MARK keeps one."


def _held_out(train: Written, heldout: Written) -> str:
    held, of_all = len(heldout.scenarios), len(heldout.scenarios) + len(train.scenarios)
    return f"{held} of {plural(of_all, 'scenario')} held out ({held / of_all * 100:.0f} %)"


def _told(form: str, one: Written) -> str:
    what = "pair" if form == "pairs" else "example"
    runs = len({run for run, _ in one.episodes})
    told = (
        f"wrote {one.path}: {plural(one.examples, what)} from "
        f"{plural(len(one.episodes), 'episode')} of {plural(runs, 'run')}, "
        f"{plural(len(one.scenarios), 'scenario')}"
    )
    return f"{told}; {one.rebuilt:,} rebuilt of players that are no models" if one.rebuilt else told

"""Two experiments with the virtual DM "linear" on real play.

    OMP_NUM_THREADS=2 .venv/bin/python benchmarks/virtual_dm_experiment.py cv --data DIR
    OMP_NUM_THREADS=2 .venv/bin/python benchmarks/virtual_dm_experiment.py gaps --data DIR
    OMP_NUM_THREADS=2 .venv/bin/python benchmarks/virtual_dm_experiment.py gaps-whole --data DIR

`cv`: five-fold cross-validation over the episodes of train, by which its settings were chosen; dev
is not read. `gaps`: training sets that are as good as real play and such that are not, made from
one half of train, beside a DM that learned from the other half; tested on dev's strict rows.
`gaps-whole`: the same sets made from all of train, beside a DM that learned from all of train, so
that "real" is the very same set and "half real" a part of it.

Numbers of examples are not matched: few examples are one of the faults to be told.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sociolab.core.seeding import stream
from sociolab.worlds.anteval.gap import GapSettings, against_floor, measure_gap
from sociolab.worlds.anteval.gap_intervals import (
    Draws,
    Gap,
    GapFigure,
    NoiseFloor,
    ScoredDM,
    Trained,
    disjoint,
    sample_groups,
)
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.virtual_dm.example import Example, Label, LocalDM, Turn, count_overlaps
from sociolab.worlds.anteval.virtual_dm.linear import LinearDM

FOLDS = 5
SEED = 0
FEW = 73

SMALL_TALK = (
    "Did anybody bring something to drink?",
    "I think it is going to rain all week.",
    "My dog would not get up this morning.",
    "That was a long drive. Half the town is one building site.",
    "Whose pencil is this?",
    "We should start earlier next time, I am always tired by ten.",
    "There is cake in the kitchen, help yourselves.",
    "My sister is moving, so I was carrying boxes all day.",
    "Is that a new jacket? It suits you.",
    "Sorry, I was miles away.",
    "Ha, yes, exactly.",
    "Let me just turn the heating down.",
)


def main() -> None:
    """Run the experiment that was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("experiment", choices=("cv", "gaps", "gaps-whole"))
    parser.add_argument("--data", type=Path, required=True)
    asked = parser.parse_args()
    train = read_examples(asked.data / "crd3_skill_checks.train.jsonl.gz")
    if asked.experiment == "cv":
        cross_validate(train)
        return
    dev = read_examples(asked.data / "crd3_skill_checks.dev.jsonl.gz")
    if asked.experiment == "gaps":
        real, source = disjoint(train, len(train), SEED)
        gaps(real, source, dev, splits=20)
    else:
        gaps(train, train, dev, splits=12)  # each takes twice as long


def cross_validate(train: Sequence[Example]) -> None:
    """Print F on all rows of train and on the strict ones, each predicted without its episode."""
    episodes = sorted({row.group for row in train})
    stream(SEED, "folds").shuffle(episodes)
    guesses: dict[str, frozenset[Label]] = {}
    for fold in range(FOLDS):
        held_out = set(episodes[fold::FOLDS])
        rows = [row for row in train if row.group in held_out]
        dm = LinearDM()
        dm.fit([row for row in train if row.group not in held_out])
        guesses |= {row.id: guess for row, guess in zip(rows, dm.predict(rows), strict=True)}
    for what, rows in (("all", list(train)), ("strict", [row for row in train if row.strict])):
        draws = Draws(rows, SEED)
        scores = draws.scores(
            Trained(ScoredDM(count_overlaps([guesses[row.id] for row in rows], rows), 0))
        )
        print(
            f"{what} rows ({len(rows)}, {draws.groups} episodes): F_c {_f(scores.f_c)}, "
            f"F_o {_f(scores.f_o)}, F_s {_f(scores.f_s)}"
        )


def gaps(
    real: Sequence[Example], source: Sequence[Example], dev: Sequence[Example], splits: int
) -> None:
    """Print F and G of each training set, whether it lies above the noise floor, and inversions."""
    sets: dict[str, Sequence[Example]] = {
        "real": source,
        "half real": sample_groups(source, len(source) // 2, SEED),
        f"{FEW} real": sample_groups(source, FEW, SEED),
        "shuffled skills": shuffled_skills(source),
        "shuffled characters": shuffled_characters(source),
        "templates": [template(row) for row in source],
        "small talk": [small_talk(row) for row in source],
    }
    settings = GapSettings(matched=False, splits=splits, refits=0, seed=SEED)
    table = asyncio.run(
        measure_gap(real, dev, sets, lambda: LocalDM(LinearDM()), settings=settings)
    )
    print(f"{table.virtual_dm}, {table.measured_on}; {len(real)} real examples to learn from")
    print(f"fr: F_c {_f(table.fr.f_c)}, F_o {_f(table.fr.f_o)}")
    for row in table.rows:
        print(f"{row.name} ({row.examples}): F_c {_f(row.fg.f_c)}, F_o {_f(row.fg.f_o)}")
        _show("G_c", row.g_c, row.floor_c)
        _show("G_o", row.g_o, row.floor_o)
    for base in table.baselines:
        tuples = f", F_o {_f(base.scores.f_o)}" if base.names_skills else ""
        print(f"{base.name}: F_c {_f(base.scores.f_c)}{tuples}")


def shuffled_skills(examples: Sequence[Example]) -> list[Example]:
    """The same play, and the skills of all its labels dealt out anew."""
    skills = [label.skill for row in examples for label in sorted(row.labels)]
    stream(SEED, "shuffled skills").shuffle(skills)
    deck = iter(skills)
    return [
        replace(
            row, labels=frozenset(Label(one.character, next(deck)) for one in sorted(row.labels))
        )
        for row in examples
    ]


def shuffled_characters(examples: Sequence[Example]) -> list[Example]:
    """The same play, and each check given to somebody at the table, drawn at random."""
    return [
        replace(
            row,
            labels=frozenset(
                Label(who, one.skill)
                for who, one in zip(
                    stream(SEED, "shuffled characters", row.id).sample(
                        row.candidates, len(row.candidates)
                    ),
                    sorted(row.labels),
                    strict=False,
                )
            ),
        )
        for row in examples
    ]


def template(row: Example) -> Example:
    """Small talk, in which each who makes a check says so in the same words."""
    turns = list(small_talk(row).turns)
    places = stream(SEED, "template", row.id).sample(range(len(turns)), min(10, len(turns)))
    for place, label in zip(sorted(places), sorted(row.labels), strict=False):
        turns[place] = Turn(label.character, f"I want to use {label.skill}.")
    return replace(row, turns=tuple(turns))


def small_talk(row: Example) -> Example:
    """The same speakers in random order, who talk of other things."""
    random = stream(SEED, "small talk", row.id)
    speakers = [turn.speaker for turn in row.turns]
    random.shuffle(speakers)
    return replace(row, turns=tuple(Turn(who, random.choice(SMALL_TALK)) for who in speakers))


def _show(what: str, gap: Gap, floor: NoiseFloor | None) -> None:
    inverted = gap.signed.value is not None and gap.signed.value < 0
    chance = (
        "" if floor is None else f"; floor {floor.mean:.1f}, 95 % {floor.q95:.1f} ({floor.size})"
    )
    verdict = against_floor(gap, floor) or "no floor"
    print(
        f"  {what} {_g(gap.printed)}, signed {_g(gap.signed)}{chance}: "
        f"{verdict}{', better than real' if inverted else ''}"
    )


def _f(figure: GapFigure) -> str:
    return _text(figure, 3)


def _g(figure: GapFigure) -> str:
    return _text(figure, 1)


def _text(figure: GapFigure, digits: int) -> str:
    if figure.value is None:
        return "-"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.{digits}f}"
    return f"{figure.value:.{digits}f} [{figure.low:.{digits}f}, {figure.high:.{digits}f}]"


if __name__ == "__main__":
    main()

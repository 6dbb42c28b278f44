"""Real play by name: what virtual DMs learn from and are tested on, and how often skills come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.resources import as_file, files
from pathlib import Path

from sociolab.core.errors import ConfigError
from sociolab.core.seeding import digest
from sociolab.core.user_files import imported_folder, imported_names
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Sentence
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.virtual_dm.example import Example

SAY = Catalogue("gap", "sociolab.worlds.anteval.notes")

SAMPLE = "sample"
"""The name of the sample data that comes with the package."""

_TEST_SHARE = 5
"""One in so many episodes of the real play is kept for the test, where no test set is named."""


def real_play(
    real_name: str, test_name: str | None, notes: list[Sentence]
) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """The real play to learn from and to test on; what to know of it is added to `notes`.

    Without a test set one in five of the real episodes is kept for it. ConfigError where one is not
    there, or there are too few episodes.
    """
    real = load_examples(real_name, "--real")
    if SAMPLE in (real_name, test_name):
        notes.append(SAY("sample"))
    if test_name is not None:
        return real, load_examples(test_name, "--test")
    groups = sorted({example.group for example in real}, key=lambda group: digest("test", group))
    if len(groups) < _TEST_SHARE:
        raise ConfigError(
            f"--real {real_name}: expected at least {_TEST_SHARE} episodes, to keep one in "
            f"{_TEST_SHARE} for the test, found {len(groups)}; name a --test set"
        )
    held_out = set(groups[: len(groups) // _TEST_SHARE])
    notes.append(SAY("held_out", n=len(held_out), episodes=len(groups)))
    train = tuple(example for example in real if example.group not in held_out)
    return train, tuple(example for example in real if example.group in held_out)


def load_examples(name: str, flag: str) -> tuple[Example, ...]:
    """The examples of an imported data set, a file, or the sample; ConfigError if none is there."""
    if name == SAMPLE:
        with as_file(files("sociolab.worlds.anteval") / "data" / "sample_play.jsonl") as path:
            return read_examples(path)
    if name in imported_names("dnd"):
        return read_examples(imported_folder("dnd", name))
    if Path(name).exists():
        return read_examples(Path(name))
    choices = ", ".join((SAMPLE, *imported_names("dnd")))
    raise ConfigError(
        f'{flag}: there is no data set or file "{name}"; there is: {choices}; import one with '
        "sociolab import crd3, fireball or dnd"
    )


def skill_shares(examples: Iterable[Example]) -> Mapping[str, float]:
    """The share of each skill in the labels, the most frequent first."""
    counts = Counter(label.skill for example in examples for label in sorted(example.labels))
    return {skill: count / counts.total() for skill, count in counts.most_common()}

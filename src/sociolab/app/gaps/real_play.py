"""Real play of D&D by name: imported data sets, files, and the sample data of the package."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from sociolab.app.data.sets import imported_folder, imported_names
from sociolab.core.errors import ConfigError
from sociolab.core.seeding import digest
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.virtual_dm.example import Example

SAMPLE = "sample"
"""The name of the sample data that comes with the package."""

_TEST_SHARE = 5
"""One in so many episodes of the real play is kept for the test, where no test set is named."""


def real_play(
    real_name: str, test_name: str | None, notes: list[str]
) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """The real play to learn from and to test on; what to know of it is added to `notes`.

    Without a test set one in five of the real episodes is kept for it. ConfigError where one is not
    there, or there are too few episodes.
    """
    real = examples_called(real_name, "--real")
    if SAMPLE in (real_name, test_name):
        notes.append(
            "the real play is sample data written for this package, not human play: nothing here "
            "says how human an agent plays"
        )
    if test_name is not None:
        return real, examples_called(test_name, "--test")
    groups = sorted({example.group for example in real}, key=lambda group: digest("test", group))
    if len(groups) < _TEST_SHARE:
        raise ConfigError(
            f"--real {real_name}: expected at least {_TEST_SHARE} episodes, to keep one in "
            f"{_TEST_SHARE} for the test, found {len(groups)}; name a --test set"
        )
    kept = set(groups[: len(groups) // _TEST_SHARE])
    notes.append(f"{len(kept)} of the {len(groups)} real episodes are kept for the test")
    train = tuple(example for example in real if example.group not in kept)
    return train, tuple(example for example in real if example.group in kept)


def examples_called(name: str, flag: str) -> tuple[Example, ...]:
    """The examples of an imported data set, a file, or the sample; ConfigError if none is there."""
    if name == SAMPLE:
        with as_file(files("sociolab.worlds.anteval") / "data" / "sample_play.jsonl") as path:
            return read_examples(path)
    if name in imported_names("dnd"):
        return read_examples(imported_folder("dnd", name))
    if Path(name).exists():
        return read_examples(Path(name))
    known = ", ".join((SAMPLE, *imported_names("dnd")))
    raise ConfigError(
        f'{flag}: there is no data set or file "{name}"; there is: {known}; import one with '
        "sociolab import crd3 or dnd"
    )

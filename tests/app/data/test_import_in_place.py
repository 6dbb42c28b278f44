"""Imported episodes take the place of a run only where that is asked for, and all or none do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sociolab import RunConfig, open_store, run
from sociolab.app import Import, import_anything
from sociolab.core import ConfigError, Episode, StoreError
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.importing import episodes


def wanted(store: Path, *, replace: bool) -> Import:
    return Import(Path("public"), "a", replace, store)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with a run of three episodes, two of which may be imported."""
    path = tmp_path / "s.db"
    run(RunConfig(limit=3, name="a", store=path, judges=("none",)))
    with open_store(path) as opened:
        found: tuple[Episode, ...] = tuple(opened.episodes("a"))[:2]
    imported = sotopia.ImportedEpisodes(found, (), ("2 episodes",))
    monkeypatch.setattr(episodes, "import_episodes", lambda _path: imported)
    return path


def trials(store: Path) -> int:
    with open_store(store) as opened:
        return opened.run("a").trials


def test_episodes_replace_a_run_that_they_are_to_replace(store: Path) -> None:
    with pytest.raises(StoreError, match='there is a run "a" already'):
        import_anything("sotopia-episodes", wanted(store, replace=False))
    assert trials(store) == 3
    import_anything("sotopia-episodes", wanted(store, replace=True))
    assert trials(store) == 2


def test_episodes_do_not_replace_what_people_played(store: Path) -> None:
    with open_store(store) as opened:
        opened.studies.create("talks", "play", {}, "a")
    with pytest.raises(StoreError, match="belongs to the study talks"):
        import_anything("sotopia-episodes", wanted(store, replace=True))
    assert trials(store) == 3


@pytest.mark.parametrize(
    ("format", "flag"),
    [
        ("sotopia-episodes", "--no-hints"),
        ("run", "--no-hints"),
        ("sotopia", "--correct"),
    ],
)
def test_a_flag_that_a_format_does_not_know_is_refused(store: Path, format: str, flag: str) -> None:
    asked = replace(wanted(store, replace=False), flags=frozenset([flag]))
    with pytest.raises(ConfigError, match=rf"{flag}: expected with .* only, found with {format};"):
        import_anything(format, asked)

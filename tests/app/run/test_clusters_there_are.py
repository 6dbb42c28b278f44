"""A run stores how many scenarios (sessions, themes) there are to play."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab import RunConfig, open_store, run


@pytest.mark.parametrize(
    ("world", "config", "clusters"),
    [
        ("sotopia", {}, 90),
        ("sotopia", {"tasks": "bargain"}, 20),
        ("stss-talk", {}, 30),
        # Drawn by seed: as many sessions as one likes, of hidden profiles no more than the themes.
        ("anteval-information", {"settings": {"sessions": "2", "turns": "4"}}, 0),
        ("anteval-decision", {"settings": {"cases": "2", "rounds": "1"}}, 12),
    ],
)
def test_a_run_knows_how_many_clusters_there_are_whatever_its_limit(
    tmp_path: Path, world: str, config: dict[str, object], clusters: int
) -> None:
    run(RunConfig(world=world, limit=1, name="r", store=tmp_path / "s.db", **config))
    with open_store(tmp_path / "s.db") as store:
        assert store.run("r").declared.clusters == clusters

from __future__ import annotations

from pathlib import Path

import pytest

from report.small_run import RUN, build
from sociolab.core.errors import StoreError
from sociolab.store.store import Store


def test_they_are_those_of_the_plan_that_were_played(tmp_path: Path) -> None:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as store:
        found = store.trial_ids(RUN, "played")
        assert found == tuple(r.trial.id for r in store.trials(RUN) if r.status == "played")
        assert "bike-SS" not in found
        assert len(found) == 11
        with pytest.raises(StoreError):
            store.trial_ids("none", "played")

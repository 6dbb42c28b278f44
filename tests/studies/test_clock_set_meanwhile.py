"""The system's clock is set while people rate: nobody's work is given away for that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from rating_runs import STUDY, build, open_study
from sociolab.store.store import Store
from sociolab.studies import rate_study as drafts
from sociolab.studies.assignment import IDLE, IdleClock, ItemPool, assign_next, has_next
from sociolab.studies.rate_study import RatingDraft, keep_draft

PILE = ItemPool(("fair00",), 1, 9)


@dataclass
class Times:
    """What the system's clock says, and an even one."""

    system: float = 1_800_000_000.0
    even: float = 50.0

    def clock(self) -> IdleClock:
        return IdleClock(lambda: self.system, lambda: self.even)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


@pytest.mark.parametrize("hours", [-30, -2, 2, 30])
def test_an_item_is_idle_after_an_hour_whatever_the_clock_was_set_to(
    store: Store, hours: float
) -> None:
    first, second = open_study(store)
    times = Times()
    clock = times.clock()
    assert assign_next(store, STUDY, first.pk, PILE, clock=clock) == "fair00"
    times.system += hours * 3600
    times.even += IDLE - 1
    assert not has_next(store, STUDY, second.pk, PILE, clock=clock)
    times.even += 1
    assert has_next(store, STUDY, second.pk, PILE, clock=clock)


def test_words_begin_the_hour_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = open_study(store)
    times = Times()
    clock = times.clock()
    monkeypatch.setattr(drafts, "IDLE_CLOCK", clock)
    assign_next(store, STUDY, first.pk, PILE, clock=clock)
    times.even += IDLE - 1
    times.system -= 5 * IDLE
    keep_draft(store, first.pk, "fair00", ("ada-holm", "goal"), RatingDraft(3.0))
    times.even += IDLE - 1
    assert not has_next(store, STUDY, second.pk, PILE, clock=clock)

"""Whatever is sent to the pages of raters and their researcher, the server has no fault (5xx)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import impression_runs as tables
from rating_runs import ADA, RUN, STUDY, build, link, open_study
from sociolab.app.rating.keeping import Given, keep_ratings
from sociolab.store.sqlite import Store
from web_serving import served

ROOMS = {"rating", "ratings", "impressions", "reviews"}
SAMPLES = 6
"""Requests to each address and method."""

STUDIES = (STUDY, tables.STUDY, "fit")
TASK = "norms-01-late-rent.idris-benkirane.gurdeep-sandhu"
REAL = {
    "study": STUDIES,
    "participant": ("r1",),
    "trial": ("fair00", "table00"),
    "task": (TASK,),
    "seat": (ADA,),
    "dimension": ("goal",),
}


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    path = tmp_path / "store.db"
    build(path)
    tables.build(path, (0.1, 0.2))
    made = {"impressions": {"run": tables.RUN}}, {"review": {"limit": 2}}
    with Store.open(path) as store, served(path) as found:
        for number, who in enumerate(open_study(store)):
            rating = Given("fair01", ADA, who.id, "goal", 9 * number, "as it came")
            keep_ratings(store, RUN, STUDY, [rating])
        open_study(store, 1, tables.STUDY, "impressions", tables.RUN, {"title": "T", **made[0]})
        (who,) = open_study(store, 1, "fit", "review", None, {"title": "F", **made[1]})
        yield found


def test_no_request_to_raters_pages_meets_a_fault(address: str) -> None:
    browser = requests.Session()
    page = browser.get(f"{address}/login").text
    token = page.split('name="csrf" content="')[1].split('"')[0]
    browser.headers["X-CSRF-Token"] = token
    for study in STUDIES:
        browser.post(f"{address}/join/{link(study, 1)}")
        browser.post(f"{address}/take/{study}/r1/rate/instructions")
    schema: Any = schemathesis.openapi.from_dict(browser.get(f"{address}/api/openapi.json").json())
    found = [each.ok() for each in schema.get_all_operations()]
    mine = [each for each in found if ROOMS & set(each.definition.raw.get("tags", ()))]
    assert len(mine) > 15
    answers: dict[str, set[int]] = {}
    for number, operation in enumerate(mine):
        _attack(address, browser, operation, number, answers)
    faults = {where for where, seen in answers.items() if any(one >= 500 for one in seen)}
    assert not faults
    # Where nothing is ever found, nothing was tried.
    assert sum(bool(seen & {200, 303}) for seen in answers.values()) > 10


def _attack(
    address: str, browser: requests.Session, operation: Any, number: int,
    answers: dict[str, set[int]],
) -> None:  # fmt: skip
    @seed(number)
    @settings(
        max_examples=SAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), data=st.data())
    def once(case: Any, data: st.DataObject) -> None:
        for part in (case.path_parameters, case.body):
            for name in part if isinstance(part, dict) else ():
                if name in REAL and data.draw(st.integers(0, 4)):
                    part[name] = data.draw(st.sampled_from(REAL[name]))
        answer = case.call(base_url=address, session=browser, timeout=20, allow_redirects=False)
        answers.setdefault(operation.label, set()).add(answer.status_code)

    once()

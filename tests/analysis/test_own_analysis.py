"""An analysis of somebody's own: one function, and all media draw it without knowing of it."""

from __future__ import annotations

import csv
import io
import json
from typing import get_args

import pytest

import sociolab
from sociolab.report import Medium
from weekdays import by_weekday


@pytest.fixture(scope="module")
def section(tmp_path_factory: pytest.TempPathFactory) -> sociolab.Section:
    store = tmp_path_factory.mktemp("weekdays") / "lab.db"
    sociolab.run(sociolab.RunConfig(world="sotopia", limit=4, name="first", store=store))
    with sociolab.open_store(store) as opened:
        return by_weekday(opened, ["first"])


@pytest.mark.parametrize("medium", get_args(Medium))
def test_every_medium_draws_it(section: sociolab.Section, medium: Medium) -> None:
    drawn = sociolab.draw(section, medium)
    (table,) = section.tables
    day = table.rows[0][0]
    assert drawn.count(day) >= len(table.rows)
    assert ("Mean by weekday" in drawn) == (medium != "csv")
    assert ("was highest on" in drawn) == (medium != "csv")


def test_data_keeps_figures_with_their_intervals_and_what_they_are_over(
    section: sociolab.Section,
) -> None:
    (found,) = json.loads(sociolab.draw(section, "json"))["sections"]
    finding = found["tables"][0]["findings"][0]
    row = next(csv.DictReader(io.StringIO(sociolab.draw(section, "csv"))))
    assert finding["about"].keys() == {"weekday"}
    assert finding["seats"] > 1
    assert (row["figure"], row["n"]) == ("estimate", f"{finding['seats']} seats")
    assert float(row["value"]) == finding["estimate"]["value"]
    assert float(row["low"]) == finding["estimate"]["low"]
